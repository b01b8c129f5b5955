package layers_test

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"path/filepath"
	"testing"

	"github.com/idemgen/idemgen/internal/difftest/layers/shop"
	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"
)

// base is a business database.
type base struct {
	name   string
	db     *sql.DB
	store  *sqlstore.Store
	engine *idem.Engine
	guard  shop.StatusGuard
}

// tables of the business: orders with a state, numbers that are unique, and payments,
// the effect, of which nothing in the table keeps a second one out.
var tables = []string{
	`CREATE TABLE orders (id VARCHAR(64) NOT NULL PRIMARY KEY, status VARCHAR(16) NOT NULL)`,
	`CREATE TABLE numbers (id VARCHAR(64) NOT NULL PRIMARY KEY)`,
	`CREATE TABLE payments (id VARCHAR(64) NOT NULL)`,
}

func newBase(t *testing.T, name, driver, source string, d idem.Dialect) *base {
	t.Helper()
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(8)
	b := &base{name: name, db: db, store: sqlstore.New(db, d), engine: idem.New(idem.GlobalScope), guard: shop.NewStatusGuard(d)}
	if err := b.store.Migrate(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, text := range tables {
		if _, err := db.Exec(text); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// bases are the business databases.
func bases(t *testing.T) []*base {
	t.Helper()
	q := url.Values{"_pragma": {"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(NORMAL)"}}
	file := "file:" + filepath.Join(t.TempDir(), "shop.db") + "?" + q.Encode()
	return []*base{
		newBase(t, "SQLite", "sqlite", file, idem.SQLite),
		newBase(t, "Postgres", "pgx", servers.Postgres(t).Database(t).DSN(), idem.Postgres),
	}
}

// insert inserts an id into a table.
func (b *base) insert(ctx context.Context, db idem.DB, table, id string) error {
	text := "INSERT INTO " + table + " (id) VALUES (?)"
	if b.store.Dialect() == idem.Postgres {
		text = "INSERT INTO " + table + " (id) VALUES ($1)"
	}
	_, err := db.Exec(ctx, text, id)
	return err
}

// create makes the order of an intention.
func (b *base) create(ctx context.Context, id string) error {
	return b.guard.Create(ctx, sqlstore.DB(b.db), id)
}

// paid tells whether there is a payment.
func (b *base) paid(ctx context.Context, id string) (bool, error) {
	text := "SELECT COUNT(*) FROM payments WHERE id = ?"
	if b.store.Dialect() == idem.Postgres {
		text = "SELECT COUNT(*) FROM payments WHERE id = $1"
	}
	var n int
	err := b.db.QueryRowContext(ctx, text, id).Scan(&n)
	return n > 0, err
}

// effects counts the payments of every intention.
func (b *base) effects(t *testing.T) map[string]int {
	t.Helper()
	rows, err := b.db.Query("SELECT id FROM payments")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	n := map[string]int{}
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		n[id]++
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return n
}

// inner is a layer in the business database: it pays an order.
type inner struct {
	name string
	pay  func(ctx context.Context, b *base, id string) error
}

var op = idem.Op{Name: "layers.Pay", Wait: idem.DefaultLease}

// inners are the layers that hold, and none, which doesn't.
var inners = []inner{
	{"none", func(ctx context.Context, b *base, id string) error {
		return b.insert(ctx, sqlstore.DB(b.db), "payments", id)
	}},
	{"once in the transaction", func(ctx context.Context, b *base, id string) error {
		call := b.engine.Call(ctx, &op, idem.String(id))
		_, err := idem.OnceTx(ctx, b.store, call, func(ctx context.Context, tx *sql.Tx) (idem.None, error) {
			return idem.None{}, b.insert(ctx, b.store.Use(ctx, tx), "payments", id)
		})
		return err
	}},
	{"guarded state", func(ctx context.Context, b *base, id string) error {
		_, err := idem.Tx(ctx, b.engine, b.store, func(ctx context.Context, tx *sql.Tx) (idem.None, error) {
			db := b.store.Use(ctx, tx)
			if _, err := b.guard.Pay(ctx, db, id); err != nil {
				return idem.None{}, err
			}
			return idem.None{}, b.insert(ctx, db, "payments", id)
		})
		if idem.AlreadyApplied(err) {
			return nil
		}
		return err
	}},
	{"unique index", func(ctx context.Context, b *base, id string) error {
		_, err := idem.Tx(ctx, b.engine, b.store, func(ctx context.Context, tx *sql.Tx) (idem.None, error) {
			db := b.store.Use(ctx, tx)
			if err := b.insert(ctx, db, "numbers", id); err != nil {
				return idem.None{}, err
			}
			return idem.None{}, b.insert(ctx, db, "payments", id)
		})
		if _, taken := sqlstore.UniqueViolation(err); taken && !errors.Is(err, idem.ErrStoreUnavailable) {
			return nil
		}
		return err
	}},
}
