package memstore_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/memstore"
)

func TestConformance(t *testing.T) {
	idemtest.TestRecordStore(t, func(*testing.T) idem.RecordStore { return memstore.New() })
}

var op = idem.Op{Name: "memstore_test"}

// claim makes a claim for key i.
func claim(i int, lease, retention time.Duration, orphan idem.Orphan) idem.Claim {
	key := idem.New(idem.GlobalScope).Call(context.Background(), &op, idem.Int(i)).Key()
	return idem.Claim{Key: key, Owner: idem.NewOwner(), Lease: lease, Retention: retention, Orphan: orphan}
}

// take claims and returns the hold.
func take(t *testing.T, s *memstore.Store, c idem.Claim) idem.Hold {
	t.Helper()
	f, err := s.Claim(context.Background(), c)
	if err != nil || f.Status != idem.Fresh {
		t.Fatalf("claim: %v, %v", f.Status, err)
	}
	return idem.Hold{Key: c.Key, Owner: c.Owner, Fence: f.Record.Fence}
}

func status(t *testing.T, s *memstore.Store, k idem.Key) idem.ClaimStatus {
	t.Helper()
	f, err := s.Lookup(context.Background(), k)
	if err != nil {
		t.Fatal(err)
	}
	return f.Status
}

func TestLaw_C8_LeaseEndsOnTheMonotonicClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memstore.New()
		c := claim(1, 30*time.Second, time.Hour, idem.OrphanRerun)
		h := take(t, s, c)
		time.Sleep(30*time.Second - 1)
		if got := status(t, s, c.Key); got != idem.Running {
			t.Errorf("%v just before the end of the lease", got)
		}
		time.Sleep(time.Nanosecond)
		if got := status(t, s, c.Key); got != idem.Absent {
			t.Errorf("%v at the end of the lease", got)
		}
		next := claim(1, 30*time.Second, time.Hour, idem.OrphanRerun) // lease 30 s, clock + 31 s
		if n := take(t, s, next); n.Fence <= h.Fence {
			t.Errorf("fence %d after %d", n.Fence, h.Fence)
		}
		if err := s.Complete(context.Background(), h, idem.Outcome{Kind: idem.Succeeded}, time.Hour); !errors.Is(err, idem.ErrLeaseLost) {
			t.Errorf("late complete: %v", err)
		}
	})
}

func TestLaw_C13_WritesSweepAndPruneIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		s := memstore.New()
		const n = 1000
		for i := range n {
			h := take(t, s, claim(i, time.Second, time.Minute, idem.OrphanRerun))
			if err := s.Complete(ctx, h, idem.Outcome{Kind: idem.Succeeded}, time.Minute); err != nil {
				t.Fatal(err)
			}
		}
		held := claim(-1, time.Second, time.Second, idem.OrphanHold)
		take(t, s, held)
		forever := take(t, s, claim(-2, time.Second, idem.Never, idem.OrphanRerun))
		if err := s.Complete(ctx, forever, idem.Outcome{Kind: idem.Succeeded}, idem.Never); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Prune(ctx, n); got != 0 || err != nil {
			t.Errorf("pruned %d live records, %v", got, err)
		}
		time.Sleep(2 * time.Minute)
		if got, err := s.Prune(ctx, 10); got != 10 || err != nil {
			t.Errorf("pruned %d of at most 10, %v", got, err)
		}
		before := s.Len()
		for i := n; i < 2*n; i++ { // a store that lives long stays small by itself
			take(t, s, claim(i, time.Hour, time.Hour, idem.OrphanRerun))
		}
		if s.Len() > before+n/2 {
			t.Errorf("%d records after %d, %d of them new", s.Len(), before, n)
		}
		for {
			got, err := s.Prune(ctx, 100)
			if err != nil || got > 100 {
				t.Fatal(got, err)
			}
			if got == 0 {
				break
			}
		}
		if s.Len() != n+2 {
			t.Errorf("%d records are left, want %d", s.Len(), n+2)
		}
		if status(t, s, held.Key) != idem.Held || status(t, s, forever.Key) != idem.Done {
			t.Error("a held record or one without expiry was pruned")
		}
	})
}

func TestLaw_C16_DataIsTheStoresOwn(t *testing.T) {
	s := memstore.New()
	c := claim(1, time.Minute, time.Hour, idem.OrphanRerun)
	data := []byte("result")
	if err := s.Complete(context.Background(), take(t, s, c), idem.Outcome{Kind: idem.Succeeded, Data: data}, time.Hour); err != nil {
		t.Fatal(err)
	}
	copy(data, "XXXXXX")
	f, err := s.Lookup(context.Background(), c.Key)
	if err != nil || string(f.Record.Outcome.Data) != "result" {
		t.Errorf("%q, %v", f.Record.Outcome.Data, err)
	}
}

func BenchmarkClaimParallel(b *testing.B) {
	for _, keys := range []int{1, 10_000} {
		b.Run(fmt.Sprint(keys), func(b *testing.B) {
			s := memstore.New()
			claims := make([]idem.Claim, keys)
			for i := range claims {
				claims[i] = claim(i, time.Hour, time.Hour, idem.OrphanRerun)
			}
			b.RunParallel(func(pb *testing.PB) {
				for i := 0; pb.Next(); i++ {
					if _, err := s.Claim(context.Background(), claims[i%keys]); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}
