package sqltext

import (
	"strings"

	"github.com/idemgen/idemgen/internal/model"
)

// Rows that are made: the guarded row itself, and those of the history.

// createEvent is the event of a history row that tells of a new row.
const createEvent = "Create"

// createWriter starts a statement whose caller passes the parameters of the
// creation alone.
func createWriter(d *dialect, m *model.Machine) *guardWriter {
	return &guardWriter{writer: writer{d: d, given: m.CreateParams}, m: m, params: 1}
}

// insert makes the row, unless a unique index is in its way, and tells which.
func (w *guardWriter) insert() {
	history := w.d == &postgres && len(w.m.History) > 0
	if history {
		w.text("WITH " + changed + " AS (")
	}
	columns := []string{w.key(), w.column()}
	if w.m.Version != "" {
		columns = append(columns, w.d.quote(w.m.Version))
	}
	given := append(w.m.Same[:len(w.m.Same):len(w.m.Same)], w.m.Create...)
	for _, a := range given {
		columns = append(columns, w.d.quote(a.Column))
	}
	w.text("INSERT INTO " + w.table() + " (" + strings.Join(columns, ", ") + ") VALUES (")
	w.arg(argKey)
	w.text(", " + w.d.literal(w.m.Initial.SQL))
	if w.m.Version != "" {
		w.text(", 0")
	}
	for _, a := range given {
		w.text(", ")
		w.frag(a.Expr, w.params)
	}
	w.text(")")
	if w.d == &mysql { // nothing changes, and LAST_INSERT_ID tells
		w.text(" ON DUPLICATE KEY UPDATE " + w.column() + " = IF(LAST_INSERT_ID(" + createRefused + "), " + w.column() + ", " + w.column() + ")")
		return
	}
	w.text(" ON CONFLICT DO NOTHING RETURNING ")
	if !history {
		w.text("1")
		return
	}
	w.text(w.key() + " AS row_key, " + w.column() + " AS to_state), idem_h AS (")
	w.historyOf("NULL", createEvent)
	w.text(") SELECT 1 FROM " + changed)
}

// createRefused is idem.CreateRefused.
const createRefused = "4611686018427387905"

// inTheWay reads what has the key already: its state, and whether it is one of
// the machine's rows.
func (w *guardWriter) inTheWay() {
	w.text("SELECT " + w.stateRead() + ", ")
	if len(w.m.Where) == 0 {
		w.text("1")
	} else {
		w.text("CASE WHEN ")
		w.frag(w.m.Where, w.params)
		w.text(" THEN 1 ELSE 0 END")
	}
	w.text(" FROM " + w.table() + " WHERE ")
	w.keyIs()
	if len(w.m.Where) > 0 { // a key may be unique in its tenant alone
		w.text(" ORDER BY 2 DESC LIMIT 1")
	}
	w.text(w.d.lock)
}

// historyColumns are those that a row of the history is given.
const historyColumns = "row_key, from_state, to_state, event, actor, idem_key, at_us"

// historyOf inserts the history of what was changed, in the same statement.
func (w *guardWriter) historyOf(from, event string) {
	w.text("INSERT INTO " + w.d.table(w.m.History) + " (" + historyColumns + ") SELECT row_key, " + from + ", to_state, " + w.d.text(event) + ", ")
	w.cast(argActor, "text")
	w.text(", ")
	w.cast(argIdemKey, "text")
	w.text(", " + w.d.now + " FROM " + changed)
}

// historyInsert is the statement of its own.
func historyInsert(d *dialect, m *model.Machine) Insert {
	if len(m.History) == 0 {
		return Insert{}
	}
	return Insert{
		Into: "INSERT INTO " + d.table(m.History) + " (" + historyColumns + ") VALUES ",
		Row:  "(?, ?, ?, ?, ?, ?, " + d.now + ")",
	}
}
