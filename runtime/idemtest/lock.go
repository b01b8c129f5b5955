package idemtest

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// TestLocker checks a locker against the laws of locks: L1, L2, L3 and L5 as far as
// a locker keeps them, C7, C8, C16 and K2. open also returns the records that the
// locker checks, or nil when it has none. Every key is unique to its subtest and
// run, so open may return a shared one each time. Run it with the race detector.
func TestLocker(t *testing.T, open func(t *testing.T) (idem.Locker, idem.RecordStore)) {
	for _, c := range lockCases {
		t.Run(c.name, func(t *testing.T) {
			s := &locks{T: t, run: rand.Text()}
			s.locker, s.store = open(t)
			c.run(s)
		})
	}
}

// lockCases are the subtests, by law.
var lockCases = []struct {
	name string
	run  func(*locks)
}{
	{"L1_OneOfManyAcquires", (*locks).oneOfMany},
	{"L1_BusyTellsWhatIsLeft", (*locks).busy},
	{"L1_WholeOwnerAndFenceDecide", (*locks).wholeOwner},
	{"L1_ExpiredIsLost", (*locks).expired},
	{"L1_AnothersLockIsNeverFreed", (*locks).anothers},
	{"L1_RenewalExtends", (*locks).renew},
	{"L1_RenewalNeverRecreates", (*locks).renewNothing},
	{"L1_OneHolderInAStorm", (*locks).storm},
	{"L2_FenceGrowsWithEveryAcquisition", (*locks).fenceGrows},
	{"L2_FenceIsAtLeastTheClock", (*locks).fenceClock},
	{"L3_CheckFindsTheCompletedRecord", (*locks).check},
	{"L5_UnknownFenceIsTheOwnersAlone", (*locks).unknownFence},
	{"C16_SameOwnerSameAnswer", (*locks).sameOwner},
	{"C16_ReleaseAgainAfterTheNextOwner", (*locks).releaseAgain},
	{"K2_BytesDecide", (*locks).bytesDecide},
	{"C8_LongTimes", (*locks).longTimes},
	{"C7_EndedContextTouchesNothing", (*locks).endedContext},
}

// locks is one subtest.
type locks struct {
	*testing.T
	locker idem.Locker
	store  idem.RecordStore // nil: the locker has no records
	run    string           // unique to the subtest and run
}

// key makes a key of this subtest.
func (s *locks) key(parts ...idem.Part) idem.Key {
	s.Helper()
	op := idem.Op{Name: "idemtest/" + s.run}
	call := idem.New(idem.GlobalScope).Call(context.Background(), &op, parts...)
	if err := call.Err(); err != nil {
		s.Fatal(err)
	}
	return call.Key()
}

// ask is a request of a new owner for a long time.
func (s *locks) ask(k idem.Key) idem.LockRequest {
	return idem.LockRequest{Key: k, Owner: idem.NewOwner(), TTL: long}
}

// acquire acquires and checks the status.
func (s *locks) acquire(r idem.LockRequest, want idem.LockStatus) idem.LockFound {
	s.Helper()
	f, err := s.locker.Acquire(context.Background(), r)
	if err != nil {
		s.Fatalf("acquire: %v", err)
	}
	if f.Status != want {
		s.Fatalf("acquire: %v, want %v", f.Status, want)
	}
	return f
}

// take acquires, expects to win and returns the hold.
func (s *locks) take(r idem.LockRequest) idem.Hold {
	s.Helper()
	f := s.acquire(r, idem.LockAcquired)
	if f.Fence < 1 || f.Left <= 0 || f.Left > r.TTL {
		s.Fatalf("acquired with fence %d and %v of %v left", f.Fence, f.Left, r.TTL)
	}
	return idem.Hold{Key: r.Key, Owner: r.Owner, Fence: f.Fence}
}

// release releases and expects success.
func (s *locks) release(h idem.Hold) {
	s.Helper()
	if err := s.locker.Release(context.Background(), h); err != nil {
		s.Fatalf("release: %v", err)
	}
}

// isLost expects that a hold can neither be renewed nor released.
func (s *locks) isLost(h idem.Hold) {
	s.Helper()
	ctx := context.Background()
	wants(s.T, "renew", s.locker.Renew(ctx, h, long), idem.ErrLockLost)
	wants(s.T, "release", s.locker.Release(ctx, h), idem.ErrLockLost)
}

func (s *locks) oneOfMany() {
	k := s.key(idem.String("K"))
	won := make(chan idem.Hold, callers)
	race(callers, func(int) {
		r := s.ask(k)
		f, err := s.locker.Acquire(context.Background(), r)
		switch {
		case err != nil:
			s.Errorf("acquire: %v", err)
		case f.Status == idem.LockAcquired:
			won <- idem.Hold{Key: k, Owner: r.Owner, Fence: f.Fence}
		case f.Status != idem.LockBusy:
			s.Errorf("acquire: %v", f.Status)
		}
	})
	if len(won) != 1 {
		s.Fatalf("%d of %d callers acquired one lock", len(won), callers)
	}
	s.release(<-won)
	s.take(s.ask(k))
}

func (s *locks) busy() {
	k := s.key(idem.String("K"))
	s.take(s.ask(k))
	for range 2 {
		if f := s.acquire(s.ask(k), idem.LockBusy); f.Left <= 0 || f.Left > long {
			s.Fatalf("%v of %v left", f.Left, long)
		}
	}
}

func (s *locks) check() {
	k := s.key(idem.String("K"))
	r := s.ask(k)
	r.Check = true
	if s.store == nil {
		if f := s.acquire(r, idem.LockAcquired); f.Checked {
			s.Fatal("a locker without records says it checked")
		}
		return
	}
	if f := s.acquire(r, idem.LockAcquired); !f.Checked || f.Record.Outcome.Kind != 0 {
		s.Fatalf("nothing is there, and it found %+v", f)
	}
	ctx := context.Background()
	c := idem.Claim{Key: k, Owner: idem.NewOwner(), Fingerprint: idem.Fingerprint{0: 1, 32: 7}, Lease: long, Retention: time.Hour, Orphan: idem.OrphanRerun}
	claimed, err := s.store.Claim(ctx, c)
	if err != nil {
		s.Fatal(err)
	}
	next := s.ask(k)
	next.Check = true
	if f := s.acquire(next, idem.LockBusy); !f.Checked { // a running record is no answer
		s.Fatal("not checked")
	}
	if err := s.store.Complete(ctx, idem.Hold{Key: k, Owner: c.Owner, Fence: claimed.Record.Fence}, outcome("1"), time.Hour); err != nil {
		s.Fatal(err)
	}
	done := func() {
		s.Helper()
		if f := s.acquire(next, idem.LockNeedless); !f.Checked || !sameOutcome(f.Record.Outcome, outcome("1")) || f.Record.Fingerprint != c.Fingerprint {
			s.Fatalf("the check found %+v", f)
		}
	}
	done() // whoever holds the lock
	f := s.acquire(r, idem.LockAcquired)
	s.release(idem.Hold{Key: k, Owner: r.Owner, Fence: f.Fence})
	done()
	s.take(s.ask(k)) // the second answer acquired nothing, and this one doesn't check
}
