package sqlstoretest

import (
	"context"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/cost"

	"github.com/idemgen/idemgen/runtime/idem"
)

// The statements that each operation on locks costs: lock, double check and
// unlock are two. Postgres tells in the same statement what stands in the way.
func TestLaw_L3_StatementsPerLockOperation(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		ctx := context.Background()
		f, w := d.wired(t)
		s := f.locks()
		told := []string{"INSERT", "SELECT"}
		if d.dialect == idem.Postgres {
			told = []string{"INSERT"}
		}
		prune := []string{"DELETE"}
		if d.dialect == idem.MySQL {
			prune = []string{"BEGIN", "DELETE", "COMMIT"}
		}
		works := func(err error) {
			if err != nil {
				t.Error(err)
			}
		}
		r, doneBefore := lockOn(t, idem.String("K")), lockOn(t, idem.String("D"))
		f.complete(doneBefore.Key, "1")
		plain := next(r)
		plain.Check = false
		var h idem.Hold
		for _, what := range []string{"acquire, check", "acquire again, check"} { // no row, and a released one
			f.sends(w, what, func() { h = acquire(t, s, next(r), idem.LockAcquired) }, "INSERT")
			f.sends(w, "renew", func() { works(s.Renew(ctx, h, time.Minute)) }, "UPDATE")
			f.sends(w, cost.AcquireBusy, func() { acquire(t, s, next(r), idem.LockBusy) }, told...)
			f.sends(w, cost.Unlock, func() { works(s.Release(ctx, h)) }, "UPDATE")
			f.sends(w, "release again", func() { works(s.Release(ctx, h)) }, "UPDATE")
		}
		f.sends(w, cost.LockAndUnlock, func() { works(s.Release(ctx, acquire(t, s, next(r), idem.LockAcquired))) }, "INSERT", "UPDATE")
		f.sends(w, cost.AcquireNeedless, func() { acquire(t, s, doneBefore, idem.LockNeedless) }, told...)
		f.sends(w, cost.Acquire, func() { h = acquire(t, s, plain, idem.LockAcquired) }, "INSERT")
		f.sends(w, "acquire once more", func() { acquire(t, s, plain, idem.LockAcquired) }, told...)
		f.sends(w, "prune", func() { _, err := s.Prune(ctx, 10); works(err) }, prune...)
	})
}

// What goes over the wire.
func TestLaw_L3_RoundTripsOfLocks(t *testing.T) {
	on(t, everyServer, func(t *testing.T, d *database) {
		ctx := context.Background()
		f, p := d.behind(t)
		f.db.SetMaxOpenConns(1)
		s := f.locks()
		both := func() {
			if err := s.Release(ctx, acquire(t, s, lockOn(t, idem.String("K")), idem.LockAcquired)); err != nil {
				t.Error(err)
			}
		}
		both() // the statements are prepared once
		p.Reset()
		both()
		if n := p.Total().RoundTrips; n != 2 {
			t.Errorf("lock, double check, unlock take %d round trips", n)
		}
	})
}

// On MySQL and MariaDB the check of a record that an open transaction has costs one
// statement more, and nothing on the others.
func TestLaw_L3_StatementsBesideAnOpenTransaction(t *testing.T) {
	on(t, bothServers, func(t *testing.T, d *database) {
		f, w := d.wired(t)
		s, there := f.locks(), f.process()
		r := lockOn(t, idem.String("K"))
		release := slow(there, sqlKind(there), idem.Claim{Key: r.Key, Owner: idem.NewOwner(), Retention: time.Hour}, "K", nil)
		want := []string{"INSERT"}
		if d.dialect == idem.MySQL {
			want = []string{"INSERT", "SELECT", "INSERT"}
		}
		f.sends(w, "acquire beside an open transaction", func() { acquire(t, s, r, idem.LockAcquired) }, want...)
		release()
	})
}
