package idem_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

func TestLaw_C7_WaiterGetsTheResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.op.Wait = 10 * time.Second
		var waiter sync.WaitGroup
		_, err := idem.Once(context.Background(), w.store, w.call("k"), func(context.Context) (int, error) {
			waiter.Go(func() {
				got, err := once(w, "k", 2, nil)
				ok(t, err)
				equal(t, "replayed", got, 1)
			})
			time.Sleep(5 * time.Second)
			return 1, nil
		})
		ok(t, err)
		waiter.Wait()
		equal(t, "runs", w.ran, 0)
		equal(t, "claims", w.store.seen("claim"), 2) // the waiter looked after its first claim
	})
}

func TestLaw_C7_WaiterThatGivesUpTouchesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.op.Wait = 3 * time.Second
		_, err := idem.Once(context.Background(), w.store, w.call("k"), func(context.Context) (int, error) {
			start := time.Now()
			_, err := once(w, "k", 2, nil) // times out
			is(t, err, idem.ErrInProgress)
			equal(t, "waited", time.Since(start), 3*time.Second)

			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			_, err = idem.Once(ctx, w.store, w.call("k"), func(context.Context) (int, error) { w.ran++; return 3, nil })
			is(t, err, idem.ErrInProgress)
			is(t, err, context.DeadlineExceeded)

			w.op.Wait = 0
			start = time.Now()
			_, err = once(w, "k", 4, nil) // wait=0 answers at once
			is(t, err, idem.ErrInProgress)
			equal(t, "waited", time.Since(start), 0)
			var busy *idem.InProgressError
			if !errors.As(err, &busy) || busy.RetryAfter <= 0 || busy.RetryAfter > time.Second {
				t.Errorf("no useful retry-after in %#v", busy)
			}
			return 1, nil
		})
		ok(t, err)
		equal(t, "runs", w.ran, 0)
		equal(t, "releases", w.store.seen("release"), 0)
		equal(t, "status", w.status("k"), idem.Done)
	})
}

func TestLaw_C7_WaiterTakesOverWhenTheOwnerVanishes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.op.Wait = time.Minute
		lease, _, err := idem.Acquire(context.Background(), w.store, w.call("k"))
		ok(t, err)
		ok(t, lease.Settle(idem.SettleUnknown, idem.Outcome{}))
		got, err := once(w, "k", 2, nil)
		ok(t, err)
		equal(t, "result", got, 2)
	})
}

func TestLaw_C7_CancelledClaimWhoseReplyIsLostHoldsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.op.Orphan = idem.OrphanHold
		w.store.set(nil, fail(fmt.Errorf("%w: reply lost", idem.ErrStoreUnavailable), 1, "claim"))
		_, err := once(w, "k", 1, nil)
		is(t, err, idem.ErrStoreUnavailable)
		synctest.Wait()
		equal(t, "status", w.status("k"), idem.Absent)
		_, err = once(w, "k", 1, nil)
		ok(t, err)
	})
}

func TestLaw_C11_FiftyCallersOneRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		var runs, replays, busy atomic.Int64
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() {
				time.Sleep(time.Duration(i) * time.Second / 10)
				got, err := idem.Once(context.Background(), w.store, w.call("k"), func(context.Context) (int, error) {
					runs.Add(1)
					time.Sleep(2 * time.Second)
					return 7, nil
				})
				switch {
				case err == nil && got == 7:
					replays.Add(1)
				case errors.Is(err, idem.ErrInProgress):
					busy.Add(1)
				default:
					t.Errorf("%d, %v", got, err)
				}
			})
		}
		wg.Wait()
		equal(t, "runs", runs.Load(), 1)
		if replays.Load() < 2 || busy.Load() < 2 {
			t.Errorf("%d results, %d in progress", replays.Load(), busy.Load())
		}
	})
}

func TestLaw_C15_UnreachableStoreFailsClosed(t *testing.T) {
	w := newWorld(t)
	w.store.set(fail(fmt.Errorf("%w: connection refused", idem.ErrStoreUnavailable), -1, "claim"), nil)
	_, err := once(w, "k", 1, nil)
	is(t, err, idem.ErrStoreUnavailable)
	equal(t, "runs", w.ran, 0)
	equal(t, "events", w.log.count(idem.EventUnavailable), 1)

	w.op.FailOpen = true
	got, err := once(w, "k", 1, nil)
	ok(t, err)
	equal(t, "result", got, 1)
	equal(t, "runs", w.ran, 1)
	equal(t, "events", w.log.count(idem.EventFailedOpen), 1)

	w.store.set(fail(errBiz, -1, "claim"), nil) // not an outage
	_, err = once(w, "k", 1, nil)
	is(t, err, errBiz)
	equal(t, "runs", w.ran, 1)
}

func TestLaw_C15_OutageWhileWaitingNeverFailsOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.op.FailOpen, w.op.Wait = true, time.Minute
		_, err := idem.Once(context.Background(), w.store, w.call("k"), func(context.Context) (int, error) {
			w.store.set(fail(idem.ErrStoreUnavailable, 1, "look"), nil)
			_, err := once(w, "k", 2, nil)
			is(t, err, idem.ErrStoreUnavailable)
			return 1, nil
		})
		ok(t, err)
		equal(t, "runs", w.ran, 0)
	})
}

func TestLaw_C16_SettleTwiceIsSettleOnce(t *testing.T) {
	w := newWorld(t)
	lease, _, err := idem.Acquire(context.Background(), w.store, w.call("k"))
	ok(t, err)
	ok(t, lease.Settle(idem.SettleComplete, idem.Outcome{Kind: idem.Succeeded, Codec: "json", Data: []byte("1")}))
	ok(t, lease.Settle(idem.SettleRelease, idem.Outcome{}))
	ok(t, lease.Settle(idem.SettleUnknown, idem.Outcome{}))
	equal(t, "status", w.status("k"), idem.Done)
	equal(t, "releases", w.store.seen("release"), 0)
	if lease.Context().Err() == nil {
		t.Error("the method's context is still open")
	}
}

func TestLaw_C17_HoldUntilResolved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.op.Orphan = idem.OrphanHold
		vanish := func(id string) {
			_, err := once(w, id, 0, context.DeadlineExceeded)
			is(t, err, context.DeadlineExceeded)
			_, err = once(w, id, 0, nil)
			is(t, err, idem.ErrInProgress)
			time.Sleep(31 * time.Second)
			for range 3 {
				_, err = once(w, id, 0, nil)
				is(t, err, idem.ErrOutcomeUnknown)
				time.Sleep(24 * time.Hour)
			}
		}
		vanish("result")
		ok(t, idem.Resolve(context.Background(), w.store, idem.CallOf[int]{Call: w.call("result")}, 42))
		got, err := once(w, "result", 0, nil)
		ok(t, err)
		equal(t, "resolved result", got, 42)

		vanish("error")
		ok(t, idem.ResolveError(context.Background(), w.store, idem.CallOf[int]{Call: w.call("error")}, errBiz))
		_, err = once(w, "error", 0, nil)
		equal(t, "resolved error", err.Error(), errBiz.Error())

		vanish("rerun")
		ok(t, idem.ResolveRerun(context.Background(), w.store, idem.CallOf[int]{Call: w.call("rerun")}))
		got, err = once(w, "rerun", 7, nil)
		ok(t, err)
		equal(t, "result", got, 7)
		equal(t, "runs", w.ran, 4)
		is(t, idem.ResolveRerun(context.Background(), w.store, idem.CallOf[int]{Call: w.call("rerun")}), idem.ErrNotHeld)
	})
}

func TestLaw_C17_RerunTakesOverAfterTheLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		_, err := once(w, "k", 0, context.Canceled)
		is(t, err, context.Canceled)
		time.Sleep(29 * time.Second)
		_, err = once(w, "k", 0, nil)
		is(t, err, idem.ErrInProgress)
		time.Sleep(2 * time.Second)
		got, err := once(w, "k", 2, nil)
		ok(t, err)
		equal(t, "result", got, 2)
	})
}
