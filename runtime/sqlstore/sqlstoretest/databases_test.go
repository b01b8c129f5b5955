package sqlstoretest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/lib/pq"
	"modernc.org/sqlite"
)

// database is one row of the table of what the laws are tested on: a driver
// and the kind of server behind it.
type database struct {
	name    string
	dialect idem.Dialect
	// shared is the server that the tests of a run share, private one for a test
	// alone; nil where a database is a file.
	shared  func(t testing.TB) *servers.SQLServer
	private func(t testing.TB, opts ...servers.Option) *servers.SQLServer
	params  [][2]string // of the source name
	// connector is the driver's, for a source name.
	connector func(source string) (driver.Connector, error)
}

// sqliteFile is what tests of SQLite's own ways run on.
var sqliteFile = &database{
	name: "modernc", dialect: idem.SQLite,
	connector: func(source string) (driver.Connector, error) { return sourced{&sqlite.Driver{}, source}, nil },
}

var (
	pgxOnPostgres = &database{
		name: "pgx", dialect: idem.Postgres,
		shared: servers.Postgres, private: servers.NewPostgres,
		connector: func(source string) (driver.Connector, error) {
			c, err := pgx.ParseConfig(source)
			if err != nil {
				return nil, err
			}
			return stdlib.GetConnector(*c), nil
		},
	}
	pqOnPostgres = &database{
		name: "pq", dialect: idem.Postgres,
		shared: servers.Postgres, private: servers.NewPostgres,
		connector: func(source string) (driver.Connector, error) { return pq.NewConnector(source) },
	}
	mariaDB = &database{
		name: "mysql", dialect: idem.MySQL,
		shared: servers.MariaDB, private: servers.NewMariaDB,
		connector: mysqlConnector,
	}
	// The other way to configure the driver: rows matched are counted, and
	// values are put into the text.
	mariaDBFoundRows = &database{
		name: "mysql,clientFoundRows", dialect: idem.MySQL,
		shared: servers.MariaDB, private: servers.NewMariaDB,
		params:    [][2]string{{"clientFoundRows", "true"}, {"interpolateParams", "true"}},
		connector: mysqlConnector,
	}
)

func mysqlConnector(source string) (driver.Connector, error) {
	c, err := mysql.ParseDSN(source)
	if err != nil {
		return nil, err
	}
	c.Logger = &mysql.NopLogger{} // lost connections are what some tests are about
	return mysql.NewConnector(c)
}

// Which databases a test runs on.
var (
	everyDatabase = []*database{sqliteFile, pgxOnPostgres, pqOnPostgres, mariaDB, mariaDBFoundRows}
	everyServer   = everyDatabase[1:]
	oneOfEach     = []*database{sqliteFile, pgxOnPostgres, mariaDB}
	bothServers   = oneOfEach[1:]
)

// on runs a test on each of the databases.
func on(t *testing.T, list []*database, test func(t *testing.T, d *database)) {
	t.Helper()
	for _, d := range list {
		t.Run(d.name, func(t *testing.T) { test(t, d) })
	}
}

// sourced is the connector of a driver that has none.
type sourced struct {
	driver driver.Driver
	source string
}

func (s sourced) Connect(context.Context) (driver.Conn, error) { return s.driver.Open(s.source) }
func (s sourced) Driver() driver.Driver                        { return s.driver }

// create makes an empty database and tells its source name.
func (d *database) create(t testing.TB) string {
	t.Helper()
	if d.shared == nil {
		return dsn(filepath.Join(t.TempDir(), "test.db"))
	}
	return d.source(d.shared(t).Database(t))
}

// source is a database's source name for the driver.
func (d *database) source(db *servers.Database) string {
	for _, p := range d.params {
		db = db.With(p[0], p[1])
	}
	return db.DSN()
}

// open opens a pool that the test closes at its end.
func (d *database) open(t testing.TB, source string) *sql.DB {
	t.Helper()
	c, err := d.connector(source)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(c)
	t.Cleanup(func() { db.Close() })
	return db
}

// fixtureOn is a new database on a server of the test's own.
func (d *database) fixtureOn(t testing.TB, server *servers.SQLServer, opts ...sqlstore.Option) *fixture {
	t.Helper()
	source := d.source(server.Database(t))
	return d.setUp(t, source, d.open(t, source), opts)
}

// fixture is a new database with the runtime's tables and a business table.
func (d *database) fixture(t testing.TB, opts ...sqlstore.Option) *fixture {
	t.Helper()
	source := d.create(t)
	return d.setUp(t, source, d.open(t, source), opts)
}

// setUp makes the tables.
func (d *database) setUp(t testing.TB, source string, db *sql.DB, opts []sqlstore.Option) *fixture {
	t.Helper()
	f := d.over(t, source, db, opts...)
	if err := f.store.Migrate(context.Background()); err != nil {
		t.Fatal(err)
	}
	f.exec("CREATE TABLE effects (id " + blobType[d.dialect] + " NOT NULL, n INTEGER NOT NULL)")
	return f
}

var blobType = [...]string{idem.SQLite: "BLOB", idem.Postgres: "bytea", idem.MySQL: "LONGBLOB"}

// over is a store on a pool, and all that tests do with it.
func (d *database) over(t testing.TB, source string, db *sql.DB, opts ...sqlstore.Option) *fixture {
	return &fixture{TB: t, on: d, source: source, db: db, store: sqlstore.New(db, d.dialect, opts...)}
}

// process is a store on another pool of the same database: it shares nothing
// with the fixture's but the server, as another process would.
func (f *fixture) process(opts ...sqlstore.Option) *fixture {
	f.Helper()
	return f.on.over(f.TB, f.source, f.on.open(f.TB, f.source), opts...)
}

// text writes question marks the way the database wants them.
func (d *database) text(query string) string { return rebind(d.dialect, query) }

func rebind(d idem.Dialect, query string) string {
	if d != idem.Postgres {
		return query
	}
	var out strings.Builder
	for n := 1; ; n++ {
		before, after, found := strings.Cut(query, "?")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		out.WriteString("$" + strconv.Itoa(n))
		query = after
	}
}

// dsn is a SQLite file as a service would open it: write-ahead log, and
// writers that queue instead of failing at once.
func dsn(path string) string {
	q := url.Values{"_pragma": {"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(NORMAL)"}}
	return "file:" + path + "?" + q.Encode()
}
