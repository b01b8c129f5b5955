package sqlstoretest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/cost"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
	"github.com/idemgen/idemgen/templates/sqltext/sqlcases"
)

// Many callers fire on many rows.
const (
	raceCallers = 64
	raceRows    = 1000
	raceShare   = 8 // a caller fires on every eighth row, so that 8 callers meet on each
)

// everyDialect are the databases of races: MariaDB counts rows in both ways.
var everyDialect = []*database{sqliteFile, pgxOnPostgres, mariaDB, mariaDBFoundRows}

// raced is a table of orders with a version and a history.
func (d *database) raced(t *testing.T) *machineCase {
	r := d.machineCase(t, sqlcases.Case{Name: "race", Machine: orderModel(func(m *model.Machine) {
		m.Version, m.History = "version", []string{"order_history"}
	})})
	r.fixture.db.SetMaxOpenConns(raceCallers)
	if d == sqliteFile {
		r.fixture.db.SetMaxOpenConns(4) // callers queue for a connection in order, for the file lock they don't
	}
	return r
}

// fill makes all rows in the initial state.
func (r *machineCase) fill() {
	r.Helper()
	for at := 0; at < raceRows; at += 250 {
		var values []string
		for i := at; i < at+250; i++ {
			values = append(values, fmt.Sprintf("('o%d', 'CREATED', 0)", i))
		}
		r.exec("INSERT INTO orders (id, status, version) VALUES " + strings.Join(values, ", "))
	}
}

// race has every caller fire on its rows, all in the same order, and counts by row
// and caller's event what was said to be applied.
func race(share int, fire func(caller int, id string) (applied bool)) []int64 {
	counts := make([]atomic.Int64, raceRows)
	var wg sync.WaitGroup
	for caller := range raceCallers {
		wg.Go(func() {
			for i := caller % share; i < raceRows; i += share {
				if fire(caller, fmt.Sprint("o", i)) {
					counts[i].Add(1)
				}
			}
		})
	}
	wg.Wait()
	list := make([]int64, raceRows)
	for i := range counts {
		list[i] = counts[i].Load()
	}
	return list
}

// Of all callers exactly one applies each legal event, and there is one row of the
// history for it.
func TestLaw_S3_ManyCallersManyRows(t *testing.T) {
	on(t, everyDialect, func(t *testing.T, d *database) {
		r := d.raced(t)
		r.fill()
		ctx := context.Background()
		// Half of the callers pay, the others cancel: a row is cancelled once, and
		// paid before or never.
		pay, cancel := r.event(t, "Pay"), r.event(t, "Cancel")
		var paid [raceRows]atomic.Int64
		applied := race(raceShare, func(caller int, id string) bool {
			e, kinds := pay, []error{idem.ErrDuplicateTransition, idem.ErrSuperseded, idem.ErrIllegalTransition}
			if caller/raceShare%2 == 1 {
				e = cancel
			}
			fired, err := idem.FireEvent(ctx, r.db, d.dialect, &r.machine, e, id, idem.AnyVersion)
			if err != nil {
				if !errors.Is(err, kinds[0]) && !errors.Is(err, kinds[1]) && !errors.Is(err, kinds[2]) && !errors.Is(err, idem.ErrTransitionConflict) {
					t.Errorf("%s %s: %v", e.Name, id, err)
				}
				return false
			}
			if e == pay {
				var i int
				fmt.Sscanf(id, "o%d", &i)
				paid[i].Add(1)
				if fired.Version != 1 {
					t.Errorf("pay %s: version %d", id, fired.Version)
				}
				return false
			}
			return true
		})
		for i, n := range applied {
			if n != 1 || paid[i].Load() > 1 {
				t.Fatalf("row %d: cancelled %d times, paid %d times", i, n, paid[i].Load())
			}
		}
		if n := r.count("SELECT COUNT(*) FROM orders WHERE status = 'CANCELLED'"); n != raceRows {
			t.Errorf("%d rows are cancelled", n)
		}
		var sum int64
		for i := range paid {
			sum += paid[i].Load()
		}
		if n := r.count("SELECT COUNT(*) FROM order_history"); int64(n) != raceRows+sum {
			t.Errorf("%d rows of the history for %d events", n, raceRows+sum)
		}
		if n := r.count("SELECT COUNT(*) FROM orders o WHERE version <> (SELECT COUNT(*) FROM order_history h WHERE h.row_key = o.id)"); n != 0 {
			t.Errorf("%d rows have another version than their history has rows", n)
		}
	})
}

// The same without a guard: what is read and then written is written twice.
func TestLaw_S3_WithoutTheGuardItFails(t *testing.T) {
	on(t, everyDialect, func(t *testing.T, d *database) {
		r := d.raced(t)
		r.fill()
		ctx := context.Background()
		applied := race(raceShare/2, func(_ int, id string) bool {
			var status string
			if err := r.fixture.db.QueryRowContext(ctx, d.text("SELECT status FROM orders WHERE id = ?"), id).Scan(&status); err != nil {
				t.Error(err)
			}
			if status != "CREATED" {
				return false
			}
			time.Sleep(100 * time.Microsecond) // what a method does in between
			_, err := r.fixture.db.ExecContext(ctx, d.text("UPDATE orders SET status = 'PAID' WHERE id = ?"), id)
			return err == nil
		})
		twice := 0
		for _, n := range applied {
			if n > 1 {
				twice++
			}
		}
		t.Logf("%d of %d rows were paid more than once", twice, raceRows)
		if twice == 0 {
			t.Error("the race is none: it would not find a guard that is broken")
		}
	})
}

// Batches that share keys, in other orders, apply each event once and don't fail.
func TestLaw_S3_BatchesThatOverlap(t *testing.T) {
	on(t, everyDialect, func(t *testing.T, d *database) {
		r := d.raced(t)
		r.fill()
		const rows, callers = 150, 8 // more than one chunk
		var applied [rows]atomic.Int64
		var wg sync.WaitGroup
		for caller := range callers {
			wg.Go(func() {
				keys := make([]any, rows)
				at := func(i int) int { return (i*7 + caller*13) % rows }
				for i := range keys {
					keys[i] = fmt.Sprint("o", at(i))
				}
				got, err := idem.FireBatch(context.Background(), r.db, d.dialect, &r.machine, r.event(t, "Cancel"), keys)
				if err != nil {
					t.Errorf("caller %d: %v", caller, err)
				}
				for i, o := range got {
					switch {
					case o.Err == nil && o.Fired.Version == 1:
						applied[at(i)].Add(1)
					case !errors.Is(o.Err, idem.ErrDuplicateTransition):
						t.Errorf("caller %d: %+v", caller, o)
					}
				}
			})
		}
		wg.Wait()
		for i := range applied {
			if n := applied[i].Load(); n != 1 {
				t.Errorf("row %d was cancelled %d times", i, n)
			}
		}
		if n := r.count("SELECT COUNT(*) FROM order_history"); n != rows {
			t.Errorf("%d rows of the history", n)
		}
	})
}

// One creation of many wins.
func TestLaw_S3_OneCreationOfMany(t *testing.T) {
	on(t, everyDialect, func(t *testing.T, d *database) {
		r := d.raced(t)
		var made, duplicates atomic.Int64
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				for i := range 10 {
					switch err := idem.CreateRow(context.Background(), r.db, d.dialect, &r.machine, fmt.Sprint("n", i)); {
					case err == nil:
						made.Add(1)
					case errors.Is(err, idem.ErrDuplicateTransition):
						duplicates.Add(1)
					default:
						t.Errorf("create: %v", err)
					}
				}
			})
		}
		wg.Wait()
		if made.Load() != 10 || duplicates.Load() != 150 || r.count("SELECT COUNT(*) FROM order_history WHERE from_state IS NULL") != 10 {
			t.Errorf("%d made, %d duplicates", made.Load(), duplicates.Load())
		}
	})
}

// A successful event is one statement; a history is one more on SQLite and MySQL, in
// a transaction. Many rows are one statement, on MySQL two.
func TestLaw_S1_StatementsPerEvent(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		ctx := context.Background()
		f, w := d.wired(t)
		f.exec("CREATE TABLE orders (id VARCHAR(20) PRIMARY KEY, status VARCHAR(20), version BIGINT NOT NULL DEFAULT 0)")
		f.exec("CREATE TABLE order_history (id " + [...]string{idem.SQLite: "INTEGER PRIMARY KEY", idem.Postgres: "BIGSERIAL PRIMARY KEY", idem.MySQL: "BIGINT AUTO_INCREMENT PRIMARY KEY"}[d.dialect] +
			", row_key VARCHAR(20), from_state VARCHAR(20), to_state VARCHAR(20), event VARCHAR(20), actor VARCHAR(255), idem_key VARCHAR(255), at_us BIGINT)")
		plain, recorded := orderGuard, guardOver(orderModel(func(m *model.Machine) {
			m.Version, m.History = "version", []string{"order_history"}
		}))
		db := sqlstore.DB(f.db)
		put := func(ids ...string) {
			for _, id := range ids {
				f.exec("DELETE FROM orders WHERE id = ?", id)
				f.exec("INSERT INTO orders (id, status) VALUES (?, 'PAID')", id)
			}
		}
		sends := func(what string, want int, run func() error) {
			t.Helper()
			put("a", "b", "c")
			w.reset()
			if err := run(); err != nil {
				t.Errorf("%s: %v", what, err)
			}
			if got, _ := w.verbs(); len(got) != want {
				t.Errorf("%s sends %v, want %d statements", what, got, want)
			}
			if differs := cost.Differs(what, d.column(), want); differs != "" {
				t.Error(differs)
			}
		}
		fire := func(g *guardOf, event string, args ...any) func() error {
			return func() error {
				_, err := idem.FireEvent(ctx, db, d.dialect, &g.machine, g.event(t, event), "a", args...)
				return err
			}
		}
		batch := func(g *guardOf) func() error {
			return func() error {
				got, err := idem.FireBatch(ctx, db, d.dialect, &g.machine, g.event(t, "Cancel"), []any{"c", "a", "b"})
				for _, o := range got {
					err = errors.Join(err, o.Err)
				}
				return err
			}
		}
		one, onceMore, many, manyMore := 1, 1, 1, 1
		switch d.dialect {
		case idem.SQLite:
			onceMore, manyMore = 4, 4 // BEGIN, update, history, COMMIT
		case idem.MySQL:
			onceMore, many, manyMore = 4, 4, 5
		}
		sends(cost.Event, one, fire(plain, "Ship"))
		sends("an event from several sources", one, fire(plain, "Cancel"))
		sends("an event with several targets", one, fire(plain, "Close"))
		sends(cost.EventHistory, onceMore, fire(recorded, "Cancel", int64(0)))
		sends("many rows", many, batch(plain))
		sends("many rows with a history", manyMore, batch(recorded))
		sends(cost.EventRefused, 2, func() error {
			if err := fire(plain, "Pay")(); !errors.Is(err, idem.ErrDuplicateTransition) {
				return fmt.Errorf("it is %w", err)
			}
			return nil
		})
		engine, op := idem.New(idem.GlobalScope), idem.Op{Name: "cancel"}
		once := func(g *guardOf, key string, args ...any) func() error {
			return func() error {
				_, err := idem.FireOnce(ctx, f.store, engine.Call(ctx, &op, idem.String(key)), &g.machine, g.event(t, "Cancel"), "a", args...)
				return err
			}
		}
		first, again := 5, 4 // BEGIN, claim, update, outcome, COMMIT; BEGIN, claim, look, ROLLBACK
		if d.dialect == idem.Postgres {
			first, again = 1, 2
		}
		sends(cost.OnceEvent, first, once(plain, "P"))
		sends(cost.OnceEventAgain, again, once(plain, "P"))
		if d.dialect == idem.Postgres { // a history costs nothing more
			sends(cost.OnceEvent, first, once(recorded, "K", int64(0)))
			sends(cost.OnceEventAgain, again, once(recorded, "K", int64(0)))
		}
	})
}

// In a transaction of a caller's nothing begins another one.
func TestLaw_T9_EventsInACallersTransaction(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		ctx := context.Background()
		r := d.raced(t)
		r.put("o", created)
		tx, err := r.fixture.db.BeginTx(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback()
		for _, name := range []string{"Pay", "Ship"} {
			if _, err := idem.FireEvent(ctx, sqlstore.DB(tx), d.dialect, &r.machine, r.event(t, name), "o", idem.AnyVersion); err != nil {
				t.Fatal(err)
			}
		}
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
		r.is("rolled back", "o", created)
		if n := r.histories("o"); n != 0 {
			t.Errorf("%d rows of the history", n)
		}
	})
}
