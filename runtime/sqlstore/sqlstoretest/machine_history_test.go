package sqlstoretest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
	"github.com/idemgen/idemgen/templates/sqltext/sqlcases"
)

// Every transition of a row is in its history, in order, with who, what and when,
// also on MySQL, where an update and its history are two statements.
func TestLaw_S9_FiveTransitions(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		m := sqlcases.Machine("orders", func(m *model.Machine) { m.History = []string{"order_history"} },
			sqlcases.Text("A"), sqlcases.Text("B"), sqlcases.Text("C"), sqlcases.Text("D"), sqlcases.Text("E"))
		for i := range 4 {
			sqlcases.On(m, fmt.Sprint("Step", i), nil, [2]int{i, i + 1})
		}
		r := d.machineCase(t, sqlcases.Case{Name: "five", Machine: m})
		ctx := idem.WithActor(context.Background(), "ann\x00\xff"+strings.Repeat("é", 200))
		if err := idem.CreateRow(ctx, r.db, d.dialect, &r.machine, "o"); err != nil {
			t.Fatal(err)
		}
		for i := range r.events {
			if _, err := r.fireWith(ctx, &r.events[i], -1, "o", fits()); err != nil {
				t.Fatal(err)
			}
		}
		rows, err := r.fixture.db.Query("SELECT from_state, to_state, event, actor, at_us FROM order_history WHERE row_key = 'o' ORDER BY id")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		var got []string
		var last int64
		for rows.Next() {
			var from sql.NullString
			var to, event, actor string
			var at int64
			if err := rows.Scan(&from, &to, &event, &actor, &at); err != nil {
				t.Fatal(err)
			}
			got = append(got, from.String+to+" "+event)
			if !strings.HasPrefix(actor, "ann??éé") || len(actor) > 255 || at < last {
				t.Errorf("%q at %d, before %d", actor, at, last)
			}
			last = at
		}
		if want := "A Create,AB Step0,BC Step1,CD Step2,DE Step3"; strings.Join(got, ",") != want {
			t.Errorf("%v, want %s", got, want)
		}
	})
}

// A history that can't be written leaves the row as it was, wherever the event ran.
func TestLaw_S9_NoTransitionWithoutItsHistory(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		ctx := context.Background()
		r := d.recordedOrders(t)
		r.exec("DROP TABLE order_history")
		r.exec("CREATE TABLE order_history (id INTEGER)")
		conn, err := r.fixture.db.Conn(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		for _, c := range []struct {
			name string
			db   sqlstore.Conn
		}{{"pool", r.fixture.db}, {"connection", conn}} {
			db := sqlstore.DB(c.db)
			r.exec("DELETE FROM orders")
			r.exec("INSERT INTO orders (id, status) VALUES ('o', 'CREATED')")
			if _, err := idem.FireEvent(ctx, db, d.dialect, &r.machine, r.event(t, "Pay"), "o"); err == nil {
				t.Errorf("%s: fired", c.name)
			}
			if got, err := idem.FireBatch(ctx, db, d.dialect, &r.machine, r.event(t, "Pay"), []any{"o", "o"}); err == nil || got[0].Err == nil || got[1].Err == nil {
				t.Errorf("%s: fired on many: %+v", c.name, got)
			}
			if err := idem.CreateRow(ctx, db, d.dialect, &r.machine, "new"); err == nil || errors.Is(err, idem.ErrTransition) {
				t.Errorf("%s: created: %v", c.name, err)
			}
			r.is(c.name, "o", created)
			if n := r.count("SELECT COUNT(*) FROM orders"); n != 1 {
				t.Errorf("%s: %d rows", c.name, n)
			}
		}
	})
}

// On one connection an event with a history joins a transaction that was begun in
// words, and begins one where there is none.
func TestLaw_T9_EventOnAConnection(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		ctx := context.Background()
		r := d.recordedOrders(t)
		if d.dialect == idem.SQLite {
			r.fixture.db.SetMaxOpenConns(2)
		}
		conn, err := r.fixture.db.Conn(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fire := func() error {
			_, err := idem.FireEvent(ctx, sqlstore.DB(conn), d.dialect, &r.machine, r.event(t, "Pay"), "o")
			return err
		}
		exec := func(text string) {
			t.Helper()
			if _, err := conn.ExecContext(ctx, text); err != nil {
				t.Fatal(err)
			}
		}
		r.put("o", created)
		exec("BEGIN")
		if err := fire(); err != nil {
			t.Error(err)
		}
		exec("ROLLBACK")
		r.is("rolled back", "o", created)
		exec("BEGIN")
		if err := fire(); err != nil {
			t.Error(err)
		}
		if err := fire(); !errors.Is(err, idem.ErrDuplicateTransition) { // which leaves the transaction as it was
			t.Error(err)
		}
		exec("COMMIT")
		r.is("committed", "o", paid)
		r.put("o", created)
		if err := fire(); err != nil {
			t.Error(err)
		}
		r.is("alone", "o", paid)
		if n := r.histories("o"); n != 1 {
			t.Errorf("%d rows of the history", n)
		}
	})
}

// A pool that begins transactions of its own kind is told to give one.
func TestLaw_S9_PoolOfAnotherKind(t *testing.T) {
	r := sqliteFile.recordedOrders(t)
	r.put("o", created)
	db := sqlstore.DB(foreignPool{r.fixture.db})
	if _, err := idem.FireEvent(context.Background(), db, idem.SQLite, &r.machine, r.event(t, "Pay"), "o"); err == nil || !strings.Contains(err.Error(), "*sql.DB") {
		t.Errorf("%v", err)
	}
	r.is("refused", "o", created)
}

// foreignPool is a pool as some libraries have it.
type foreignPool struct{ *sql.DB }

func (foreignPool) BeginTx(context.Context, *sql.TxOptions) (foreignTx, error) {
	return foreignTx{}, nil
}

type foreignTx struct{}
