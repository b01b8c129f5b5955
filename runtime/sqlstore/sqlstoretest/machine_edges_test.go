package sqlstoretest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
	"github.com/idemgen/idemgen/templates/sqltext/sqlcases"
)

// caseNamed is a case of the golden files.
func caseNamed(t *testing.T, name string) sqlcases.Case {
	for _, c := range sqlcases.All() {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no case %s", name)
	return sqlcases.Case{}
}

// recordedOrders is a table of orders with a history.
func (d *database) recordedOrders(t *testing.T) *machineCase {
	return d.machineCase(t, sqlcases.Case{Name: "recorded", Machine: orderModel(func(m *model.Machine) { m.History = []string{"order_history"} })})
}

// A payment that comes late: the history knows whether the order was paid before it
// was cancelled, and without one nobody can claim that it was.
func TestLaw_S2_TheLatePayment(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		plain := d.machineCase(t, sqlcases.Case{Name: "plain", Machine: orderModel(nil)})
		recorded := d.recordedOrders(t)
		for _, run := range []struct {
			name     string
			events   string
			plain    error // of the late payment; nil: it applies
			recorded error
		}{
			{"first", "", nil, nil},
			{"again", "Pay", idem.ErrDuplicateTransition, idem.ErrDuplicateTransition},
			{"shipped", "Pay Ship", idem.ErrSuperseded, idem.ErrSuperseded},
			{"cancelled unpaid", "Cancel", idem.ErrIllegalTransition, idem.ErrIllegalTransition},
			{"paid, then cancelled", "Pay Cancel", idem.ErrIllegalTransition, idem.ErrSuperseded},
			{"closed unpaid", "Close", idem.ErrIllegalTransition, idem.ErrIllegalTransition},
		} {
			for _, r := range []*machineCase{plain, recorded} {
				r.put("o", created)
				fire := func(event string) error {
					_, err := r.fireWith(context.Background(), r.event(t, event), -1, "o", fits())
					return err
				}
				for _, event := range strings.Fields(run.events) {
					if err := fire(event); err != nil {
						t.Fatalf("%s: %s: %v", run.name, event, err)
					}
				}
				want := run.plain
				if r == recorded {
					want = run.recorded
				}
				before := r.column("o", "status")
				if err := fire("Pay"); (err == nil) != (want == nil) || err != nil && !errors.Is(err, want) {
					t.Errorf("%s, %s: %v, want %v", r.c.Name, run.name, err, want)
				}
				if want != nil && r.column("o", "status") != before {
					t.Errorf("%s, %s: the row moved", r.c.Name, run.name)
				}
			}
		}
	})
}

// The history of a dynamic event knows the target: moving to another state was not
// this move.
func TestLaw_S2_HistoryKnowsTheTarget(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		r := d.machineCase(t, caseNamed(t, "full_dynamic"))
		const draft, review, done, dropped = 0, 1, 2, 3
		move := func(to int) error {
			s := fits()
			s.version = idem.AnyVersion
			_, err := r.fireWith(context.Background(), r.event(t, "Move"), to, "o", s)
			return err
		}
		r.put("o", draft)
		for _, step := range []struct {
			to   int
			want error
		}{
			{review, nil}, {review, idem.ErrDuplicateTransition}, {draft, idem.ErrIllegalTransition}, {dropped, nil},
			{done, idem.ErrIllegalTransition}, {dropped, idem.ErrDuplicateTransition}, {review, idem.ErrIllegalTransition},
			{-1, idem.ErrUnknownState}, {4, idem.ErrUnknownState},
		} {
			if err := move(step.to); (err == nil) != (step.want == nil) || err != nil && !errors.Is(err, step.want) {
				t.Errorf("to %d: %v, want %v", step.to, err, step.want)
			}
		}
	})
}

// Version 0 is a version, as is one beyond 32 bits; any version fires whichever the
// row has, and tells the new one.
func TestLaw_S7_Versions(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		r := d.machineCase(t, caseNamed(t, "version"))
		for _, v := range []int64{0, 1, 1<<31 - 1, 1 << 31, 1 << 40, math.MaxInt64 - 1} {
			for _, expected := range []int64{v, idem.AnyVersion} {
				for _, event := range []string{"Pay", "Cancel"} {
					r.put("o", created)
					r.exec("UPDATE orders SET version = ?", v)
					s := fits()
					s.version = expected
					fired, err := r.fireWith(context.Background(), r.event(t, event), -1, "o", s)
					want := v + 1
					if v == math.MaxInt64-1 && d.dialect == idem.MySQL {
						want = idem.AnyVersion // it has no room beside the edge
					}
					if err != nil || fired.Version != want || r.column("o", "version") != fmt.Sprint(v+1) {
						t.Errorf("%s at %d, expected %d: %+v, %v, the row has %s", event, v, expected, fired, err, r.column("o", "version"))
					}
				}
			}
		}
		r.put("o", created)
		r.exec("UPDATE orders SET version = 0")
		s := fits()
		s.version = 1
		if _, err := r.fireWith(context.Background(), r.event(t, "Pay"), -1, "o", s); !errors.Is(err, idem.ErrConflict) || !errors.Is(err, idem.ErrGuardFailed) {
			t.Errorf("version 1 for 0: %v", err)
		}
	})
}

// A row of another tenant with the same key is not found, and stays as it is.
func TestLaw_S7_SameKeyInAnotherTenant(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		r := d.machineCase(t, caseNamed(t, "tenant"))
		ctx := context.Background()
		for _, event := range []string{"Pay", "Cancel"} {
			for _, many := range []bool{false, true} {
				r.exec("DELETE FROM orders")
				r.exec("INSERT INTO orders (id, status, tenant_id) VALUES ('o', 'CREATED', 8), ('o', 'CREATED', 7), ('p', 'CREATED', 8)")
				e := r.event(t, event)
				fire := func(id string) error {
					if !many {
						_, err := r.fireWith(ctx, e, -1, id, fits())
						return err
					}
					got, err := idem.FireBatch(ctx, r.db, d.dialect, &r.machine, e, []any{id}, int64(7))
					return errors.Join(err, got[0].Err)
				}
				if err := fire("o"); err != nil {
					t.Errorf("%s: %v", event, err)
				}
				if err := fire("p"); !errors.Is(err, idem.ErrNotFound) {
					t.Errorf("%s: %v", event, err)
				}
				if n := r.count("SELECT COUNT(*) FROM orders WHERE tenant_id = 8 AND status = 'CREATED'"); n != 2 {
					t.Errorf("%s, many %v: %d rows of the other tenant are as they were", event, many, n)
				}
			}
		}
	})
}

// NULL and unknown values are told from every form of an event, and never move.
func TestLaw_S8_UnknownStatesOfEveryForm(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		ctx := context.Background()
		for _, name := range []string{"full", "full_numbers"} {
			r := d.machineCase(t, caseNamed(t, name))
			nullable := map[idem.Dialect]string{
				idem.Postgres: "ALTER TABLE shop.\"order\" ALTER COLUMN \"order\" DROP NOT NULL",
				idem.MySQL:    "ALTER TABLE shop.`order` MODIFY `order` " + r.stateType() + " NULL",
			}
			values := []any{"PAID ", "paid", ""}
			if name == "full_numbers" {
				values = []any{int64(11), int64(-2)}
			}
			if alter, can := nullable[d.dialect]; can {
				r.exec(alter)
				values = append(values, nil)
			}
			for _, v := range values {
				r.put("o", 0)
				r.exec("UPDATE "+r.dialect.Table(r.model.Table)+" SET "+r.dialect.Name(r.model.Column)+" = ?", v)
				check := func(what string, err error) {
					t.Helper()
					var unknown *idem.UnknownStateError
					if !errors.As(err, &unknown) || unknown.Null != (v == nil) || errors.Is(err, idem.ErrTransition) {
						t.Errorf("%s, %s, %q: %v", name, what, v, err)
					}
				}
				e := r.event(t, "Cancel")
				_, err := r.fireWith(ctx, e, -1, "o", fits())
				check("fire", err)
				got, err := idem.FireBatch(ctx, r.db, d.dialect, &r.machine, e, []any{"o"}, r.args(e, fits(), true)...)
				if err != nil {
					t.Error(err)
				}
				check("many", got[0].Err)
				check("create", idem.CreateRow(ctx, r.db, d.dialect, &r.machine, "o", int64(7), int64(5)))
				if n := r.count("SELECT COUNT(*) FROM " + r.dialect.Table(r.model.History)); n != 0 {
					t.Errorf("%s, %q: %d rows of the history", name, v, n)
				}
			}
		}
	})
}

// A new row that another unique index refuses is no duplicate.
func TestLaw_S2_NewRowRefusedByAnotherIndex(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		r := d.machineCase(t, caseNamed(t, "create"))
		r.exec("CREATE UNIQUE INDEX one_amount ON orders (amount)")
		create := func(id string) error {
			return idem.CreateRow(context.Background(), r.db, d.dialect, &r.machine, id, int64(5))
		}
		if err := create("a"); err != nil {
			t.Fatal(err)
		}
		var te *idem.TransitionError
		if err := create("b"); !errors.As(err, &te) || te.Kind != idem.TransitionGuard || te.Failed != idem.GuardUnique {
			t.Errorf("%v", err)
		}
		if n := r.count("SELECT COUNT(*) FROM orders"); n != 1 {
			t.Errorf("%d rows", n)
		}
	})
}

// A driver's error is none of the outcomes.
func TestLaw_S2_DriverErrorsAreTold(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		ctx := context.Background()
		r := d.recordedOrders(t)
		r.exec("DROP TABLE orders")
		_, fire := idem.FireEvent(ctx, r.db, d.dialect, &r.machine, r.event(t, "Pay"), "o")
		_, many := idem.FireBatch(ctx, r.db, d.dialect, &r.machine, r.event(t, "Pay"), []any{"o"})
		create := idem.CreateRow(ctx, r.db, d.dialect, &r.machine, "o")
		_, once := r.fireOnceErr(ctx)
		for i, err := range []error{fire, many, create, once} {
			if err == nil || errors.Is(err, idem.ErrTransition) || errors.Is(err, idem.ErrUnknownState) || errors.Is(err, idem.ErrStoreUnavailable) {
				t.Errorf("%d: %v", i, err)
			}
		}
	})
}

func (r *machineCase) fireOnceErr(ctx context.Context) (idem.Fired, error) {
	op := idem.Op{Name: "pay"}
	return idem.FireOnce(ctx, r.store, idem.New(idem.GlobalScope).Call(ctx, &op, idem.String("K")), &r.machine, r.event(r, "Pay"), "o")
}

// A key that selects several rows is told.
func TestLaw_S7_KeyThatSelectsSeveralRows(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		f := d.fixture(t)
		f.exec("CREATE TABLE orders (id VARCHAR(20), status VARCHAR(20))")
		f.exec("INSERT INTO orders VALUES ('o', 'CREATED'), ('o', 'CREATED')")
		for _, e := range []*idem.EventInfo{&eventPay, &eventCancel} {
			tx, err := f.db.Begin()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := idem.FireEvent(context.Background(), sqlstore.DB(tx), d.dialect, &orders, e, "o"); !errors.Is(err, idem.ErrInvalidOp) {
				t.Errorf("%s: %v", e.Name, err)
			}
			if err := tx.Rollback(); err != nil {
				t.Error(err)
			}
		}
	})
}
