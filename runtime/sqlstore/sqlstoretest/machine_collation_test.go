package sqlstoretest

import (
	"errors"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
)

// A column whose collation folds case, or trims, holds no other states than one
// whose collation doesn't.
func TestLaw_S8_UnknownStateUnderCollations(t *testing.T) {
	on(t, everyDatabase, unknownStateUnderCollations)
}

func unknownStateUnderCollations(t *testing.T, d *database) {
	collations := map[idem.Dialect][]string{
		idem.SQLite: {"NOCASE", "RTRIM"},
		idem.MySQL:  {"utf8mb4_general_ci", "utf8mb4_bin"}, // both pad
	}
	for _, collation := range collations[d.dialect] {
		f := d.fixture(t)
		f.exec("CREATE TABLE orders (id VARCHAR(20) PRIMARY KEY, status VARCHAR(20) COLLATE " + collation + ")")
		for _, status := range []string{"created", "Created", "CREATED ", "created "} {
			f.order("o", status)
			for _, e := range []*idem.EventInfo{&eventPay, &eventCancel, &eventClose} {
				_, _, err := f.fire(e, "o")
				var unknown *idem.UnknownStateError
				if !errors.As(err, &unknown) || unknown.Value != status {
					t.Errorf("%s, %s of %q: %v", collation, e.Name, status, err)
				}
			}
		}
		f.order("o", "CREATED")
		if from, to, err := f.fire(&eventPay, "o"); err != nil || from == to {
			t.Errorf("%s: %d → %d, %v", collation, from, to, err)
		}
	}
}
