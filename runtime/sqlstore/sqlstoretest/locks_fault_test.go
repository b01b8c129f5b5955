package sqlstoretest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Replies of acquire, renew and release are lost, and the same is asked again.
func TestLaw_C16_TheNetworkLosesALocksReply(t *testing.T) {
	on(t, bothServers, func(t *testing.T, d *database) {
		ctx := context.Background()
		f, p := d.behind(t)
		s := f.locks()
		r := lockOn(t, idem.String("K"))
		h := idem.Hold{Key: r.Key, Owner: r.Owner}
		key := string(r.Key.Hash[:])
		f.losesReplies(p, []lossy{
			{"acquire", key, func() error {
				got, err := s.Acquire(ctx, r)
				if err == nil && got.Status != idem.LockAcquired {
					t.Errorf("acquire: %v", got.Status)
				}
				h.Fence = got.Fence
				return err
			}},
			{"renew", key, func() error { return s.Renew(ctx, h, time.Minute) }},
			{"release", key, func() error { return s.Release(ctx, h) }},
		})
		acquire(t, s, next(r), idem.LockAcquired)
	})
}

// The reply of an acquisition is lost: it holds, and its own owner value frees it.
func TestLaw_L5_LostAcquireIsCleanedUpByItsOwner(t *testing.T) {
	on(t, bothServers, func(t *testing.T, d *database) {
		ctx := context.Background()
		f, p := d.behind(t)
		s := f.locks()
		r := lockOn(t, idem.String("K"))
		lost := p.DropReply(string(r.Key.Hash[:]), 1)
		if _, err := s.Acquire(ctx, r); err != nil && !errors.Is(err, idem.ErrStoreUnavailable) {
			t.Fatal(err)
		}
		if !lost.Fired() {
			t.Fatal("nothing was lost")
		}
		acquire(t, s, next(r), idem.LockBusy)
		if err := s.Release(ctx, idem.Hold{Key: r.Key, Owner: idem.NewOwner()}); !errors.Is(err, idem.ErrLockLost) {
			t.Errorf("another owner: %v", err)
		}
		if err := s.Release(ctx, idem.Hold{Key: r.Key, Owner: r.Owner}); err != nil {
			t.Error(err)
		}
		acquire(t, s, next(r), idem.LockAcquired)
	})
}

// The reply of a release is lost, the lock is taken again, and the release is sent
// once more: the newer lock stands (L1).
func TestLaw_L1_RetriedReleaseLeavesTheNewerLock(t *testing.T) {
	on(t, bothServers, func(t *testing.T, d *database) {
		ctx := context.Background()
		f, p := d.behind(t)
		s := f.locks()
		r := lockOn(t, idem.String("K"))
		first := acquire(t, s, r, idem.LockAcquired)
		p.DropReply(string(r.Key.Hash[:]), 1)
		if err := s.Release(ctx, first); err != nil && !errors.Is(err, idem.ErrStoreUnavailable) {
			t.Fatal(err)
		}
		second := acquire(t, s, next(r), idem.LockAcquired)
		if err := s.Release(ctx, first); err != nil {
			t.Error(err)
		}
		acquire(t, s, next(r), idem.LockBusy)
		if err := s.Release(ctx, second); err != nil {
			t.Error(err)
		}
	})
}

// The server is killed in a storm of owners, twice, and started again: there is one
// holder at a time, with fences that grow, and every turn is taken.
func TestLaw_L1_ServerKilledInAStormOfOwners(t *testing.T) {
	on(t, bothServers, func(t *testing.T, d *database) {
		const callers, turns = 8, 60
		server := d.private(t)
		f := d.fixtureOn(t, server)
		f.db.SetMaxOpenConns(callers)
		s := f.locks()
		k := lockOn(t, idem.String("K"))
		var taken, down, inside, highest atomic.Int64
		var wg sync.WaitGroup
		for range callers {
			wg.Go(func() {
				for range turns {
					r := next(k)
					for {
						got := patiently(t, &down, func() (idem.LockFound, error) { return s.Acquire(context.Background(), r) })
						if got.Status == idem.LockBusy {
							time.Sleep(time.Millisecond)
							continue
						}
						if inside.Add(1) != 1 || got.Status != idem.LockAcquired {
							t.Errorf("%v with %d inside", got.Status, inside.Load())
						}
						if last := highest.Swap(got.Fence); got.Fence <= last {
							t.Errorf("fence %d after %d", got.Fence, last)
						}
						taken.Add(1)
						inside.Add(-1)
						patiently(t, &down, func() (bool, error) {
							return true, s.Release(context.Background(), idem.Hold{Key: r.Key, Owner: r.Owner, Fence: got.Fence})
						})
						break
					}
				}
			})
		}
		killTwice(t, server, &taken, callers*turns)
		wg.Wait()
		if taken.Load() != callers*turns || down.Load() == 0 {
			t.Errorf("%d turns, %d outages", taken.Load(), down.Load())
		}
	})
}
