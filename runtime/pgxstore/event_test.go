package pgxstore_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/idemgen/idemgen/internal/cost"

	"github.com/idemgen/idemgen/runtime/idem"
)

// A machine of one event, as the generator writes it for Postgres.
var (
	orderMachine = idem.Machine{
		Name: "Order", Table: "orders",
		States: []idem.StateInfo{{Name: "Created", Value: "CREATED", DominatedBy: []uint64{1}}, {Name: "Paid", Value: "PAID", Final: true, DominatedBy: []uint64{3}}},
		Select: idem.GuardSQL{Postgres: `SELECT status FROM orders WHERE id = $1`},
		Lock:   idem.GuardSQL{Postgres: `SELECT 1 FROM orders WHERE id = $1 FOR UPDATE`},
	}
	payEvent = idem.EventInfo{
		Name: "Pay", Edges: []idem.Edge{{From: 0, To: 1}}, Proofs: []int{1}, Unambiguous: true,
		Update: idem.GuardSQL{Postgres: payUpdate + payLock + ` SELECT edge FROM idem_u`},
		Once: idem.OnceSQL{
			Parts: []string{payUpdate, payLock, ` SELECT edge FROM idem_u`},
			Args:  []int{idem.ArgKey, idem.ArgLive, idem.ArgRecord},
		},
	}
)

const (
	payUpdate = `WITH idem_u AS (UPDATE orders SET status = 'PAID', times = times + 1 FROM (SELECT id AS idem_key, status AS idem_from FROM orders WHERE id = $1 AND status = 'CREATED'`
	payLock   = ` FOR UPDATE) AS idem_w WHERE id = idem_w.idem_key RETURNING CASE idem_w.idem_from WHEN 'CREATED' THEN 1 END AS edge, idem_w.idem_from AS from_state, status AS to_state, CAST(NULL AS bigint) AS version)`
)

// A once event without a body is one statement, a duplicate two; of many callers
// with one key one applies it, and all get what it did.
func TestLaw_S3_OnceEvents(t *testing.T) {
	for _, m := range modes {
		t.Run(m.String(), func(t *testing.T) {
			x := newFixture(t).metered([]setting{mode(m)})
			x.exec("CREATE TABLE orders (id text PRIMARY KEY, status text NOT NULL DEFAULT 'CREATED', times int NOT NULL DEFAULT 0)")
			x.exec("INSERT INTO orders (id) VALUES ('warm'), ('A'), ('B')")
			engine, op := idem.New(idem.GlobalScope), idem.Op{Name: "Order.Pay"}
			fire := func(f *fixture, id string) error {
				fired, err := idem.FireOnce(f.ctx, f.store, engine.Call(f.ctx, &op, idem.String(id)), &orderMachine, &payEvent, id)
				if err == nil && (fired.From != 0 || fired.To != 1) {
					t.Errorf("%s: %+v", id, fired)
				}
				return err
			}
			x.trips(func() error { return errors.Join(fire(x.fixture, "warm"), fire(x.fixture, "warm")) })
			statement := func() error { _, err := x.pool.Exec(x.ctx, "SELECT $1::int", 1); return err }
			x.trips(statement)
			one := x.trips(statement) // two where each is described first
			if n := x.trips(func() error { return fire(x.fixture, "A") }); n != one {
				t.Errorf("fresh: %d round trips, want those of one statement, %d", n, one)
			}
			for what, n := range map[string]int{cost.OnceEvent: 1, cost.OnceEventAgain: 2} {
				if differs := cost.Differs(what, cost.Pgx, n); differs != "" {
					t.Error(differs)
				}
			}
			if n := x.trips(func() error { return fire(x.fixture, "A") }); n != 2*one {
				t.Errorf("duplicate: %d round trips, want those of two statements, %d", n, 2*one)
			}
			others := []*fixture{x.process([]setting{mode(m)}), x.process([]setting{mode(m)})}
			var wg sync.WaitGroup
			for i := range 32 {
				wg.Go(func() {
					if err := fire(others[i%2], "B"); err != nil && !errors.Is(err, idem.ErrInProgress) {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if n := x.count("SELECT sum(times) FROM orders"); n != 3 {
				t.Errorf("%d effects", n)
			}
		})
	}
}
