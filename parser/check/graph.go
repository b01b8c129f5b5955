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
	entries := m.entries(out, next)
	from := reach(next, entries, -1)
	for _, s := range out.States {
		if from[s.Index] < 0 {
			m.unreachable(out, next, s, from)
		}
	}
	for _, s := range out.States {
		_, optOut := m.deadEnds[s]
		if from[s.Index] >= 0 && len(next[s.Index]) == 0 && !s.Final && !optOut {
			m.fault(diag.New(diag.CodeDeadEnd, s.Pos, "dead end: %s leads to %s, which is not final and has no way out", pathText(out, from, s.Index), s.Ident).
				WithRelated(m.g.machinePos, "state machine %s is here", m.name).
				WithHint("add a transition out of it, or final=%s; deadend=%s if it is neither", strings.Join(append(finalNames(out), s.Ident), ","), s.Ident))
		}
	}
	m.uselessDeadEnds(out, next)
	if !m.bad {
		dominators(out, next, entries)
		proofs(out, entries)
	}
}

// entries are the states that rows are in without any event: the initial one, and
// those that unreachable= names. One that a path leads to needs no such word.
func (m *machine) entries(out *model.Machine, next [][]int) []int {
	roots := []int{out.Initial.Index}
	for _, s := range out.States {
		if _, ok := m.unreachables[s]; ok && s != out.Initial {
			roots = append(roots, s.Index)
		}
	}
	for _, s := range out.States {
		e, ok := m.unreachables[s]
		if !ok {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(roots), func(i int) bool { return i == s.Index && s != out.Initial })
		from := reach(next, others, -1)
		if from[s.Index] < 0 {
			continue
		}
		why := "it can be reached by " + pathText(out, from, s.Index)
		if s == out.Initial {
			why = "it is the initial state"
		}
		m.fault(diag.New(diag.CodeUselessOptOut, e.Pos, "unreachable= is not needed for %s: %s", s.Ident, why).WithHint("remove it"))
		roots = others // of two that lead to each other one is enough
	}
	return roots
}

// uselessDeadEnds refuses deadend= of a state that passes the check.
func (m *machine) uselessDeadEnds(out *model.Machine, next [][]int) {
	for _, s := range out.States {
		e, ok := m.deadEnds[s]
		switch {
		case !ok:
		case s.Final:
			m.fault(diag.New(diag.CodeUselessOptOut, e.Pos, "deadend= is not needed for %s: it is final", s.Ident).WithHint("remove it"))
		case len(next[s.Index]) > 0:
			m.fault(diag.New(diag.CodeUselessOptOut, e.Pos, "deadend= is not needed for %s: it leads to %s", s.Ident, out.States[next[s.Index][0]].Ident).WithHint("remove it"))
		}
	}
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

// reach walks from some states without entering the state avoid. It returns for
// each state the one before it on a shortest path, itself for a start, -1 if
// unreached.
func reach(next [][]int, starts []int, avoid int) []int {
	before := make([]int, len(next))
	for i := range before {
		before[i] = -1
	}
	var queue []int
	for _, s := range starts {
		if s != avoid {
			before[s] = s
			queue = append(queue, s)
		}
	}
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

// dominators finds for each state those that every path to it passes through:
// without them it can't be reached.
func dominators(out *model.Machine, next [][]int, entries []int) {
	for _, s := range out.States {
		s.DominatedBy = nil
	}
	for _, d := range out.States {
		before := reach(next, entries, d.Index)
		for _, s := range out.States {
			if s == d || before[s.Index] < 0 {
				s.DominatedBy = append(s.DominatedBy, d.Index)
			}
		}
	}
}

// proofs finds for each event the targets that it alone leads into. Entries are
// also entered without any event. A dynamic event proves nothing: by the definition
// of its edges another event leads wherever it does.
func proofs(out *model.Machine, entries []int) {
	owner := make([]int, len(out.States)) // event index + 1 that enters the state; -1 for several
	for _, s := range entries {
		owner[s] = -1
	}
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
