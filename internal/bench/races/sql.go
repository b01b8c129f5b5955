package races

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql" // the driver called "mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver called "pgx"
	_ "modernc.org/sqlite"             // the driver called "sqlite"

	"github.com/idemgen/idemgen/internal/bench/races/guarded"
	"github.com/idemgen/idemgen/internal/bench/run"
	"github.com/idemgen/idemgen/internal/faultproxy"
	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgxstore"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// Names of contestants on databases.
const (
	BareTx       = "the transaction unguarded"
	DedupeByHand = "select, then insert by hand"
	OursPgx      = "idemgen, pgx pipelined"
	BarePgx      = "the transaction unguarded, pgx"
	BareUpdate   = "BEGIN, UPDATE, COMMIT unguarded"
	BareHistory  = "BEGIN, UPDATE, history, COMMIT unguarded"
)

const connections = 16

// database is one on which transactions race.
type database struct {
	name    string
	dialect idem.Dialect
	db      *sql.DB
	pool    *pgxpool.Pool // of Postgres
	store   *sqlstore.Store
	pgx     *pgxstore.Store
	insert  string
	runs    int64
}

// Databases are those that transactions race on, with their data in memory.
func Databases(t testing.TB) []*database {
	dir := t.TempDir()
	q := url.Values{"_pragma": {"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(NORMAL)"}}
	return []*database{
		open(t, "SQLite", "sqlite", "file:"+filepath.Join(dir, "bench.db")+"?"+q.Encode(), idem.SQLite),
		open(t, "Postgres", "pgx", servers.Postgres(t).Database(t).DSN(), idem.Postgres),
		open(t, "MariaDB", "mysql", servers.MariaDB(t).Database(t).DSN(), idem.MySQL),
	}
}

// Remote is a Postgres behind a network whose round trip takes so long.
func Remote(t testing.TB, trip time.Duration) *database {
	t.Helper()
	server := servers.Postgres(t).Database(t)
	proxy, err := faultproxy.New(servers.Postgres(t).Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proxy.Close() })
	proxy.SetDelay(trip/2, trip/2)
	return open(t, fmt.Sprintf("Postgres, %v a round trip", trip), "pgx", server.At(proxy.Addr()).DSN(), idem.Postgres)
}

func open(t testing.TB, name, driver, source string, d idem.Dialect) *database {
	t.Helper()
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	x := &database{name: name, dialect: d, db: db, store: sqlstore.New(db, d), insert: "INSERT INTO bench_effects (id, what) VALUES (?, ?)"}
	if d == idem.Postgres {
		x.insert = "INSERT INTO bench_effects (id, what) VALUES ($1, $2)"
		c, err := pgxpool.ParseConfig(source)
		if err != nil {
			t.Fatal(err)
		}
		c.MaxConns = connections
		if x.pool, err = pgxpool.NewWithConfig(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(x.pool.Close)
		x.pgx = pgxstore.New(x.pool)
	}
	auto := [...]string{idem.SQLite: "INTEGER PRIMARY KEY", idem.Postgres: "BIGSERIAL PRIMARY KEY", idem.MySQL: "BIGINT AUTO_INCREMENT PRIMARY KEY"}[d]
	for _, s := range []string{
		"CREATE TABLE bench_effects (id BIGINT NOT NULL, what VARCHAR(20) NOT NULL)",
		"CREATE TABLE bench_dedupe (k BIGINT NOT NULL PRIMARY KEY)",
		"CREATE TABLE bench_parcels (id BIGINT NOT NULL PRIMARY KEY, status VARCHAR(20) NOT NULL)",
		"CREATE TABLE bench_parcel_history (id " + auto + ", row_key BIGINT NOT NULL, from_state VARCHAR(20), to_state VARCHAR(20) NOT NULL, event VARCHAR(20), actor VARCHAR(255), idem_key VARCHAR(255), at_us BIGINT NOT NULL)",
	} {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return x
}

// numbers gives a contestant ids that nobody else has.
func (x *database) numbers() int64 {
	x.runs++
	return x.runs << 32
}

// effects proves that each operation left its one row.
func (x *database) effects(from int64) func(ctx context.Context, ops int) error {
	return func(ctx context.Context, ops int) error {
		var n int
		query := fmt.Sprintf("SELECT COUNT(*) FROM bench_effects WHERE id >= %d AND id < %d", from, from+1<<32)
		if err := x.db.QueryRowContext(ctx, query).Scan(&n); err != nil {
			return err
		}
		if n != ops {
			return fmt.Errorf("%d effects of %d operations", n, ops)
		}
		return nil
	}
}

// inTx is a transaction as a careful person writes it.
func (x *database) inTx(ctx context.Context, body func(tx *sql.Tx) error) error {
	tx, err := x.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := body(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// prepared are the business statements, prepared once as a service would.
func (x *database) prepared(ctx context.Context, texts ...string) ([]*sql.Stmt, func(), error) {
	var out []*sql.Stmt
	for _, text := range texts {
		s, err := x.db.PrepareContext(ctx, text)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, s)
	}
	return out, func() {
		for _, s := range out {
			_ = s.Close()
		}
	}, nil
}

func (x *database) marks(query string) string {
	if x.dialect == idem.Postgres {
		return query
	}
	return replaceMarks(query)
}

// Transactions race: one effect, unguarded, guarded by hand and guarded by us.
func Transactions(x *database, callers []int) run.Race {
	contestants := []run.Contestant{
		{Name: BareTx, Start: func(ctx context.Context) (run.Running, error) {
			from := x.numbers()
			return run.Running{Verify: x.effects(from), Op: func(ctx context.Context, i int) error {
				return x.inTx(ctx, func(tx *sql.Tx) error {
					_, err := tx.ExecContext(ctx, x.insert, from+int64(i), "paid")
					return err
				})
			}}, nil
		}},
		{Name: DedupeByHand, Start: func(ctx context.Context) (run.Running, error) {
			from := x.numbers()
			stmts, done, err := x.prepared(ctx, x.marks("SELECT COUNT(*) FROM bench_dedupe WHERE k = $1"), x.marks("INSERT INTO bench_dedupe (k) VALUES ($1)"))
			if err != nil {
				return run.Running{}, err
			}
			return run.Running{Verify: x.effects(from), Close: done, Op: func(ctx context.Context, i int) error {
				return x.inTx(ctx, func(tx *sql.Tx) error {
					if x.dialect == idem.SQLite { // else the read would be upgraded, and fail under load
						if _, err := tx.StmtContext(ctx, stmts[1]).ExecContext(ctx, from+int64(i)); err != nil {
							return err
						}
					} else {
						var n int
						if err := tx.StmtContext(ctx, stmts[0]).QueryRowContext(ctx, from+int64(i)).Scan(&n); err != nil || n > 0 {
							return fmt.Errorf("%d there, %w", n, err)
						}
						if _, err := tx.StmtContext(ctx, stmts[1]).ExecContext(ctx, from+int64(i)); err != nil {
							return err
						}
					}
					_, err := tx.ExecContext(ctx, x.insert, from+int64(i), "paid")
					return err
				})
			}}, nil
		}},
		{Name: Ours, Start: func(ctx context.Context) (run.Running, error) {
			from := x.numbers()
			s := guarded.NewIdempotentService(&guarded.Service{Insert: x.insert}, idem.New(idem.GlobalScope, idem.WithPruning(0)), x.store, x.store)
			return run.Running{Verify: x.effects(from), Op: func(ctx context.Context, i int) error {
				_, err := s.Pay(ctx, from+int64(i))
				return err
			}}, nil
		}},
	}
	if x.pool != nil {
		contestants = append(contestants,
			run.Contestant{Name: BarePgx, Start: func(ctx context.Context) (run.Running, error) {
				from := x.numbers()
				return run.Running{Verify: x.effects(from), Op: func(ctx context.Context, i int) error {
					return pgx.BeginFunc(ctx, x.pool, func(tx pgx.Tx) error {
						_, err := tx.Exec(ctx, x.insert, from+int64(i), "paid")
						return err
					})
				}}, nil
			}},
			run.Contestant{Name: OursPgx, Start: func(ctx context.Context) (run.Running, error) {
				from := x.numbers()
				s := guarded.NewIdempotentPgxService(&guarded.PgxService{Insert: x.insert}, idem.New(idem.GlobalScope, idem.WithPruning(0)), x.pgx)
				return run.Running{Verify: x.effects(from), Op: func(ctx context.Context, i int) error {
					_, err := s.Pay(ctx, from+int64(i))
					return err
				}}, nil
			}})
	}
	return run.Race{Group: "Runtime: transactions", Name: x.name + ": a fresh call with one effect", Unit: "call", Callers: callers, Contestants: contestants}
}

// Duplicates race: what a call that came before costs.
func Duplicates(x *database) run.Race {
	contestants := []run.Contestant{
		{Name: BareTx, Start: Transactions(x, nil).Contestants[0].Start},
		{Name: Ours, Start: func(ctx context.Context) (run.Running, error) {
			from := x.numbers()
			s := guarded.NewIdempotentService(&guarded.Service{Insert: x.insert}, idem.New(idem.GlobalScope, idem.WithPruning(0)), x.store, x.store)
			return run.Running{Op: func(ctx context.Context, _ int) error { _, err := s.Pay(ctx, from); return err },
				Verify: func(ctx context.Context, _ int) error { return x.effects(from)(ctx, 1) }}, nil
		}},
	}
	if x.pool != nil {
		contestants = append(contestants, run.Contestant{Name: OursPgx, Start: func(ctx context.Context) (run.Running, error) {
			from := x.numbers()
			s := guarded.NewIdempotentPgxService(&guarded.PgxService{Insert: x.insert}, idem.New(idem.GlobalScope, idem.WithPruning(0)), x.pgx)
			return run.Running{Op: func(ctx context.Context, _ int) error { _, err := s.Pay(ctx, from); return err },
				Verify: func(ctx context.Context, _ int) error { return x.effects(from)(ctx, 1) }}, nil
		}})
	}
	return run.Race{Group: "Runtime: transactions", Name: x.name + ": a duplicate", Unit: "call", Contestants: contestants}
}

// Events race: a once event without a body, with a history and a stored result.
func Events(x *database, callers []int) run.Race {
	rows := func(ctx context.Context, from int64) error { return x.parcels(ctx, from, parcelRows) }
	sent := func(from int64) func(ctx context.Context, ops int) error {
		return func(ctx context.Context, ops int) error {
			var n int
			err := x.db.QueryRowContext(ctx, fmt.Sprintf("SELECT COUNT(*) FROM bench_parcels WHERE status = 'SENT' AND id >= %d AND id < %d", from, from+1<<32)).Scan(&n)
			if err == nil && n != ops {
				err = fmt.Errorf("%d parcels sent by %d operations", n, ops)
			}
			return err
		}
	}
	byHand := func(history bool) func(context.Context) (run.Running, error) {
		return func(ctx context.Context) (run.Running, error) {
			from := x.numbers()
			stmts, done, err := x.prepared(ctx, x.marks("UPDATE bench_parcels SET status = 'SENT' WHERE id = $1"), //nolint:idemgen // meant to be unguarded
				x.marks("INSERT INTO bench_parcel_history (row_key, from_state, to_state, event, at_us) VALUES ($1, 'PACKED', 'SENT', 'Send', 0)"))
			if err != nil {
				return run.Running{}, err
			}
			return run.Running{Verify: sent(from), Close: done, Op: func(ctx context.Context, i int) error {
				return x.inTx(ctx, func(tx *sql.Tx) error {
					_, err := tx.StmtContext(ctx, stmts[0]).ExecContext(ctx, from+int64(i))
					if err == nil && history {
						_, err = tx.StmtContext(ctx, stmts[1]).ExecContext(ctx, from+int64(i))
					}
					return err
				})
			}}, rows(ctx, from)
		}
	}
	return run.Race{Group: "Runtime: events", Name: x.name + ": once + guard + history + result, without a body", Unit: "event", Callers: callers, Contestants: []run.Contestant{
		{Name: BareUpdate, Start: byHand(false)},
		{Name: BareHistory, Start: byHand(true)},
		{Name: Ours, Start: func(ctx context.Context) (run.Running, error) {
			from := x.numbers()
			engine := idem.New(idem.GlobalScope, idem.WithPruning(0))
			return run.Running{Verify: sent(from), Op: func(ctx context.Context, i int) error {
				id := from + int64(i)
				_, err := guarded.ParcelSendOnce(ctx, engine, x.store, fmt.Sprint(id), id)
				return err
			}}, rows(ctx, from)
		}},
	}}
}

// parcelRows are as many as one contestant sends in a race, at most.
const parcelRows = 60_000

// parcels puts parcels there.
func (x *database) parcels(ctx context.Context, from int64, n int) error {
	query := ""
	switch x.dialect {
	case idem.Postgres:
		query = fmt.Sprintf("INSERT INTO bench_parcels SELECT %d + g, 'PACKED' FROM generate_series(0, %d) g", from, n-1)
	case idem.MySQL:
		query = fmt.Sprintf("INSERT INTO bench_parcels SELECT %d + seq, 'PACKED' FROM seq_0_to_%d", from, n-1)
	default:
		query = fmt.Sprintf("INSERT INTO bench_parcels WITH RECURSIVE s(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM s WHERE i < %d) SELECT %d + i, 'PACKED' FROM s", n-1, from)
	}
	_, err := x.db.ExecContext(ctx, query)
	return err
}

// replaceMarks writes ? for $1, $2.
func replaceMarks(query string) string {
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
