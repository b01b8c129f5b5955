// Package graph draws state machines: a model.Machine in, the text of a diagram
// out, for Mermaid, DOT and PlantUML.
//
// The flow is Of (what is drawn, free of any language) → Mermaid, DOT or PlantUML.
// SVG is made from DOT by a layout engine outside of this module, and Style gives
// it its colours, light and dark.
//
// Users choose the words of states and events, so nothing that they wrote reaches
// a diagram as it is: every name is a label in quotes or escapes of the language,
// and ids are made here (S10). The same machine always gives the same bytes.
package graph

import (
	"cmp"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
)

// Mark begins the first line of each diagram, behind the language's sign for a
// comment: the files of idemgen are known by it.
const Mark = "State machine drawn by idemgen."

// MermaidMark, DOTMark and PlantUMLMark begin the first line of what the functions
// of that name write.
const (
	MermaidMark  = "%% " + Mark
	DOTMark      = "// " + Mark
	PlantUMLMark = "' " + Mark
)

// Diagram is a state machine as it is drawn.
type Diagram struct {
	Title string // Status: orders.status
	Nodes []Node
	Edges []Edge // in the order of From, To and event
}

// Node is a state, or stands for many states that an event leads out of.
type Node struct {
	ID      string // s0, all0: a letter or more and a number
	Label   string // plain text
	Initial bool
	Final   bool
	Many    bool // not a state: all of them, or all but some
	Note    bool // not a state: a sentence, which no edge touches
}

// Edge is one event that leads from one node to another.
type Edge struct {
	From, To int    // indices in Nodes
	Event    string // Pay
	Guard    string // what must hold besides, as SQL; "" for nothing
	Once     bool   // has a form that takes a key of its own
}

// Label is the edge in words, the guard on a line of its own:
// Pay (once), [amount > 0].
func (e Edge) Label() []string {
	text := Visible(e.Event)
	if e.Once {
		text += " (once)"
	}
	if e.Guard == "" {
		return []string{text}
	}
	return []string{text, "[" + Visible(e.Guard) + "]"}
}

// Of makes the diagram of a machine. An event that leads out of many states with
// a wildcard is drawn once, from a node that names them; one whose caller names the
// target goes where others go, which a note says.
func Of(m *model.Machine) Diagram {
	d := Diagram{Title: Visible(m.Name) + ": " + Visible(strings.Join(append(slices.Clone(m.Table), m.Column), "."))}
	for i, s := range m.States {
		d.Nodes = append(d.Nodes, Node{ID: id("s", i), Label: stateLabel(m, s), Initial: s == m.Initial, Final: s.Final})
	}
	for _, e := range m.Events {
		if e.Dynamic {
			d.note(m, e)
		} else {
			d.event(m, e)
		}
	}
	slices.SortStableFunc(d.Edges, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return d
}

// fewSources is how many arrows of a wildcard are still readable.
const fewSources = 2

// event draws the edges of one event.
func (d *Diagram) event(m *model.Machine, e *model.Event) {
	drawn := Edge{Event: e.Name, Guard: SQL(e.Where), Once: e.Once}
	wild := map[int][]int{} // target → sources
	for _, edge := range e.Edges {
		if edge.Wildcard {
			wild[edge.To] = append(wild[edge.To], edge.From)
		}
	}
	done := map[int]bool{}
	for _, edge := range e.Edges {
		drawn.From, drawn.To = edge.From, edge.To
		sources := wild[edge.To]
		if !edge.Wildcard || len(sources) <= fewSources {
			d.Edges = append(d.Edges, drawn)
			continue
		}
		if !done[edge.To] {
			done[edge.To] = true
			drawn.From = d.many(m, sources)
			d.Edges = append(d.Edges, drawn)
		}
	}
}

// many is the node that stands for the states; events with the same ones share it.
func (d *Diagram) many(m *model.Machine, sources []int) int {
	label := manyLabel(m, sources)
	i := slices.IndexFunc(d.Nodes, func(n Node) bool { return n.Many && n.Label == label })
	if i < 0 {
		i = len(d.Nodes)
		d.Nodes = append(d.Nodes, Node{ID: id("all", i), Label: label, Many: true})
	}
	return i
}

// note says where an event leads whose caller names the target.
func (d *Diagram) note(m *model.Machine, e *model.Event) {
	var sources []int
	for _, edge := range e.Edges {
		sources = append(sources, edge.From)
	}
	var from []string
	leaving := 0
	for _, s := range m.States {
		if slices.Contains(sources, s.Index) {
			from = append(from, stateLabel(m, s))
		}
		if !s.Final {
			leaving++
		}
	}
	text := Visible(e.Name) + " to :" + Visible(e.Target) + ": along every arrow"
	if len(from) < leaving {
		text += " out of " + strings.Join(from, ", ")
	}
	if guard := SQL(e.Where); guard != "" {
		text += " [" + Visible(guard) + "]"
	}
	d.Nodes = append(d.Nodes, Node{ID: id("note", len(d.Nodes)), Label: text, Note: true})
}

// manyLabel names the states, or those that are left out where these are fewer.
func manyLabel(m *model.Machine, sources []int) string {
	var except, any []string
	final := false
	for _, s := range m.States {
		switch {
		case s.Final:
			final = true // nothing leads out of it, a wildcard neither
		case !slices.Contains(sources, s.Index):
			except = append(except, stateLabel(m, s))
		default:
			any = append(any, stateLabel(m, s))
		}
	}
	if len(except) > 0 && len(any) <= len(except)+1 {
		return "any of " + strings.Join(any, ", ")
	}
	label := "every state"
	if final {
		label += " that is not final"
	}
	if len(except) > 0 {
		label += ", except " + strings.Join(except, ", ")
	}
	return label
}

// stateLabel is a text as the column holds it; other values stand behind the name
// that Go has for them, and so does a text that is mapped.
func stateLabel(m *model.Machine, s *model.State) string {
	if m.Base == model.KindString && !s.Mapped {
		return Visible(s.SQL.Text)
	}
	value := s.SQL.Text
	if s.SQL.Bool {
		value = s.Value
	}
	return Visible(s.Ident) + " (" + Visible(value) + ")"
}
