package check

import (
	"slices"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
)

// dynamicEdges gives the events whose target the caller names (-> :to) the steps
// that the static transitions allow from their sources.
func (m *machine) dynamicEdges(static []edge) []edge {
	var out []edge
	targets := map[*state][]*state{} // in the order of the states' first edges
	for _, x := range static {
		if !slices.Contains(targets[x.from], x.to) {
			targets[x.from] = append(targets[x.from], x.to)
		}
	}
	seen := map[edgeKey]model.Pos{}
	whole := !m.bad                            // else an edge may be missing because of another fault
	for _, wild := range []bool{false, true} { // explicit sources win, as in S4
		for _, t := range m.g.transitions {
			if t.Param.Text != "" && t.Event.Text != "" && (t.Wildcard != nil) == wild {
				out = append(out, m.dynamic(t.Transition, targets, seen, whole)...)
			}
		}
	}
	return out
}

// dynamic makes the edges of one dynamic transition. Without the whole table it
// misses none.
func (m *machine) dynamic(tr *directive.Transition, targets map[*state][]*state, seen map[edgeKey]model.Pos, whole bool) []edge {
	var out []edge
	add := func(from *state, pos model.Pos) {
		seen[edgeKey{tr.Event.Text, from}] = pos
		for _, to := range targets[from] {
			out = append(out, edge{event: tr.Event.Text, eventPos: tr.Event.Pos, from: from, to: to, pos: pos, wildcard: tr.Wildcard != nil, param: tr.Param})
		}
	}
	if tr.Wildcard != nil {
		for _, s := range m.states {
			if _, taken := seen[edgeKey{tr.Event.Text, s}]; !taken && !m.excepted(tr, s) {
				add(s, tr.Wildcard.Pos)
			}
		}
		if len(out) == 0 && whole {
			m.fault(diag.New(diag.CodeDynamicEmpty, tr.Wildcard.Pos, "event %s has no edge: no other transition leads out of a state that it could leave", tr.Event.Text).
				WithHint("-> :%s takes the steps that transitions with a named target allow", tr.Param.Text))
		}
		return out
	}
	for _, e := range tr.Sources {
		from := m.resolveOptional(e)
		if from == nil {
			continue
		}
		if first, twice := seen[edgeKey{tr.Event.Text, from}]; twice {
			m.fault(diag.New(diag.CodeDuplicateTransition, e.Pos, "event %s of state %s is given twice", tr.Event.Text, from.Ident).
				WithRelated(first, "it is here first"))
			continue
		}
		if len(targets[from]) == 0 && whole {
			m.fault(diag.New(diag.CodeDynamicEmpty, e.Pos, "event %s has no edge from %s: no other transition leads out of it", tr.Event.Text, from.Ident).
				WithHint("-> :%s takes the steps that transitions with a named target allow", tr.Param.Text))
			continue
		}
		add(from, e.Pos)
	}
	return out
}

// excepted tells whether a wildcard transition leaves a state out.
func (m *machine) excepted(tr *directive.Transition, s *state) bool {
	for _, e := range tr.Wildcard.Except {
		if m.resolveOptional(e) == s {
			return true
		}
	}
	return false
}

// mixedTargets refuses an event with named targets and a dynamic one, and one whose
// dynamic target has two names. It tells whether the transition may go on.
func (m *machine) mixedTargets() {
	first := map[string]transition{}
	for _, t := range m.g.transitions {
		name := t.Event.Text
		if name == "" || t.Param.Text == "" && t.Target.Expr == nil {
			continue
		}
		f, later := first[name]
		if !later {
			first[name] = t
			continue
		}
		switch {
		case (f.Param.Text == "") != (t.Param.Text == ""):
			m.fault(diag.New(diag.CodeDynamicMixed, targetPos(t), "event %s has a named target and one that the caller names", name).
				WithRelated(targetPos(f), "the other target is here").WithHint("give the two different events"))
		case f.Param.Text != t.Param.Text:
			m.fault(diag.New(diag.CodeDynamicMixed, t.Param.Pos, "the target of event %s is called :%s and :%s", name, f.Param.Text, t.Param.Text).
				WithRelated(f.Param.Pos, "the other name is here").WithHint("write one name"))
		}
	}
}

func targetPos(t transition) model.Pos {
	if t.Param.Text != "" {
		return t.Param.Pos
	}
	return t.Target.Pos
}
