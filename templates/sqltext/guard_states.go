package sqltext

import (
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
)

// The states of an event: the edges in order, where a row may be, and where it goes.

// edges are the edges of an event in the order that the statements number: by
// source, then by target. Of two from one source an explicit one wins over a
// wildcard one (S4), unless the caller chooses.
func edges(e *model.Event) []model.Edge {
	list := slices.Clone(e.Edges)
	slices.SortStableFunc(list, func(a, b model.Edge) int {
		switch {
		case a.From != b.From:
			return a.From - b.From
		case e.Dynamic && a.To != b.To:
			return a.To - b.To
		case a.Wildcard != b.Wildcard && b.Wildcard:
			return -1
		case a.Wildcard != b.Wildcard:
			return 1
		}
		return 0
	})
	return slices.CompactFunc(list, func(a, b model.Edge) bool {
		return a.From == b.From && (!e.Dynamic || a.To == b.To)
	})
}

// inSource is the predicate that the row is in one of the sources; of a dynamic
// event, in one from which the target can be reached.
func (w *guardWriter) inSource() {
	if !w.e.Dynamic {
		w.stateIn(w.sources())
		return
	}
	groups := w.reaching()
	if len(groups) > 1 {
		w.text("(")
	}
	for i, g := range groups {
		if i > 0 {
			w.text(" OR ")
		}
		w.stateIn(g.from)
		w.text(" AND ")
		w.bigint(argTarget)
		w.in(g.to)
	}
	if len(groups) > 1 {
		w.text(")")
	}
}

// sources are the distinct sources, in order.
func (w *guardWriter) sources() []int {
	var list []int
	for _, e := range w.edges {
		list = append(list, e.From)
	}
	return slices.Compact(list)
}

// reach is a set of sources from which the same targets can be reached.
type reach struct{ from, to []int }

func (w *guardWriter) reaching() []reach {
	var groups []reach
	for _, from := range w.sources() {
		var to []int
		for _, e := range w.edges {
			if e.From == from {
				to = append(to, e.To)
			}
		}
		i := slices.IndexFunc(groups, func(g reach) bool { return slices.Equal(g.to, to) })
		if i < 0 {
			groups = append(groups, reach{to: to})
			i = len(groups) - 1
		}
		groups[i].from = append(groups[i].from, from)
	}
	return groups
}

func (w *guardWriter) stateIn(states []int) {
	w.text(w.compared(w.column()) + w.oneOf(states, w.literal))
}

func (w *guardWriter) in(states []int) { w.text(w.oneOf(states, strconv.Itoa)) }

// oneOf writes = x or IN (x, y).
func (w *guardWriter) oneOf(states []int, literal func(int) string) string {
	if len(states) == 1 {
		return " = " + literal(states[0])
	}
	list := make([]string, len(states))
	for i, s := range states {
		list[i] = literal(s)
	}
	return " IN (" + strings.Join(list, ", ") + ")"
}

// set writes the assignments. The user's come first and the state before the
// version, since MySQL sees what it has already assigned: nothing reads a column
// behind its assignment. state writes the new state.
func (w *guardWriter) set(state func()) {
	w.text(" SET ")
	for _, a := range w.e.Set {
		w.text(w.d.quote(a.Column) + " = ")
		w.frag(a.Expr, w.params)
		w.text(", ")
	}
	w.text(w.column() + " = ")
	state()
	if w.m.Version != "" {
		version := w.d.quote(w.m.Version)
		w.text(", " + version + " = " + version + " + 1")
	}
	if w.m.Fence != "" {
		w.text(", " + w.d.quote(w.m.Fence) + " = ")
		w.arg(w.fenceArg())
	}
}

// to is the new state: a literal, or a choice by source or by what the caller
// says. The ELSE is never taken; it gives the expression the column's own type.
func (w *guardWriter) to(column string) {
	switch {
	case w.e.Dynamic:
		w.text("CASE ")
		w.bigint(argTarget)
		for _, to := range w.targets() {
			w.text(" WHEN " + strconv.Itoa(to) + " THEN " + w.literal(to))
		}
		w.text(" ELSE " + column + " END")
	case len(w.targets()) == 1:
		w.text(w.literal(w.edges[0].To))
	default:
		w.text("CASE " + w.compared(column))
		for _, e := range w.edges {
			w.text(" WHEN " + w.literal(e.From) + " THEN " + w.literal(e.To))
		}
		w.text(" ELSE " + column + " END")
	}
}

// targets are the distinct targets, ascending.
func (w *guardWriter) targets() []int {
	var list []int
	for _, e := range w.edges {
		list = append(list, e.To)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// edge is the number of the edge that leaves the row's state, from 1; of several
// from one source, which the caller chooses from, the first.
func (w *guardWriter) edge(column string) string {
	var b strings.Builder
	b.WriteString("CASE " + w.compared(column))
	for i, e := range w.edges {
		if i == 0 || w.edges[i-1].From != e.From {
			b.WriteString(" WHEN " + w.literal(e.From) + " THEN " + strconv.Itoa(i+1))
		}
	}
	b.WriteString(" END")
	return b.String()
}
