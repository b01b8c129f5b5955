package idem_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

func TestLaw_C12_FinalInTransactionMode(t *testing.T) {
	w := newTxWorld(t, idem.WithSentinels(idem.Sentinel{Name: "errBiz", Err: errBiz}))
	w.op.Errors = []idem.ErrorRule{{Name: "ErrSoldOut", Err: errSoldOut, Do: idem.StoreError}}
	for id, err := range map[string]error{"final": idem.Final(errBiz), "rule": errSoldOut} {
		_, first := w.once(bg, id, err)
		is(t, first, err)
		equal(t, "row", w.store.row(id), 0) // rolled back, then stored
		runs := w.ran
		_, again := w.once(bg, id, nil)
		equal(t, "runs", w.ran, runs)
		if id == "final" {
			err = errBiz
		}
		is(t, again, err)
	}
	equal(t, "events", w.log.count(idem.EventFailed), 2)
}

func TestLaw_C12_LoserOfKeepReplaysTheWinner(t *testing.T) {
	w := newTxWorld(t)
	store := &raceKeep{memTx: w.store}
	store.between = func() { // another call succeeds between the rollback and the insert
		n, err := w.once(bg, "k", nil)
		ok(t, err)
		equal(t, "winner", n, 1)
	}
	n, err := idem.OnceTx(bg, idem.TxStore[*tx](store), w.call("k"), func(context.Context, *tx) (int, error) { return 0, idem.Final(errBiz) })
	ok(t, err)
	equal(t, "the winner's result", n, 1)
	store.between = func() { // with another payload
		_, err := idem.OnceTx(bg, w.store, w.engine.Call(bg, &w.op, idem.String("k2")).Match(idem.Int(9)), func(context.Context, *tx) (int, error) { return 1, nil })
		ok(t, err)
	}
	_, err = idem.OnceTx(bg, idem.TxStore[*tx](store), w.call("k2"), func(context.Context, *tx) (int, error) { return 0, idem.Final(errBiz) })
	is(t, err, idem.ErrKeyReused)
}

type raceKeep struct {
	*memTx
	between func()
}

func (s *raceKeep) Keep(ctx context.Context, c idem.Claim, o idem.Outcome) (idem.Found, error) {
	s.between()
	return s.memTx.Keep(ctx, c, o)
}

func TestLaw_C12_FinalOfAJoinedCallIsStoredAfterwards(t *testing.T) {
	for _, outerErr := range []error{nil, errSoldOut} {
		w := newTxWorld(t)
		_, err := idem.OnceTx(bg, w.store, w.call("outer"), func(ctx context.Context, _ *tx) (int, error) {
			_, err := w.once(ctx, "inner", idem.Final(errBiz))
			is(t, err, errBiz)
			return 0, outerErr
		})
		equal(t, "outer error", err, outerErr)
		_, err = w.once(bg, "inner", nil)
		equal(t, "replayed", err.Error(), errBiz.Error())
		equal(t, "runs", w.ran, 1)
	}
}

func TestLaw_C6_FinalThatCannotBeKeptIsReturned(t *testing.T) {
	w := newTxWorld(t)
	_, err := idem.OnceTx(bg, w.store, w.call("k"), func(context.Context, *tx) (int, error) {
		w.store.beginErr = idem.ErrStoreUnavailable
		return 5, idem.Final(errBiz)
	})
	is(t, err, errBiz)
	equal(t, "events", w.log.count(idem.EventCompleteFailed), 1)
}

func TestLaw_C7_WaitInTransactionMode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTxWorld(t)
		var wg sync.WaitGroup
		var replays, busy atomic.Int64
		slow := func(wait time.Duration) (time.Duration, error) {
			op := w.op
			op.Wait = wait
			start := time.Now()
			_, err := idem.OnceTx(bg, w.store, w.engine.Call(bg, &op, idem.String("k")), func(_ context.Context, tx *tx) (int, error) {
				tx.rows["k"]++
				time.Sleep(10 * time.Second)
				return 1, nil
			})
			return time.Since(start), err
		}
		wg.Go(func() { _, err := slow(0); ok(t, err) })
		synctest.Wait()
		for range 10 {
			wg.Go(func() {
				took, err := slow(0)
				is(t, err, idem.ErrInProgress)
				equal(t, "wait=0 took", took, 0)
				busy.Add(1)
			})
			wg.Go(func() {
				took, err := slow(2 * time.Second)
				is(t, err, idem.ErrInProgress)
				equal(t, "wait=2s took", took, 2*time.Second)
				busy.Add(1)
			})
			wg.Go(func() {
				_, err := slow(time.Minute)
				ok(t, err)
				replays.Add(1)
			})
		}
		wg.Wait()
		equal(t, "row", w.store.row("k"), 1)
		equal(t, "in progress", busy.Load(), 20)
		equal(t, "replays", replays.Load(), 10)
	})
}

func TestLaw_C9_LookupInTransactionMode(t *testing.T) {
	w := newTxWorld(t)
	w.op.NoResult = true
	run := func(ctx context.Context) (int, error) {
		return idem.OnceTxOr(ctx, w.store, w.call("k"),
			func(_ context.Context, tx *tx) (int, error) { return tx.rows["k"] + 100, nil },
			func(_ context.Context, tx *tx) (int, error) { tx.rows["k"]++; return tx.rows["k"], nil })
	}
	n, err := run(bg)
	ok(t, err)
	equal(t, "first", n, 1)
	n, err = run(bg) // in a transaction of its own
	ok(t, err)
	equal(t, "looked up", n, 101)
	_, err = idem.OnceTx(bg, w.store, w.call("outer"), func(ctx context.Context, _ *tx) (int, error) { return run(ctx) })
	ok(t, err) // in the joined transaction: the pool has no other
	equal(t, "look-ups", w.log.count(idem.EventLookedUp), 2)
}

func TestLaw_C15_TransactionModeFailsClosed(t *testing.T) {
	w := newTxWorld(t)
	w.store.beginErr = idem.ErrStoreUnavailable
	w.op.FailOpen = true // has no meaning here: the business data is out of reach, too
	_, err := w.once(bg, "k", nil)
	is(t, err, idem.ErrStoreUnavailable)
	equal(t, "runs", w.ran, 0)
	equal(t, "events", w.log.count(idem.EventUnavailable), 1)
}

func TestLaw_C17_OrphanIsRefusedInTransactionMode(t *testing.T) {
	w := newTxWorld(t)
	w.op.Orphan = idem.OrphanHold
	_, err := w.once(bg, "k", nil)
	is(t, err, idem.ErrInvalidOp)
	equal(t, "runs", w.ran, 0)
}

// eager tells that the winner is running before the wait is over, and runs the
// body twice in one transaction, as closures of some libraries do.
type eager struct {
	*memTx
	answers int
	waits   []time.Duration
}

func (s *eager) InTx(ctx context.Context, c idem.Claim, body func(context.Context, *tx) (idem.Outcome, error)) (idem.Found, error) {
	s.waits = append(s.waits, c.Wait)
	if s.answers > 0 {
		s.answers--
		time.Sleep(400 * time.Millisecond)
		return idem.Found{Status: idem.Running}, nil
	}
	return s.memTx.InTx(ctx, c, func(ctx context.Context, tx *tx) (idem.Outcome, error) {
		before := tx.clone()
		if _, err := body(ctx, tx); err != nil {
			return idem.Outcome{}, err
		}
		tx.state = before
		return body(ctx, tx)
	})
}

func TestLaw_C7_StoresShareOneWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTxWorld(t)
		w.op.Wait = time.Second
		store := &eager{memTx: w.store, answers: 100}
		start := time.Now()
		_, err := idem.OnceTx(bg, idem.TxStore[*tx](store), w.call("k"), func(context.Context, *tx) (int, error) { return 0, nil })
		is(t, err, idem.ErrInProgress)
		if took := time.Since(start); took > 1500*time.Millisecond {
			t.Errorf("waited %v", took)
		}
		for i, left := range store.waits {
			if want := w.op.Wait - time.Duration(i)*400*time.Millisecond; left > want {
				t.Errorf("wait %d is %v, only %v are left", i, left, want)
			}
		}
	})
}

func TestLaw_T5_ABodyThatIsRunTwiceStartsFromNothing(t *testing.T) {
	w := newTxWorld(t)
	hooks := 0
	n, err := idem.OnceTx(bg, idem.TxStore[*tx](&eager{memTx: w.store}), w.call("k"), func(ctx context.Context, tx *tx) (int, error) {
		ok(t, idem.AfterCommit(ctx, func(context.Context) { hooks++ }))
		tx.rows["k"]++
		return tx.rows["k"], nil
	})
	ok(t, err)
	equal(t, "result", n, 1)
	equal(t, "hooks", hooks, 1)
}

// Begin runs the body twice in one transaction.
func (s *eager) Begin(ctx context.Context, body func(context.Context, *tx) error) error {
	return s.memTx.Begin(ctx, func(ctx context.Context, tx *tx) error {
		before := tx.clone()
		if err := body(ctx, tx); err != nil {
			return err
		}
		tx.state = before
		return body(ctx, tx)
	})
}

func TestLaw_T5_ABodyOfTxThatIsRunTwiceStartsFromNothing(t *testing.T) {
	w := newTxWorld(t)
	hooks := 0
	_, err := idem.Tx(bg, w.engine, idem.TxStore[*tx](&eager{memTx: w.store}), func(ctx context.Context, tx *tx) (int, error) {
		return 0, idem.AfterCommit(ctx, func(context.Context) { hooks++ })
	})
	ok(t, err)
	equal(t, "hooks", hooks, 1)
}
