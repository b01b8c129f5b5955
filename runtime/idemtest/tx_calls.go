package idemtest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/idemgen/idemgen/runtime/idem"
)

// One call at a time: what it leaves when it succeeds, fails or breaks off.

func txCallCases[T any]() []txCase[T] {
	return []txCase[T]{
		{"T1_OneTransaction", (*txs[T]).oneTransaction},
		{"T1_FailureLeavesNothing", (*txs[T]).failure},
		{"T1_PanicAndGoexitRollBack", (*txs[T]).breaksOff},
		{"T1_EndedContextRollsBack", (*txs[T]).endedContext},
		{"T1_NothingIsSeenBeforeTheCommit", (*txs[T]).unseen},
		{"C1_LookWritesNothing", (*txs[T]).lookWritesNothing},
	}
}

func (s *txs[T]) oneTransaction() {
	c := s.claim("K")
	r := s.fresh(c, s.body("K"))
	if !sameOutcome(r.Outcome, outcome("K")) {
		s.Errorf("a fresh call tells the outcome %q", r.Outcome.Data)
	}
	s.has("K", 1)
	s.replays(c, outcome("K"))
	s.tx(s.Store, func(ctx context.Context, tx T) error { return s.write(ctx, tx, "plain") })
	s.has("plain", 1)
	s.has("K", 1)
}

func (s *txs[T]) failure() {
	c := s.claim("K")
	_, err := s.Store.InTx(s.ctx, c, s.failing("K", fmt.Errorf("while paying: %w", errBusiness)))
	if !errors.Is(err, errBusiness) || errors.Is(err, idem.ErrRetryTransaction) || errors.Is(err, idem.ErrCommitUnknown) {
		s.Errorf("a business error comes back as %v", err)
	}
	s.nothing(c, "K")
	err = s.Store.Begin(s.ctx, func(ctx context.Context, tx T) error {
		return errors.Join(s.write(ctx, tx, "plain"), errBusiness)
	})
	if !errors.Is(err, errBusiness) {
		s.Errorf("a business error in a plain transaction comes back as %v", err)
	}
	s.has("plain", 0)
	s.fresh(c, s.body("K"))
	s.replays(c, outcome("K"))
	s.has("K", 1)
}

func (s *txs[T]) breaksOff() {
	c := s.claim("K")
	for name, off := range map[string]func(){"panic": func() { panic(errBusiness) }, "Goexit": runtime.Goexit} {
		s.doesNotReturn(name, func() {
			_, _ = s.Store.InTx(s.ctx, c, func(ctx context.Context, tx T) (idem.Outcome, error) {
				if err := s.write(ctx, tx, "K"); err != nil {
					s.Error(err)
				}
				off()
				return outcome("never"), nil
			})
		})
		s.nothing(c, "K")
		s.doesNotReturn(name, func() {
			_ = s.Store.Begin(s.ctx, func(ctx context.Context, tx T) error {
				defer off()
				return s.write(ctx, tx, "plain")
			})
		})
		s.has("plain", 0)
	}
	s.fresh(c, s.body("K"))
}

// doesNotReturn runs f in a goroutine of its own. Its panic must pass through.
func (s *txs[T]) doesNotReturn(name string, f func()) {
	s.Helper()
	var wg sync.WaitGroup
	wg.Go(func() {
		returned := false
		defer func() {
			if got := recover(); returned || (got == errBusiness) != (name == "panic") {
				s.Errorf("%s: returned %v, recovered %v", name, returned, got)
			}
		}()
		f()
		returned = true
	})
	wg.Wait()
}

func (s *txs[T]) endedContext() {
	cause := errors.New("the client is gone")
	ctx, cancel := context.WithCancelCause(s.ctx)
	c := s.claim("K")
	_, err := s.Store.InTx(ctx, c, func(ctx context.Context, tx T) (idem.Outcome, error) {
		defer cancel(cause)
		return outcome("1"), s.write(ctx, tx, "K")
	})
	if !errors.Is(err, context.Canceled) {
		s.Errorf("a context that ended on the way: %v", err)
	}
	s.nothing(c, "K")
	if _, err := s.Store.InTx(ctx, c, s.never); !errors.Is(err, context.Canceled) {
		s.Errorf("a context that ended before: %v", err)
	}
	s.nothing(c, "K")
	if err := s.Store.Begin(ctx, func(ctx context.Context, tx T) error { return s.write(ctx, tx, "K") }); !errors.Is(err, context.Canceled) {
		s.Errorf("a plain transaction on an ended context: %v", err)
	}
	s.nothing(c, "K")
	c.Wait = long // database/sql rolls back behind the caller's back
	if f, err := s.attempts(s.Store, c, s.body("K")); err != nil || f.Status != idem.Fresh {
		s.Errorf("afterwards: %v, %v", f.Status, err)
	}
	s.has("K", 1)
}

func (s *txs[T]) unseen() {
	c := s.claim("K")
	s.fresh(c, func(ctx context.Context, tx T) (idem.Outcome, error) {
		err := s.write(ctx, tx, "K")
		s.has("K", 0)
		if s.oneWriter() {
			return outcome("K"), err // a look-up may be a transaction, and wait for its turn
		}
		if f, err := s.Store.Lookup(s.ctx, c.Key); err != nil || f.Status != idem.Absent && f.Status != idem.Running {
			s.Errorf("looked up before the commit: %v, %v", f.Status, err)
		}
		return outcome("K"), err
	})
	s.has("K", 1)
}

func (s *txs[T]) lookWritesNothing() {
	c := s.claim("K")
	look := func(want idem.ClaimStatus) {
		s.Helper()
		l := again(c)
		l.Look = true
		if f, err := s.Store.InTx(s.ctx, l, s.never); err != nil || f.Status != want {
			s.Errorf("looked: %v, %v, want %v", f.Status, err, want)
		}
		s.tx(s.Store, func(ctx context.Context, tx T) error {
			if f, err := s.Store.Join(ctx, tx, l, s.never); err != nil || f.Status != want {
				s.Errorf("looked in a transaction: %v, %v, want %v", f.Status, err, want)
			}
			return nil
		})
	}
	look(idem.Absent)
	look(idem.Absent)
	s.nothing(c, "K")
	s.fresh(c, s.body("K"))
	look(idem.Done)
}
