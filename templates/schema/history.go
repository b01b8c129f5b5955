package schema

import (
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/templates/sqltext"
)

// ids are the columns that number the rows of a history: rows of one key are
// written under the lock of the guarded row, so that their order is the order of
// the transitions.
var ids = [...]string{
	sqltext.SQLite:   "INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT",
	sqltext.Postgres: "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
	sqltext.MySQL:    "BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY",
}

// history makes a history table and the index that guards read it by. Nothing in it
// is unique but the id: a self edge writes the same row twice.
func (w *writer) history(h *History) {
	state := w.columnType(h.State)
	if h.State == TypeText && w.d == sqltext.MySQL {
		state = mysqlText(h.Width)
	}
	lines := []string{
		"id " + ids[w.d],
		"row_key " + w.columnType(h.Key) + " NOT NULL",
		"from_state " + state + " NULL",
		"to_state " + state + " NOT NULL",
		"event " + w.columnType(TypeText) + " NOT NULL",
		"actor " + w.columnType(TypeText) + " NULL",
		"idem_key " + w.columnType(TypeText) + " NULL",
		"at_us " + w.columnType(TypeInt) + " NOT NULL",
	}
	index := short(h.Name[len(h.Name)-1] + "_row")
	if w.d == sqltext.MySQL {
		lines = append(lines, "KEY "+w.d.Name(index)+" (row_key, id)")
	}
	w.add("CREATE TABLE %s (\n\t%s\n)", w.d.Table(h.Name), strings.Join(lines, ",\n\t"))
	switch w.d {
	case sqltext.SQLite: // the index is in the schema of its own name, the table's stands bare
		w.add("CREATE INDEX %s ON %s (row_key, id)", w.inSchema(h.Name, index), w.d.Name(h.Name[len(h.Name)-1]))
	case sqltext.Postgres:
		w.add("CREATE INDEX %s ON %s (row_key, id)", w.d.Name(index), w.d.Table(h.Name))
	}
}

// moreHistory widens the states of a history that exists.
func (w *writer) moreHistory(before, now *History) {
	if w.d != sqltext.MySQL || now.State != TypeText || mysqlText(before.Width) == mysqlText(now.Width) {
		return
	}
	w.add("ALTER TABLE %s MODIFY from_state %s NULL, MODIFY to_state %s NOT NULL",
		w.d.Table(now.Name), mysqlText(now.Width), mysqlText(now.Width))
}

func historyError(before, now *History) error {
	switch {
	case before.Key != now.Key:
		return fmt.Errorf("the history %s holds keys of type %s, and %s now: write this migration by hand", joined(now.Name), before.Key, now.Key)
	case before.State != now.State:
		return fmt.Errorf("the history %s holds states of type %s, and %s now: write this migration by hand", joined(now.Name), before.State, now.State)
	}
	return nil
}
