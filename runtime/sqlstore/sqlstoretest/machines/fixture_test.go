package machines

import (
	"database/sql"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// fixture is a database with the table of orders and its history.
type fixture struct {
	*testing.T
	on    *database
	db    *sql.DB
	idem  idem.DB
	guard OrderGuard
}

// now is the time of all tests.
var now = time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)

// onEach runs a test on every database.
func onEach(t *testing.T, test func(f *fixture)) {
	for _, d := range databases {
		t.Run(d.name, func(t *testing.T) {
			db := d.open(t)
			f := &fixture{T: t, on: d, db: db, idem: sqlstore.DB(db), guard: NewOrderGuard(d.dialect)}
			f.exec("CREATE TABLE orders (id VARCHAR(20) PRIMARY KEY, status VARCHAR(20) NOT NULL, tenant_id BIGINT, amount BIGINT, touches BIGINT, updated_at " +
				f.dialect("TIMESTAMP", "TIMESTAMPTZ", "DATETIME(6)") + ", paid_at " + f.dialect("TIMESTAMP", "TIMESTAMPTZ", "DATETIME(6)") + ", version BIGINT NOT NULL DEFAULT 0, lock_fence BIGINT)")
			f.history("order_history")
			test(f)
		})
	}
}

// dialect chooses by dialect.
func (f *fixture) dialect(sqlite, postgres, mysql string) string {
	return map[idem.Dialect]string{idem.SQLite: sqlite, idem.Postgres: postgres, idem.MySQL: mysql}[f.on.dialect]
}

func (f *fixture) history(table string) {
	f.exec("CREATE TABLE " + table + " (id " + f.dialect("INTEGER PRIMARY KEY AUTOINCREMENT", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY", "BIGINT AUTO_INCREMENT PRIMARY KEY") +
		", row_key VARCHAR(20) NOT NULL, from_state VARCHAR(20), to_state VARCHAR(20) NOT NULL, event VARCHAR(20) NOT NULL, actor VARCHAR(20), idem_key VARCHAR(200), at_us BIGINT NOT NULL)")
}

func (f *fixture) exec(query string) {
	f.Helper()
	if _, err := f.db.Exec(query); err != nil {
		f.Fatalf("%s: %v", query, err)
	}
}

func (f *fixture) count(query string) (n int) {
	f.Helper()
	if err := f.db.QueryRow("SELECT COUNT(*) FROM " + query).Scan(&n); err != nil {
		f.Fatalf("%s: %v", query, err)
	}
	return n
}

// store keeps records beside the orders.
func (f *fixture) store() *sqlstore.Store {
	f.Helper()
	s := sqlstore.New(f.db, f.on.dialect)
	if err := s.Migrate(f.Context()); err != nil {
		f.Fatal(err)
	}
	return s
}
