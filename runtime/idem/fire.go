package idem

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// FireEvent runs the guarded update of one event on the row with a key and
// returns the indices of the states it moved from and to (S1). When no row
// matched, one read on the same connection says why (S2): *TransitionError, or
// *UnknownStateError. A driver error is returned as it is. db is used by one
// call at a time.
func FireEvent(ctx context.Context, db DB, d Dialect, m *Machine, e *EventInfo, key any) (from, to int, err error) {
	switch d {
	case SQLite:
		from, err = fireEach(ctx, db, e, key)
	case Postgres:
		from, err = e.source(fireReturning(ctx, db, e.Update.Postgres, key))
	case MySQL:
		from, err = e.source(fireInsertID(ctx, db, e.Update.MySQL, key))
	default:
		return 0, 0, fmt.Errorf("idem: %s.%s: unknown SQL dialect %d", m.Name, e.Name, d)
	}
	if err != nil {
		return 0, 0, err
	}
	if from >= 0 {
		if to = e.next(from); to >= 0 {
			return from, to, nil
		}
		return 0, 0, fmt.Errorf("idem: %s.%s: the update matched state index %d, which has no edge", m.Name, e.Name, from)
	}
	return 0, 0, whyNot(ctx, db, d, m, e, key)
}

// source is the state that the edge with an index leaves, or -1.
func (e *EventInfo) source(edge int, err error) (int, error) {
	switch {
	case err != nil || edge < 0:
		return -1, err
	case edge >= len(e.Edges):
		return -1, fmt.Errorf("idem: %s: the update matched edge %d of %d", e.Name, edge, len(e.Edges))
	}
	return e.Edges[edge].From, nil
}

// next is the target from a state, or -1.
func (e *EventInfo) next(from int) int {
	for _, edge := range e.Edges {
		if edge.From == from {
			return edge.To
		}
	}
	return -1
}

// fireEach tries one statement per edge; -1 when none matched.
func fireEach(ctx context.Context, db DB, e *EventInfo, key any) (int, error) {
	for i, query := range e.Update.SQLite {
		res, err := db.Exec(ctx, query, key)
		if err != nil {
			return 0, err
		}
		n, err := res.RowsAffected()
		if err != nil {
			return 0, err
		}
		if n > 0 {
			return e.Edges[i].From, nil
		}
	}
	return -1, nil
}

// fireReturning reads the source from the row that the update returns.
func fireReturning(ctx context.Context, db DB, query string, key any) (int, error) {
	var index int64
	found, err := queryRow(ctx, db, query, key, &index)
	if err != nil || !found {
		return -1, err
	}
	return int(index) - 1, nil
}

// fireInsertID reads the source from the statement's LAST_INSERT_ID, which tells
// matched rows from changed ones whatever clientFoundRows says.
func fireInsertID(ctx context.Context, db DB, query string, key any) (int, error) {
	res, err := db.Exec(ctx, query, key)
	if err != nil {
		return 0, err
	}
	index, err := res.LastInsertId()
	return int(index) - 1, err
}

// queryRow scans the only row of a query, and drains it.
func queryRow(ctx context.Context, db DB, query string, key any, dest ...any) (found bool, err error) {
	rows, err := db.Query(ctx, query, key)
	if err != nil {
		return false, err
	}
	defer func() {
		if closed := rows.Close(); err == nil {
			err = closed
		}
	}()
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return false, err
		}
		found = true
	}
	return found, rows.Err()
}

// whyNot reads the row and classifies.
func whyNot(ctx context.Context, db DB, d Dialect, m *Machine, e *EventInfo, key any) error {
	var value any
	passed := true
	query, dest := m.Select.For(d), []any{&value}
	if check := e.Check.For(d); check != "" {
		query, dest = check, append(dest, &passed)
	}
	found, err := queryRow(ctx, db, query, key, dest...)
	if err != nil {
		return err
	}
	if !found {
		return &TransitionError{Machine: m.Name, Event: e.Name, Kind: TransitionNotFound}
	}
	state, err := m.state(d, value)
	if err != nil {
		return err
	}
	return &TransitionError{Machine: m.Name, Event: e.Name, From: m.States[state].Name, Kind: m.classify(e, state, passed)}
}

// classify says why an event did not apply to a row in a known state (S2).
// Already applied is claimed only where it is certain: the row is in a target of
// the event that nothing but this event leads into, or such a target lies on
// every path to its state. A late payment of an order that was cancelled unpaid is
// illegal. What other targets of the event are like does not matter.
func (m *Machine) classify(e *EventInfo, state int, passed bool) TransitionKind {
	switch {
	case e.next(state) >= 0 && !passed:
		return TransitionGuard
	case e.next(state) >= 0:
		return TransitionConflict // it moved here after the update had looked
	case e.proves(state):
		return TransitionDuplicate
	case slices.ContainsFunc(e.Edges, func(edge Edge) bool {
		return e.proves(edge.To) && m.States[state].dominatedBy(edge.To)
	}):
		return TransitionSuperseded
	}
	return TransitionIllegal
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
// an *UnknownStateError (S8). Blanks at the end don't count on Postgres, where a
// CHAR column pads with them; SQLite compares all of a text, and so does the
// guard on MySQL. On SQLite a BLOB equals no text, number or bool, and a bool is 0
// or 1.
func (m *Machine) state(d Dialect, value any) (int, error) {
	if value == nil {
		return 0, &UnknownStateError{Machine: m.Name, Null: true}
	}
	text := valueText(value)
	if _, blob := value.([]byte); blob && d == SQLite {
		return 0, UnknownState(m.Name, text)
	}
	want := text
	switch {
	case m.Column == BoolColumn:
		want = boolText(d, value)
	case m.Column == TextColumn && d == Postgres:
		if i := m.find(text); i >= 0 {
			return i, nil
		}
		want = strings.TrimRight(text, " ")
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
