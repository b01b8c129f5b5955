package memstore_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/memstore"
)

func TestLockerConformance(t *testing.T) {
	t.Run("WithRecords", func(t *testing.T) {
		idemtest.TestLocker(t, func(*testing.T) (idem.Locker, idem.RecordStore) {
			records := memstore.New()
			return memstore.NewLocks(records), records
		})
	})
	t.Run("Alone", func(t *testing.T) {
		idemtest.TestLocker(t, func(*testing.T) (idem.Locker, idem.RecordStore) { return memstore.NewLocks(nil), nil })
	})
}

// acquire acquires the lock of key i for a time.
func acquire(t *testing.T, s *memstore.Locks, i int, ttl time.Duration) (idem.Hold, bool) {
	t.Helper()
	c := claim(i, 0, 0, 0)
	f, err := s.Acquire(context.Background(), idem.LockRequest{Key: c.Key, Owner: c.Owner, TTL: ttl})
	if err != nil {
		t.Fatal(err)
	}
	return idem.Hold{Key: c.Key, Owner: c.Owner, Fence: f.Fence}, f.Status == idem.LockAcquired
}

func TestLaw_L1_LockEndsOnTheMonotonicClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memstore.NewLocks(nil)
		first, _ := acquire(t, s, 1, 30*time.Second)
		time.Sleep(30*time.Second - 1)
		if _, ok := acquire(t, s, 1, time.Second); ok {
			t.Error("acquired just before the end")
		}
		time.Sleep(time.Nanosecond)
		if err := s.Renew(context.Background(), first, time.Second); !errors.Is(err, idem.ErrLockLost) {
			t.Errorf("renew at the end: %v", err)
		}
		second, ok := acquire(t, s, 1, time.Second)
		if !ok || second.Fence <= first.Fence {
			t.Errorf("acquired at the end: %v, fence %d after %d", ok, second.Fence, first.Fence)
		}
	})
}

func TestLaw_L2_FenceGrowsOverForgottenLocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memstore.NewLocks(nil)
		first, _ := acquire(t, s, 1, time.Second)
		time.Sleep(48 * time.Hour)
		for i := range 2000 { // sweeps
			acquire(t, s, i+2, time.Second)
		}
		second, ok := acquire(t, s, 1, time.Second)
		if !ok || second.Fence < first.Fence+(48*time.Hour).Microseconds() {
			t.Errorf("fence %d after %d", second.Fence, first.Fence)
		}
		time.Sleep(48 * time.Hour)
		for i := range 4000 {
			acquire(t, s, i+10_000, time.Second)
		}
		if s.Len() > 4000+100 {
			t.Errorf("%d locks are remembered", s.Len())
		}
		fresh, _ := acquire(t, memstore.NewLocks(nil), 1, time.Second) // forgot everything
		if fresh.Fence <= second.Fence {
			t.Errorf("fence %d after %d", fresh.Fence, second.Fence)
		}
	})
}
