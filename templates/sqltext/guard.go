package sqltext

import (
	"github.com/idemgen/idemgen/internal/model"
)

// Numbers of the arguments that the runtime passes; behind the key, which is 0,
// come what callers pass, from 1. They are those of package idem.
const (
	argKey     = 0
	argActor   = -1
	argIdemKey = -2
	argTarget  = -3
	argKeys    = -4
	argOrdinal = -5
	argLive    = -6
	argRecord  = -7
)

// Names inside the statements. They begin with idem_, so that bare columns in
// fragments of the user's stay unambiguous.
const (
	locked     = "idem_w"    // the row as it was, locked
	lockedKey  = "idem_key"  // its key
	lockedFrom = "idem_from" // its state
	changed    = "idem_u"    // the row as it was changed
)

// guardWriter writes one statement of a machine in one dialect: the pieces that
// statements share. What it is about stands in the struct; each method appends.
type guardWriter struct {
	writer
	m      *model.Machine
	e      *model.Event // nil in statements that no event has of its own
	edges  []model.Edge
	params int // number of the first parameter of the user's
	parts  []string
	gaps   []gap
}

// gap is a place that another fills: where it stands among the arguments.
type gap struct{ at, arg int }

// gap ends a part.
func (w *guardWriter) gap(arg int) {
	w.gaps = append(w.gaps, gap{len(w.args), arg})
	w.parts = append(w.parts, w.b.String())
	w.b.Reset()
}

// eventWriter starts a statement of an event, or of a machine alone. Its callers
// pass the expected version, the fence and the parameters.
func eventWriter(d *dialect, m *model.Machine, e *model.Event) *guardWriter {
	w := &guardWriter{writer: writer{d: d}, m: m, e: e, params: 1}
	if m.Version != "" {
		w.params++
	}
	if m.Fence != "" {
		w.params++
	}
	w.given = m.Params
	if e != nil {
		w.edges, w.given = edges(e), e.Params
	}
	return w
}

// versionArg and fenceArg are the numbers of these arguments.
func (w *guardWriter) versionArg() int { return 1 }

func (w *guardWriter) fenceArg() int { return w.params - 1 }

func (w *guardWriter) table() string  { return w.d.table(w.m.Table) }
func (w *guardWriter) key() string    { return w.d.quote(w.m.Key) }
func (w *guardWriter) column() string { return w.d.quote(w.m.Column) }

// literal writes the value of a state.
func (w *guardWriter) literal(state int) string { return w.d.literal(w.m.States[state].SQL) }

// compared is a state's column as it is compared with literals.
func (w *guardWriter) compared(column string) string {
	return w.d.compared(column, w.m.States[0].SQL)
}

// keyIs selects the row.
func (w *guardWriter) keyIs() {
	w.text(w.key() + " = ")
	w.arg(argKey)
}

// keyIn selects rows of a list.
func (w *guardWriter) keyIn() {
	w.text(w.key() + " IN (")
	w.gap(argKeys)
	w.text(")")
}

// ordinal is the place of a row's key in the list.
func (w *guardWriter) ordinal(key string) {
	w.text("CASE " + key + " ")
	w.gap(argOrdinal)
	w.text(" END")
}

// guards are the predicates that the event needs besides key and version: the
// state, the machine's where= and its own, the fence.
func (w *guardWriter) guards() {
	w.text(" AND ")
	w.inSource()
	w.predicate(w.m.Where, w.params)
	w.predicate(w.e.Where, w.params)
	if w.m.Fence != "" {
		w.text(" AND ")
		w.fenceHolds()
	}
}

// version is the predicate on the version, behind guards.
func (w *guardWriter) version() {
	if w.m.Version != "" {
		w.text(" AND ")
		w.versionHolds()
	}
}

// versionHolds is true of the expected version, and of every one when that is
// idem.AnyVersion.
func (w *guardWriter) versionHolds() {
	w.bigint(w.versionArg())
	w.text(" IN (" + w.d.quote(w.m.Version) + ", -1)")
}

func (w *guardWriter) fenceHolds() {
	fence := w.d.quote(w.m.Fence)
	w.text("(" + fence + " IS NULL OR " + fence + " <= ")
	w.bigint(w.fenceArg())
	w.text(")")
}

// bigint writes a placeholder for an integer: Postgres would else take the type
// from what it is compared with.
func (w *guardWriter) bigint(n int) { w.cast(n, "bigint") }

// cast writes a placeholder that Postgres gives a type.
func (w *guardWriter) cast(n int, typ string) {
	if w.d != &postgres {
		w.arg(n)
		return
	}
	w.text("CAST(")
	w.arg(n)
	w.text(" AS " + typ + ")")
}
