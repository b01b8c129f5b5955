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

// Many callers at a time, in two processes where the subject has Other.

func txRaceCases[T any]() []txCase[T] {
	return []txCase[T]{
		{"C1_OneOfManyCallers", (*txs[T]).oneOfMany},
		{"C1_GuardedCallsRunOnce", (*txs[T]).guardedCalls},
		{"C11_StormOfFailures", (*txs[T]).storm},
		{"T3_FirstOfThreeRollsBack", (*txs[T]).firstOfThree},
		{"T4_WritersQueue", (*txs[T]).writersQueue},
	}
}

// attempts makes attempts at a transaction, as a wrapper does: a new one where
// that may cure the error (T3), and where the call is in progress.
func (s *txs[T]) attempts(store idem.TxStore[T], c idem.Claim, body func(context.Context, T) (idem.Outcome, error)) (idem.Found, error) {
	for try := 0; ; try++ {
		f, err := store.InTx(s.ctx, c, body)
		again := errors.Is(err, idem.ErrRetryTransaction) && try < 50 || err == nil && f.Status == idem.Running
		if !again || s.ctx.Err() != nil {
			return f, err
		}
		time.Sleep(time.Duration(try%5+1) * time.Millisecond)
	}
}

func (s *txs[T]) oneOfMany() {
	c := s.claim("K")
	c.Wait = long
	var runs, fresh atomic.Int64
	owners := make(chan idem.Owner, callers)
	race(callers, func(i int) {
		f, err := s.attempts(s.store(i), again(c), func(ctx context.Context, tx T) (idem.Outcome, error) {
			runs.Add(1)
			time.Sleep(10 * time.Millisecond) // the others come in time to see nothing
			return s.body("K")(ctx, tx)
		})
		switch {
		case err != nil:
			s.Errorf("caller %d: %v", i, err)
			return
		case f.Status == idem.Fresh:
			fresh.Add(1)
		case f.Status != idem.Done || !sameOutcome(f.Record.Outcome, outcome("K")):
			s.Errorf("caller %d: %v with %q", i, f.Status, f.Record.Outcome.Data)
		}
		owners <- f.Record.Owner
	})
	close(owners)
	different := map[idem.Owner]bool{}
	for o := range owners {
		different[o] = true
	}
	if fresh.Load() != 1 || len(different) != 1 {
		s.Errorf("%d of %d callers ran, and they tell %d owners", fresh.Load(), callers, len(different))
	}
	if runs.Load() != 1 && s.oneWriter() { // elsewhere a commit may be refused, and made again
		s.Errorf("the body ran %d times", runs.Load())
	}
	s.has("K", 1)
}

func (s *txs[T]) guardedCalls() {
	const keys = 5
	var runs [keys]atomic.Int64
	var services [keys][2]*service[T]
	for id := range services {
		for p := range services[id] {
			v := s.service(s.store(p), idem.Op{Wait: long})
			v.during = func(context.Context, T) error {
				time.Sleep(10 * time.Millisecond)
				if runs[id].Add(1) == 1 {
					return errBusiness
				}
				return nil
			}
			services[id][p] = v
		}
	}
	race(callers, func(i int) {
		id := i % keys
		got, err := services[id][i/keys%2].pay(s.ctx, fmt.Sprint(id), id)
		if !errors.Is(err, errBusiness) && (err != nil || got != id) {
			s.Errorf("call %d: %v, %v", i, got, err)
		}
	})
	for id := range runs {
		s.has(fmt.Sprint(id), 1)
	}
	if _, err := services[0][0].pay(s.ctx, "0", 99); !errors.Is(err, idem.ErrKeyReused) {
		s.Errorf("another payload: %v", err)
	}
}

// storm lets callers claim and fail with one key over and over: rows vanish
// between a conflict and the read that follows it.
func (s *txs[T]) storm() {
	c := s.claim("K")
	var inside, fresh atomic.Int64
	race(callers/2, func(i int) {
		for try := 0; ; try++ {
			f, err := s.store(i).InTx(s.ctx, again(c), func(ctx context.Context, tx T) (idem.Outcome, error) {
				if inside.Add(1) != 1 {
					s.Error("two bodies at a time")
				}
				defer inside.Add(-1)
				time.Sleep(time.Millisecond)
				if try > 2 && i%5 == 0 {
					return s.body("K")(ctx, tx)
				}
				return s.failing("K", errBusiness)(ctx, tx)
			})
			switch {
			case errors.Is(err, errBusiness) || errors.Is(err, idem.ErrRetryTransaction):
			case err != nil:
				s.Errorf("caller %d: %v", i, err)
				return
			case f.Status == idem.Running:
			case f.Status == idem.Fresh:
				fresh.Add(1)
				return
			case f.Status == idem.Done:
				return
			}
			time.Sleep(time.Duration(try%5) * time.Millisecond)
		}
	})
	if fresh.Load() != 1 {
		s.Errorf("%d callers succeeded", fresh.Load())
	}
	s.has("K", 1)
}

// firstOfThree: three calls insert one key, the first rolls back. One of the
// others wins, the last one replays, and no deadlock surfaces.
func (s *txs[T]) firstOfThree() {
	end := s.paying("K", 1, errBusiness)
	var done sync.WaitGroup
	var effects atomic.Int64
	for i := range 2 {
		v := s.service(s.store(i+1), idem.Op{Wait: long})
		v.during = func(context.Context, T) error { effects.Add(1); return nil }
		done.Go(func() {
			if got, err := v.pay(s.ctx, "K", 1); err != nil || got != 1 {
				s.Errorf("one of the others: %v, %v", got, err)
			}
		})
	}
	time.Sleep(50 * time.Millisecond)
	end()
	done.Wait()
	if n := effects.Load(); n != 1 && s.oneWriter() {
		s.Errorf("%d of the others ran", n)
	}
	s.has("K", 1)
}

// writersQueue: the first statement of a transaction that the store begins
// writes, so that on SQLite a body that reads first never loses its snapshot.
func (s *txs[T]) writersQueue() {
	if !s.oneWriter() {
		s.Skip("the database has row locks")
	}
	race(callers/2, func(i int) {
		_, err := s.Store.InTx(s.ctx, s.claim(fmt.Sprint(i)), func(ctx context.Context, tx T) (idem.Outcome, error) {
			rows, err := s.Store.Use(ctx, tx).Query(ctx, "SELECT name FROM sqlite_master")
			if err != nil {
				return idem.Outcome{}, err
			}
			for rows.Next() {
			}
			err = errors.Join(rows.Err(), rows.Close(), s.write(ctx, tx, "K"))
			return outcome("1"), err
		})
		if err != nil {
			s.Errorf("caller %d: %v", i, err)
		}
	})
	s.has("K", callers/2)
}
