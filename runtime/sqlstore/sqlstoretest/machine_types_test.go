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

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
	"github.com/idemgen/idemgen/templates/sqltext/sqlcases"
)

// Columns of other types that hold texts: the enums of the servers, and CHAR, which
// Postgres pads with blanks. The history holds texts.
func TestLaw_S7_StateColumnsOfOtherTypes(t *testing.T) {
	on(t, everyServer, func(t *testing.T, d *database) {
		for _, typ := range []string{"enum", "char"} {
			for _, name := range []string{"several_targets", "history", "dynamic", "full", "full_dynamic"} {
				t.Run(typ+" "+name, func(t *testing.T) {
					r := d.machineCase(t, caseNamed(t, name))
					r.retype(typ)
					for i := range r.events {
						e := &r.events[i]
						r.everyPair(e)
						r.refusals(e)
						r.batches(e)
						r.once(e)
					}
					r.creates()
				})
			}
		}
	})
}

// retype makes the state column one of an enum or a CHAR.
func (r *machineCase) retype(typ string) {
	var list string
	for i, s := range r.model.States {
		if i > 0 {
			list += ", "
		}
		list += r.dialect.Text(s.SQL.Text)
	}
	table, column := r.dialect.Table(r.model.Table), r.dialect.Name(r.model.Column)
	switch {
	case r.on.dialect == idem.MySQL && typ == "enum":
		r.exec("ALTER TABLE " + table + " MODIFY " + column + " ENUM(" + list + ") NOT NULL")
	case r.on.dialect == idem.MySQL:
		r.exec("ALTER TABLE " + table + " MODIFY " + column + " CHAR(20) NOT NULL")
	case typ == "enum":
		r.exec("CREATE TYPE state_of_it AS ENUM (" + list + ")")
		r.exec("ALTER TABLE " + table + " ALTER COLUMN " + column + " TYPE state_of_it USING CAST(" + column + " AS state_of_it)")
	default:
		r.exec("ALTER TABLE " + table + " ALTER COLUMN " + column + " TYPE CHAR(20)")
		r.padded = true
	}
}

// Keys of other types than text, in every form.
func TestLaw_S1_KeysOfOtherTypes(t *testing.T) {
	type kind struct {
		name, typ string
		keys      [3]any
	}
	uuid := func(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-00000000000%d", n) }
	kinds := []kind{
		{"integer", "BIGINT", [3]any{int64(1), int64(-2), int64(1 << 40)}},
		{"bytes", "bytea", [3]any{[]byte{0}, []byte{0, 0xff}, []byte("x")}},
		{"uuid", "uuid", [3]any{uuid(1), uuid(2), uuid(3)}},
	}
	on(t, everyDatabase, func(t *testing.T, d *database) {
		for _, k := range kinds {
			switch {
			case d.dialect == idem.Postgres:
			case k.typ == "uuid":
				k.typ = "CHAR(36)"
			case k.typ == "bytea":
				k.typ = "VARBINARY(20)"
			}
			t.Run(k.name, func(t *testing.T) {
				ctx := context.Background()
				f := d.fixture(t)
				f.exec("CREATE TABLE orders (id " + k.typ + " PRIMARY KEY, status VARCHAR(20), version BIGINT)")
				f.exec("CREATE TABLE order_history (id " + [...]string{idem.SQLite: "INTEGER PRIMARY KEY", idem.Postgres: "BIGSERIAL PRIMARY KEY", idem.MySQL: "BIGINT AUTO_INCREMENT PRIMARY KEY"}[d.dialect] +
					", row_key " + k.typ + ", from_state VARCHAR(20), to_state VARCHAR(20), event VARCHAR(20), actor VARCHAR(255), idem_key VARCHAR(255), at_us BIGINT)")
				g := guardOver(orderModel(func(m *model.Machine) { m.Version, m.History = "version", []string{"order_history"} }))
				db := sqlstore.DB(f.db)
				for _, key := range k.keys {
					if err := idem.CreateRow(ctx, db, d.dialect, &g.machine, key); err != nil {
						t.Fatal(err)
					}
				}
				if fired, err := idem.FireEvent(ctx, db, d.dialect, &g.machine, g.event(t, "Cancel"), k.keys[1], int64(0)); err != nil || fired.Version != 1 {
					t.Errorf("%+v, %v", fired, err)
				}
				got, err := idem.FireBatch(ctx, db, d.dialect, &g.machine, g.event(t, "Pay"), []any{k.keys[2], k.keys[1], k.keys[0], k.keys[2]})
				if err != nil || got[0].Err != nil || got[2].Err != nil || got[0].Fired.To != paid ||
					!errors.Is(got[1].Err, idem.ErrIllegalTransition) || !errors.Is(got[3].Err, idem.ErrDuplicateTransition) {
					t.Errorf("%+v, %v", got, err)
				}
				engine, op := idem.New(idem.GlobalScope), idem.Op{Name: "ship"}
				for range 2 {
					fired, err := idem.FireOnce(ctx, f.store, engine.Call(ctx, &op, idem.String("K")), &g.machine, g.event(t, "Ship"), k.keys[0], int64(1))
					if err != nil || fired != (idem.Fired{From: paid, To: shipped, Version: 2}) {
						t.Errorf("%+v, %v", fired, err)
					}
				}
				for i, want := range []int{3, 2, 2} {
					if n := f.count("SELECT COUNT(*) FROM order_history WHERE row_key = ?", k.keys[i]); n != want {
						t.Errorf("key %d: %d rows of the history", i, n)
					}
				}
			})
		}
	})
}

// Of callers in transactions of every isolation level one applies, and the others
// are told so, once their transactions are run again where they must be: also
// those that had looked at the row before.
func TestLaw_T6_EventsAtEveryLevel(t *testing.T) { onLevels(t, eventsAtLevel) }

func eventsAtLevel(t *testing.T, _ sql.IsolationLevel, here, there *fixture) {
	here.exec("CREATE TABLE orders (id VARCHAR(20) PRIMARY KEY, status VARCHAR(20))")
	index := [...]string{idem.MySQL: ", KEY history_row (row_key, id)"}
	here.exec("CREATE TABLE order_history (id " + [...]string{idem.Postgres: "BIGSERIAL PRIMARY KEY", idem.MySQL: "BIGINT AUTO_INCREMENT PRIMARY KEY"}[here.on.dialect] +
		", row_key VARCHAR(20), from_state VARCHAR(20), to_state VARCHAR(20), event VARCHAR(20), actor VARCHAR(255), idem_key VARCHAR(255), at_us BIGINT" + index[here.on.dialect] + ")")
	g := guardOver(orderModel(func(m *model.Machine) { m.History = []string{"order_history"} }))
	engine := idem.New(idem.GlobalScope, idem.WithTxRetries(1000))
	here.exec("INSERT INTO orders VALUES ('o', 'CREATED')")
	var applied, already atomic.Int64
	var wg sync.WaitGroup
	looked := make(chan struct{})
	var look sync.WaitGroup
	const callers = 16
	look.Add(callers)
	go func() { look.Wait(); close(looked) }()
	for caller := range callers {
		p := []*fixture{here, there}[caller%2]
		wg.Go(func() {
			first := true
			_, err := idem.Tx(context.Background(), engine, p.store, func(ctx context.Context, tx *sql.Tx) (idem.None, error) {
				var status string
				if err := tx.QueryRowContext(ctx, "SELECT status FROM orders WHERE id = 'o'").Scan(&status); err != nil {
					return idem.None{}, err
				}
				if first {
					first = false
					look.Done()
					<-looked
				}
				_, err := idem.FireEvent(ctx, p.store.Use(ctx, tx), p.on.dialect, &g.machine, g.event(t, "Pay"), "o")
				return idem.None{}, err
			})
			switch {
			case err == nil:
				applied.Add(1)
			case errors.Is(err, idem.ErrDuplicateTransition):
				already.Add(1)
			default:
				t.Errorf("pay: %v", err)
			}
		})
	}
	wg.Wait()
	if applied.Load() != 1 || already.Load() != callers-1 || here.count("SELECT COUNT(*) FROM order_history") != 1 {
		t.Errorf("%d applied, %d already", applied.Load(), already.Load())
	}
}

// An event that waited for another one of the row tells the state that the row had
// then, and so does its history.
func TestLaw_S1_SourceAfterAWait(t *testing.T) {
	on(t, everyServer, func(t *testing.T, d *database) {
		ctx := context.Background()
		for _, r := range []*machineCase{d.machineCase(t, sqlcases.Case{Name: "plain", Machine: orderModel(nil)}), d.recordedOrders(t)} {
			for _, many := range []bool{false, true} {
				r.put("o", created)
				tx, err := r.fixture.db.BeginTx(ctx, nil)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := idem.FireEvent(ctx, sqlstore.DB(tx), d.dialect, &r.machine, r.event(t, "Pay"), "o"); err != nil {
					t.Fatal(err)
				}
				answer := make(chan idem.Fired)
				go func() {
					if !many {
						fired, err := idem.FireEvent(ctx, r.db, d.dialect, &r.machine, r.event(t, "Cancel"), "o")
						if err != nil {
							t.Errorf("%s: %v", r.c.Name, err)
						}
						answer <- fired
						return
					}
					got, err := idem.FireBatch(ctx, r.db, d.dialect, &r.machine, r.event(t, "Cancel"), []any{"o"})
					if err = errors.Join(err, got[0].Err); err != nil {
						t.Errorf("%s, many: %v", r.c.Name, err)
					}
					answer <- got[0].Fired
				}()
				time.Sleep(100 * time.Millisecond) // it waits for the row
				if err := tx.Commit(); err != nil {
					t.Fatal(err)
				}
				if fired := <-answer; fired.From != paid || fired.To != cancelled {
					t.Errorf("%s, many %v: %+v", r.c.Name, many, fired)
				}
				if r.histories("o") >= 0 && r.count("SELECT COUNT(*) FROM order_history WHERE row_key = 'o' AND from_state = 'PAID' AND to_state = 'CANCELLED'") != 1 {
					t.Errorf("%s, many %v: the history tells another state", r.c.Name, many)
				}
			}
		}
	})
}
