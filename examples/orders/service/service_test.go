package service_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"github.com/idemgen/idemgen/examples/orders/internal/database"
	"github.com/idemgen/idemgen/examples/orders/order"
	"github.com/idemgen/idemgen/examples/orders/service"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// memoryBank counts what it is told.
type memoryBank struct{ told map[string]int }

func (b *memoryBank) Notify(_ context.Context, orderID string, _ int64) (*service.Confirmation, error) {
	b.told[orderID]++
	return &service.Confirmation{Number: "1"}, nil
}

func (b *memoryBank) Find(_ context.Context, orderID string) (*service.Confirmation, error) {
	if b.told[orderID] == 0 {
		return nil, nil
	}
	return &service.Confirmation{Number: "1"}, nil
}

// open makes a guarded service over a new database in which ann has 5000 cents.
func open(t *testing.T) (*service.IdempotentService, *sql.DB) {
	t.Helper()
	db, err := database.Open(filepath.Join(t.TempDir(), "orders.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	store := sqlstore.New(db, idem.SQLite)
	for _, err := range []error{
		order.Migrate(t.Context(), db),
		store.Migrate(t.Context()),
		order.Repository{}.OpenAccount(t.Context(), db, "ann", 5000),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return over(db, store, store), db
}

// over makes a guarded service over a database.
func over(db *sql.DB, records idem.RecordStore, tx idem.TxStore[*sql.Tx]) *service.IdempotentService {
	plain := service.New(db, &memoryBank{told: map[string]int{}})
	return service.NewIdempotentService(plain, idem.New(idem.GlobalScope), records, tx)
}

// count runs a query that counts.
func count(t *testing.T, db *sql.DB, query string) int {
	t.Helper()
	var n int
	if err := db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func request(bizNo string) *service.CreateRequest {
	return &service.CreateRequest{BizNo: bizNo, Customer: "ann", Amount: 1200}
}

// Two guarded methods in one transaction of the caller's stand or fall with it.
func TestCreateAndPayShareATransaction(t *testing.T) {
	s, db := open(t)
	errChanged := errors.New("changed my mind")
	createAndPay := func(end error) error {
		tx, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback() }()
		o, err := s.CreateTx(t.Context(), tx, request("b-1"))
		if err != nil {
			return err
		}
		if _, err := s.PayTx(t.Context(), tx, o.ID, o.Amount); err != nil {
			return err
		}
		if end != nil {
			return end
		}
		return tx.Commit()
	}
	if err := createAndPay(errChanged); !errors.Is(err, errChanged) {
		t.Fatal(err)
	}
	if orders, lines := count(t, db, `SELECT count(*) FROM orders`), count(t, db, `SELECT count(*) FROM journal`); orders+lines != 0 {
		t.Errorf("after a rollback: %d orders, %d lines", orders, lines)
	}
	for range 3 { // a first time, and twice again
		if err := createAndPay(nil); err != nil {
			t.Fatal(err)
		}
	}
	if orders, lines := count(t, db, `SELECT count(*) FROM orders`), count(t, db, `SELECT count(*) FROM journal`); orders != 1 || lines != 2 {
		t.Errorf("after three times the same: %d orders, %d lines", orders, lines)
	}
	if balance := count(t, db, `SELECT balance FROM accounts`); balance != 3800 {
		t.Errorf("ann has %d cents", balance)
	}
}

// A Pay that comes when its record is gone is answered from the journal, and the money stays where it is.
func TestLatePayIsAnsweredFromTheJournal(t *testing.T) {
	s, db := open(t)
	o, err := s.Create(t.Context(), request("b-1"))
	if err != nil {
		t.Fatal(err)
	}
	first, err := s.Pay(t.Context(), o.ID, o.Amount)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Ship(t.Context(), o.ID, "ups"); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), `DELETE FROM idem_records`); err != nil { // a long time later
		t.Fatal(err)
	}
	late, err := s.Pay(t.Context(), o.ID, o.Amount)
	if err != nil || *late != *first {
		t.Errorf("late: %+v, %v; the first was %+v", late, err, first)
	}
	if balance := count(t, db, `SELECT balance FROM accounts`); balance != 3800 {
		t.Errorf("ann has %d cents", balance)
	}
}

// A payment that can't be made leaves nothing: not the state, not the claim.
func TestFailedPayLeavesNothing(t *testing.T) {
	s, _ := open(t)
	o, err := s.Create(t.Context(), request("b-1"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Pay(t.Context(), o.ID, 1); !errors.Is(err, service.ErrWrongAmount) {
		t.Fatalf("wrong amount: %v", err)
	}
	if got, err := s.Get(t.Context(), o.ID); err != nil || got.Status != order.Created {
		t.Errorf("after a failed payment: %+v, %v", got, err)
	}
	if _, err := s.Pay(t.Context(), o.ID, o.Amount); err != nil {
		t.Errorf("the right amount: %v", err)
	}
}

// Only what is held can be reconciled.
func TestReconcileNeedsAHeldKey(t *testing.T) {
	s, _ := open(t)
	o, err := s.Create(t.Context(), request("b-1"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.ReconcileBank(t.Context(), o.ID); !errors.Is(err, idem.ErrNotHeld) {
		t.Errorf("nothing was called: %v", err)
	}
	if _, err := s.NotifyBank(t.Context(), o.ID); err != nil {
		t.Fatal(err)
	}
	if err := s.ReconcileBank(t.Context(), o.ID); !errors.Is(err, idem.ErrNotHeld) {
		t.Errorf("all went well: %v", err)
	}
}

// payments counts the money that was taken.
const payments = "SELECT COUNT(*) FROM journal WHERE step = 'pay'"

// TestPay_TenClicks: an impatient customer pays once.
func TestPay_TenClicks(t *testing.T) {
	s, db := open(t)
	o, err := s.Create(t.Context(), request("b-1"))
	if err != nil {
		t.Fatal(err)
	}
	idemtest.Duplicates(t, 10, func(ctx context.Context) (*service.Receipt, error) { return s.Pay(ctx, o.ID, o.Amount) })
	if n := count(t, db, payments); n != 1 {
		t.Errorf("%d payments", n)
	}
}

// TestPay_KilledAtEveryStep: whatever step of the payment a process dies in, the next
// one has the receipt, and the money was taken once.
func TestPay_KilledAtEveryStep(t *testing.T) {
	idemtest.Crashes(t, func(t *testing.T, p *idemtest.Process) idemtest.Victim[*service.Receipt] {
		s, db := open(t)
		o, err := s.Create(t.Context(), request("b-1"))
		if err != nil {
			t.Fatal(err)
		}
		store := sqlstore.New(db, idem.SQLite)
		killed := over(db, idemtest.Records(p, store), idemtest.Tx[*sql.Tx](p, store))
		return idemtest.Victim[*service.Receipt]{
			Call: func(ctx context.Context) (*service.Receipt, error) { return killed.Pay(ctx, o.ID, o.Amount) },
			Check: func(t *testing.T, _ string, _ *service.Receipt, err error) {
				if n := count(t, db, payments); n != 1 || err != nil {
					t.Errorf("%d payments, %v", n, err)
				}
			},
		}
	})
}
