package machines

import (
	"database/sql"
	"os"
	"regexp"
	"slices"
	"testing"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

// database is what a test runs on.
type database struct {
	name    string
	dialect idem.Dialect
	driver  string
	server  func(testing.TB) *servers.SQLServer // nil: SQLite in memory
	param   [2]string                           // of the source name
	schema  string                              // makes the schema main, which SQLite has
}

var databases = []*database{
	{name: "sqlite", dialect: idem.SQLite, driver: "sqlite"},
	{name: "postgres", dialect: idem.Postgres, driver: "pgx", server: servers.Postgres, schema: "CREATE SCHEMA main"},
	{name: "mariadb", dialect: idem.MySQL, driver: "mysql", server: servers.MariaDB, schema: "CREATE DATABASE IF NOT EXISTS main"},
	{
		name: "mariadb,clientFoundRows", dialect: idem.MySQL, driver: "mysql", server: servers.MariaDB,
		param: [2]string{"clientFoundRows", "true"}, schema: "CREATE DATABASE IF NOT EXISTS main",
	},
}

// current is what the generated tests run on: SQLite, unless they are run by
// TestEveryMachineOnServers. They are not parallel.
var current = databases[0]

// openIdemTest is what the generated tests ask for.
func openIdemTest(t *testing.T) (idem.DB, idem.Dialect) {
	return sqlstore.DB(current.open(t)), current.dialect
}

// open makes an empty database.
func (d *database) open(t *testing.T) *sql.DB {
	t.Helper()
	dsn := ":memory:"
	if d.server != nil {
		db := d.server(t).Database(t)
		if d.param[0] != "" {
			db = db.With(d.param[0], d.param[1])
		}
		dsn = db.DSN()
	}
	db, err := sql.Open(d.driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if d.server == nil {
		db.SetMaxOpenConns(1)
		return db
	}
	if _, err := db.ExecContext(t.Context(), d.schema); err != nil {
		t.Fatal(err)
	}
	return db
}

type generatedTest struct {
	name string
	test func(*testing.T)
}

// generated are the tests that the generator made.
var generated = []generatedTest{
	{"TestIdemBill", TestIdemBill},
	{"TestIdemDelivery", TestIdemDelivery},
	{"TestIdemDoc", TestIdemDoc},
	{"TestIdemGate", TestIdemGate},
	{"TestIdemGrade", TestIdemGrade},
	{"TestIdemInvoice", TestIdemInvoice},
	{"TestIdemJob", TestIdemJob},
	{"TestIdemLevel", TestIdemLevel},
	{"TestIdemMood", TestIdemMood},
	{"TestIdemOrder", TestIdemOrder},
	{"TestIdemParcel", TestIdemParcel},
	{"TestIdemPayment", TestIdemPayment},
	{"TestIdemPhase", TestIdemPhase},
	{"TestIdemStep", TestIdemStep},
	{"TestIdemSwitch", TestIdemSwitch},
	{"TestIdemTicket", TestIdemTicket},
}

// They run on the other databases, too.
func TestEveryMachineOnServers(t *testing.T) {
	for _, d := range databases[1:] {
		t.Run(d.name, func(t *testing.T) {
			current = d
			defer func() { current = databases[0] }()
			for _, g := range generated {
				t.Run(g.name, g.test)
			}
		})
	}
}

// None of them is missing from the list.
func TestEveryGeneratedTestIsListed(t *testing.T) {
	src, err := os.ReadFile("idem_gen_machine_test.go")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^func (TestIdem\w+)\(`).FindAllSubmatch(src, -1)
	if len(found) != len(generated) {
		t.Errorf("%d tests are generated, %d are listed", len(found), len(generated))
	}
	for _, f := range found {
		name := string(f[1])
		if !slices.ContainsFunc(generated, func(g generatedTest) bool { return g.name == name }) {
			t.Errorf("%s is not listed", name)
		}
	}
}
