package idem_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// conflict is what an update of a stale row returns.
func conflict() error { return fmt.Errorf("save: %w", &idem.VersionError{Kind: idem.VersionConflict}) }

// Each attempt runs in a new transaction, of which those that met a conflict leave
// nothing (V3).
func TestLaw_V3_EachAttemptIsANewTransaction(t *testing.T) {
	for _, again := range []error{conflict(), fmt.Errorf("%w: deadlock", idem.ErrRetryTransaction), &idem.TransitionError{Kind: idem.TransitionConflict}} {
		synctest.Test(t, func(t *testing.T) {
			s := newMemTx()
			var seen []*tx
			hooks := 0
			got, err := idem.RetryOnConflict(context.Background(), s, idem.Retry{}, func(ctx context.Context, t *tx) (int, error) {
				seen = append(seen, t)
				t.rows["a"]++
				if err := idem.AfterCommit(ctx, func(context.Context) { hooks++ }); err != nil {
					return 0, err
				}
				if len(seen) < 4 {
					return -1, again
				}
				return len(seen), nil
			})
			if got != 4 || err != nil || s.begun != 4 || s.row("a") != 1 || hooks != 1 {
				t.Errorf("%v: %d, %v, %d transactions, %d effects, %d hooks", again, got, err, s.begun, s.row("a"), hooks)
			}
			for i, a := range seen {
				for _, b := range seen[:i] {
					if a == b {
						t.Error("one transaction ran twice")
					}
				}
			}
		})
	}
}

// The number of attempts is bounded, the pauses grow up to a bound, and the last
// conflict is the caller's (V3).
func TestLaw_V3_Bounded(t *testing.T) {
	for _, c := range []struct {
		retry    idem.Retry
		attempts int
		least    time.Duration
		most     time.Duration
	}{
		{idem.Retry{}, 20, 1300 * time.Millisecond, 2900 * time.Millisecond},
		{idem.Retry{Attempts: -3}, 20, 1300 * time.Millisecond, 2900 * time.Millisecond},
		{idem.Retry{Attempts: 1}, 1, 0, 0},
		{idem.Retry{Attempts: 5, FirstPause: time.Second, MaxPause: 2 * time.Second}, 5, 3500 * time.Millisecond, 7 * time.Second},
		{idem.Retry{Attempts: 3, FirstPause: time.Minute}, 3, 200 * time.Millisecond, 400 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newMemTx()
			runs := 0
			var events []int
			c.retry.Observer = observe(func(e idem.Event) {
				if e.Kind == idem.EventTxRetry && errors.Is(e.Err, idem.ErrConflict) {
					events = append(events, e.Attempt)
				}
			})
			began := time.Now()
			got, err := idem.RetryOnConflict(context.Background(), s, c.retry, func(context.Context, *tx) (string, error) {
				runs++
				return "beside", conflict()
			})
			took := time.Since(began)
			if runs != c.attempts || got != "beside" || !errors.Is(err, idem.ErrConflict) || took < c.least || took > c.most {
				t.Errorf("%+v: %d runs in %v, %q, %v", c.retry, runs, took, got, err)
			}
			if len(events) != c.attempts-1 || len(events) > 0 && events[len(events)-1] != c.attempts-1 {
				t.Errorf("%+v: observed %v", c.retry, events)
			}
		})
	}
}

type observe func(idem.Event)

func (o observe) Observe(_ context.Context, e idem.Event) { o(e) }

// Two callers that met do not meet again for ever: pauses are between half and all of
// what they may be, and not the same (V3).
func TestLaw_V3_Jitter(t *testing.T) {
	pauses := map[time.Duration]bool{}
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			_, _ = idem.RetryOnConflict(context.Background(), newMemTx(), idem.Retry{Attempts: 2, FirstPause: time.Second, MaxPause: time.Second},
				func(context.Context, *tx) (int, error) { return 0, conflict() })
			took := time.Since(began)
			if took < time.Second/2 || took > time.Second {
				t.Errorf("a pause of %v", took)
			}
			pauses[took] = true
		})
	}
	if len(pauses) < 40 {
		t.Errorf("%d different pauses", len(pauses))
	}
}

// It stops when the context ends, also in the middle of a pause (V3).
func TestLaw_V3_StopsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeoutCause(context.Background(), 90*time.Second, errors.New("shutting down"))
		defer cancel()
		s := newMemTx()
		began := time.Now()
		_, err := idem.RetryOnConflict(ctx, s, idem.Retry{FirstPause: time.Minute, MaxPause: time.Hour}, func(context.Context, *tx) (int, error) { return 0, conflict() })
		if took := time.Since(began); took != 90*time.Second || s.begun > 3 || !errors.Is(err, idem.ErrConflict) || !errors.Is(err, context.Cause(ctx)) {
			t.Errorf("%v, %d transactions, %v", took, s.begun, err)
		}
	})
}

// What is no conflict is not retried: an error of the method, one that it marked, a
// commit of which nobody knows.
func TestLaw_V3_OnlyConflictsAreRetried(t *testing.T) {
	plain := errors.New("insufficient funds")
	for _, c := range []struct {
		err  error
		runs int
	}{{plain, 1}, {idem.Final(conflict()), 1}, {&idem.VersionError{Kind: idem.VersionGuard}, 1}, {idem.ErrCommitUnknown, 1}} {
		runs := 0
		_, err := idem.RetryOnConflict(context.Background(), newMemTx(), idem.Retry{}, func(context.Context, *tx) (int, error) {
			runs++
			return 0, c.err
		})
		if runs != c.runs || !errors.Is(err, c.err) {
			t.Errorf("%v: %d runs, %v", c.err, runs, err)
		}
	}
	s := newMemTx()
	s.lostCommits = 1
	if _, err := idem.RetryOnConflict(context.Background(), s, idem.Retry{}, func(_ context.Context, t *tx) (int, error) {
		t.rows["a"]++
		return 1, nil
	}); !errors.Is(err, idem.ErrCommitUnknown) || s.begun != 1 {
		t.Errorf("%v after %d transactions", err, s.begun)
	}
}

// In a transaction that it did not begin it can't see more than before: one run,
// under a savepoint, and the conflict is the caller's.
func TestLaw_V3_InsideATransactionItDoesNotRetry(t *testing.T) {
	ctx := context.Background()
	s := newMemTx()
	runs := 0
	inner := func(ctx context.Context) error {
		_, err := idem.RetryOnConflict(ctx, s, idem.Retry{}, func(_ context.Context, t *tx) (int, error) {
			runs++
			t.rows["inner"]++
			return 0, conflict()
		})
		return err
	}
	_, err := idem.Tx(ctx, idem.New(idem.GlobalScope), s, func(ctx context.Context, t *tx) (int, error) {
		t.rows["outer"]++
		if err := inner(ctx); !errors.Is(err, idem.ErrConflict) {
			return 0, fmt.Errorf("inside: %v", err)
		}
		return 0, nil
	})
	if err != nil || runs != 1 || s.begun != 1 || s.row("outer") != 1 || s.row("inner") != 0 {
		t.Errorf("%v, %d runs, %d transactions, %v", err, runs, s.begun, s.data.rows)
	}
	// A transaction of the caller's own is no other case.
	err = s.Begin(ctx, func(ctx context.Context, t *tx) error { return inner(idem.Join(ctx, s, t)) })
	if !errors.Is(err, idem.ErrConflict) || runs != 2 || s.begun != 2 {
		t.Errorf("%v, %d runs, %d transactions", err, runs, s.begun)
	}
}

// A guarded call inside joins each attempt: its claim goes with the attempt that
// met a conflict, and stays with the one that was committed.
func TestLaw_V3_GuardedCallsInsideJoin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		s := newMemTx()
		e := idem.New(idem.GlobalScope)
		runs := 0
		pay := func() (string, error) {
			return idem.RetryOnConflict(ctx, s, idem.Retry{}, func(ctx context.Context, _ *tx) (string, error) {
				return idem.OnceTx(ctx, s, e.Call(ctx, &idem.Op{Name: "pay"}, idem.String("k")), func(_ context.Context, t *tx) (string, error) {
					runs++
					t.rows["paid"]++
					if runs < 3 {
						return "", conflict()
					}
					return "receipt", nil
				})
			})
		}
		for range 2 {
			if got, err := pay(); got != "receipt" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		}
		if runs != 3 || s.row("paid") != 1 {
			t.Errorf("%d runs, %d effects", runs, s.row("paid"))
		}
	})
}
