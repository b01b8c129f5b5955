package service_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/idemgen/idemgen/examples/wallet/account"
	"github.com/idemgen/idemgen/examples/wallet/internal/database"
	"github.com/idemgen/idemgen/examples/wallet/query"
	"github.com/idemgen/idemgen/examples/wallet/service"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// wallet is a bank on a new database, with two accounts of 1000 cents.
type wallet struct {
	*testing.T
	db    *sql.DB
	store *sqlstore.Store
	bank  *service.Bank
}

func open(t *testing.T) *wallet {
	t.Helper()
	db, dialect, err := database.Source{SQLite: filepath.Join(t.TempDir(), "wallet.db")}.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	store := sqlstore.New(db, dialect)
	q := query.On(dialect, db)
	for _, err := range []error{
		query.Migrate(t.Context(), dialect, db),
		store.Migrate(t.Context()),
		q.OpenAccount(t.Context(), "ann", "Ann", 1000, 0),
		q.OpenAccount(t.Context(), "bob", "Bob", 1000, 0),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return &wallet{t, db, store, service.NewBank(idem.New(idem.GlobalScope), store)}
}

func (w *wallet) account(id string) account.Account {
	w.Helper()
	a, err := query.On(idem.SQLite, w.db).GetAccount(w.Context(), id)
	if err != nil {
		w.Fatal(err)
	}
	return a
}

// Transfers in both directions at once: none is lost, none waits in a circle, and no cent appears or vanishes.
func TestTransfersInBothDirections(t *testing.T) {
	w := open(t)
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			tr := &service.Transfer{ID: fmt.Sprint(i), From: "ann", To: "bob", Amount: 10}
			if i%2 == 1 {
				tr.From, tr.To = tr.To, tr.From
			}
			for {
				_, err := w.bank.Transfer(t.Context(), tr)
				if err == nil {
					return
				}
				if !errors.Is(err, idem.ErrConflict) && !errors.Is(err, idem.ErrRetryTransaction) {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if a, b := w.account("ann"), w.account("bob"); a.Balance != 1000 || b.Balance != 1000 || a.Version != 64 || b.Version != 64 {
		t.Errorf("%+v, %+v", a, b)
	}
}

// A caller that read an account before another one wrote it is told so, and the struct it holds stays good for a new attempt after a rollback.
func TestSaveOfAStaleCopy(t *testing.T) {
	w := open(t)
	g := account.NewAccountGuard(idem.SQLite)
	mine, theirs := w.account("ann"), w.account("ann")
	theirs.Holder = "Anna"
	save := func(a *account.Account, lowest int64, end error) (version int64, err error) {
		err = w.store.Begin(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
			version, err = g.Save(ctx, sqlstore.DB(tx), a, lowest)
			return errors.Join(err, end)
		})
		return version, err
	}
	errChanged := errors.New("changed my mind")
	if _, err := save(&theirs, 0, errChanged); !errors.Is(err, errChanged) || theirs.Version != 0 {
		t.Errorf("%v, %+v", err, theirs)
	}
	if v, err := save(&theirs, 0, nil); v != 1 || err != nil {
		t.Errorf("after the rollback: %d, %v", v, err)
	}
	mine.Holder = "Annie"
	if _, err := save(&mine, 0, nil); !errors.Is(err, idem.ErrConflict) {
		t.Errorf("stale: %v", err)
	}
	if _, err := save(nil, 0, nil); !errors.Is(err, idem.ErrInvalidOp) {
		t.Errorf("no struct: %v", err)
	}
	if mine = w.account("ann"); mine.Holder != "Anna" {
		t.Errorf("the winner's name is %q", mine.Holder)
	}
	if _, err := save(&mine, 1001, nil); !errors.Is(err, idem.ErrGuardFailed) {
		t.Errorf("condition: %v", err)
	}
	if _, err := save(&account.Account{ID: "eve"}, 0, nil); !errors.Is(err, idem.ErrNotFound) {
		t.Errorf("no account: %v", err)
	}
}

// A refusal is not an outcome: the same call may succeed once there is money.
func TestRefusedTransferMayBeRepeated(t *testing.T) {
	w := open(t)
	tr := &service.Transfer{ID: "t", From: "ann", To: "bob", Amount: 1500}
	if _, err := w.bank.Transfer(t.Context(), tr); !errors.Is(err, service.ErrInsufficientFunds) {
		t.Errorf("%v", err)
	}
	if _, err := w.bank.Transfer(t.Context(), &service.Transfer{ID: "u", From: "bob", To: "ann", Amount: 1000}); err != nil {
		t.Error(err)
	}
	for range 2 {
		if r, err := w.bank.Transfer(t.Context(), tr); err != nil || r.Balance != 500 {
			t.Errorf("%+v, %v", r, err)
		}
	}
	if b := w.account("bob"); b.Balance != 1500 {
		t.Errorf("%+v", b)
	}
}
