package templates

import (
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/templates/names"
)

// guardDoc says what a refused event is, on the guard's type.
func (b *machineBuilder) guardDoc() []string {
	m := b.m
	lines := []string{
		m.guard + " is the one way the column " + m.Column + " of " + strings.Join(m.Table, ".") + " changes. Each event is one guarded UPDATE;",
		"of several callers at once exactly one applies it. An event that was not applied is a *idem.TransitionError:",
	}
	notFound, superseded := "NotFound (no such row)", "Superseded (so it was, and the row has moved on)"
	if m.Where != nil {
		notFound = "NotFound (no such row with " + fragText(b, m.Where, paramNames(m.Params)) + ")"
	}
	if guarded(m.Machine) {
		lines = append(lines,
			notFound+", Illegal (no edge from the row's state), Guard (there is an edge, but something else that the event requires does not hold: Failed tells what),",
			"Duplicate (this event was applied before), "+superseded+",",
			"Conflict (the row moved meanwhile); a value in the column that is no state is idem.ErrUnknownState.")
	} else {
		lines = append(lines,
			notFound+", Illegal (no edge from the row's state), Duplicate (this event was applied before),",
			superseded+", Conflict (the row moved meanwhile); a value in the column that is",
			"no state is idem.ErrUnknownState.")
	}
	if m.Version != "" {
		lines = append(lines, "Every event raises "+m.Version+" by one. Another one than expected is idem.ErrConflict as well; idem.AnyVersion stands for any.")
	}
	if m.Fence != "" {
		lines = append(lines, "The highest fence that a row has seen stays in "+m.Fence+".")
	}
	if m.History != nil {
		lines = append(lines, "What was applied before is what "+strings.Join(m.History, ".")+" says; it gets a row with every change, in the same transaction.")
	}
	const crash = "A crash before the transaction's commit leaves the row as it was."
	if guarded(m.Machine) || m.History != nil {
		return append(lines, crash)
	}
	lines[len(lines)-1] += " " + crash
	return lines
}

// guarded tells whether an event may be refused for another reason than the state.
func guarded(m *model.Machine) bool {
	return m.Version != "" || m.Fence != "" || slices.ContainsFunc(m.Events, func(ev *model.Event) bool { return ev.Where != nil })
}

// eventDoc says what an event does, requires and sets, and what a second one meets.
func (b *machineBuilder) eventDoc(name string, ev *model.Event, params []string, to, version, fence string) []string {
	m := b.m
	move := moveText(m.Machine, ev)
	if ev.Dynamic {
		move = "from " + orList(sourceIdents(m.Machine, ev)) + " to the state " + to + ", where another event leads there from its state"
	}
	lines := []string{name + " moves the row with the given " + m.Key + " " + move + "." + b.duplicateText(ev)}
	return append(lines, b.conditions(ev, params, version, fence)...)
}

// conditions say what a row must meet beside the state, what is set, and how many
// statements that takes.
func (b *machineBuilder) conditions(ev *model.Event, params []string, version, fence string) []string {
	m := b.m
	var requires []string
	if m.Where != nil {
		requires = append(requires, fragText(b, m.Where, params)+" (else NotFound)")
	}
	var guards []string
	if ev.Where != nil {
		guards = append(guards, fragText(b, ev.Where, params))
	}
	if version != "" {
		guards = append(guards, "a row at that "+version)
	}
	if fence != "" {
		guards = append(guards, "a "+fence+" that is not below the row's")
	}
	if len(guards) > 0 {
		requires = append(requires, strings.Join(guards, ", ")+" (else Guard)")
	}
	var does []string
	if len(requires) > 0 {
		does = append(does, "requires "+strings.Join(requires, ", "))
	}
	if len(ev.Set) > 0 {
		does = append(does, "sets "+assignText(b, ev.Set, params))
	}
	var lines []string
	if len(does) > 0 {
		lines = append(lines, "It "+strings.Join(does, ", and ")+".")
	}
	if m.History != nil {
		lines = append(lines, "It is one statement on Postgres; elsewhere two, the second for "+strings.Join(m.History, ".")+".")
	}
	return lines
}

// sourceIdents are the states that an event may leave, in order.
func sourceIdents(m *model.Machine, ev *model.Event) []string {
	var list []string
	for i, s := range m.States {
		if slices.ContainsFunc(ev.Edges, func(e model.Edge) bool { return e.From == i }) {
			list = append(list, s.Ident)
		}
	}
	return list
}

func assignText(b *machineBuilder, list []model.Assign, params []string) string {
	texts := make([]string, len(list))
	for i, a := range list {
		texts[i] = a.Column + " = " + fragText(b, a.Expr, params)
	}
	return strings.Join(texts, ", ")
}

// fragText is a fragment as people read it: parameters and constants by their names.
func fragText(b *machineBuilder, f model.Frag, params []string) string {
	var text strings.Builder
	for _, tok := range f {
		switch tok.Kind {
		case model.FragSpace:
			text.WriteByte(' ')
		case model.FragParam:
			text.WriteString(":" + params[tok.Param])
		case model.FragText:
			if tok.Text == "" || strings.Contains(tok.Text, "'") {
				text.WriteString(strconv.Quote(tok.Text))
			} else {
				text.WriteString("'" + tok.Text + "'")
			}
		case model.FragValue:
			if tok.Const != nil {
				text.WriteString(b.table.Code(tok.Const))
			} else {
				text.WriteString(tok.Value.Text)
			}
		default:
			text.WriteString(tok.Text)
		}
	}
	return strings.TrimSpace(text.String())
}

// paramNames are the parameters as written.
func paramNames(params []model.SQLParam) []string {
	list := make([]string, len(params))
	for i, p := range params {
		list[i] = p.Name
	}
	return list
}

// duplicateText says what a second firing of the event meets.
func (b *machineBuilder) duplicateText(ev *model.Event) string {
	sources := make([]bool, len(b.m.States))
	edges := byFrom(ev.Edges)
	for _, e := range edges {
		sources[e.From] = true
	}
	again := slices.ContainsFunc(edges, func(e model.Edge) bool { return sources[e.To] })
	switch {
	case ev.Dynamic && b.m.History != nil:
		return " A target that no event leads to is Illegal; applied before it is Duplicate, or Superseded, where the row has not come back since."
	case ev.Dynamic:
		return " A target that no event leads to is Illegal, and so is one that the row is in already: that does not prove that this call led there."
	case again:
		return " It may be applied again from where it leads to."
	case b.m.History != nil:
		return " Fired again it is Duplicate, or Superseded where the row has moved on."
	}
	proofs := b.proofs(ev)
	if len(proofs) == 0 {
		return " Fired again it is Illegal: the state that it leads to does not prove that this event led there."
	}
	var unproven []string
	for _, s := range b.m.States {
		if !slices.Contains(proofs, s.Index) && slices.ContainsFunc(edges, func(e model.Edge) bool { return e.To == s.Index }) {
			unproven = append(unproven, s.Ident)
		}
	}
	if len(unproven) == 0 {
		return " Fired again it is Duplicate, or Superseded."
	}
	return " Fired again it is Duplicate, or Superseded; Illegal where it led to " + strings.Join(unproven, ", ") +
		", which does not prove that this event led there."
}

// createDoc says what a new row is like and what a second creation meets.
func (b *machineBuilder) createDoc(params []string) []string {
	m := b.m
	text := m.create + " inserts a row in the state " + m.Initial.Ident
	if list := append(m.Same[:len(m.Same):len(m.Same)], m.Create...); len(list) > 0 {
		text += " with " + assignText(b, list, params)
	}
	lines := []string{text + ". It never changes a row that is there: the second creation is Duplicate, or Superseded once the row has moved on."}
	if m.Where != nil {
		lines = append(lines, "Where the "+m.Key+" belongs to a row without "+fragText(b, m.Where, params)+", or another unique index has the row, the kind is Guard.")
	} else {
		lines = append(lines, "Where another unique index has the row, the kind is Guard.")
	}
	if m.History != nil {
		lines = append(lines, "The row in "+strings.Join(m.History, ".")+" has no state to come from.")
	}
	return lines
}

// guardNames are the type and the constructor of a machine's guard.
func guardNames(machine string) (guard, constructor string) {
	return machine + "Guard", cased("new", machine) + "Guard"
}

// eventName is the constant of an event.
func eventName(machine string, ev *model.Event) string { return machine + names.Upper(ev.Ident) }
