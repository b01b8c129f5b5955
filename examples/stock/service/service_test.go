package service_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/idemgen/idemgen/examples/internal/database"
	"github.com/idemgen/idemgen/examples/stock/sale"
	"github.com/idemgen/idemgen/examples/stock/service"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// open makes the service, with one sale, in a process that may be killed.
func open(t *testing.T, p *idemtest.Process) (*service.IdempotentService, *sql.DB) {
	t.Helper()
	db, dialect, err := database.Source{SQLite: filepath.Join(t.TempDir(), "stock.db")}.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	sales := sale.Repository{Dialect: dialect}
	for _, err := range []error{
		sqlstore.Migrate(t.Context(), sqlstore.DB(db), dialect), sales.Migrate(t.Context(), db), sales.Announce(t.Context(), db, "noon", 100),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	locks, store := idemtest.Locks(p, sqlstore.NewLocks(db, dialect)), idemtest.Tx[*sql.Tx](p, sqlstore.New(db, dialect))
	return service.NewIdempotentService(service.New(db, sales, time.Millisecond), idem.New(idem.GlobalScope), store, locks), db
}

// releases counts what was put into the stock.
func releases(t *testing.T, db *sql.DB) int64 {
	t.Helper()
	n, _, err := sale.Repository{}.Stock(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestLaw_L3_KilledAtEveryStep: whoever dies with the lock, before or after the
// release, the next caller finds the release or makes it.
func TestLaw_L3_KilledAtEveryStep(t *testing.T) {
	idemtest.Crashes(t, func(t *testing.T, p *idemtest.Process) idemtest.Victim[*sale.Release] {
		s, db := open(t, p)
		return idemtest.Victim[*sale.Release]{
			Call: func(ctx context.Context) (*sale.Release, error) { return s.Release(ctx, "noon") },
			Check: func(t *testing.T, step string, got *sale.Release, err error) {
				if n := releases(t, db); n != 1 || err != nil || got == nil || got.Items != 100 {
					t.Errorf("%d releases, %+v, %v", n, got, err)
				}
			},
		}
	})
}

// TestLaw_L2_AnOvertakenHolderIsRefused: who comes with a lower fence than the row has
// seen is kept out, however late.
func TestLaw_L2_AnOvertakenHolderIsRefused(t *testing.T) {
	s, db := open(t, &idemtest.Process{})
	if _, err := db.ExecContext(t.Context(), "UPDATE sales SET fence = ?", time.Now().Add(time.Hour).UnixMicro()); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Release(t.Context(), "noon"); err == nil || releases(t, db) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}
