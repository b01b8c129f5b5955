package idemtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// What a duplicate is told while the first call runs, and when.

func txWaitCases[T any]() []txCase[T] {
	return []txCase[T]{
		{"C7_AnswersAtOnce", (*txs[T]).answersAtOnce},
		{"C7_AnotherProcessAnswersAtOnce", (*txs[T]).otherAnswersAtOnce},
		{"C7_WaitIsBounded", (*txs[T]).waitIsBounded},
		{"C7_JoinedCallAnswersAtOnce", (*txs[T]).joinedAnswersAtOnce},
		{"C7_WaitersOfAFailedCallRunOnce", (*txs[T]).waitersOfAFailure},
		{"T6_LoserSeesTheWinnersResult", (*txs[T]).losersSee},
		{"T6_OldSnapshotRunsNothing", (*txs[T]).oldSnapshot},
	}
}

// holding starts a call that keeps its transaction open until end is called, and
// fails with fail if that is not nil.
func (s *txs[T]) holding(store idem.TxStore[T], c idem.Claim, name string, fail error) (end func()) {
	s.Helper()
	return s.open(name, fail, func(hold func()) error {
		_, err := store.InTx(s.ctx, c, func(ctx context.Context, tx T) (idem.Outcome, error) {
			hold()
			return outcome(name), errors.Join(s.write(ctx, tx, name), fail)
		})
		return err
	})
}

// open runs a call until it holds, and on when end is called, or the subtest is
// over. It expects the error.
func (s *txs[T]) open(name string, want error, call func(hold func()) error) (end func()) {
	s.Helper()
	claimed, finish, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var once, ending sync.Once
	go func() {
		defer close(ended)
		if err := call(func() { once.Do(func() { close(claimed) }); <-finish }); !errors.Is(err, want) {
			s.Errorf("the call that holds %s: %v, want %v", name, err, want)
		}
	}()
	end = func() { ending.Do(func() { close(finish) }); <-ended }
	s.Cleanup(end)
	select {
	case <-claimed:
	case <-ended:
		s.Fatalf("the call that holds %s never ran", name)
	}
	return end
}

// running expects that a duplicate is told within a time that the call is in
// progress.
func (s *txs[T]) running(store idem.TxStore[T], c idem.Claim, within time.Duration) {
	s.Helper()
	began := time.Now()
	f, err := store.InTx(s.ctx, c, s.never)
	took := time.Since(began)
	if err != nil || f.Status != idem.Running || took > within {
		s.Errorf("a duplicate with wait %v: %v, %v after %v", c.Wait, f.Status, err, took)
	}
	if p := f.Record.Fingerprint; p != (idem.Fingerprint{}) && p != c.Fingerprint {
		s.Errorf("a running call tells the fingerprint %x", p)
	}
}

func (s *txs[T]) answersAtOnce() {
	c := s.claim("K")
	end := s.holding(s.Store, c, "K", nil)
	for range 3 {
		s.running(s.Store, again(c), atOnce)
	}
	end()
	s.replays(c, outcome("K"))
	s.has("K", 1)
}

// otherAnswersAtOnce: a claim does not block on a winner of whom the process
// knows nothing. Keys beside it are free, where the database has row locks.
func (s *txs[T]) otherAnswersAtOnce() {
	other := s.other()
	c := s.claim("K")
	end := s.holding(s.Store, c, "K", nil)
	s.running(other, again(c), atOnce)
	if !s.oneWriter() {
		for i := range 20 {
			began := time.Now()
			name := fmt.Sprint("beside ", i)
			if f, err := other.InTx(s.ctx, s.claim(name), s.body(name)); err != nil || f.Status != idem.Fresh || time.Since(began) > atOnce {
				s.Errorf("%s: %v, %v after %v", name, f.Status, err, time.Since(began))
			}
		}
	}
	end()
	s.replays(c, outcome("K"))
	s.has("K", 1)
}

func (s *txs[T]) waitIsBounded() {
	c := s.claim("K")
	end := s.holding(s.Store, c, "K", nil)
	for _, store := range s.stores() {
		waits := again(c)
		waits.Wait = 100 * time.Millisecond
		s.running(store, waits, waits.Wait+atOnce)

		ctx, cancel := context.WithTimeout(s.ctx, 50*time.Millisecond)
		waits.Wait = long
		began := time.Now()
		f, err := store.InTx(ctx, again(waits), s.never)
		if ended := errors.Is(err, context.DeadlineExceeded); !ended && (err != nil || f.Status != idem.Running) || time.Since(began) > atOnce {
			s.Errorf("a waiter whose context ended: %v, %v after %v", f.Status, err, time.Since(began))
		}
		cancel()
	}
	end() // those who gave up touched nothing
	s.replays(c, outcome("K"))
	s.has("K", 1)
}

func (s *txs[T]) joinedAnswersAtOnce() {
	if s.oneWriter() {
		s.Skip("SQLite has one writer: where a call holds the file, no other transaction writes")
	}
	c := s.claim("K")
	end := s.holding(s.Store, c, "K", nil)
	for name, store := range s.stores() {
		s.tx(store, func(ctx context.Context, tx T) error {
			for _, wait := range []time.Duration{0, 100 * time.Millisecond} {
				j := again(c)
				j.Wait = wait
				began := time.Now()
				f, err := store.Join(ctx, tx, j, s.never)
				if err != nil || f.Status != idem.Running || time.Since(began) > wait+atOnce {
					s.Errorf("joined in %s with wait %v: %v, %v after %v", name, wait, f.Status, err, time.Since(began))
				}
			}
			return s.write(ctx, tx, "around")
		})
	}
	s.has("around", len(s.stores()))
	end()
	s.replays(c, outcome("K"))
}

// waitersOfAFailure wait for a call that fails: one of them runs, the others
// replay it.
func (s *txs[T]) waitersOfAFailure() {
	c := s.claim("K")
	end := s.holding(s.Store, c, "K", errBusiness)
	c.Wait = long
	statuses := make(chan idem.ClaimStatus, callers)
	var done sync.WaitGroup
	for i := range 10 {
		done.Go(func() {
			f, err := s.attempts(s.store(i), again(c), s.body("K"))
			if err != nil {
				s.Errorf("a waiter: %v", err)
			}
			statuses <- f.Status
		})
	}
	time.Sleep(20 * time.Millisecond)
	end()
	done.Wait()
	close(statuses)
	count := map[idem.ClaimStatus]int{}
	for st := range statuses {
		count[st]++
	}
	if count[idem.Fresh] != 1 || count[idem.Done] != 9 {
		s.Errorf("the waiters are told %v", count)
	}
	s.has("K", 1)
}

// losersSee: guarded calls that wait for a winner get its result, or their turn
// when it failed.
func (s *txs[T]) losersSee() {
	for _, fail := range []error{nil, errBusiness} {
		name := fmt.Sprint("fails with ", fail)
		end := s.paying(name, 7, fail)
		var done sync.WaitGroup
		var runs atomic.Int64
		for i := range 6 {
			v := s.service(s.store(i), idem.Op{Wait: long})
			done.Go(func() {
				if got, err := v.pay(s.ctx, name, 7); err != nil || got != 7 {
					s.Errorf("a waiter: %v, %v", got, err)
				}
				runs.Add(v.runs.Load())
			})
		}
		time.Sleep(50 * time.Millisecond)
		end()
		done.Wait()
		if fail == nil && runs.Load() != 0 {
			s.Errorf("%d waiters ran after a success", runs.Load())
		}
		s.has(name, 1)
	}
}

// oldSnapshot: a caller's transaction that has looked before the winner
// committed may be unable to see its record. It gets the winner's result all the
// same, or is told to begin again, and is usable either way.
func (s *txs[T]) oldSnapshot() {
	if s.oneWriter() {
		s.Skip("SQLite has one writer: a transaction around the winner's would hold it up")
	}
	winner := s.Store
	if s.Other != nil {
		winner = s.Other
	}
	c := s.claim("K")
	s.tx(s.Store, func(ctx context.Context, tx T) error {
		look := s.claim("elsewhere")
		look.Look = true
		if _, err := s.Store.Join(ctx, tx, look, s.never); err != nil {
			return err
		}
		f, err := winner.InTx(s.ctx, c, s.body("K"))
		if errors.Is(err, idem.ErrRetryTransaction) {
			// Where reads lock, as under MariaDB's SERIALIZABLE, no snapshot is old.
			s.Skip("the look holds up the winner")
		}
		if err != nil || f.Status != idem.Fresh {
			s.Errorf("the winner: %v, %v", f.Status, err)
		}
		f, err = s.Store.Join(ctx, tx, again(c), s.never)
		if !errors.Is(err, idem.ErrRetryTransaction) && (err != nil || f.Status != idem.Done || !sameOutcome(f.Record.Outcome, outcome("K"))) {
			s.Errorf("joined: %v, %v with %q", f.Status, err, f.Record.Outcome.Data)
		}
		return s.write(ctx, tx, "around")
	})
	s.has("around", 1)
	s.has("K", 1)
}
