package idem

import (
	"context"
	"fmt"
	"slices"
)

// FireEvent runs the guarded update of one event on the row with a key and tells
// the states that it moved from and to, and its new version (S1). args are, in
// this order: the expected version, an int64, if the machine has one (AnyVersion:
// whichever); the fence of a lock, an int64, if it has one; the parameters of the
// event. When no row matched, one read on the same connection says why (S2):
// *TransitionError, or *UnknownStateError (S8). A driver error is returned as it
// is. A key that selects several rows is ErrInvalidOp, and outside a transaction
// they have moved. db is used by one call at a time.
//
// It is one statement. A history is one more on SQLite and MySQL; where db is
// Atomic both run in a transaction, whose errors are Atomic's (S9).
func FireEvent(ctx context.Context, db DB, d Dialect, m *Machine, e *EventInfo, key any, args ...any) (Fired, error) {
	f := firing{dialect: d, machine: m, event: e, to: -1, key: key, args: args}
	if e.Dynamic {
		return Fired{}, fmt.Errorf("%w: %s: the event needs a target", ErrInvalidOp, f.name())
	}
	return f.run(ctx, db)
}

// FireTo is FireEvent for a dynamic event: the caller says which state the row
// shall move to, by its index. One that is none, negative for an unknown value, is
// an *UnknownStateError. A target that no edge of the event leads to is Illegal,
// or whatever else there is to say about the row.
func FireTo(ctx context.Context, db DB, d Dialect, m *Machine, e *EventInfo, to int, key any, args ...any) (Fired, error) {
	f := firing{dialect: d, machine: m, event: e, to: to, key: key, args: args}
	switch {
	case !e.Dynamic:
		return Fired{}, fmt.Errorf("%w: %s: the event has its own targets", ErrInvalidOp, f.name())
	case to < 0 || to >= len(m.States):
		return Fired{}, UnknownState(m.Name, fmt.Sprintf("target %d", to))
	case !slices.ContainsFunc(e.Edges, func(edge Edge) bool { return edge.To == to }):
		return Fired{}, f.whyNot(ctx, db)
	}
	return f.run(ctx, db)
}

// run fires, and says why it did not.
func (f *firing) run(ctx context.Context, db DB) (fired Fired, err error) {
	if f.ownHistory().Into == "" {
		fired, applied, err := f.update(ctx, db)
		if err == nil && !applied {
			err = f.whyNot(ctx, db)
		}
		return fired, err
	}
	err = atomically(ctx, db, func(ctx context.Context, db DB) error {
		var applied bool
		var err error
		fired, applied, err = f.update(ctx, db)
		switch {
		case err != nil:
			return err
		case !applied:
			return f.whyNot(ctx, db)
		}
		return f.record(ctx, db, f.event.Name, moved{f.key, fired.From, fired.To})
	})
	if err != nil {
		fired = Fired{}
	}
	return fired, err
}

// update runs the one statement.
func (f *firing) update(ctx context.Context, db DB) (fired Fired, applied bool, err error) {
	query, args, err := f.statement(ctx, &f.event.Update)
	if err != nil {
		return Fired{}, false, err
	}
	edge, version := int64(0), (*int64)(nil)
	if f.dialect == MySQL {
		edge, version, err = f.execute(ctx, db, query, args)
	} else {
		dest := []any{&edge}
		if f.machine.Version {
			dest = append(dest, &version)
		}
		applied, err = queryRow(ctx, db, query, args, dest...)
		if err == nil && applied && edge == 0 {
			edge = -1 // a row was changed, and along no edge
		}
	}
	if err != nil || edge == 0 {
		return Fired{}, false, err
	}
	fired, err = f.fired(edge, version)
	return fired, err == nil, err
}

// execute reads edge and version from the statement's LAST_INSERT_ID, which tells
// matched rows from changed ones whatever clientFoundRows says.
func (f *firing) execute(ctx context.Context, db DB, query string, args []any) (edge int64, version *int64, err error) {
	res, err := db.Exec(ctx, query, args...)
	if err != nil {
		return 0, nil, err
	}
	if n, err := res.RowsAffected(); err == nil && n > 1 {
		return 0, nil, errManyRows
	}
	id, err := res.LastInsertId()
	if err != nil || !f.machine.Version {
		return id, nil, err
	}
	base := int64(len(f.event.Edges) + 1)
	if v := id / base; v > 0 {
		version = &v
	}
	return id % base, version, nil
}

// fired says in states what a statement said in edges.
func (f *firing) fired(edge int64, version *int64) (Fired, error) {
	edges := f.event.Edges
	if edge < 1 || edge > int64(len(edges)) {
		return Fired{}, fmt.Errorf("idem: %s: the update matched edge %d of %d", f.name(), edge, len(edges))
	}
	e := edges[edge-1]
	if f.event.Dynamic {
		e.To = f.to
	}
	out := Fired{From: e.From, To: e.To, Version: AnyVersion}
	if version != nil {
		out.Version = *version
	}
	return out, nil
}

// errManyRows: a key that selects more than one row.
var errManyRows = fmt.Errorf("%w: the key of a state machine's row selects several", ErrInvalidOp)

// queryRow scans the only row of a query, and drains it.
func queryRow(ctx context.Context, db DB, query string, args []any, dest ...any) (found bool, err error) {
	rows := 0
	err = queryRows(ctx, db, query, args, dest, func() error {
		if rows++; rows > 1 {
			return errManyRows
		}
		return nil
	})
	return rows > 0 && err == nil, err
}

// queryRows scans the rows of a query one after the other into dest, and drains it.
func queryRows(ctx context.Context, db DB, query string, args, dest []any, each func() error) (err error) {
	rows, err := db.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() {
		if closed := rows.Close(); err == nil {
			err = closed
		}
	}()
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		if err := each(); err != nil {
			return err
		}
	}
	return rows.Err()
}
