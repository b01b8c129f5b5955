package idemtest

import (
	"context"
	"errors"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Calls inside a transaction that somebody else began.

func txJoinCases[T any]() []txCase[T] {
	return []txCase[T]{
		{"T2_JoinedDuplicateAbortsNothing", (*txs[T]).joinedDuplicate},
		{"T9_JoinLeavesNothingOnError", (*txs[T]).joinedErrors},
		{"T9_JoinedCallSharesTheFate", (*txs[T]).sharedFate},
		{"T9_CallThatCallsItself", (*txs[T]).callsItself},
		{"T9_PoolOfOne", (*txs[T]).poolOfOne},
		{"T9_GuardedCallInsideAnother", (*txs[T]).guardedInside},
		{"T9_CallersTransaction", (*txs[T]).callersTransaction},
	}
}

// joined joins and checks the status.
func (s *txs[T]) joined(ctx context.Context, store idem.TxStore[T], tx T, c idem.Claim, body func(context.Context, T) (idem.Outcome, error), want idem.ClaimStatus) idem.Found {
	s.Helper()
	f, err := store.Join(ctx, tx, c, body)
	if err != nil || f.Status != want {
		s.Errorf("joined: %v, %v, want %v", f.Status, err, want)
	}
	return f
}

func (s *txs[T]) joinedDuplicate() {
	c := s.claim("K")
	s.fresh(c, s.body("K"))
	for name, store := range s.stores() {
		s.tx(store, func(ctx context.Context, tx T) error {
			before := s.write(ctx, tx, name)
			for range 2 {
				if f := s.joined(ctx, store, tx, again(c), s.never, idem.Done); f.Record.Owner != c.Owner || !sameOutcome(f.Record.Outcome, outcome("K")) {
					s.Errorf("joined in %s: owner %v with %q", name, f.Record.Owner, f.Record.Outcome.Data)
				}
			}
			return errors.Join(before, s.write(ctx, tx, name))
		})
		s.has(name, 2)
	}
	s.has("K", 1)
}

// joinedErrors: whatever goes wrong inside a joined call undoes that call alone,
// and the transaction around it goes on.
func (s *txs[T]) joinedErrors() {
	fails, breaks, ends, works := s.claim("fails"), s.claim("breaks"), s.claim("ends"), s.claim("works")
	s.tx(s.Store, func(ctx context.Context, tx T) error {
		if err := s.write(ctx, tx, "around"); err != nil {
			return err
		}
		if _, err := s.Store.Join(ctx, tx, fails, s.failing("fails", errBusiness)); !errors.Is(err, errBusiness) {
			s.Errorf("a joined failure: %v", err)
		}
		func() {
			defer func() {
				if got := recover(); got != errBusiness {
					s.Errorf("a joined panic: recovered %v", got)
				}
			}()
			_, _ = s.Store.Join(ctx, tx, breaks, func(ctx context.Context, tx T) (idem.Outcome, error) {
				if err := s.write(ctx, tx, "breaks"); err != nil {
					s.Error(err)
				}
				panic(errBusiness)
			})
		}()
		inner, cancel := context.WithCancel(ctx)
		defer cancel()
		_, err := s.Store.Join(inner, tx, ends, func(ctx context.Context, tx T) (idem.Outcome, error) {
			defer cancel()
			return outcome("ends"), s.write(ctx, tx, "ends")
		})
		if !errors.Is(err, context.Canceled) {
			s.Errorf("a joined call whose context ended: %v", err)
		}
		s.joined(ctx, s.Store, tx, again(fails), s.body("fails"), idem.Fresh)
		s.joined(ctx, s.Store, tx, works, s.body("works"), idem.Fresh)
		s.joined(ctx, s.Store, tx, again(works), s.never, idem.Done)
		return s.write(ctx, tx, "around")
	})
	s.nothing(breaks, "breaks")
	s.nothing(ends, "ends")
	s.has("fails", 1)
	s.has("around", 2)
	s.replays(works, outcome("works"))
	s.has("works", 1)
}

// sharedFate: what was joined is rolled back with the transaction around it.
func (s *txs[T]) sharedFate() {
	outer, inner := s.claim("outer"), s.claim("inner")
	_, err := s.Store.InTx(s.ctx, outer, func(ctx context.Context, tx T) (idem.Outcome, error) {
		s.joined(ctx, s.Store, tx, inner, s.body("inner"), idem.Fresh)
		return idem.Outcome{}, errBusiness
	})
	if !errors.Is(err, errBusiness) {
		s.Errorf("%v", err)
	}
	s.nothing(outer, "outer")
	s.nothing(inner, "inner")
	s.fresh(inner, s.body("inner"))
}

// callsItself: a joined call meets the key of the call around it, which never
// ends while the inner one waits. It runs nothing, and is told so at once.
func (s *txs[T]) callsItself() {
	c := s.claim("K")
	s.fresh(c, func(ctx context.Context, tx T) (idem.Outcome, error) {
		self := again(c)
		self.Wait = long
		began := time.Now()
		s.joined(ctx, s.Store, tx, self, s.never, idem.Running)
		if took := time.Since(began); took > atOnce {
			s.Errorf("a call that calls itself waits %v", took)
		}
		return s.body("K")(ctx, tx)
	})
	s.has("K", 1)
}

// poolOfOne: joined calls need no connection beside the transaction's.
func (s *txs[T]) poolOfOne() {
	store := s.one()
	outer, inner := s.claim("outer"), s.claim("inner")
	outer.Wait, inner.Wait = long, long
	f, err := store.InTx(s.ctx, outer, func(ctx context.Context, tx T) (idem.Outcome, error) {
		if _, err := store.Join(ctx, tx, inner, s.failing("inner", errBusiness)); !errors.Is(err, errBusiness) {
			s.Errorf("a joined failure: %v", err)
		}
		s.joined(ctx, store, tx, inner, s.body("inner"), idem.Fresh)
		s.joined(ctx, store, tx, again(inner), s.never, idem.Done)
		return s.body("outer")(ctx, tx)
	})
	if err != nil || f.Status != idem.Fresh {
		s.Errorf("%v, %v", f.Status, err)
	}
	f, err = store.InTx(s.ctx, again(outer), s.never)
	if err != nil || f.Status != idem.Done {
		s.Errorf("a duplicate: %v, %v", f.Status, err)
	}
	s.has("inner", 1)
	s.has("outer", 1)
}

// guardedInside: a guarded method calls others in its transaction, which the
// context carries, with one connection. A failure inside is its own.
func (s *txs[T]) guardedInside() {
	store := s.one()
	outer, inner := s.service(store, idem.Op{Wait: long}), s.service(store, idem.Op{Wait: long})
	inner.op.Name += "/inner"
	outer.during = func(ctx context.Context, tx T) error {
		inner.during = func(context.Context, T) error { return errBusiness }
		if _, err := inner.pay(ctx, "fails", 1); !errors.Is(err, errBusiness) {
			s.Errorf("a failure inside: %v", err)
		}
		inner.during = nil
		for range 2 {
			if got, err := inner.pay(ctx, "inner", 2); err != nil || got != 2 {
				s.Errorf("a call inside: %v, %v", got, err)
			}
		}
		return nil
	}
	for range 2 {
		if got, err := outer.pay(s.ctx, "outer", 3); err != nil || got != 3 {
			s.Errorf("a call with others inside: %v, %v", got, err)
		}
	}
	if outer.runs.Load() != 1 || inner.runs.Load() != 2 {
		s.Errorf("%d and %d runs", outer.runs.Load(), inner.runs.Load())
	}
	s.has("fails", 0)
	s.has("inner", 1)
	s.has("outer", 1)
}

// callersTransaction: guarded methods share a transaction of the caller's, and
// its fate.
func (s *txs[T]) callersTransaction() {
	v := s.service(s.Store, idem.Op{})
	for i, end := range []error{errBusiness, nil, nil} {
		err := s.Store.Begin(s.ctx, func(ctx context.Context, tx T) error {
			ctx = idem.Join(ctx, s.Store, tx)
			for _, name := range []string{"A", "B", "A"} {
				if got, err := v.pay(ctx, name, 1); err != nil || got != 1 {
					s.Errorf("transaction %d: %s: %v, %v", i, name, got, err)
				}
			}
			return end
		})
		if !errors.Is(err, end) {
			s.Errorf("transaction %d: %v", i, err)
		}
		for _, name := range []string{"A", "B"} {
			s.has(name, min(i, 1))
		}
	}
	if n := v.runs.Load(); n != 4 {
		s.Errorf("%d runs in a transaction that was rolled back, one that was committed, and one of duplicates", n)
	}
}
