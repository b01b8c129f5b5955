package idem

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// UniqueOp describes the unique layer of one operation: a constant of the generated
// code, read only and safe for concurrent use.
type UniqueOp struct {
	Name string // the operation, for messages
	// Index is the declared unique index or constraint: of any other a violation is
	// an error as ever.
	Index string
	// Columns are those of the index as SQLite names them, in its order:
	// orders.shop, orders.no. Empty: SQLite's errors are compared with Index.
	Columns []string
}

// Violation tells whether an error says that a unique index was violated, and which
// (sqlstore.UniqueViolation).
type Violation func(err error) (index string, ok bool)

// is tells a violation of the declared index.
func (o *UniqueOp) is(violation Violation, err error) bool {
	if err == nil || violation == nil {
		return false
	}
	index, ok := violation(err)
	return ok && (index == o.Index || len(o.Columns) > 0 && index == strings.Join(o.Columns, ", "))
}

// Unique runs a method whose insert a unique index guards: a duplicate of the
// declared index is answered by the look-up. Where that finds nothing, by an error or
// a nil result, the method's own error stands. The observer hears EventLookedUp.
func Unique[R any](ctx context.Context, e *Engine, op *UniqueOp, violation Violation, lookup, run func(context.Context) (R, error)) (R, error) {
	res, err := run(ctx)
	if !op.is(violation, err) {
		return res, err
	}
	return answered(ctx, e, op, res, err, lookup)
}

// UniqueTx is Unique around a guarded call in transaction mode. Where the call began
// its transaction, that is rolled back by now, and the look-up runs in a new one: a
// savepoint would read an old snapshot. In a caller's transaction, which the savepoint
// of the guarded call has left usable, it runs there at READ COMMITTED, and else the
// error is ErrRetryTransaction: only a new transaction sees the other row.
func UniqueTx[T, R any](ctx context.Context, e *Engine, store TxStore[T], op *UniqueOp, violation Violation, lookup func(ctx context.Context, tx T) (R, error), run func(context.Context) (R, error)) (R, error) {
	res, err := run(ctx)
	if !op.is(violation, err) {
		return res, err
	}
	cur := joined(ctx, store)
	if cur == nil {
		return answered(ctx, e, op, res, err, InTx(e, store, lookup))
	}
	sees, readErr := seesCommitted(ctx, store.Use(ctx, cur.tx), store.Dialect())
	switch {
	case readErr != nil:
		return res, fmt.Errorf("%w (isolation level: %w)", err, readErr)
	case !sees:
		return res, fmt.Errorf("%w: %s: a duplicate that this transaction can't see: %w", ErrRetryTransaction, op.Name, err)
	}
	return answered(ctx, e, op, res, err, func(ctx context.Context) (R, error) { return lookup(ctx, cur.tx) })
}

// answered is the answer of the look-up, or the method's own where it has none.
func answered[R any](ctx context.Context, e *Engine, op *UniqueOp, res R, err error, lookup func(context.Context) (R, error)) (R, error) {
	found, lookErr := lookup(ctx)
	if lookErr != nil || isNil(&found) {
		return res, err
	}
	if e.observer != nil {
		e.observer.Observe(ctx, Event{Kind: EventLookedUp, Op: op.Name})
	}
	return found, nil
}

// seesCommitted tells whether statements of an open transaction see what others
// commit meanwhile.
func seesCommitted(ctx context.Context, db DB, d Dialect) (bool, error) {
	var query string
	switch d {
	case Postgres:
		query = "SELECT current_setting('transaction_isolation')"
	case MySQL:
		query = "SELECT @@transaction_isolation"
	default: // SQLite: a transaction that wrote is the only writer
		return true, nil
	}
	rows, err := db.Query(ctx, query)
	if err != nil {
		return false, err
	}
	var level string
	for rows.Next() {
		if err := rows.Scan(&level); err != nil {
			return false, errors.Join(err, rows.Close())
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return false, err
	}
	level = strings.NewReplacer("-", " ", "_", " ").Replace(strings.ToLower(level))
	return level == "read committed" || level == "read uncommitted", nil
}
