package ticket

import (
	"os"
	"testing"

	"github.com/idemgen/idemgen/examples/tickets/internal/testdb"
	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

// openIdemTest is what the generated test asks for: by itself it runs on SQLite.
func openIdemTest(t *testing.T) (idem.DB, idem.Dialect) {
	db, dialect := testdb.Open(t)
	pool, err := db.DB()
	if err != nil {
		t.Fatal(err)
	}
	if dialect == idem.SQLite {
		pool.SetMaxOpenConns(1)
	}
	return sqlstore.DB(pool), dialect
}

// The generated test on servers: each event in each state, and races.
func TestIdemStatusOnServers(t *testing.T) { testdb.OnServers(t, TestIdemStatus) }
