package sqltext

import (
	"math"
	"strconv"
)

// Update and its forms over many rows (S1). Each tells the edge that a row went
// along, and its new version where the machine has one.

// update is the guarded update of one row.
func (w *guardWriter) update() {
	switch w.d {
	case &postgres:
		if w.single() && len(w.m.History) == 0 {
			w.plainUpdate()
			return
		}
		w.postgresUpdate(oneRow)
	case &sqlite:
		if w.single() {
			w.plainUpdate()
			return
		}
		w.sqliteUpdate(oneRow)
	case &mysql:
		w.mysqlUpdate()
	}
}

// single tells that the source is known from the predicate.
func (w *guardWriter) single() bool { return len(w.sources()) == 1 }

// plainUpdate is the form for one source.
func (w *guardWriter) plainUpdate() {
	w.text("UPDATE " + w.table())
	w.set(func() { w.to(w.column()) })
	w.text(" WHERE ")
	w.keyIs()
	w.guards()
	w.version()
	w.text(" RETURNING 1")
	w.returnVersion("")
}

// returnVersion adds the version to what is returned.
func (w *guardWriter) returnVersion(as string) {
	if w.m.Version != "" {
		w.text(", " + w.d.quote(w.m.Version) + as)
	}
}

// extent says which rows a statement is about, and what completes it.
type extent uint8

const (
	oneRow extent = iota
	manyRows
	onceRow // one row, with a record that the store adds
)

// postgresUpdate takes the source from a locking sub-select: a plain self-join
// would report one that is stale when the statement had to wait for the row. The
// update says once more which row it is, since a key may be unique in its tenant
// alone. History and record are inserted from what was updated.
func (w *guardWriter) postgresUpdate(x extent) {
	history := len(w.m.History) > 0
	if history || x == onceRow {
		w.text("WITH " + changed + " AS (")
	}
	from := locked + "." + lockedFrom
	w.text("UPDATE " + w.table())
	w.set(func() { w.to(from) })
	w.text(" FROM (")
	w.lockedRows(x)
	switch x {
	case manyRows: // in one order, so that two batches don't deadlock
		w.text(" ORDER BY " + w.key())
	case onceRow:
		w.gap(argLive)
	}
	w.text(" FOR UPDATE) AS " + locked + " WHERE " + w.key() + " = " + locked + "." + lockedKey)
	w.predicate(w.m.Where, w.params)
	w.text(" RETURNING ")
	if x == manyRows {
		w.ordinal(locked + "." + lockedKey)
		if history {
			w.text(" AS ordinal")
		}
		w.text(", ")
	}
	w.text(w.edge(from))
	if !history && x != onceRow {
		w.returnVersion("")
		return
	}
	w.text(" AS edge, " + locked + "." + lockedKey + " AS row_key, " + from + " AS from_state, " + w.column() + " AS to_state")
	if w.m.Version == "" && x == onceRow {
		w.text(", CAST(NULL AS bigint) AS version")
	}
	w.returnVersion(" AS version")
	w.text(")")
	if x == onceRow {
		w.gap(argRecord)
	}
	if history {
		w.text(", idem_h AS (")
		w.historyOf("from_state", w.e.Name)
		w.text(")")
	}
	w.text(" SELECT ")
	if x == manyRows {
		w.text("ordinal, ")
	}
	w.text("edge")
	if w.m.Version != "" {
		w.text(", version")
	}
	w.text(" FROM " + changed)
}

// lockedRows reads keys and states of the rows that the event applies to.
func (w *guardWriter) lockedRows(x extent) {
	w.text("SELECT " + w.key() + " AS " + lockedKey + ", " + w.column() + " AS " + lockedFrom + " FROM " + w.table() + " WHERE ")
	if x == manyRows {
		w.keyIn()
		w.guards()
		return
	}
	w.keyIs()
	w.guards()
	w.version()
}

// sqliteUpdate knows the source from a table expression that is made before the
// first row changes and kept until the last one has: RETURNING alone sees new
// values only.
func (w *guardWriter) sqliteUpdate(x extent) {
	w.text("WITH " + locked + " AS MATERIALIZED (")
	w.lockedRows(x)
	w.text(") UPDATE " + w.table())
	w.set(func() { w.to(w.column()) })
	w.text(" WHERE " + w.key() + " IN (SELECT " + lockedKey + " FROM " + locked + ")")
	w.predicate(w.m.Where, w.params)
	w.text(" RETURNING ")
	if x == manyRows {
		w.ordinal(w.key())
		w.text(", ")
	}
	own := w.d.quote(w.m.Table[len(w.m.Table)-1]) + "." + w.key()
	w.text("(SELECT " + w.edge(lockedFrom) + " FROM " + locked + " WHERE " + lockedKey + " = " + own + ")")
	w.returnVersion("")
}

// mysqlUpdate hands the edge to LAST_INSERT_ID, which tells matched rows from
// changed ones, with clientFoundRows on or off. Where there is a version the
// number is edge + (edges + 1) * version, with version 0 where it would be too large.
func (w *guardWriter) mysqlUpdate() {
	w.text("UPDATE " + w.table())
	w.set(func() {
		w.text("IF(LAST_INSERT_ID(" + w.edge(w.column()))
		if w.m.Version != "" {
			base := int64(len(w.edges) + 1)
			version := w.d.quote(w.m.Version)
			w.text(" + " + strconv.FormatInt(base, 10) + " * IF(" + version + " BETWEEN 0 AND " +
				strconv.FormatInt(math.MaxInt64/base-2, 10) + ", " + version + " + 1, 0)")
		}
		w.text("), ")
		w.to(w.column())
		w.text(", ")
		w.to(w.column())
		w.text(")")
	})
	w.text(" WHERE ")
	w.keyIs()
	w.guards()
	w.version()
}

// mysqlRead locks the rows of a list that the event applies to.
func (w *guardWriter) mysqlRead() {
	w.text("SELECT ")
	w.ordinal(w.key())
	w.text(", " + w.edge(w.column()))
	if w.m.Version != "" {
		w.text(", " + w.d.quote(w.m.Version) + " + 1")
	}
	w.text(" FROM " + w.table() + " WHERE ")
	w.keyIn()
	w.guards()
	w.text(" ORDER BY " + w.key() + " FOR UPDATE")
}

// mysqlUpdateAll changes the rows that mysqlRead has locked.
func (w *guardWriter) mysqlUpdateAll() {
	w.text("UPDATE " + w.table())
	w.set(func() { w.to(w.column()) })
	w.text(" WHERE ")
	w.keyIn()
	w.guards()
}
