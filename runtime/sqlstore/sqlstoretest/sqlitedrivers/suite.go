// Package sqlitedrivers is what sqlstore is put through with each SQLite
// driver. The drivers themselves stand in packages of their own: some of them
// can't be linked together, and each takes long to compile.
package sqlitedrivers

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// Open opens a pool on a file: with a write-ahead log, and writers that queue
// for so long.
type Open func(path string, busy time.Duration) (*sql.DB, error)

// Run runs the laws of records, of tokens, of locks and of transactions, and what
// errors mean, with the driver that open uses.
func Run(t *testing.T, open Open) {
	t.Run("Records", func(t *testing.T) {
		f := start(t, open)
		idemtest.TestRecordStore(t, func(t *testing.T) idem.RecordStore { return f.store })
	})
	t.Run("Tokens", func(t *testing.T) {
		s := sqlstore.NewTokens(start(t, open).db, idem.SQLite)
		idemtest.TestTokenStore(t, func(t *testing.T) idem.TokenStore { return s })
	})
	t.Run("Locks", func(t *testing.T) {
		f := start(t, open)
		s := sqlstore.NewLocks(f.db, idem.SQLite)
		idemtest.TestLocker(t, func(t *testing.T) (idem.Locker, idem.RecordStore) { return s, f.store })
	})
	t.Run("Transactions", func(t *testing.T) {
		subject := start(t, open).subject()
		idemtest.TestTxStore(t, func(*testing.T) idemtest.TxSubject[*sql.Tx] { return subject })
	})
	for name, law := range map[string]func(*fixture){
		"Law_T3_BusyIsRetryable":       (*fixture).busy,
		"UniqueViolationNamesColumns":  (*fixture).violation,
		"Law_C15_UnreachableStore":     (*fixture).unreachable,
		"Law_T5_FailedCommitIsAnError": (*fixture).refusedCommit,
	} {
		t.Run(name, func(t *testing.T) { law(start(t, open)) })
	}
}

// fixture is a database with the runtime's tables and a business table.
type fixture struct {
	*testing.T
	openAt Open
	path   string
	db     *sql.DB
	store  *sqlstore.Store
}

func start(t *testing.T, open Open) *fixture {
	t.Helper()
	f := &fixture{T: t, openAt: open, path: filepath.Join(t.TempDir(), "test.db")}
	f.db = f.pool(f.path, 10*time.Second)
	f.store = sqlstore.New(f.db, idem.SQLite)
	if err := sqlstore.Migrate(context.Background(), sqlstore.DB(f.db), idem.SQLite); err != nil {
		t.Fatal(err)
	}
	f.exec("CREATE TABLE effects (id TEXT NOT NULL)")
	return f
}

func (f *fixture) pool(path string, busy time.Duration) *sql.DB {
	f.Helper()
	db, err := f.openAt(path, busy)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { db.Close() })
	return db
}

func (f *fixture) exec(query string) {
	f.Helper()
	if _, err := f.db.Exec(query); err != nil {
		f.Fatalf("%s: %v", query, err)
	}
}

func (f *fixture) effects() (n int) {
	f.Helper()
	if err := f.db.QueryRow("SELECT COUNT(*) FROM effects").Scan(&n); err != nil {
		f.Fatal(err)
	}
	return n
}

func (f *fixture) claim(key string) idem.Claim {
	f.Helper()
	op := idem.Op{Name: "sqlitedrivers"}
	call := idem.New(idem.GlobalScope).Call(context.Background(), &op, idem.String(key))
	return idem.Claim{Key: call.Key(), Owner: idem.NewOwner(), Retention: time.Hour}
}

// body writes an effect and then fails with err.
func body(err error) func(context.Context, *sql.Tx) (idem.Outcome, error) {
	return func(ctx context.Context, tx *sql.Tx) (idem.Outcome, error) {
		if _, err := tx.ExecContext(ctx, "INSERT INTO effects VALUES ('x')"); err != nil {
			return idem.Outcome{}, err
		}
		return idem.Outcome{Kind: idem.Succeeded, Codec: "json", Data: []byte("1")}, err
	}
}

// subject is the store as the suite of transactions wants it.
func (f *fixture) subject() idemtest.TxSubject[*sql.Tx] {
	f.Helper()
	other, one, hasty := f.pool(f.path, 300*time.Millisecond), f.pool(f.path, 10*time.Second), f.pool(f.path, 0)
	one.SetMaxOpenConns(1)
	return idemtest.TxSubject[*sql.Tx]{
		Store: f.store, Other: sqlstore.New(other, idem.SQLite), One: sqlstore.New(one, idem.SQLite),
		Write: func(ctx context.Context, tx *sql.Tx, id string) error {
			_, err := tx.ExecContext(ctx, "INSERT INTO effects VALUES (?)", id)
			return err
		},
		Effects: func(ctx context.Context, id string) (n int, err error) {
			err = f.db.QueryRowContext(ctx, "SELECT COUNT(*) FROM effects WHERE id = ?", id).Scan(&n)
			return n, err
		},
		Refuse: func(ctx context.Context, _ *sql.Tx) error {
			_, err := hasty.ExecContext(ctx, "INSERT INTO effects VALUES ('while another transaction has the file')")
			return err
		},
	}
}

// busy holds the file while another pool, which doesn't queue, wants to write.
func (f *fixture) busy() {
	ctx := context.Background()
	other := sqlstore.New(f.pool(f.path, 0), idem.SQLite)
	_, err := f.store.InTx(ctx, f.claim("first"), func(ctx context.Context, tx *sql.Tx) (idem.Outcome, error) {
		if _, err := other.InTx(ctx, f.claim("second"), body(nil)); !errors.Is(err, idem.ErrRetryTransaction) {
			f.Errorf("a busy file: %v", err)
		}
		return body(nil)(ctx, tx)
	})
	if err != nil {
		f.Error(err)
	}
	if got, err := other.InTx(ctx, f.claim("second"), body(nil)); err != nil || got.Status != idem.Fresh {
		f.Errorf("afterwards: %v, %v", got.Status, err)
	}
}

func (f *fixture) violation() {
	f.exec("CREATE TABLE numbers (id INTEGER PRIMARY KEY, no INTEGER NOT NULL CHECK (no > 0), shop TEXT)")
	f.exec("CREATE UNIQUE INDEX numbers_no ON numbers (shop, no)")
	f.exec("CREATE UNIQUE INDEX numbers_lower ON numbers (lower(shop))")
	f.exec("INSERT INTO numbers VALUES (1, 1, 'a')")
	for values, want := range map[string]string{
		"(2, 1, 'a')": "numbers.shop, numbers.no", "(1, 2, 'b')": "numbers.id", "(3, 3, 'A')": "numbers_lower",
	} {
		_, err := f.db.Exec("INSERT INTO numbers VALUES " + values)
		// Two indexes of the same row are violated at once: either may be named.
		name, ok := sqlstore.UniqueViolation(err)
		if !ok || (name != want && name != "numbers_lower") {
			f.Errorf("%s: %q, %v of %v", values, name, ok, err)
		}
	}
	_, err := f.db.Exec("INSERT INTO numbers VALUES (4, 0, 'c')")
	if name, ok := sqlstore.UniqueViolation(err); ok || err == nil {
		f.Errorf("a check: %q of %v", name, err)
	}
}

func (f *fixture) unreachable() {
	store := sqlstore.New(f.pool(filepath.Join(f.TempDir(), "no", "such", "dir.db"), time.Second), idem.SQLite)
	if _, err := store.InTx(context.Background(), f.claim("K"), body(nil)); !errors.Is(err, idem.ErrStoreUnavailable) {
		f.Errorf("no file: %v", err)
	}
	f.db.Close()
	if _, err := f.store.InTx(context.Background(), f.claim("K"), body(nil)); !errors.Is(err, idem.ErrStoreUnavailable) {
		f.Errorf("a closed pool: %v", err)
	}
}

func (f *fixture) refusedCommit() {
	f.db.SetMaxOpenConns(1)
	f.exec("PRAGMA foreign_keys = 1")
	f.exec("CREATE TABLE parents (id TEXT PRIMARY KEY)")
	f.exec("CREATE TABLE children (id TEXT REFERENCES parents DEFERRABLE INITIALLY DEFERRED)")
	_, err := f.store.InTx(context.Background(), f.claim("K"), func(ctx context.Context, tx *sql.Tx) (idem.Outcome, error) {
		if _, err := tx.ExecContext(ctx, "INSERT INTO children VALUES ('nobody')"); err != nil {
			f.Error(err)
		}
		return body(nil)(ctx, tx)
	})
	if err == nil || errors.Is(err, idem.ErrCommitUnknown) || errors.Is(err, idem.ErrRetryTransaction) {
		f.Errorf("a refused commit: %v", err)
	}
	if got, err := f.store.Lookup(context.Background(), f.claim("K").Key); err != nil || got.Status != idem.Absent || f.effects() != 0 {
		f.Errorf("afterwards: %v, %v, %d effects", got.Status, err, f.effects())
	}
}
