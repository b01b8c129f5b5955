package sqlstoretest

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/cost"

	"github.com/idemgen/idemgen/runtime/idem"
)

// The statements that each operation costs, counted between database/sql and
// the driver.
func TestLaw_C1_StatementsPerOperation(t *testing.T) { on(t, everyDatabase, statementsPerOperation) }

func statementsPerOperation(t *testing.T, d *database) {
	ctx := context.Background()
	f, w := d.wired(t)
	c := leased(claimOn(t, 0, idem.String("K")), time.Minute, idem.OrphanRerun)
	h := idem.Hold{Key: c.Key, Owner: c.Owner, Fence: 1}
	other := c
	other.Owner = idem.NewOwner()

	claims := func(c idem.Claim, want idem.ClaimStatus) func() {
		return func() {
			if got, err := f.store.Claim(ctx, c); err != nil || got.Status != want {
				t.Errorf("claim: %v, %v, want %v", got.Status, err, want)
			}
		}
	}
	works := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	prune := []string{"DELETE"}
	if d.dialect == idem.MySQL { // at a level of its own, so that it locks no gaps
		prune = []string{"BEGIN", "DELETE", "COMMIT"}
	}
	f.sends(w, cost.FreshClaim, claims(c, idem.Fresh), "INSERT")
	f.sends(w, cost.RunningDuplicate, claims(other, idem.Running), "INSERT", "SELECT")
	f.sends(w, cost.Renew, func() { works(f.store.Renew(ctx, h, time.Minute)) }, "UPDATE")
	f.sends(w, cost.Complete, func() { works(f.store.Complete(ctx, h, done("1"), time.Hour)) }, "UPDATE")
	f.sends(w, cost.Duplicate, claims(other, idem.Done), "INSERT", "SELECT")
	f.sends(w, cost.LookUp, func() { _, err := f.store.Lookup(ctx, c.Key); works(err) }, "SELECT")
	f.sends(w, "prune", func() { _, err := f.store.Prune(ctx, 10); works(err) }, prune...)

	r := leased(claimOn(t, 0, idem.String("R")), time.Minute, idem.OrphanRerun)
	claims(r, idem.Fresh)()
	f.sends(w, cost.Release, func() {
		works(f.store.Release(ctx, idem.Hold{Key: r.Key, Owner: r.Owner, Fence: 1}))
	}, "DELETE")
}

// A fresh call in transaction mode costs two statements more than the business
// transaction, all on one connection (T1).
func TestLaw_T1_StatementsPerTransaction(t *testing.T) {
	on(t, everyDatabase, statementsPerTransaction)
}

func statementsPerTransaction(t *testing.T, d *database) {
	ctx := context.Background()
	f, w := d.wired(t)
	body := func(id string) func(context.Context, *sql.Tx) (idem.Outcome, error) {
		return func(ctx context.Context, tx *sql.Tx) (idem.Outcome, error) {
			return done("1"), f.effect(ctx, tx, id)
		}
	}
	inTx := func(c idem.Claim, want idem.ClaimStatus) func() {
		return func() {
			if got, err := f.store.InTx(ctx, c, body("K")); err != nil || got.Status != want {
				t.Errorf("in a transaction: %v, %v, want %v", got.Status, err, want)
			}
		}
	}
	f.sends(w, cost.BareTransaction, func() {
		if err := f.store.Begin(ctx, func(ctx context.Context, tx *sql.Tx) error { return f.effect(ctx, tx, "B") }); err != nil {
			t.Error(err)
		}
	}, "BEGIN", "INSERT", "COMMIT")
	c := claimOn(t, 0, idem.String("K"))
	f.sends(w, cost.FreshCall, inTx(c, idem.Fresh), "BEGIN", "INSERT", "INSERT", "UPDATE", "COMMIT")
	c.Owner = idem.NewOwner()
	f.sends(w, cost.DuplicateCall, inTx(c, idem.Done), "BEGIN", "INSERT", "SELECT", "ROLLBACK")

	f.sends(w, cost.JoinedCall, func() {
		err := f.store.Begin(ctx, func(ctx context.Context, tx *sql.Tx) error {
			_, err := f.store.Join(ctx, tx, claimOn(t, 0, idem.String("J")), body("J"))
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}, "BEGIN", "SAVEPOINT", "INSERT", "INSERT", "UPDATE", "RELEASE", "COMMIT")

	f.sends(w, cost.KeptError, func() {
		if _, err := f.store.Keep(ctx, claimOn(t, 0, idem.String("E")), idem.Outcome{Kind: idem.Failed}); err != nil {
			t.Error(err)
		}
	}, "INSERT")
	if n := f.effects("K"); n != 1 {
		t.Errorf("%d effects", n)
	}
}

// What counts in the end is what goes over the wire: a fresh call takes two
// round trips more than the bare transaction, a claim one, a duplicate two.
func TestLaw_T1_RoundTrips(t *testing.T) {
	on(t, everyServer, func(t *testing.T, d *database) {
		ctx := context.Background()
		f, p := d.behind(t)
		f.db.SetMaxOpenConns(1)
		empty := func(context.Context, *sql.Tx) (idem.Outcome, error) { return done("1"), nil }
		trips := func(run func() error) int {
			t.Helper()
			p.Reset()
			if err := run(); err != nil {
				t.Error(err)
			}
			return p.Total().RoundTrips
		}
		claim := func(c idem.Claim) func() error {
			return func() error { _, err := f.store.InTx(ctx, c, empty); return err }
		}
		lease := func(c idem.Claim) func() error {
			return func() error {
				_, err := f.store.Claim(ctx, leased(c, time.Minute, idem.OrphanRerun))
				return err
			}
		}
		bare := func() error { return f.store.Begin(ctx, func(context.Context, *sql.Tx) error { return nil }) }
		again := func(c idem.Claim) idem.Claim { c.Owner = idem.NewOwner(); return c }

		warm := claimOn(t, 0, idem.String("warm")) // statements are prepared once
		leaseWarm := claimOn(t, 0, idem.String("lease"))
		for _, run := range []func() error{bare, claim(warm), claim(again(warm)), lease(leaseWarm), lease(again(leaseWarm))} {
			trips(run)
		}
		tx, c := trips(bare), claimOn(t, 0, idem.String("K"))
		l := claimOn(t, 0, idem.String("L"))
		for _, c := range []struct {
			name string
			run  func() error
			want int
		}{
			{"fresh call", claim(c), tx + 2},
			{"duplicate", claim(again(c)), tx + 2},
			{"fresh claim", lease(l), 1},
			{"duplicate claim", lease(again(l)), 2},
		} {
			if n := trips(c.run); n != c.want {
				t.Errorf("%s takes %d round trips, want %d", c.name, n, c.want)
			}
		}
		t.Logf("the bare transaction takes %d round trips", tx)
	})
}
