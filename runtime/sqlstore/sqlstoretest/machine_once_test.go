package sqlstoretest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/faultproxy"
	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
	"github.com/idemgen/idemgen/templates/sqltext/sqlcases"
)

// onceCase is a machine whose events count in a column how often they took effect.
func onceCase() sqlcases.Case {
	m := orderModel(func(m *model.Machine) { m.Version, m.History = "version", []string{"order_history"} })
	sqlcases.On(m, "Touch", nil, [2]int{created, created}, [2]int{paid, paid})
	for _, e := range m.Events {
		e.Once = true
		e.Set = []model.Assign{{Column: "times", Expr: model.Frag{{Kind: model.FragWord, Text: "times + 1"}}}}
	}
	return sqlcases.Case{Name: "once", Machine: m, Columns: []sqlcases.Column{{Name: "times", Type: "BIGINT", Value: int64(0)}}}
}

// fireOnce fires on a row with a key of its own, as any version.
func (r *machineCase) fireOnce(engine *idem.Engine, op *idem.Op, event, key, id string) (idem.Fired, error) {
	ctx := context.Background()
	return idem.FireOnce(ctx, r.store, engine.Call(ctx, op, idem.String(key)), &r.machine, r.event(r, event), id, idem.AnyVersion)
}

// at is the database with sessions of an isolation level.
func (d *database) at(level string) *database {
	if level == "" {
		return d
	}
	at := *d
	at.name += "," + level
	at.params = append(at.params[:len(at.params):len(at.params)], [2]string{"default_transaction_isolation", level})
	return &at
}

// A storm of once events has every effect once, whoever meets whom: the same or
// other keys on the same or other rows, on edges that lead away or back. Every
// call that succeeds with a key gets the same answer.
func TestLaw_T1_OnceEventsInAStorm(t *testing.T) {
	const callers = 32
	storm := func(t *testing.T, d *database, rounds int) {
		r := d.machineCase(t, onceCase())
		if d.dialect != idem.SQLite {
			r.fixture.db.SetMaxOpenConns(callers)
		}
		engine := idem.New(idem.GlobalScope, idem.WithTxRetries(1000))
		op := &idem.Op{Name: "storm", Wait: time.Minute}
		for _, c := range []struct {
			name, event      string
			keys, rows       int // that the callers of a round share
			effects, records int // of a round
		}{
			{"same key, same row", "Pay", 1, 1, 1, 1},
			{"same key, same row, self edge", "Touch", 1, 1, 1, 1},
			{"same key, other rows", "Pay", 1, callers, 1, 1},
			{"same key, other rows, self edge", "Touch", 1, callers, 1, 1},
			{"other keys, same row", "Cancel", callers, 1, 1, 1},
			{"other keys, same row, self edge", "Touch", callers, 1, callers, callers},
			{"some keys, some rows, self edge", "Touch", 8, 2, 8, 8},
		} {
			for round := range rounds {
				r.exec("DELETE FROM idem_records")
				r.exec("DELETE FROM orders")
				r.exec("DELETE FROM order_history")
				for row := range c.rows {
					r.put(fmt.Sprint("o", row), created)
				}
				var mu sync.Mutex
				got := make(map[string]idem.Fired)
				var refused atomic.Int64
				var wg sync.WaitGroup
				start := make(chan struct{})
				for caller := range callers {
					key, id := fmt.Sprintf("%s %d %d", c.name, round, caller%c.keys), fmt.Sprint("o", caller%c.rows)
					wg.Go(func() {
						<-start
						fired, err := r.fireOnce(engine, op, c.event, key, id)
						switch {
						case errors.Is(err, idem.ErrTransition) && c.keys > 1:
							refused.Add(1)
							return
						case err != nil:
							t.Errorf("%s: %v", c.name, err)
							return
						}
						mu.Lock()
						defer mu.Unlock()
						if before, again := got[key]; again && before != fired {
							t.Errorf("%s: %+v and %+v", c.name, before, fired)
						}
						got[key] = fired
					})
				}
				close(start)
				wg.Wait()
				effects := r.count("SELECT SUM(times) FROM orders")
				records := r.count("SELECT COUNT(*) FROM idem_records")
				history := r.count("SELECT COUNT(*) FROM order_history")
				if effects != c.effects || records != c.records || history != c.effects || len(got) != c.records {
					t.Fatalf("%s: %d effects, %d records, %d rows of the history, %d keys with an answer, %d refused",
						c.name, effects, records, history, len(got), refused.Load())
				}
			}
		}
	}
	for _, level := range []string{"read committed", "repeatable read", "serializable"} {
		d := pgxOnPostgres.at(level)
		t.Run(d.name, func(t *testing.T) { storm(t, d, 4) })
	}
	on(t, []*database{sqliteFile, mariaDB}, func(t *testing.T, d *database) { storm(t, d, 1) })
}

// A record that has expired and was not pruned is no record.
func TestLaw_C11_OnceEventAfterAnExpiredRecord(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		r := d.machineCase(t, onceCase())
		engine, op := idem.New(idem.GlobalScope), &idem.Op{Name: "short", TTL: 50 * time.Millisecond}
		for n := range 3 {
			r.put("o", created)
			if _, err := r.fireOnce(engine, op, "Pay", "K", "o"); err != nil {
				t.Errorf("call %d: %v", n, err)
			}
			r.is("paid", "o", paid)
			time.Sleep(60 * time.Millisecond)
		}
		if n := r.count("SELECT COUNT(*) FROM idem_records"); n != 1 {
			t.Errorf("%d records", n)
		}
	})
}

// A guard that fails leaves no record, on either form, and the retry runs. What an
// earlier call did is told whatever has become of the row.
func TestLaw_S2_OnceEventThatIsRefused(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		r := d.machineCase(t, onceCase())
		engine, op := idem.New(idem.GlobalScope), &idem.Op{Name: "pay"}
		fire := func(event string) (idem.Fired, error) { return r.fireOnce(engine, op, event, "K", "o") }
		if _, err := fire("Pay"); !errors.Is(err, idem.ErrNotFound) {
			t.Errorf("no row: %v", err)
		}
		r.put("o", cancelled)
		if _, err := fire("Pay"); !errors.Is(err, idem.ErrIllegalTransition) {
			t.Errorf("cancelled unpaid: %v", err)
		}
		if n := r.count("SELECT COUNT(*) FROM idem_records"); n != 0 {
			t.Errorf("%d records", n)
		}
		r.put("o", created)
		first, err := fire("Pay")
		if err != nil || first != (idem.Fired{From: created, To: paid, Version: versionBefore + 1}) {
			t.Errorf("%+v, %v", first, err)
		}
		if _, err := idem.FireEvent(context.Background(), r.db, d.dialect, &r.machine, r.event(t, "Cancel"), "o", idem.AnyVersion); err != nil {
			t.Error(err)
		}
		if again, err := fire("Pay"); err != nil || again != first {
			t.Errorf("again: %+v, %v", again, err)
		}
		r.exec("UPDATE orders SET status = 'PAYED'")
		if _, err := r.fireOnce(engine, op, "Pay", "other", "o"); !errors.Is(err, idem.ErrUnknownState) {
			t.Errorf("unknown state: %v", err)
		}
	})
}

// Inside a transaction that the context carries a once event joins it.
func TestLaw_T9_OnceEventJoins(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		ctx := context.Background()
		r := d.machineCase(t, onceCase())
		r.fixture.db.SetMaxOpenConns(1)
		engine, op := idem.New(idem.GlobalScope), &idem.Op{Name: "pay"}
		inside := func(fail error) error {
			_, err := idem.Tx(ctx, engine, r.store, func(ctx context.Context, _ *sql.Tx) (idem.None, error) {
				for range 2 {
					fired, err := idem.FireOnce(ctx, r.store, engine.Call(ctx, op, idem.String("K")), &r.machine, r.event(t, "Pay"), "o", idem.AnyVersion)
					if err != nil || fired.To != paid {
						t.Errorf("%+v, %v", fired, err)
					}
				}
				return idem.None{}, fail
			})
			return err
		}
		r.put("o", created)
		if err := inside(errBusiness); !errors.Is(err, errBusiness) {
			t.Error(err)
		}
		r.is("rolled back", "o", created)
		if n := r.count("SELECT COUNT(*) FROM idem_records"); n != 0 || r.histories("o") != 0 {
			t.Errorf("%d records, %d rows of the history", n, r.histories("o"))
		}
		if err := inside(nil); err != nil {
			t.Error(err)
		}
		r.is("committed", "o", paid)
		if n := r.column("o", "times"); n != "1" || r.histories("o") != 1 {
			t.Errorf("%s effects, %d rows of the history", n, r.histories("o"))
		}
	})
}

// The reply to the one statement is lost, or the statement: the caller gets the
// real result, of one effect.
func TestLaw_T8_OnceEventWithoutAReply(t *testing.T) {
	for _, fault := range []struct {
		name  string
		fault faultproxy.Fault
	}{{"reply", faultproxy.LoseReply}, {"request", faultproxy.LoseRequest}} {
		t.Run(fault.name, func(t *testing.T) {
			d := pgxOnPostgres
			r := d.machineCase(t, onceCase())
			f, p := d.behind(t)
			engine, op := idem.New(idem.GlobalScope), &idem.Op{Name: "pay"}
			far := *r
			far.fixture = f
			far.exec("CREATE TABLE orders (id VARCHAR(64) PRIMARY KEY, status VARCHAR(64), version BIGINT, times BIGINT)")
			far.exec("CREATE TABLE order_history (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, row_key VARCHAR(64), from_state TEXT, to_state TEXT, event TEXT, actor TEXT, idem_key TEXT, at_us BIGINT)")
			far.put("warm", created)
			if _, err := far.fireOnce(engine, op, "Pay", "warm", "warm"); err != nil {
				t.Fatal(err)
			}
			far.put("o", created)
			key := engine.Call(context.Background(), op, idem.String("K")).Key()
			lost := p.On(fault.fault, string(key.Hash[:]), 1)
			fired, err := far.fireOnce(engine, op, "Pay", "K", "o")
			if !lost.Fired() {
				t.Error("nothing was lost")
			}
			if err != nil || fired != (idem.Fired{From: created, To: paid, Version: versionBefore + 1}) {
				t.Errorf("%+v, %v", fired, err)
			}
			if n := far.column("o", "times"); n != "1" || far.histories("o") != 1 {
				t.Errorf("%s effects, %d rows of the history", n, far.histories("o"))
			}
		})
	}
}

// The observer hears of a once event what it hears of every guarded call.
func TestLaw_T1_OnceEventsAreObserved(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		r := d.machineCase(t, onceCase())
		var heard []string
		engine := idem.New(idem.GlobalScope, idem.WithObserver(observerFunc(func(_ context.Context, e idem.Event) {
			heard = append(heard, e.Kind.String())
		})))
		op := &idem.Op{Name: "pay"}
		r.put("o", created)
		for _, c := range []struct{ key, want string }{{"K", "executed"}, {"K", "replayed"}, {"other", "released"}} {
			heard = nil
			_, err := r.fireOnce(engine, op, "Pay", c.key, "o")
			if len(heard) != 1 || heard[0] != c.want {
				t.Errorf("%s: %v, %v, want %s", c.key, heard, err, c.want)
			}
		}
	})
}

// A store without the interface, and one without a handle outside transactions,
// take the transaction form.
func TestLaw_T1_OnceEventWithoutEventStore(t *testing.T) {
	r := pgxOnPostgres.machineCase(t, onceCase())
	begin := func(ctx context.Context, body func(context.Context, *sql.Tx) error) error {
		tx, err := r.fixture.db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback()
		if err := body(ctx, tx); err != nil {
			return err
		}
		return tx.Commit()
	}
	store := sqlstore.NewTx(idem.Postgres, begin, func(_ context.Context, tx *sql.Tx) idem.DB { return sqlstore.DB(tx) })
	ctx, engine, op := context.Background(), idem.New(idem.GlobalScope), &idem.Op{Name: "pay"}
	r.put("o", created)
	for range 2 {
		fired, err := idem.FireOnce(ctx, idem.TxStore[*sql.Tx](store), engine.Call(ctx, op, idem.String("K")), &r.machine, r.event(t, "Pay"), "o", idem.AnyVersion)
		if err != nil || fired.From != created || fired.To != paid {
			t.Errorf("%+v, %v", fired, err)
		}
	}
	if n := r.column("o", "times"); n != "1" {
		t.Errorf("%s effects", n)
	}
}

type observerFunc func(ctx context.Context, e idem.Event)

func (f observerFunc) Observe(ctx context.Context, e idem.Event) { f(ctx, e) }
