package check

import (
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

func finalNames(out *model.Machine) []string {
	var names []string
	for _, s := range out.States {
		if s.Final {
			names = append(names, s.Ident)
		}
	}
	return names
}

// unreachable reports a state with the path that should lead to it: back from the
// state as far as transitions go, and where the paths from the initial state end.
func (m *machine) unreachable(out *model.Machine, next [][]int, s *model.State, from []int) {
	d := diag.New(diag.CodeUnreachableState, s.Pos, "state %s can't be reached from the initial state %s", s.Ident, out.Initial.Ident)
	path, edge, event := m.pathBack(out, s)
	if edge == nil {
		d.Message += ": no transition leads to it"
		if slices.Contains(next[s.Index], s.Index) {
			d.Message += " but its own"
		}
		d = d.WithRelated(m.g.machinePos, "state machine %s is here", m.name)
	} else {
		var names []string
		for _, p := range path {
			names = append(names, out.States[p].Ident)
		}
		d.Message += ": the path " + strings.Join(names, " -> ") + " begins at " + names[0] + ", which can't be reached either"
		d = d.WithRelated(edge.Pos, "%s leads to it", event)
	}
	if ends := pathEnds(out, next, from); ends != "" {
		d.Message += "; from " + out.Initial.Ident + " the path stops at " + ends
	}
	m.fault(d.WithHint("add the transition that is missing, or remove the state; unreachable=%s if rows are in it all the same", s.Ident))
}

// pathBack follows transitions from a state backwards over states not seen yet. It
// returns the path in forward order, and the last step of it; nil for none.
func (m *machine) pathBack(out *model.Machine, s *model.State) (path []int, last *model.Edge, event string) {
	path = []int{s.Index}
	for {
		e, ev := edgeInto(out, path)
		if e == nil {
			return path, last, event
		}
		if last == nil {
			last, event = e, ev
		}
		path = slices.Insert(path, 0, e.From)
	}
}

// edgeInto is the first edge into the start of a path from a state that is not on it.
func edgeInto(out *model.Machine, path []int) (*model.Edge, string) {
	for _, ev := range out.Events {
		for i, e := range ev.Edges {
			if e.To == path[0] && !slices.Contains(path, e.From) {
				return &ev.Edges[i], ev.Name
			}
		}
	}
	return nil, ""
}

// pathEnds names the states in which the paths from the initial state end.
func pathEnds(out *model.Machine, next [][]int, from []int) string {
	var names []string
	for _, s := range out.States {
		if from[s.Index] >= 0 && !slices.ContainsFunc(next[s.Index], func(t int) bool { return t != s.Index }) {
			names = append(names, s.Ident)
		}
	}
	return strings.Join(names, ", ")
}

// pathText writes the shortest path to a state.
func pathText(out *model.Machine, before []int, s int) string {
	names := []string{out.States[s].Ident}
	for s != before[s] {
		s = before[s]
		names = append(names, out.States[s].Ident)
	}
	slices.Reverse(names)
	return strings.Join(names, " -> ")
}
