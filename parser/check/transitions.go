package check

import (
	"cmp"
	"go/token"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
)

// edge is one step that a transition allows, before indices are known.
type edge struct {
	event    string
	eventPos model.Pos
	from, to *state
	pos      model.Pos // of the source in the directive
	wildcard bool
	param    directive.Name // of a dynamic event: its target's name
}

// transitions resolves all transitions of a machine into edges. Explicit ones
// come first, so that they win over wildcards whatever the order (S4).
func (m *machine) transitions() []edge {
	if len(m.g.transitions) == 0 && !m.g.faulty {
		m.fault(diag.New(diag.CodeNoTransitions, m.g.machinePos, "state machine %s has no transitions", m.name).
			WithHint("add //idem:transition Event From -> To below it"))
	}
	var edges []edge
	type target struct {
		tr *directive.Transition
		to *state
	}
	var wild []target
	seen := map[edgeKey]edge{}
	m.mixedTargets()
	for _, t := range m.g.transitions {
		tr := t.Transition
		if tr.Param.Text != "" {
			continue
		}
		to := m.resolveOptional(tr.Target)
		if tr.Wildcard != nil {
			wild = append(wild, target{tr, to})
			continue
		}
		for _, e := range tr.Sources {
			from := m.resolveOptional(e)
			if from == nil || to == nil || tr.Event.Text == "" {
				continue
			}
			x := edge{event: tr.Event.Text, eventPos: tr.Event.Pos, from: from, to: to, pos: e.Pos}
			if first, twice := seen[x.key()]; twice {
				m.fault(duplicate(x, first))
				continue
			}
			seen[x.key()] = x
			edges = append(edges, x)
		}
	}
	for _, w := range wild {
		edges = append(edges, m.wildcard(w.tr, w.to, seen)...)
	}
	return append(edges, m.dynamicEdges(edges)...)
}

type edgeKey struct {
	event string
	from  *state
}

func (e edge) key() edgeKey { return edgeKey{e.event, e.from} }

func duplicate(x, first edge) diag.Diagnostic {
	return diag.New(diag.CodeDuplicateTransition, x.pos, "event %s of state %s is given twice: to %s and to %s", x.event, x.from.Ident, first.to.Ident, x.to.Ident).
		WithRelated(first.pos, "it leads to %s here", first.to.Ident)
}

// resolveOptional resolves a state that the reader of the directive may have
// diagnosed already.
func (m *machine) resolveOptional(e directive.Expr) *state {
	if e.Expr == nil {
		m.bad = true
		return nil
	}
	return m.resolve(e)
}

// wildcard expands * - A,B: every state but the final ones, the target, the
// named ones, and those that have an explicit edge for the event.
func (m *machine) wildcard(tr *directive.Transition, to *state, seen map[edgeKey]edge) []edge {
	except := map[*state]bool{to: true}
	for _, e := range tr.Wildcard.Except {
		if s := m.resolveOptional(e); s != nil {
			except[s] = true
		}
	}
	if to == nil || tr.Event.Text == "" {
		return nil
	}
	var edges []edge
	left := 0
	// A state is judged by its place in the source, not by when it was named.
	for _, s := range m.states {
		if except[s] || s.Final {
			continue
		}
		left++
		x := edge{event: tr.Event.Text, eventPos: tr.Event.Pos, from: s, to: to, pos: tr.Wildcard.Pos, wildcard: true}
		if first, taken := seen[x.key()]; taken {
			if first.wildcard && first.pos != x.pos {
				m.fault(duplicate(x, first))
				return edges
			}
			continue
		}
		seen[x.key()] = x
		edges = append(edges, x)
	}
	switch {
	case left == 0:
		m.fault(diag.New(diag.CodeEmptyWildcard, tr.Wildcard.Pos, "* of event %s leaves no state: final states and the target %s never count", tr.Event.Text, to.Ident))
	case len(edges) == 0:
		m.fault(diag.New(diag.CodeShadowedTransition, tr.Wildcard.Pos, "* of event %s has no effect: explicit transitions take every state", tr.Event.Text).
			WithHint("remove it"))
	}
	return edges
}

// events groups edges by event, in the order written, with indices (S5).
func (m *machine) events(out *model.Machine, edges []edge, finals map[*state]directive.Expr) {
	slices.SortStableFunc(edges, func(a, b edge) int { return comparePos(a.eventPos, b.eventPos) })
	byName := map[string]*model.Event{}
	byIdent := map[string]*model.Event{}
	for _, x := range edges {
		ev := byName[x.event]
		if ev == nil {
			ev = &model.Event{Pos: x.eventPos, Index: len(out.Events), Name: x.event, Ident: eventIdent(x.event), Dynamic: x.param.Text != "", Target: x.param.Text}
			byName[x.event] = ev
			out.Events = append(out.Events, ev)
			if first := byIdent[ev.Ident]; first != nil {
				m.fault(diag.New(diag.CodeNameCollision, ev.Pos, "events %s and %s would both be called %s in Go", first.Name, ev.Name, ev.Ident).
					WithRelated(first.Pos, "%s is here", first.Name))
			} else {
				byIdent[ev.Ident] = ev
			}
		}
		if e, isFinal := finals[x.from]; isFinal {
			m.fault(diag.New(diag.CodeEdgeOutOfFinal, x.pos, "%s is final but has an edge to %s, line %d", x.from.Ident, x.to.Ident, x.pos.Line).
				WithRelated(e.Pos, "%s is called final here", x.from.Ident))
		}
		ev.Edges = append(ev.Edges, model.Edge{Pos: x.pos, From: x.from.Index, To: x.to.Index, Wildcard: x.wildcard})
	}
	for _, ev := range out.Events {
		slices.SortFunc(ev.Edges, func(a, b model.Edge) int { return cmp.Or(a.From-b.From, a.To-b.To) })
	}
}

// eventIdent makes an exported Go identifier of an event's name: letters behind
// anything else begin a word.
func eventIdent(name string) string {
	var b strings.Builder
	upper := true
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			upper = true
			continue
		}
		if upper {
			r = unicode.ToUpper(r)
		}
		upper = false
		b.WriteRune(r)
	}
	ident := b.String()
	if first, _ := utf8.DecodeRuneInString(ident); !unicode.IsLetter(first) {
		ident = "E" + ident
	}
	if !token.IsIdentifier(ident) {
		return name
	}
	return ident
}
