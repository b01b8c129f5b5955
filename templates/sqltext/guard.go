package sqltext

import (
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
)

// Guard is the row that a state machine guards.
type Guard struct {
	Table  []string // ["shop", "orders"] for shop.orders
	Key    string   // the column that selects the row
	Column string   // the column that holds the state
}

// Edge is one transition, as the column holds its states.
type Edge struct{ From, To model.SQLValue }

// Texts is one statement in every dialect.
type Texts struct{ SQLite, Postgres, MySQL string }

// Update is the guarded update of an event (S1). Its only argument is the key.
type Update struct {
	// SQLite has one statement per edge, to be tried in order: its RETURNING sees
	// new values only, so the source state is known from the statement that
	// affected a row.
	SQLite []string
	// Postgres returns the 1-based index of the edge that matched; no row when none did.
	Postgres string
	// MySQL passes the same index to LAST_INSERT_ID: matched is told from changed,
	// with clientFoundRows on or off.
	MySQL string
}

// Update writes the update of an event with these edges, at least one.
func (g Guard) Update(edges []Edge) Update {
	u := Update{Postgres: g.postgresUpdate(edges), MySQL: g.mysqlUpdate(edges)}
	for _, e := range edges {
		u.SQLite = append(u.SQLite, g.plainUpdate(&sqlite, e))
	}
	return u
}

// Select writes the classifying read (S2): the state of the row, by key.
func (g Guard) Select() Texts {
	read := func(d *dialect) string {
		return "SELECT " + d.quote(g.Column) + " FROM " + d.table(g.Table) + " WHERE " + g.keyIs(d) + d.lock
	}
	return Texts{SQLite: read(&sqlite), Postgres: read(&postgres), MySQL: read(&mysql)}
}

// plainUpdate is the form for one edge, where the predicate says the source.
func (g Guard) plainUpdate(d *dialect, e Edge) string {
	return "UPDATE " + d.table(g.Table) +
		" SET " + d.quote(g.Column) + " = " + d.literal(e.To) +
		" WHERE " + g.keyIs(d) + " AND " + g.stateIn(d, []Edge{e})
}

// postgresUpdate takes the source from a locking sub-select: a plain self-join
// would report one that is stale when the statement had to wait for the row.
func (g Guard) postgresUpdate(edges []Edge) string {
	d := &postgres
	if len(edges) == 1 {
		return g.plainUpdate(d, edges[0]) + " RETURNING 1"
	}
	key, column, table := d.quote(g.Key), d.quote(g.Column), d.table(g.Table)
	return "UPDATE " + table + " AS t" +
		" SET " + column + " = " + target(d, "w."+column, edges) +
		" FROM (SELECT " + key + ", " + column + " FROM " + table +
		" WHERE " + g.keyIs(d) + " AND " + g.stateIn(d, edges) + " FOR UPDATE) AS w" +
		" WHERE t." + key + " = w." + key +
		" RETURNING " + edgeIndex(d, "w."+column, edges)
}

func (g Guard) mysqlUpdate(edges []Edge) string {
	d := &mysql
	column := d.quote(g.Column)
	to := target(d, column, edges)
	return "UPDATE " + d.table(g.Table) +
		" SET " + column + " = IF(LAST_INSERT_ID(" + edgeIndex(d, column, edges) + "), " + to + ", " + to + ")" +
		" WHERE " + g.keyIs(d) + " AND " + g.stateIn(d, edges)
}

// keyIs is the predicate that selects the row; the key is the first argument.
func (g Guard) keyIs(d *dialect) string { return d.quote(g.Key) + " = " + d.placeholder(1) }

// stateIn is the predicate that the row is in one of the sources.
func (g Guard) stateIn(d *dialect, edges []Edge) string {
	column := d.compared(d.quote(g.Column), edges[0].From)
	if len(edges) == 1 {
		return column + " = " + d.literal(edges[0].From)
	}
	sources := make([]string, len(edges))
	for i, e := range edges {
		sources[i] = d.literal(e.From)
	}
	return column + " IN (" + strings.Join(sources, ", ") + ")"
}

// target is the new state: a literal, or a choice by source. The ELSE is never
// taken; it gives the expression the column's own type.
func target(d *dialect, column string, edges []Edge) string {
	same := true
	for _, e := range edges {
		same = same && e.To == edges[0].To
	}
	if same {
		return d.literal(edges[0].To)
	}
	return choice(d, column, edges, func(i int) string { return d.literal(edges[i].To) }, " ELSE "+column)
}

// edgeIndex is the 1-based index of the edge that leaves the row's state.
func edgeIndex(d *dialect, column string, edges []Edge) string {
	return choice(d, column, edges, func(i int) string { return strconv.Itoa(i + 1) }, "")
}

// choice is a CASE over the sources.
func choice(d *dialect, column string, edges []Edge, then func(i int) string, otherwise string) string {
	var b strings.Builder
	b.WriteString("CASE " + d.compared(column, edges[0].From))
	for i, e := range edges {
		b.WriteString(" WHEN " + d.literal(e.From) + " THEN " + then(i))
	}
	b.WriteString(otherwise + " END")
	return b.String()
}
