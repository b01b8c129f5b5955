package sqlstoretest

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
	"github.com/idemgen/idemgen/templates/sqltext/sqlcases"
)

// A machine as the generator writes one: CREATED → PAID → SHIPPED, and
// CREATED or PAID → CANCELLED.
const (
	created = iota
	paid
	shipped
	cancelled
)

// orderModel is the machine that most tests fire.
func orderModel(change func(m *model.Machine)) *model.Machine {
	m := sqlcases.Machine("orders", change, sqlcases.Text("CREATED"), sqlcases.Text("PAID"), sqlcases.Text("SHIPPED"), sqlcases.Text("CANCELLED"))
	for i, by := range [][]int{created: {created}, paid: {created, paid}, shipped: {created, paid, shipped}, cancelled: {created, cancelled}} {
		m.States[i].DominatedBy = by
	}
	proves := func(states ...int) func(e *model.Event) { return func(e *model.Event) { e.Proofs = states } }
	sqlcases.On(m, "Pay", proves(paid), [2]int{created, paid})
	sqlcases.On(m, "Cancel", proves(cancelled), [2]int{created, cancelled}, [2]int{paid, cancelled})
	sqlcases.On(m, "Ship", proves(shipped), [2]int{paid, shipped})
	sqlcases.On(m, "Close", nil, [2]int{created, cancelled}, [2]int{paid, shipped}) // to a different state from each source
	for _, e := range m.Events {
		e.Once = true
	}
	return m
}

var (
	orderGuard = guardOver(orderModel(nil))
	orders     = orderGuard.machine

	eventPay    = orderGuard.events[0]
	eventCancel = orderGuard.events[1]
	eventShip   = orderGuard.events[2]
	eventClose  = orderGuard.events[3]
)

// shop is a fixture with a table of orders.
func (d *database) shop(t *testing.T) *fixture {
	f := d.fixture(t)
	f.exec(`CREATE TABLE orders (id VARCHAR(20) PRIMARY KEY, status VARCHAR(20))`)
	return f
}

func (f *fixture) order(id string, status any) {
	f.Helper()
	f.exec("DELETE FROM orders WHERE id = ?", id)
	f.exec("INSERT INTO orders VALUES (?, ?)", id, status)
}

func (f *fixture) fire(e *idem.EventInfo, id string) (from, to int, err error) {
	fired, err := idem.FireEvent(context.Background(), sqlstore.DB(f.db), f.on.dialect, &orders, e, id)
	return fired.From, fired.To, err
}

func TestLaw_S1_SourceOfTheChangedRow(t *testing.T) { on(t, everyDatabase, sourceOfTheChangedRow) }

func sourceOfTheChangedRow(t *testing.T, d *database) {
	f := d.shop(t)
	for _, from := range []int{created, paid} {
		f.order("o", orders.States[from].Value)
		if was, is, err := f.fire(&eventCancel, "o"); err != nil || was != from || is != cancelled {
			t.Errorf("cancel: %d → %d, %v", was, is, err)
		}
		if n := f.count("SELECT COUNT(*) FROM orders WHERE id = 'o' AND status = 'CANCELLED'"); n != 1 {
			t.Error("the row did not move")
		}
	}
}

func TestLaw_S2_WhyNothingMatched(t *testing.T) { on(t, everyDatabase, whyNothingMatched) }

func whyNothingMatched(t *testing.T, d *database) {
	f := d.shop(t)
	for _, c := range []struct {
		name   string
		status string
		event  *idem.EventInfo
		kind   idem.TransitionKind
		is     error
	}{
		{"paid twice", "PAID", &eventPay, idem.TransitionDuplicate, idem.ErrDuplicateTransition},
		{"paid, then shipped", "SHIPPED", &eventPay, idem.TransitionSuperseded, idem.ErrSuperseded},
		{"paid late, cancelled unpaid", "CANCELLED", &eventPay, idem.TransitionIllegal, idem.ErrIllegalTransition},
		{"cancelled after it was shipped", "SHIPPED", &eventCancel, idem.TransitionIllegal, idem.ErrIllegalTransition},
		{"shipped unpaid", "CREATED", &eventShip, idem.TransitionIllegal, idem.ErrIllegalTransition},
	} {
		f.order("o", c.status)
		_, _, err := f.fire(c.event, "o")
		var te *idem.TransitionError
		if !errors.As(err, &te) || te.Kind != c.kind || !errors.Is(err, c.is) {
			t.Errorf("%s: %v", c.name, err)
		}
		if idem.AlreadyApplied(err) != (c.kind == idem.TransitionDuplicate || c.kind == idem.TransitionSuperseded) {
			t.Errorf("%s: acknowledged %v", c.name, idem.AlreadyApplied(err))
		}
		if n := f.count("SELECT COUNT(*) FROM orders WHERE id = 'o' AND status = ?", c.status); n != 1 {
			t.Errorf("%s: the row moved", c.name)
		}
	}
	if _, _, err := f.fire(&eventPay, "nobody"); !errors.Is(err, idem.ErrNotFound) {
		t.Errorf("no such order: %v", err)
	}
}

func TestLaw_S3_OneOfManyApplies(t *testing.T) { on(t, everyDatabase, oneOfManyApplies) }

func oneOfManyApplies(t *testing.T, d *database) {
	f := d.shop(t)
	f.db.SetMaxOpenConns(8)
	f.order("o", "CREATED")
	engine := idem.New(idem.GlobalScope)
	var applied, already atomic.Int64
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			_, err := idem.Tx(context.Background(), engine, f.store, func(ctx context.Context, tx *sql.Tx) (idem.None, error) {
				if _, err := idem.FireEvent(ctx, f.store.Use(ctx, tx), f.store.Dialect(), &orders, &eventPay, "o"); err != nil {
					return idem.None{}, err
				}
				return idem.None{}, f.effect(ctx, tx, "o")
			})
			switch {
			case err == nil:
				applied.Add(1)
			case idem.AlreadyApplied(err):
				already.Add(1)
			default:
				t.Errorf("pay: %v", err)
			}
		})
	}
	wg.Wait()
	if applied.Load() != 1 || already.Load() != 63 || f.effects("o") != 1 {
		t.Errorf("%d applied, %d already, %d effects", applied.Load(), already.Load(), f.effects("o"))
	}
}

func TestLaw_S8_UnknownState(t *testing.T) { on(t, everyDatabase, unknownState) }

func unknownState(t *testing.T, d *database) {
	f := d.shop(t)
	for _, status := range []any{nil, "PAYED", "created", ""} {
		f.order("o", status)
		_, _, err := f.fire(&eventPay, "o")
		var unknown *idem.UnknownStateError
		if !errors.As(err, &unknown) || unknown.Null != (status == nil) || errors.Is(err, idem.ErrTransition) {
			t.Errorf("%v: %v", status, err)
		}
	}
}

// A guard that fails leaves no claim behind, and the retry runs.
func TestLaw_S2_GuardFailureLeavesNoClaim(t *testing.T) {
	on(t, everyDatabase, guardFailureLeavesNoClaim)
}

func guardFailureLeavesNoClaim(t *testing.T, d *database) {
	ctx := context.Background()
	f := d.shop(t)
	s := newService(f, idem.Op{})
	s.during = func(ctx context.Context, tx *sql.Tx) error {
		_, err := idem.FireEvent(ctx, f.store.Use(ctx, tx), f.store.Dialect(), &orders, &eventPay, "o")
		return err
	}
	f.order("o", "CANCELLED")
	if _, err := s.Pay(ctx, "o", 1); !errors.Is(err, idem.ErrIllegalTransition) {
		t.Errorf("%v", err)
	}
	s.ran("o", 1, 0)
	f.order("o", "CREATED")
	for range 2 {
		if _, err := s.Pay(ctx, "o", 1); err != nil {
			t.Errorf("%v", err)
		}
	}
	s.ran("o", 2, 1)
}

// The source is told from the row, whatever its place among the states, and the
// target belongs to the source.
func TestLaw_S1_TargetOfEachSource(t *testing.T) { on(t, everyDatabase, targetOfEachSource) }

func targetOfEachSource(t *testing.T, d *database) {
	f := d.shop(t)
	for _, c := range []struct {
		event    *idem.EventInfo
		from, to int
	}{{&eventClose, created, cancelled}, {&eventClose, paid, shipped}, {&eventShip, paid, shipped}} {
		f.order("o", orders.States[c.from].Value)
		f.order("other", orders.States[c.from].Value)
		if from, to, err := f.fire(c.event, "o"); err != nil || from != c.from || to != c.to {
			t.Errorf("%s from %d: %d → %d, %v", c.event.Name, c.from, from, to, err)
		}
		if n := f.count("SELECT COUNT(*) FROM orders WHERE id = 'o' AND status = ?", orders.States[c.to].Value); n != 1 {
			t.Errorf("%s from %d: the row is elsewhere", c.event.Name, c.from)
		}
		if n := f.count("SELECT COUNT(*) FROM orders WHERE id = 'other' AND status = ?", orders.States[c.from].Value); n != 1 {
			t.Errorf("%s from %d: another row moved", c.event.Name, c.from)
		}
	}
}

// Two machines guard rows of two tables in one guarded call; 64 callers in two
// processes fire both, and one applies.
func TestLaw_S3_TwoMachinesTwoProcesses(t *testing.T) { on(t, everyDatabase, twoMachinesTwoProcesses) }

func twoMachinesTwoProcesses(t *testing.T, d *database) {
	f := d.shop(t)
	f.exec("CREATE TABLE boxes (no INTEGER PRIMARY KEY, state INTEGER)")
	f.exec("INSERT INTO boxes VALUES (7, -1)")
	m := sqlcases.Machine("boxes", func(m *model.Machine) { m.Key, m.Column = "no", "state" }, sqlcases.Number("-1"), sqlcases.Number("4"))
	sqlcases.On(m, "Seal", func(e *model.Event) { e.Proofs = []int{1} }, [2]int{0, 1})
	g := guardOver(m)
	boxes, seal := g.machine, g.events[0]
	f.order("o", "PAID")
	engine := idem.New(idem.GlobalScope)
	var applied, refused atomic.Int64
	var wg sync.WaitGroup
	processes := []*fixture{f, f.process()}
	for i := range 64 {
		p := processes[i%2]
		p.db.SetMaxOpenConns(8)
		op := idem.Op{Name: "both", Wait: time.Minute}
		call := engine.Call(context.Background(), &op, idem.Int(i))
		wg.Go(func() {
			_, err := idem.OnceTx(context.Background(), p.store, call, func(ctx context.Context, tx *sql.Tx) (idem.None, error) {
				db := p.store.Use(ctx, tx)
				if fired, err := idem.FireEvent(ctx, db, d.dialect, &orders, &eventCancel, "o"); err != nil || fired.From != paid {
					return idem.None{}, errors.Join(err)
				}
				if _, err := idem.FireEvent(ctx, db, d.dialect, &boxes, &seal, 7); err != nil {
					return idem.None{}, err
				}
				return idem.None{}, p.effect(ctx, tx, "o")
			})
			switch {
			case err == nil:
				applied.Add(1)
			case errors.Is(err, idem.ErrDuplicateTransition):
				refused.Add(1)
			default:
				t.Errorf("caller %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	if applied.Load() != 1 || refused.Load() != 63 || f.effects("o") != 1 {
		t.Errorf("%d applied, %d refused, %d effects", applied.Load(), refused.Load(), f.effects("o"))
	}
	if n := f.count("SELECT COUNT(*) FROM boxes WHERE state = 4"); n != 1 {
		t.Error("the box is not sealed")
	}
}
