package layers

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

// database is what a storm runs on.
type database struct {
	name    string
	dialect idem.Dialect
	driver  string
	source  func(t *testing.T) string // of a new, empty database
}

var databases = []*database{
	{"sqlite", idem.SQLite, "sqlite", func(t *testing.T) string {
		return "file:" + filepath.Join(t.TempDir(), "shop.db") + "?_pragma=busy_timeout(20000)&_pragma=journal_mode(WAL)&_pragma=synchronous(OFF)&_txlock=immediate"
	}},
	{"postgres", idem.Postgres, "pgx", func(t *testing.T) string { return servers.Postgres(t).Database(t).DSN() }},
}

// connect opens a database that is there.
func (d *database) connect(t *testing.T, source string) *sql.DB {
	t.Helper()
	db, err := sql.Open(d.driver, source)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(8)
	t.Cleanup(func() { db.Close() })
	return db
}

const uniqueIndex = "uq_payments_order"

// migrate makes the tables of a shop.
func (d *database) migrate(t *testing.T, db *sql.DB) {
	t.Helper()
	for _, stmt := range []string{
		"CREATE TABLE orders (id VARCHAR(40) PRIMARY KEY, status VARCHAR(20) NOT NULL)",
		"CREATE TABLE payments (order_id VARCHAR(40) NOT NULL)",
	} {
		execute(t, db, stmt)
	}
	store := sqlstore.New(db, d.dialect)
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := sqlstore.NewTokens(db, d.dialect).Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func execute(t *testing.T, db *sql.DB, stmt string) {
	t.Helper()
	if _, err := db.ExecContext(context.Background(), stmt); err != nil {
		t.Fatalf("%s: %v", stmt, err)
	}
}

// onEach runs a test on every database.
func onEach(t *testing.T, test func(t *testing.T, d *database)) {
	for _, d := range databases {
		t.Run(d.name, func(t *testing.T) { test(t, d) })
	}
}
