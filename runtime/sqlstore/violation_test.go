package sqlstore

import (
	"errors"
	"fmt"
	"testing"
)

// stateWithField is an error like lib/pq's: the field counts, not the words.
type stateWithField struct{ Constraint string }

func (stateWithField) Error() string {
	return `pq: duplicate key value violates unique constraint "wrong"`
}
func (stateWithField) SQLState() string { return "23505" }

type stateOnly struct{}

func (stateOnly) Error() string {
	return `ERROR: duplicate key value violates unique constraint "orders_no_key" (SQLSTATE 23505)`
}
func (stateOnly) SQLState() string { return "23505" }

func TestUniqueViolation(t *testing.T) {
	for _, c := range []struct {
		err  error
		name string
		ok   bool
	}{
		{stateWithField{"orders_no_key"}, "orders_no_key", true},
		{fmt.Errorf("insert: %w", errors.Join(errBusinessText, stateWithField{"orders_no_key"})), "orders_no_key", true},
		{stateOnly{}, "orders_no_key", true},
		{sqlState("23503"), "", false},
		{errBusinessText, "", false},
		{nil, "", false},
	} {
		if name, ok := UniqueViolation(c.err); name != c.name || ok != c.ok {
			t.Errorf("%v: %q, %v", c.err, name, ok)
		}
	}
	for text, want := range map[string]string{
		`Duplicate entry 'it's' for key 'orders_no'`:     "orders_no",
		`Duplicate entry '1' for key 'orders.orders_no'`: "orders_no",
		`Doppelter Eintrag '1' für Schlüssel 'PRIMARY'`:  "PRIMARY",
		`nothing quoted`: "",
	} {
		if got := lastQuoted(text, '\''); got != want {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// A text alone is no violation: a business error may quote one.
var errBusinessText = errors.New("UNIQUE constraint failed: orders.no")
