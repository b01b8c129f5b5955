package difftest_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/difftest"
	"github.com/idemgen/idemgen/internal/difftest/locks"
	"github.com/idemgen/idemgen/internal/difftest/records"
	"github.com/idemgen/idemgen/internal/difftest/tokens"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// The suite can fail: stores with a planted defect are caught, and the history is cut
// down to one that a person can read.

// planted is what is played on a store with a defect: always the same.
var planted = difftest.Plan{Seed: 1, Count: 500}

// readable is how many steps a history may have that shows a defect.
const readable = 6

// caught expects a run to have failed, in few steps.
func caught(t *testing.T, r *difftest.Report) {
	t.Helper()
	t.Log(r)
	if r.Failure == nil {
		t.Fatal("the defect was not found")
	}
	if n := len(r.Failure.Steps); n > readable {
		t.Errorf("it takes %d steps to show it", n)
	}
}

// faulty is a record store with one method replaced by one with a defect; nil is as it
// should be.
type faulty struct {
	idem.RecordStore
	claim    func(idem.RecordStore, idem.Claim) (idem.Found, error)
	renew    func(idem.RecordStore, idem.Hold, time.Duration) error
	complete func(s idem.RecordStore, h idem.Hold, o idem.Outcome, keep time.Duration) error
	release  func(idem.RecordStore, idem.Hold) error
	lookup   func(idem.RecordStore, idem.Key) (idem.Found, error)
}

var background = context.Background()

func (f *faulty) Claim(ctx context.Context, c idem.Claim) (idem.Found, error) {
	if f.claim == nil {
		return f.RecordStore.Claim(ctx, c)
	}
	return f.claim(f.RecordStore, c)
}

func (f *faulty) Renew(ctx context.Context, h idem.Hold, lease time.Duration) error {
	if f.renew == nil {
		return f.RecordStore.Renew(ctx, h, lease)
	}
	return f.renew(f.RecordStore, h, lease)
}

func (f *faulty) Complete(ctx context.Context, h idem.Hold, o idem.Outcome, keep time.Duration) error {
	if f.complete == nil {
		return f.RecordStore.Complete(ctx, h, o, keep)
	}
	return f.complete(f.RecordStore, h, o, keep)
}

func (f *faulty) Release(ctx context.Context, h idem.Hold) error {
	if f.release == nil {
		return f.RecordStore.Release(ctx, h)
	}
	return f.release(f.RecordStore, h)
}

func (f *faulty) Lookup(ctx context.Context, k idem.Key) (idem.Found, error) {
	if f.lookup == nil {
		return f.RecordStore.Lookup(ctx, k)
	}
	return f.lookup(f.RecordStore, k)
}

// anybodys is a hold of whoever owns the record.
func anybodys(s idem.RecordStore, h idem.Hold) idem.Hold {
	if f, err := s.Lookup(background, h.Key); err == nil && f.Status != idem.Absent {
		h.Owner, h.Fence = f.Record.Owner, f.Record.Fence
	}
	return h
}

func TestLaw_C14_PlantedDefectsOfRecordsAreCaught(t *testing.T) {
	for name, defect := range map[string]faulty{
		"forgets to compare the fence": {complete: func(s idem.RecordStore, h idem.Hold, o idem.Outcome, keep time.Duration) error {
			if of := anybodys(s, h); of.Owner == h.Owner {
				h = of
			}
			return s.Complete(background, h, o, keep)
		}},
		"complete ignores the owner": {complete: func(s idem.RecordStore, h idem.Hold, o idem.Outcome, keep time.Duration) error {
			if of := anybodys(s, h); of.Fence == h.Fence {
				h.Owner = of.Owner
			}
			return s.Complete(background, h, o, keep)
		}},
		"release frees a stranger's": {release: func(s idem.RecordStore, h idem.Hold) error {
			return s.Release(background, anybodys(s, h))
		}},
		"takes over a held record": {claim: func(s idem.RecordStore, c idem.Claim) (idem.Found, error) {
			f, err := s.Claim(background, c)
			if f.Status != idem.Held {
				return f, err
			}
			if err := s.Resolve(background, c.Key, idem.Resolution{Rerun: true}); err != nil {
				return f, err
			}
			return s.Claim(background, c)
		}},
		"loses the fingerprint with the completion": {lookup: func(s idem.RecordStore, k idem.Key) (idem.Found, error) {
			f, err := s.Lookup(background, k)
			if f.Status == idem.Done {
				f.Record.Fingerprint = idem.Fingerprint{}
			}
			return f, err
		}},
		"takes over with another payload": {claim: func(s idem.RecordStore, c idem.Claim) (idem.Found, error) {
			f, err := s.Claim(background, c)
			if f.Status != idem.Running || f.Record.LeaseLeft > 0 {
				return f, err
			}
			c.Fingerprint = f.Record.Fingerprint
			return s.Claim(background, c)
		}},
		"renewal re-creates": {renew: func(s idem.RecordStore, h idem.Hold, lease time.Duration) error {
			err := s.Renew(background, h, lease)
			if f, _ := s.Lookup(background, h.Key); errors.Is(err, idem.ErrLeaseLost) && f.Status == idem.Absent {
				_, err = s.Claim(background, idem.Claim{Key: h.Key, Owner: h.Owner, Lease: lease, Orphan: idem.OrphanRerun})
			}
			return err
		}},
		"a repeated completion is refused": {complete: func(s idem.RecordStore, h idem.Hold, o idem.Outcome, keep time.Duration) error {
			if f, err := s.Lookup(background, h.Key); err == nil && f.Status == idem.Done {
				return idem.ErrLeaseLost
			}
			return s.Complete(background, h, o, keep)
		}},
		"keeps another outcome": {complete: func(s idem.RecordStore, h idem.Hold, o idem.Outcome, keep time.Duration) error {
			o.Data = slices.Concat(o.Data, []byte(" "))
			return s.Complete(background, h, o, keep)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defect.RecordStore = memstore.New()
			caught(t, records.Kind().Run(deadline(t), planted, []difftest.Named[idem.RecordStore]{{Name: "faulty", Store: &defect}}))
		})
	}
}

// burner has a wrong presenter burn the token.
type burner struct{ idem.TokenStore }

func (s burner) Consume(ctx context.Context, c idem.Consumption) (idem.TokenFound, error) {
	f, err := s.TokenStore.Consume(ctx, c)
	if f.Status == idem.TokenMismatch {
		for b := range 3 {
			c.Binding = idem.Binding{0: byte(b)}
			if got, _ := s.TokenStore.Consume(ctx, c); got.Status == idem.TokenConsumed {
				_ = s.Burn(ctx, idem.TokenHold{Token: c.Token, Owner: c.Owner})
			}
		}
	}
	return f, err
}

// taker takes over without leave.
type taker struct{ idem.TokenStore }

func (s taker) Consume(ctx context.Context, c idem.Consumption) (idem.TokenFound, error) {
	c.Retake = true
	return s.TokenStore.Consume(ctx, c)
}

func TestLaw_C14_PlantedDefectsOfTokensAreCaught(t *testing.T) {
	for name, store := range map[string]idem.TokenStore{
		"a wrong presenter burns it": burner{memstore.NewTokens()},
		"takes over without leave":   taker{memstore.NewTokens()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			caught(t, tokens.Kind().Run(deadline(t), planted, []difftest.Named[idem.TokenStore]{{Name: "faulty", Store: store}}))
		})
	}
}

// stale gives out the same fence again and again.
type stale struct {
	idem.Locker
	fences *sync.Map // the true ones, by owner
}

func (s stale) Acquire(ctx context.Context, r idem.LockRequest) (idem.LockFound, error) {
	f, err := s.Locker.Acquire(ctx, r)
	if f.Status == idem.LockAcquired {
		s.fences.Store(r.Owner, f.Fence)
		f.Fence = 7
	}
	return f, err
}

func (s stale) true(h idem.Hold) idem.Hold {
	if fence, ok := s.fences.Load(h.Owner); ok && h.Fence == 7 {
		h.Fence = fence.(int64)
	}
	return h
}

func (s stale) Renew(ctx context.Context, h idem.Hold, ttl time.Duration) error {
	return s.Locker.Renew(ctx, s.true(h), ttl)
}

func (s stale) Release(ctx context.Context, h idem.Hold) error {
	return s.Locker.Release(ctx, s.true(h))
}

// generous lets a lock that has expired be released.
type generous struct{ idem.Locker }

func (s generous) Release(ctx context.Context, h idem.Hold) error {
	if err := s.Locker.Release(ctx, h); !errors.Is(err, idem.ErrLockLost) || h.Fence == 0 {
		return err
	}
	h.Fence = 0
	return s.Locker.Release(ctx, h)
}

func TestLaw_C14_PlantedDefectsOfLocksAreCaught(t *testing.T) {
	for name, wrap := range map[string]func(idem.Locker) idem.Locker{
		"the fence doesn't grow":            func(l idem.Locker) idem.Locker { return stale{l, &sync.Map{}} },
		"release doesn't compare the fence": func(l idem.Locker) idem.Locker { return generous{l} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			records := memstore.New()
			store := locks.Store{Locker: wrap(memstore.NewLocks(records)), Records: records}
			caught(t, locks.Kind().Run(deadline(t), planted, []difftest.Named[locks.Store]{{Name: "faulty", Store: store}}))
		})
	}
}
