package check

import (
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
)

// graph checks that every state can be reached and left (S5), and works out what
// tells a duplicate from an illegal event (S2).
func (m *machine) graph(out *model.Machine, finals map[*state]directive.Expr) {
	next := successors(out)
	from := reach(next, out.Initial.Index, -1)
	for _, s := range out.States {
		if from[s.Index] < 0 {
			m.unreachable(out, s, from)
		}
	}
	for _, s := range out.States {
		if from[s.Index] >= 0 && len(next[s.Index]) == 0 && !s.Final {
			m.fault(diag.New(diag.CodeDeadEnd, s.Pos, "dead end: %s leads to %s, which is not final and has no way out", pathText(out, from, s.Index), s.Ident).
				WithRelated(m.g.machinePos, "state machine %s is here", m.name).
				WithHint("add a transition out of it, or final=%s", strings.Join(append(finalNames(out), s.Ident), ",")))
		}
	}
	if !m.bad {
		dominators(out, next)
		proofs(out)
	}
}

func finalNames(out *model.Machine) []string {
	var names []string
	for _, s := range out.States {
		if s.Final {
			names = append(names, s.Ident)
		}
	}
	return names
}

func (m *machine) unreachable(out *model.Machine, s *model.State, from []int) {
	d := diag.New(diag.CodeUnreachableState, s.Pos, "state %s can't be reached from the initial state %s", s.Ident, out.Initial.Ident)
	for _, ev := range out.Events {
		for _, e := range ev.Edges {
			if e.To == s.Index && e.From != s.Index {
				d.Message += ": " + out.States[e.From].Ident + " -> " + s.Ident + " begins at a state that can't be reached either"
				m.fault(d.WithRelated(e.Pos, "%s leads to it", ev.Name))
				return
			}
		}
	}
	d.Message += ": no transition leads to it"
	m.fault(d.WithRelated(m.g.machinePos, "state machine %s is here", m.name).
		WithHint("add the transition that is missing, or remove the state"))
}

// successors are the targets of each state, ascending, each once.
func successors(out *model.Machine) [][]int {
	next := make([][]int, len(out.States))
	for _, ev := range out.Events {
		for _, e := range ev.Edges {
			if !slices.Contains(next[e.From], e.To) {
				next[e.From] = append(next[e.From], e.To)
			}
		}
	}
	for _, list := range next {
		slices.Sort(list)
	}
	return next
}

// reach walks from start without entering the state avoid. It returns for each
// state the one before it on a shortest path, itself for start, -1 if unreached.
func reach(next [][]int, start, avoid int) []int {
	before := make([]int, len(next))
	for i := range before {
		before[i] = -1
	}
	if start == avoid {
		return before
	}
	before[start] = start
	queue := []int{start}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		for _, t := range next[s] {
			if t != avoid && before[t] < 0 {
				before[t] = s
				queue = append(queue, t)
			}
		}
	}
	return before
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

// dominators finds for each state those that every path to it passes through:
// without them it can't be reached.
func dominators(out *model.Machine, next [][]int) {
	for _, s := range out.States {
		s.DominatedBy = nil
	}
	for _, d := range out.States {
		before := reach(next, out.Initial.Index, d.Index)
		for _, s := range out.States {
			if s == d || before[s.Index] < 0 {
				s.DominatedBy = append(s.DominatedBy, d.Index)
			}
		}
	}
}

// proofs finds for each event the targets that it alone leads into. The initial
// state is also entered by creation.
func proofs(out *model.Machine) {
	owner := make([]int, len(out.States)) // event index + 1 that enters the state; -1 for several
	owner[out.Initial.Index] = -1
	for i, ev := range out.Events {
		for _, e := range ev.Edges {
			switch owner[e.To] {
			case 0:
				owner[e.To] = i + 1
			case i + 1:
			default:
				owner[e.To] = -1
			}
		}
	}
	for _, ev := range out.Events {
		ev.Proofs = nil
	}
	for s, i := range owner {
		if i > 0 {
			out.Events[i-1].Proofs = append(out.Events[i-1].Proofs, s)
		}
	}
}
