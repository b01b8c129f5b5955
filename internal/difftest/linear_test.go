package difftest_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/difftest"
	"github.com/idemgen/idemgen/internal/difftest/linear"
	"github.com/idemgen/idemgen/internal/difftest/locks"
	"github.com/idemgen/idemgen/internal/difftest/records"
	"github.com/idemgen/idemgen/internal/difftest/tokens"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// Concurrent histories: how many on each store, and how many side by side.
const (
	concurrent = 300
	sideBySide = 4
	// meetings is how many steps at least must be under way while another is.
	meetings = 20
)

// linearizable runs concurrent histories on every store, all stores at once.
func linearizable[Store, Step any, State comparable](t *testing.T, k *difftest.Kind[Store, Step, State], stores []difftest.Named[Store]) {
	t.Helper()
	p := plan(t, concurrent)
	ctx := deadline(t)
	reports := make([]*linear.Report, len(stores))
	var wg sync.WaitGroup
	for i, store := range stores {
		count := p.Count
		if store.Name == memory { // its clients seldom meet: they are done too soon
			count *= 5
		}
		wg.Go(func() { reports[i] = linear.Run(ctx, k, store, p.Seed, count, sideBySide) })
	}
	wg.Wait()
	for _, r := range reports {
		t.Log(r)
		if r.Failed > 0 || r.Undecided > 0 {
			t.Errorf("%s is not linearizable", r.Store)
		}
		want := meetings
		if r.Store == memory { // on a busy machine hardly any of them meet
			want = 1
		}
		if r.Overlaps < want {
			t.Errorf("on %s only %d of %d steps met another", r.Store, r.Overlaps, r.Steps)
		}
	}
}

func TestLaw_C1_RecordStoresAreLinearizable(t *testing.T) {
	linearizable(t, records.Kind(), recordStores(t))
}

func TestLaw_X1_TokenStoresAreLinearizable(t *testing.T) {
	linearizable(t, tokens.Kind(), tokenStores(t))
}

func TestLaw_L1_LockersAreLinearizable(t *testing.T) {
	linearizable(t, locks.Kind(), lockers(t))
}

// The check can fail: a store that reads and then writes is caught.

// looker claims in two steps: it looks, and later writes what it then believes.
type looker struct{ idem.RecordStore }

func (s looker) Claim(ctx context.Context, c idem.Claim) (idem.Found, error) {
	f, err := s.Lookup(ctx, c.Key)
	if err != nil || f.Status != idem.Absent || c.Look {
		return s.RecordStore.Claim(ctx, c)
	}
	time.Sleep(50 * time.Microsecond)
	if f, err = s.Lookup(ctx, c.Key); err == nil && f.Status == idem.Running {
		_ = s.Release(ctx, idem.Hold{Key: c.Key, Owner: f.Record.Owner, Fence: f.Record.Fence})
	}
	return s.RecordStore.Claim(ctx, c)
}

// lateChecker compares the owner first and completes later, whoever's it is by then.
type lateChecker struct{ idem.RecordStore }

func (s lateChecker) Complete(ctx context.Context, h idem.Hold, o idem.Outcome, keep time.Duration) error {
	f, err := s.Lookup(ctx, h.Key)
	if err != nil || f.Record.Owner != h.Owner {
		return s.RecordStore.Complete(ctx, h, o, keep)
	}
	time.Sleep(50 * time.Microsecond)
	return s.RecordStore.Complete(ctx, anybodys(s.RecordStore, h), o, keep)
}

// lender consumes in two steps.
type lender struct{ idem.TokenStore }

func (s lender) Consume(ctx context.Context, c idem.Consumption) (idem.TokenFound, error) {
	f, err := s.TokenStore.Consume(ctx, c)
	if err != nil || f.Status != idem.TokenRunning {
		time.Sleep(50 * time.Microsecond)
		return f, err
	}
	_ = s.Restore(ctx, idem.TokenHold{Token: c.Token, Owner: f.Owner})
	return s.TokenStore.Consume(ctx, c)
}

// stealer acquires in two steps.
type stealer struct {
	idem.Locker
	owners *sync.Map // by key
}

func (s stealer) Acquire(ctx context.Context, r idem.LockRequest) (idem.LockFound, error) {
	f, err := s.Locker.Acquire(ctx, r)
	if other, ok := s.owners.Load(r.Key.Hash); ok && err == nil && f.Status == idem.LockBusy {
		_ = s.Release(ctx, idem.Hold{Key: r.Key, Owner: other.(idem.Owner)})
		f, err = s.Locker.Acquire(ctx, r)
	}
	if f.Status == idem.LockAcquired {
		s.owners.Store(r.Key.Hash, r.Owner)
	}
	return f, err
}

func notLinearizable[Store, Step any, State comparable](t *testing.T, k *difftest.Kind[Store, Step, State], store Store) {
	t.Helper()
	r := linear.Run(deadline(t), k, difftest.Named[Store]{Name: "faulty", Store: store}, planted.Seed, concurrent, sideBySide)
	t.Log(r)
	if r.Failed == 0 {
		t.Error("the defect was not found")
	}
}

func TestLaw_C1_PlantedRacesAreCaught(t *testing.T) {
	t.Run("claim looks and then writes", func(t *testing.T) {
		notLinearizable(t, records.Kind(), idem.RecordStore(looker{memstore.New()}))
	})
	t.Run("complete compares too early", func(t *testing.T) {
		notLinearizable(t, records.Kind(), idem.RecordStore(lateChecker{memstore.New()}))
	})
	t.Run("two consumers", func(t *testing.T) {
		notLinearizable(t, tokens.Kind(), idem.TokenStore(lender{memstore.NewTokens()}))
	})
	t.Run("two holders", func(t *testing.T) {
		all := memstore.New()
		notLinearizable(t, locks.Kind(), locks.Store{Locker: stealer{memstore.NewLocks(all), &sync.Map{}}, Records: all})
	})
}
