package idem_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

type valueKey struct{}

// TestLaw_C5_DetachedLeaseOutlivesItsCaller: its context keeps the caller's values, and
// ends when the lease is lost, before or after it was detached, or settled.
func TestLaw_C5_DetachedLeaseOutlivesItsCaller(t *testing.T) {
	for _, lostBefore := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.op.Lease = time.Second
			ctx, leave := context.WithCancel(context.WithValue(context.Background(), valueKey{}, 7))
			lease, _, err := idem.Acquire(ctx, w.store, w.call("k"))
			ok(t, err)
			lose := func() {
				w.store.set(fail(idem.ErrLeaseLost, -1, "renew"), nil)
				time.Sleep(2 * time.Second)
				synctest.Wait()
			}
			if lostBefore {
				lose()
			}
			inner := lease.Detach()
			leave()
			synctest.Wait()
			if err := inner.Err(); (err != nil) != lostBefore || inner.Value(valueKey{}) != 7 || inner != lease.Context() {
				t.Errorf("lost %v: after the caller left: %v", lostBefore, err)
			}
			if !lostBefore {
				lose()
			}
			if cause := context.Cause(inner); !errors.Is(cause, idem.ErrLeaseLost) {
				t.Errorf("the cause is %v", cause)
			}
			_ = lease.Settle(idem.SettleRelease, idem.Outcome{})
		})
	}
	w := newWorld(t)
	lease, _, err := idem.Acquire(context.Background(), w.store, w.call("k"))
	ok(t, err)
	inner := lease.Detach()
	ok(t, lease.Settle(idem.SettleRelease, idem.Outcome{}))
	is(t, inner.Err(), context.Canceled)
}
