package idem

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Pauses between attempts at a transaction: the first, and the longest.
const (
	firstRetry   = 2 * time.Millisecond
	longestRetry = 200 * time.Millisecond
)

// retrying counts the attempts at one transaction (T3).
type retrying struct {
	left  int
	count int
	pause time.Duration
}

// again tells whether to make another attempt, after a pause, and reports it.
func (r *retrying) again(ctx context.Context, e *Engine, ev Event) bool {
	if r.left <= 0 {
		return false
	}
	r.left--
	r.count++
	r.pause = min(max(2*r.pause, firstRetry), longestRetry)
	if e.observer != nil {
		ev.Kind, ev.Attempt = EventTxRetry, r.count
		e.observer.Observe(ctx, ev)
	}
	return sleep(ctx, jitter(r.pause)) == nil
}

// Tx runs a method in a transaction of the store that the wrapper begins,
// commits, rolls back and retries after ErrRetryTransaction, without a record;
// in a transaction that the context carries it joins, under a savepoint (T9).
// Errors, beside those of run: ErrStoreUnavailable, ErrRetryTransaction,
// ErrCommitUnknown.
func Tx[T, R any](ctx context.Context, e *Engine, store TxStore[T], run func(ctx context.Context, tx T) (R, error)) (R, error) {
	if cur := joined(ctx, store); cur != nil {
		return underSavepoint(ctx, e, store, cur, run)
	}
	try := retrying{left: e.retries}
	var scope *txScope
	defer func() { scope.finished(ctx) }() // on every exit, a panic too
	for {
		scope = &txScope{owned: true}
		res, bodyErr, err := beginTx(ctx, store, scope, run)
		if err != nil && errors.Is(err, ErrRetryTransaction) && !decided(nil, bodyErr) && try.again(ctx, e, Event{Err: err}) {
			continue
		}
		if err == nil {
			scope.committed(ctx)
		}
		return res, own(nil, bodyErr, err)
	}
}

// beginTx makes one attempt. There is a result if it was committed, or beside the
// method's own error.
func beginTx[T, R any](ctx context.Context, store TxStore[T], scope *txScope, run func(ctx context.Context, tx T) (R, error)) (res R, bodyErr, err error) {
	defer scope.end()
	err = store.Begin(ctx, func(ctx context.Context, tx T) error {
		var zero R
		res, bodyErr = zero, nil // a store may run the body again
		scope.reset()
		r, err := run(within(ctx, store, tx, scope), tx)
		if err == nil {
			if err = lockLost(ctx); err != nil { // another may hold it by now (L1)
				r = zero
			}
		}
		res, bodyErr = r, err
		return err
	})
	if err != nil && bodyErr == nil {
		var none R
		res = none
	}
	return res, bodyErr, err
}

// underSavepoint runs a method inside an open transaction: on an error, a panic
// or Goexit nothing of it stays, and hooks that it registered are dropped.
func underSavepoint[T, R any](ctx context.Context, e *Engine, store TxStore[T], cur *openTx[T], run func(ctx context.Context, tx T) (R, error)) (res R, err error) {
	db := store.Use(ctx, cur.tx)
	name := cur.scope.savepoint()
	if _, err := db.Exec(ctx, "SAVEPOINT "+name); err != nil {
		return res, err
	}
	mark := cur.scope.mark()
	done := false
	defer func() {
		if done {
			return
		}
		cur.scope.rewind(mark)
		ctx, cancel := e.detached(ctx)
		defer cancel()
		if _, rollback := db.Exec(ctx, "ROLLBACK TO SAVEPOINT "+name); rollback != nil && err != nil {
			err = fmt.Errorf("%w (rollback to savepoint: %w)", err, rollback)
		}
	}()
	if res, err = run(ctx, cur.tx); err != nil {
		return res, err
	}
	if _, err = db.Exec(ctx, "RELEASE SAVEPOINT "+name); err != nil {
		var zero R // of what is rolled back
		return zero, err
	}
	done = true
	return res, nil
}

// savepoint names the next savepoint of a transaction.
func (s *txScope) savepoint() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saves++
	return "idem_tx_" + strconv.Itoa(s.saves)
}
