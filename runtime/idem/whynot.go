package idem

import (
	"context"
	"slices"
)

// seen is what the classifying read saw.
type seen struct {
	state   int
	failed  GuardPart // the predicate that does not hold
	history *int64    // what the history says, see EventInfo.Check; nil for nothing
}

// Words of the history about the last time that the row left one of the sources.
const (
	historyPassed = 1 // by this event, and something came later
	historyLast   = 2 // by this event, and nothing came later
)

// whyNot reads the row and says why the event did not apply (S2).
func (f *firing) whyNot(ctx context.Context, db DB) error {
	m, e := f.machine, f.event
	var value any
	var failed int64
	var s seen
	read, dest := &m.Select, []any{&value}
	if check, _ := e.Check.For(f.dialect); check != "" {
		read, dest = &e.Check, append(dest, &failed)
		if m.History.SQLite.Into != "" {
			dest = append(dest, &s.history)
		}
	}
	query, args, err := f.statement(ctx, read)
	if err != nil {
		return err
	}
	found, err := queryRow(ctx, db, query, args, dest...)
	switch {
	case err != nil:
		return err
	case !found:
		return &TransitionError{Machine: m.Name, Event: e.Name, Kind: TransitionNotFound}
	}
	if s.state, err = m.state(f.dialect, value); err != nil {
		return err
	}
	s.failed = GuardPart(failed)
	out := &TransitionError{Machine: m.Name, Event: e.Name, From: m.States[s.state].Name, Kind: m.classify(e, f.to, s)}
	if out.Kind == TransitionGuard {
		out.Failed = s.failed
	}
	return out
}

// classify says why an event did not apply to a row in a known state (S2).
// Already applied is claimed only where it is certain. A history knows. Without
// one the row must be in a target of the event that nothing but this event leads
// into, or such a target must lie on every path to its state: a late payment of an
// order that was cancelled unpaid is illegal. What other targets of the event are
// like does not matter.
func (m *Machine) classify(e *EventInfo, to int, s seen) TransitionKind {
	switch leaves := e.leaves(s.state, to); {
	case leaves && s.failed != 0:
		return TransitionGuard
	case leaves:
		return TransitionConflict // it moved here after the update had looked
	case m.History.SQLite.Into != "":
		return m.recorded(s)
	case e.proves(s.state):
		return TransitionDuplicate
	case slices.ContainsFunc(e.Edges, func(edge Edge) bool {
		return e.proves(edge.To) && m.States[s.state].dominatedBy(edge.To)
	}):
		return TransitionSuperseded
	}
	return TransitionIllegal
}

// recorded is what the history says.
func (m *Machine) recorded(s seen) TransitionKind {
	switch {
	case s.history == nil:
		return TransitionIllegal
	case *s.history == historyLast:
		return TransitionDuplicate
	case *s.history == historyPassed:
		return TransitionSuperseded
	}
	return TransitionIllegal
}

// leaves tells whether the event has an edge from a state: to the target, if the
// caller named one.
func (e *EventInfo) leaves(from, to int) bool {
	return slices.ContainsFunc(e.Edges, func(edge Edge) bool {
		return edge.From == from && (!e.Dynamic || edge.To == to)
	})
}

// proves tells whether only this event can have brought a row into the state.
func (e *EventInfo) proves(state int) bool {
	return slices.Contains(e.Proofs, state) ||
		e.Unambiguous && slices.ContainsFunc(e.Edges, func(edge Edge) bool { return edge.To == state })
}

// dominatedBy tells whether all paths to the state pass through state i.
func (s *StateInfo) dominatedBy(i int) bool {
	word := i / 64
	return word < len(s.DominatedBy) && s.DominatedBy[word]>>(i%64)&1 == 1
}

// state finds the state of a column's value by the equality of the guard in the
// dialect, so that what no guard matches is no state: NULL and unknown values are
// an *UnknownStateError (S8). All of a text counts: the classifying read casts what
// a CHAR column of Postgres pads. On SQLite a BLOB equals no text, number or bool,
// and a bool is 0 or 1.
func (m *Machine) state(d Dialect, value any) (int, error) {
	if value == nil {
		return 0, &UnknownStateError{Machine: m.Name, Null: true}
	}
	text := valueText(value)
	if _, blob := value.([]byte); blob && d == SQLite {
		return 0, UnknownState(m.Name, text)
	}
	want := text
	if m.Column == BoolColumn {
		want = boolText(d, value)
	}
	if i := m.find(want); i >= 0 {
		return i, nil
	}
	return 0, UnknownState(m.Name, text)
}

// boolText is a bool column's value as Machine has it: Postgres has a type for
// bools, which drivers also hand over as text; elsewhere they are numbers.
func boolText(d Dialect, value any) string {
	_, isBool := value.(bool)
	switch text := valueText(value); {
	case text == "1", d == Postgres && text == "t":
		return "true"
	case text == "0", d == Postgres && text == "f":
		return "false"
	case isBool, d == Postgres:
		return text
	}
	return ""
}

func (m *Machine) find(text string) int {
	return slices.IndexFunc(m.States, func(s StateInfo) bool { return s.Value == text })
}
