package sqlstoretest

import (
	"fmt"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// The name of a violated index, as each driver tells it.
func TestUniqueViolationNamesTheIndex(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		f := d.fixture(t)
		f.exec("CREATE TABLE numbers (id INTEGER PRIMARY KEY, no INTEGER NOT NULL, shop INTEGER NOT NULL CHECK (shop > 0))")
		f.exec("CREATE UNIQUE INDEX numbers_no ON numbers (shop, no)")
		f.exec("INSERT INTO numbers VALUES (1, 1, 1)")
		want := map[idem.Dialect][2]string{
			idem.SQLite:   {"numbers.shop, numbers.no", "numbers.id"},
			idem.Postgres: {"numbers_no", "numbers_pkey"},
			idem.MySQL:    {"numbers_no", "PRIMARY"},
		}[d.dialect]
		for i, values := range []string{"(2, 1, 1)", "(1, 2, 2)"} {
			_, err := f.db.Exec("INSERT INTO numbers VALUES " + values)
			if name, ok := sqlstore.UniqueViolation(fmt.Errorf("insert: %w", err)); !ok || name != want[i] {
				t.Errorf("%s: %q, %v of %v", values, name, ok, err)
			}
		}
		for _, other := range []string{"INSERT INTO numbers VALUES (3, 3, 0)", "INSERT INTO nowhere VALUES (1)"} {
			_, err := f.db.Exec(other)
			if name, ok := sqlstore.UniqueViolation(err); ok || err == nil {
				t.Errorf("%s: %q of %v", other, name, err)
			}
		}
	})
}
