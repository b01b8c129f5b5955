// Package growth measures whether claims, duplicates, completions and pruning stay as
// fast when the table of records grows from ten thousand to ten million.
//
// The flow: a server of its own for each kind of database, set so that the largest table
// is in its memory (database.go); tables as a long life leaves them (load.go); races
// whose contestants are the sizes, ours and the same INSERT by hand on the same table
// side by side (races.go), which put the tables back as they were; what it came to, with
// the server's own counters, and the bars (report.go). races.go's last race asks again
// with a pool that holds a fraction of the largest table.
package growth

import (
	"context"
	"database/sql"
	"fmt"
	"testing"

	_ "github.com/go-sql-driver/mysql" // the driver called "mysql"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver called "pgx"

	"github.com/idemgen/idemgen/internal/bench/run"
	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
)

const connections = 64

// Config bounds what is measured.
type Config struct {
	Sizes   []int // of the tables, in records, ascending
	Callers []int
	PoolMiB int // of the server's pool of pages: room for the largest table
	// ScarceMiB is a pool that does not hold the largest table, 0 = not asked.
	ScarceMiB int
	// Hasty does not wait until a server has tidied up, for runs that nobody reads.
	Hasty bool
	Run   run.Config
}

// Kind is a kind of database.
type Kind struct {
	Name    string
	driver  string
	dialect idem.Dialect
	// start starts a server for one test, with a pool of so many MiB.
	start    func(t testing.TB, poolMiB int) *servers.SQLServer
	Settings func(poolMiB int) string // for people
}

// Kinds are Postgres and MariaDB.
func Kinds() []Kind {
	return []Kind{
		{
			Name: "Postgres", driver: "pgx", dialect: idem.Postgres,
			start: func(t testing.TB, mib int) *servers.SQLServer {
				return servers.NewPostgres(t, servers.Setting("shared_buffers", fmt.Sprintf("%dMB", mib)),
					servers.Setting("max_wal_size", "4GB"), servers.Setting("checkpoint_timeout", "30min"), servers.Setting("autovacuum", "off"))
			},
			Settings: func(mib int) string {
				return fmt.Sprintf("shared_buffers %d MiB, max_wal_size 4 GB, full_page_writes on, fsync off; no autovacuum, small tables are vacuumed between samples instead", mib)
			},
		},
		{
			Name: "MariaDB", driver: "mysql", dialect: idem.MySQL,
			start: func(t testing.TB, mib int) *servers.SQLServer {
				return servers.NewMariaDB(t, servers.Setting("innodb-buffer-pool-size", fmt.Sprintf("%dM", mib)),
					servers.Setting("innodb-log-file-size", "2G"), servers.Setting("innodb-monitor-enable", "index_page_splits"))
			},
			Settings: func(mib int) string {
				return fmt.Sprintf("innodb_buffer_pool_size %d MiB, innodb_log_file_size 2 GiB, innodb_flush_log_at_trx_commit 2, doublewrite on", mib)
			},
		},
	}
}

// Database is one whose tables grow.
type Database struct {
	Kind
	config Config
	server *servers.SQLServer
	db     *sql.DB
	tables []*table
	runs   int // races that were started, to tell their rows apart
}

// Open starts a server, which ends with the test.
func (k Kind) Open(t testing.TB, c Config) *Database {
	t.Helper()
	server := k.start(t, c.PoolMiB)
	db, err := sql.Open(k.driver, server.Database(t).DSN())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return &Database{Kind: k, config: c, server: server, db: db}
}

// exec runs statements that nobody times, one after the other on one connection, and
// returns how many rows the last one touched.
func (d *Database) exec(ctx context.Context, statements ...string) (n int64, err error) {
	conn, err := d.db.Conn(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	for _, text := range statements {
		res, err := conn.ExecContext(ctx, text)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", text, err)
		}
		n, _ = res.RowsAffected() // a statement that has none says 0 or an error
	}
	return n, nil
}

func (d *Database) number(ctx context.Context, query string) (n float64, err error) {
	if err := d.db.QueryRowContext(ctx, query).Scan(&n); err != nil {
		return 0, fmt.Errorf("%s: %w", query, err)
	}
	return n, nil
}
