package sqltext

import (
	"slices"
	"strconv"
	"strings"
)

// Reads: the row lock, and the reads that say why an event did not apply (S2).

// stateRead is the state as it is read: all of a text on Postgres, where a driver
// may cut the padding of CHAR, or not.
func (w *guardWriter) stateRead() string {
	if v := w.m.States[0].SQL; w.d == &postgres && !v.Bool && !v.Number {
		return "CAST(" + w.column() + " AS text)"
	}
	return w.column()
}

// row selects the row: its key and what makes it one of the machine's.
func (w *guardWriter) row() {
	w.text(" FROM " + w.table() + " WHERE ")
	w.keyIs()
	w.predicate(w.m.Where, w.params)
}

// selectState reads the state.
func (w *guardWriter) selectState() {
	w.text("SELECT " + w.stateRead())
	w.row()
	w.text(w.d.lock)
}

// lockRow locks the row, for a once event on Postgres: other databases claim
// first, and lock the row by the update.
func (w *guardWriter) lockRow() {
	if w.d != &postgres {
		return
	}
	w.text("SELECT 1")
	w.row()
	w.text(" FOR UPDATE")
}

// Numbers of the predicates that fail, as idem.GuardPart has them.
const (
	failedWhere   = 1
	failedVersion = 2
	failedFence   = 3
)

// checks tells whether the event has predicates beside the state.
func (w *guardWriter) checks() bool {
	return len(w.e.Where) > 0 || w.m.Version != "" || w.m.Fence != "" || len(w.m.History) > 0
}

// check reads the state, the predicate that fails, 0 for none, and what the
// history knows.
func (w *guardWriter) check() {
	w.text("SELECT " + w.stateRead() + ", ")
	w.failed()
	if len(w.m.History) > 0 {
		w.text(", ")
		w.verdict()
	}
	w.row()
	w.text(w.d.lock)
}

func (w *guardWriter) failed() {
	none := true
	fails := func(part int, holds func()) {
		if none {
			w.text("CASE")
		}
		none = false
		w.text(" WHEN (")
		holds()
		w.text(") IS NOT TRUE THEN " + strconv.Itoa(part))
	}
	if w.m.Version != "" {
		fails(failedVersion, w.versionHolds)
	}
	if w.m.Fence != "" {
		fails(failedFence, w.fenceHolds)
	}
	if len(w.e.Where) > 0 {
		fails(failedWhere, func() { w.frag(w.e.Where, w.params) })
	}
	if none {
		w.text("0")
		return
	}
	w.text(" ELSE 0 END")
}

// verdict is what the history says of the last time that the row left one of the
// sources: 2 when it was by this event and nothing came later, 1 when something
// did, 0 when it was by another event; NULL when it never left one.
func (w *guardWriter) verdict() {
	const h, later = "idem_h", "idem_l"
	share := ""
	if w.d == &mysql { // an older snapshot would not see what the row's state is from
		share = " LOCK IN SHARE MODE"
	}
	history := w.d.table(w.m.History)
	state := w.table() + "." + w.column()
	if v := w.m.States[0].SQL; w.d == &postgres && !v.Bool && !v.Number { // the history holds a text where the column is of an enum
		state = "CAST(" + state + " AS text)"
	}
	w.text("(SELECT CASE WHEN " + w.d.exact(h+".event") + " <> " + w.d.text(w.e.Name))
	if w.e.Dynamic {
		w.text(" OR (" + w.compared(h+".to_state") + " = CASE ")
		w.bigint(argTarget)
		for _, to := range w.targets() {
			w.text(" WHEN " + strconv.Itoa(to) + " THEN " + w.literal(to))
		}
		w.text(" END) IS NOT TRUE")
	}
	w.text(" THEN 0 WHEN " + w.compared(h+".to_state") + " = " + w.compared(state) +
		" AND NOT EXISTS (SELECT 1 FROM " + history + " AS " + later + " WHERE " + later + ".row_key = " + h + ".row_key AND " +
		later + ".id > " + h + ".id" + share + ") THEN 2 ELSE 1 END FROM " + history + " AS " + h + " WHERE " + h + ".row_key = ")
	w.arg(argKey)
	w.text(" AND " + w.compared(h+".from_state") + w.oneOf(w.sources(), w.literal) +
		" ORDER BY " + h + ".id DESC LIMIT 1" + share + ")")
}

// form writes a statement in every dialect.
func form(start func(d *dialect) *guardWriter, write func(w *guardWriter)) Form {
	var texts [3]string
	var args [3][]int
	for i, d := range []*dialect{&sqlite, &postgres, &mysql} {
		w := start(d)
		write(w)
		texts[i], args[i] = w.b.String(), w.args
	}
	f := Form{SQLite: texts[0], Postgres: texts[1], MySQL: texts[2]}
	same := func(a, b int) bool { return texts[a] == "" || texts[b] == "" || slices.Equal(args[a], args[b]) }
	switch key := []int{argKey}; {
	case !same(0, 1) || !same(1, 2) || !same(0, 2):
		f.SQLiteArgs, f.PostgresArgs, f.MySQLArgs = args[0], args[1], args[2]
	case !slices.Equal(args[1], key):
		f.Args = args[1]
	}
	return f
}

// list writes a statement of one dialect that has gaps.
func list(w *guardWriter, write func()) List {
	write()
	l := List{Parts: append(w.parts, w.b.String())}
	at := 0
	for _, g := range w.gaps {
		l.Args = append(append(l.Args, w.args[at:g.at]...), g.arg)
		at = g.at
	}
	l.Args = append(l.Args, w.args[at:]...)
	return l
}

// String is the statement as a person reads it.
func (l List) String() string {
	marks := map[int]string{argKeys: "{keys}", argOrdinal: "{ordinals}", argLive: "{live}", argRecord: "{record}"}
	var b strings.Builder
	part := 0
	for _, a := range l.Args {
		if marks[a] != "" {
			b.WriteString(l.Parts[part] + marks[a])
			part++
		}
	}
	b.WriteString(l.Parts[part])
	return b.String()
}
