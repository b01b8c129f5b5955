package idem_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// observerPanic is what a heartbeat's panic comes back as.
func observerPanic(t *testing.T, recovered any) {
	t.Helper()
	p, ok := recovered.(*idem.ObserverPanic)
	if !ok || p.Value != "observer" || len(p.Stack) == 0 {
		t.Errorf("recovered %v", recovered)
	}
}

// TestLaw_C5_PanicOfAHeartbeatsObserver reaches the caller when the call is settled, and
// no other goroutine.
func TestLaw_C5_PanicOfAHeartbeatsObserver(t *testing.T) {
	t.Run("lease", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.engine = idem.New(idem.GlobalScope, idem.WithObserver(panickingObserver(idem.EventRenewFailed)))
			w.store.set(fail(idem.ErrStoreUnavailable, 1, "renew"), nil)
			observerPanic(t, apart(func() {
				_, _ = idem.Once(context.Background(), w.store, w.call("k"), func(context.Context) (int, error) {
					time.Sleep(time.Minute) // renewed twice the lease and more
					return 1, nil
				})
			}))
			equal(t, "status", w.status("k"), idem.Done)
		})
	})
	t.Run("lock", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			v := newVault(t)
			v.engine = idem.New(idem.GlobalScope, idem.WithObserver(panickingObserver(idem.EventRenewFailed)))
			observerPanic(t, apart(func() {
				_, _ = v.run(context.Background(), "k", func(context.Context) (int, error) {
					time.Sleep(4 * time.Second)
					v.locks.fail("renew", idem.ErrStoreUnavailable)
					time.Sleep(3 * time.Second)
					v.locks.fail("renew", nil)
					time.Sleep(time.Minute)
					return 1, nil
				})
			}))
			equal(t, "released", v.locks.calls[len(v.locks.calls)-1], "release")
		})
	})
	t.Run("too late", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.engine = idem.New(idem.GlobalScope, idem.WithObserver(panickingObserver(idem.EventLeaseLost)))
			w.store.set(fail(idem.ErrLeaseLost, -1, "renew"), nil)
			_ = apart(func() {
				_, err := idem.Once(context.Background(), w.store, w.call("k"), func(ctx context.Context) (int, error) {
					<-ctx.Done() // the observer is told at the same time
					return 0, ctx.Err()
				})
				is(t, err, idem.ErrLeaseLost)
			})
			synctest.Wait()
		})
	})
	t.Run("pruning", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := &crowded{RecordStore: memstore.New(), err: errors.New("down")}
			e := idem.New(idem.GlobalScope, idem.WithObserver(panickingObserver(idem.EventPruned)), idem.WithPruning(time.Second))
			op := idem.Op{Name: "op", Orphan: idem.OrphanRerun}
			for _, key := range []string{"a", "b"} {
				_, err := idem.Once(context.Background(), store, e.Call(context.Background(), &op, idem.String(key)),
					func(context.Context) (int, error) { return 1, nil })
				ok(t, err)
				time.Sleep(2 * time.Second)
			}
			synctest.Wait()
			equal(t, "statements", store.calls.Load(), 1)
		})
	})
}
