package races

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql" // the driver called "mysql"
	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver called "pgx"
	_ "modernc.org/sqlite"             // the driver called "sqlite"

	"github.com/idemgen/idemgen/internal/bench/run"
	"github.com/idemgen/idemgen/internal/faultproxy"
	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgxstore"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

const connections = 16

// database is one on which transactions race.
type database struct {
	name    string
	note    string // what one should know of it
	dialect idem.Dialect
	db      *sql.DB
	// immediate is SQLite with transactions that begin by BEGIN IMMEDIATE, for those
	// who read first and write afterwards.
	immediate *sql.DB
	pool      *pgxpool.Pool // of Postgres
	store     *sqlstore.Store
	pgx       *pgxstore.Store
	insert    string
	runs      int64
	pids      []int // of the server
	// twin is the same on connections whose round trips are counted.
	twin  *database
	proxy *faultproxy.Proxy
}

// source is where a database is.
type source struct {
	name, driver, dsn string
	dialect           idem.Dialect
	connections       int
}

// Databases are those that transactions race on, with their data in memory where there
// is room.
func Databases(t testing.TB) []*database {
	t.Helper()
	lite := SQLite(t)
	return []*database{lite, server(t, "Postgres", "pgx", servers.Postgres(t), idem.Postgres), server(t, "MariaDB", "mysql", servers.MariaDB(t), idem.MySQL)}
}

// Where SQLite has its file on Linux.
const (
	memoryFolder = "/dev/shm"
	memoryPrefix = "idemgen-bench-sqlite-"
)

// sweep removes what runs that were killed hours ago have left in memory.
func sweep() {
	left, _ := filepath.Glob(filepath.Join(memoryFolder, memoryPrefix+"*"))
	for _, dir := range left {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > 3*time.Hour {
			_ = os.RemoveAll(dir)
		}
	}
}

// SQLite is a database in a file, on a file system in memory if there is one.
func SQLite(t testing.TB) *database {
	t.Helper()
	dir, note := t.TempDir(), "The file is on disk."
	if runtime.GOOS == "linux" {
		sweep()
		if made, err := os.MkdirTemp(memoryFolder, memoryPrefix); err == nil {
			t.Cleanup(func() { _ = os.RemoveAll(made) })
			dir, note = made, "The file is on tmpfs, in memory."
		}
	}
	q := url.Values{"_pragma": {"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(NORMAL)"}}
	dsn := "file:" + filepath.Join(dir, "bench.db") + "?" + q.Encode()
	x := open(t, source{"SQLite", "sqlite", dsn, idem.SQLite, connections})
	x.note = note
	immediate, err := sql.Open("sqlite", dsn+"&_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	immediate.SetMaxOpenConns(connections)
	immediate.SetMaxIdleConns(connections)
	x.immediate = immediate
	// After the cleanup that removes the folder: cleanups run backwards.
	t.Cleanup(func() { _ = immediate.Close() })
	return x
}

// server is a database of a server, with a twin whose round trips are counted.
func server(t testing.TB, name, driver string, s *servers.SQLServer, d idem.Dialect) *database {
	t.Helper()
	x := open(t, source{name, driver, s.Database(t).DSN(), d, connections})
	x.pids = []int{s.PID()}
	proxy, err := faultproxy.New(s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proxy.Close() })
	x.proxy = proxy
	x.twin = open(t, source{name, driver, s.Database(t).At(proxy.Addr()).DSN(), d, 1})
	return x
}

// Remote is a Postgres behind a network whose round trip takes about so long.
func Remote(t testing.TB, trip time.Duration) *database {
	t.Helper()
	database := servers.Postgres(t).Database(t)
	proxy, err := faultproxy.New(servers.Postgres(t).Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proxy.Close() })
	// One direction alone: every timer is late, and there is one of them this way.
	proxy.SetDelay(trip, 0)
	x := open(t, source{fmt.Sprintf("Postgres, %v a round trip", trip), "pgx", database.At(proxy.Addr()).DSN(), idem.Postgres, connections})
	measured, err := x.trip(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	x.note = fmt.Sprintf("The proxy that stands for a network is asked for %v a round trip; with the server's answer to SELECT 1 that was %.2f ms in this run.", trip, measured.Seconds()*1e3)
	return x
}

// trip is the median of what SELECT 1 takes on a connection that is open.
func (x *database) trip(ctx context.Context) (time.Duration, error) {
	conn, err := x.pool.Acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Release()
	var took []time.Duration
	for range 101 {
		began := time.Now()
		if _, err := conn.Exec(ctx, "SELECT 1"); err != nil {
			return 0, err
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}

func open(t testing.TB, s source) *database {
	t.Helper()
	db, err := sql.Open(s.driver, s.dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(s.connections)
	db.SetMaxIdleConns(s.connections)
	x := &database{name: s.name, dialect: s.dialect, db: db, store: sqlstore.New(db, s.dialect), insert: "INSERT INTO bench_effects (id, what) VALUES (?, ?)"}
	if s.dialect == idem.Postgres {
		x.insert = "INSERT INTO bench_effects (id, what) VALUES ($1, $2)"
		c, err := pgxpool.ParseConfig(s.dsn)
		if err != nil {
			t.Fatal(err)
		}
		c.MaxConns = int32(s.connections)
		if x.pool, err = pgxpool.NewWithConfig(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(x.pool.Close)
		x.pgx = pgxstore.New(x.pool)
	}
	auto := [...]string{idem.SQLite: "INTEGER PRIMARY KEY", idem.Postgres: "BIGSERIAL PRIMARY KEY", idem.MySQL: "BIGINT AUTO_INCREMENT PRIMARY KEY"}[s.dialect]
	for _, text := range []string{
		"CREATE TABLE bench_effects (id BIGINT NOT NULL, what VARCHAR(20) NOT NULL)",
		"CREATE TABLE bench_dedupe (k BIGINT NOT NULL PRIMARY KEY)",
		"CREATE TABLE bench_parcels (id BIGINT NOT NULL PRIMARY KEY, status VARCHAR(20) NOT NULL)",
		"CREATE TABLE bench_parcel_history (id " + auto + ", row_key BIGINT NOT NULL, from_state VARCHAR(20), to_state VARCHAR(20) NOT NULL, event VARCHAR(20), actor VARCHAR(255), idem_key VARCHAR(255), at_us BIGINT NOT NULL)",
	} {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return x
}

// race completes a race of this database: its note, its meters and, where there is a
// twin, its counts of round trips.
func (x *database) race(r run.Race, contestants func(x *database) []run.Contestant) run.Race {
	r.Note, r.Contestants = x.note, contestants(x)
	metered(&r, x.pids)
	if x.twin != nil {
		r.Contestants = run.Counted(r.Contestants, contestants(x.twin), wire(x.proxy))
	}
	return r
}

// numbers gives a contestant ids that nobody else has: from the number on, 1<<32 of them.
func (x *database) numbers() int64 {
	x.runs++
	return x.runs << 32
}

// rows proves that so many rows of a table, whose ids are in a column, are a
// contestant's.
func (x *database) rows(ctx context.Context, table, column string, from int64, want int) error {
	return x.rowsWhere(ctx, table, column, "", from, want)
}

// rowsWhere is rows with one more condition.
func (x *database) rowsWhere(ctx context.Context, table, column, and string, from int64, want int) error {
	var n int
	query := fmt.Sprintf("SELECT COUNT(*) FROM %s WHERE %s >= %d AND %[2]s < %[4]d %[5]s", table, column, from, from+1<<32, and)
	if err := x.db.QueryRowContext(ctx, query).Scan(&n); err != nil {
		return err
	}
	if n != want {
		return fmt.Errorf("%s has %d rows, not %d", table, n, want)
	}
	return nil
}

// inTx is a transaction as a careful person writes it.
func inTx(ctx context.Context, db *sql.DB, body func(tx *sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := body(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// prepared are statements, prepared once as a service would.
func (x *database) prepared(ctx context.Context, db *sql.DB, texts ...string) ([]*sql.Stmt, func(), error) {
	var out []*sql.Stmt
	done := func() {
		for _, s := range out {
			_ = s.Close()
		}
	}
	for _, text := range texts {
		s, err := db.PrepareContext(ctx, x.marks(text))
		if err != nil {
			done()
			return nil, nil, err
		}
		out = append(out, s)
	}
	return out, done, nil
}

// marks writes placeholders as the database reads them.
func (x *database) marks(query string) string {
	if x.dialect == idem.Postgres {
		return query
	}
	out := make([]byte, 0, len(query))
	for i := 0; i < len(query); i++ {
		if query[i] == '$' {
			out = append(out, '?')
			i++
			continue
		}
		out = append(out, query[i])
	}
	return string(out)
}
