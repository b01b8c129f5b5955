package sqlstoretest

import (
	"errors"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
)

// What no guard matches is no state, however it looks.
func TestLaw_S8_LookAlikesAreUnknown(t *testing.T) {
	on(t, everyDatabase, lookAlikesAreUnknown)
}

func lookAlikesAreUnknown(t *testing.T, d *database) {
	f := d.shop(t)
	values := []any{"PAID ", "CREATED ", " PAID"}
	if d.dialect == idem.SQLite {
		values = append(values, []byte("PAID"), []byte("CREATED"))
	}
	for _, status := range values {
		f.order("o", status)
		_, _, err := f.fire(&eventPay, "o")
		if !errors.Is(err, idem.ErrUnknownState) || errors.Is(err, idem.ErrTransition) {
			t.Errorf("%T %q: %v", status, status, err)
		}
	}
}
