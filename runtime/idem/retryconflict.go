package idem

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Defaults of a Retry.
const (
	DefaultAttempts   = 20 // the first one included
	DefaultFirstPause = 2 * time.Millisecond
	DefaultMaxPause   = 200 * time.Millisecond
)

// Retry bounds RetryOnConflict. The zero value is usable.
type Retry struct {
	// Attempts is how many transactions are begun at most, the first included;
	// 0 or less = DefaultAttempts, 1 = no retry.
	Attempts int
	// FirstPause is the pause after the first attempt; each further one is twice as
	// long, up to MaxPause. What is waited is a random time between half of the pause
	// and all of it. 0 or less = DefaultFirstPause and DefaultMaxPause.
	FirstPause, MaxPause time.Duration
	// Observer is told of each further attempt as EventTxRetry; nil = nobody is.
	Observer Observer
}

// RetryOnConflict runs a function that reads rows and then updates the versions
// that it read. After ErrConflict, ErrTransitionConflict or ErrRetryTransaction it is
// run again in a new transaction, in which it must read again: under every isolation
// level that shows it what the winner committed (V3). Any other error, a Final one,
// and the last conflict after Retry.Attempts are returned as they are. It stops when
// the context ends; the error is then the last conflict and the context's cause.
//
// Each attempt begins, commits or rolls back one transaction of the store, and
// guarded calls of the store inside it join that. In a transaction that the context
// carries already, run is called once, under a savepoint, and its conflict is the
// caller's to retry: a retry that can't leave the transaction can't see more than the
// first attempt.
//
// Errors, beside those of run: ErrStoreUnavailable, ErrRetryTransaction,
// ErrCommitUnknown.
func RetryOnConflict[T, R any](ctx context.Context, store TxStore[T], retry Retry, run func(ctx context.Context, tx T) (R, error)) (R, error) {
	if cur := joined(ctx, store); cur != nil {
		return underSavepoint(ctx, &Engine{settle: DefaultSettleTimeout}, store, cur, run)
	}
	left, pause, longest := retry.bounds()
	var scope *txScope
	defer func() { scope.finished(ctx) }() // on every exit, a panic too
	for attempt := 1; ; attempt++ {
		scope = &txScope{owned: true}
		res, bodyErr, err := beginTx(ctx, store, scope, run)
		if err == nil {
			scope.committed(ctx)
			return res, nil
		}
		if left--; left <= 0 || !conflicted(err) || decided(nil, bodyErr) {
			return res, own(nil, bodyErr, err)
		}
		if retry.Observer != nil {
			retry.Observer.Observe(ctx, Event{Kind: EventTxRetry, Attempt: attempt, Err: err})
		}
		if ended := sleep(ctx, jitter(pause)); ended != nil {
			var zero R
			return zero, fmt.Errorf("%w (no further attempt: %w)", err, ended)
		}
		pause = min(2*pause, longest)
	}
}

// bounds are the number of attempts, the first pause and the longest.
func (r Retry) bounds() (attempts int, first, longest time.Duration) {
	attempts, first, longest = r.Attempts, r.FirstPause, r.MaxPause
	if attempts <= 0 {
		attempts = DefaultAttempts
	}
	if first <= 0 {
		first = DefaultFirstPause
	}
	if longest <= 0 {
		longest = DefaultMaxPause
	}
	return attempts, min(first, longest), longest
}

// conflicted tells an error that a new transaction may cure.
func conflicted(err error) bool {
	return errors.Is(err, ErrConflict) || errors.Is(err, ErrTransitionConflict) || errors.Is(err, ErrRetryTransaction)
}
