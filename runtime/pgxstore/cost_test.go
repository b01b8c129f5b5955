package pgxstore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/cost"

	"github.com/idemgen/idemgen/internal/faultproxy"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgxstore"
	"github.com/jackc/pgx/v5"
)

// meter counts the round trips of a store whose one connection goes through a
// proxy.
type meter struct {
	*fixture
	proxy *faultproxy.Proxy
}

func (f *fixture) metered(settings []setting, opts ...pgxstore.Option) *meter {
	f.Helper()
	over, p := f.behind(settings, opts...)
	return &meter{over, p}
}

// trips counts the round trips of one operation.
func (m *meter) trips(run func() error) int {
	m.Helper()
	m.proxy.Reset()
	if err := run(); err != nil {
		m.Error(err)
	}
	return m.proxy.Total().RoundTrips
}

// bare is the business transaction without any guard, as a careful person writes it.
func (m *meter) bare(id string) func() error {
	return func() error {
		return pgx.BeginTxFunc(m.ctx, m.pool, pgx.TxOptions{}, func(tx pgx.Tx) error { return write(m.ctx, tx, id) })
	}
}

func (m *meter) inTx(c idem.Claim, id string, want idem.ClaimStatus) func() error {
	return func() error {
		got, err := m.store.InTx(m.ctx, c, body(id))
		if err == nil && got.Status != want {
			m.Errorf("%s: %v, want %v", id, got.Status, want)
		}
		return err
	}
}

// joined is a call in a transaction of the caller's, which is begun and committed
// around what is counted.
func (m *meter) joined(c idem.Claim, id string, want idem.ClaimStatus) (trips int) {
	m.Helper()
	err := pgx.BeginFunc(m.ctx, m.pool, func(tx pgx.Tx) error {
		trips = m.trips(func() error {
			got, err := m.store.Join(m.ctx, tx, c, body(id))
			if err == nil && got.Status != want {
				m.Errorf("joined %s: %v, want %v", id, got.Status, want)
			}
			return err
		})
		return nil
	})
	if err != nil {
		m.Error(err)
	}
	return trips
}

// warm runs everything once: pgx prepares a statement on a connection that has
// not seen it, the business statement of the bare transaction as well.
func (m *meter) warm() {
	m.Helper()
	c, j := claimOf(m, "warm"), claimOf(m, "warm joined")
	m.trips(m.bare("warm"))
	m.trips(m.inTx(c, "warm", idem.Fresh))
	m.trips(m.inTx(again(c), "warm", idem.Done))
	m.joined(j, "warm", idem.Fresh)
	m.joined(again(j), "warm", idem.Done)
	m.trips(m.keep("warm kept"))
}

func (m *meter) keep(name string) func() error {
	return func() error {
		_, err := m.store.Keep(m.ctx, claimOf(m, name), idem.Outcome{Kind: idem.Failed})
		return err
	}
}

// A fresh call takes not one round trip more than the bare transaction, and a
// duplicate two in all, however pgx is told to talk to the server.
func TestLaw_T1_RoundTripsOfATransaction(t *testing.T) {
	for _, m := range modes {
		t.Run(m.String(), func(t *testing.T) {
			if m == pgx.QueryExecModeDescribeExec {
				t.Skip("each statement with values takes a second round trip in this mode; see TestLaw_T1_RoundTripsWithDescriptions")
			}
			x := newFixture(t).metered([]setting{mode(m)})
			x.warm()
			c := claimOf(t, "K")
			for _, g := range []struct {
				name string
				run  func() error
				want int
			}{
				{cost.BareTransaction, x.bare("B"), 3},
				{cost.FreshCall, x.inTx(c, "K", idem.Fresh), 3},
				{cost.DuplicateCall, x.inTx(again(c), "K", idem.Done), 2},
				{"plain transaction", func() error {
					return x.store.Begin(x.ctx, func(ctx context.Context, tx pgx.Tx) error { return write(ctx, tx, "P") })
				}, 3},
				{cost.LookUp, func() error { _, err := x.store.Lookup(x.ctx, c.Key); return err }, 1},
				{cost.KeptError, x.keep("E"), 1},
			} {
				if differs := cost.Differs(g.name, cost.Pgx, g.want); differs != "" {
					t.Error(differs)
				}
				if n := x.trips(g.run); n != g.want {
					t.Errorf("%s: %d round trips, want %d", g.name, n, g.want)
				}
			}
			j := claimOf(t, "J")
			if differs := cost.Differs(cost.JoinedCall, cost.Pgx, 3+2); differs != "" { // begin and commit are the caller's
				t.Error(differs)
			}
			if n := x.joined(j, "J", idem.Fresh); n != 3 { // savepoint and claim, the effect, outcome and release
				t.Errorf("joined call: %d round trips, want 3", n)
			}
			if n := x.joined(again(j), "J", idem.Done); n != 2 {
				t.Errorf("joined duplicate: %d round trips, want 2", n)
			}
			x.has("K", 1)
		})
	}
}

// Where pgx asks for a description each time, the bare transaction pays for that
// as well, and so does each trip of the store with values in it.
func TestLaw_T1_RoundTripsWithDescriptions(t *testing.T) {
	x := newFixture(t).metered([]setting{mode(pgx.QueryExecModeDescribeExec)})
	x.warm()
	bare, c := x.trips(x.bare("B")), claimOf(t, "K")
	fresh, duplicate := x.trips(x.inTx(c, "K", idem.Fresh)), x.trips(x.inTx(again(c), "K", idem.Done))
	if bare != 4 || fresh != bare+2 || duplicate != 4 {
		t.Errorf("bare %d, fresh %d, duplicate %d round trips; want 4, 6, 4", bare, fresh, duplicate)
	}
}

// A winner in another process costs a duplicate that doesn't wait two round
// trips, one of this process none.
func TestLaw_C7_RoundTripsOfABusyDuplicate(t *testing.T) {
	f := newFixture(t)
	x := f.metered(nil)
	x.warm()
	c := claimOf(t, "K")
	_, err := f.store.InTx(f.ctx, c, func(ctx context.Context, tx pgx.Tx) (idem.Outcome, error) {
		if n := x.trips(x.inTx(again(c), "K", idem.Running)); n != 2 {
			t.Errorf("in another process: %d round trips, want 2", n)
		}
		return body("K")(ctx, tx)
	})
	if err != nil {
		t.Error(err)
	}
	c = claimOf(t, "L")
	_, err = x.store.InTx(x.ctx, c, func(ctx context.Context, tx pgx.Tx) (idem.Outcome, error) {
		if n := x.trips(x.inTx(again(c), "L", idem.Running)); n != 0 {
			t.Errorf("in this process: %d round trips, want none", n)
		}
		return body("L")(ctx, tx)
	})
	if err != nil {
		t.Error(err)
	}
	f.has("K", 1)
	f.has("L", 1)
}

// A failed body costs what a rolled back transaction costs.
func TestLaw_T1_RoundTripsOfAFailure(t *testing.T) {
	x := newFixture(t).metered(nil)
	x.warm()
	failed := errors.New("sold out")
	n := x.trips(func() error {
		_, err := x.store.InTx(x.ctx, claimOf(t, "K"), func(ctx context.Context, tx pgx.Tx) (idem.Outcome, error) {
			return idem.Outcome{}, errors.Join(write(ctx, tx, "K"), failed)
		})
		if !errors.Is(err, failed) {
			return err
		}
		return nil
	})
	if n != 3 {
		t.Errorf("%d round trips, want 3: begin and claim, the effect, rollback", n)
	}
	x.has("K", 0)
}

// In lease mode each operation is one statement, but for a duplicate, which
// reads what it lost to.
func TestLaw_C1_RoundTripsPerOperation(t *testing.T) {
	x := newFixture(t).metered(nil)

	for _, round := range []string{"warm", "counted"} {
		c := claimOf(t, round)
		c.Lease, c.Orphan = time.Minute, idem.OrphanRerun
		h := idem.Hold{Key: c.Key, Owner: c.Owner, Fence: 1}
		r := claimOf(t, round+" released")
		r.Lease, r.Orphan = time.Minute, idem.OrphanRerun
		claims := func(c idem.Claim, want idem.ClaimStatus) func() error {
			return func() error {
				got, err := x.store.Claim(x.ctx, c)
				if err == nil && got.Status != want {
					t.Errorf("claim: %v, want %v", got.Status, want)
				}
				return err
			}
		}
		look := c
		look.Look = true
		for _, g := range []struct {
			name string
			run  func() error
			want int
		}{
			{"fresh claim", claims(c, idem.Fresh), 1},
			{"running duplicate", claims(again(c), idem.Running), 2},
			{"renew", func() error { return x.store.Renew(x.ctx, h, time.Minute) }, 1},
			{"complete", func() error { return x.store.Complete(x.ctx, h, done("1"), time.Hour) }, 1},
			{"duplicate", claims(again(c), idem.Done), 2},
			{"look", claims(look, idem.Done), 1},
			{"look-up", func() error { _, err := x.store.Lookup(x.ctx, c.Key); return err }, 1},
			{"another claim", claims(r, idem.Fresh), 1},
			{"release", func() error {
				return x.store.Release(x.ctx, idem.Hold{Key: r.Key, Owner: r.Owner, Fence: 1})
			}, 1},
			{"prune", func() error { _, err := x.store.Prune(x.ctx, 10); return err }, 1},
		} {
			if n := x.trips(g.run); n != g.want && round == "counted" {
				t.Errorf("%s: %d round trips, want %d", g.name, n, g.want)
			}
		}
	}
}

// The first transaction on a connection prepares its statements.
func TestRoundTripsOfANewConnection(t *testing.T) {
	x := newFixture(t).metered(nil)
	conn, err := x.pool.Acquire(x.ctx) // connected, and nothing else
	if err != nil {
		t.Fatal(err)
	}
	conn.Release()
	if n := x.trips(x.inTx(claimOf(t, "K"), "K", idem.Fresh)); n != 6 {
		t.Errorf("%d round trips, want 6: one more for each of the three", n)
	}
	if n := x.trips(x.inTx(claimOf(t, "L"), "L", idem.Fresh)); n != 3 {
		t.Errorf("the second one: %d round trips, want 3", n)
	}
}
