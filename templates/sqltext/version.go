package sqltext

import "github.com/idemgen/idemgen/internal/model"

// Versioned is the row that an optimistic lock guards (V1).
type Versioned struct {
	Table   []string // schema first
	Key     []string // the columns that select the row
	Version string   // the version column
	// Where is the predicate that a row must meet to be found at all; nil for none.
	Where model.Frag
	// Given are the parameters that the fragments may name, those of Where first. Where
	// none are given, the places of parameters tell their types.
	Given []model.SQLParam
}

// VersionUpdate is what one update writes.
type VersionUpdate struct {
	Set     []model.Assign // either this
	Columns []string       // or these, each an argument
	// Params is the number of parameters that the fragments may name.
	Params int
	// Where must hold besides; nil for none.
	Where model.Frag
}

// VersionStatement is one statement in every dialect. Its nth placeholder stands for
// argument Args[n]: 0 is the expected version, then come the keys, the parameters
// and the values of columns, each in order.
type VersionStatement struct {
	SQLite, Postgres, MySQL string
	Args                    []int
}

// Update writes the update: the version is compared and bumped, and bumped last,
// since MySQL evaluates assignments from left to right.
func (v Versioned) Update(u VersionUpdate) VersionStatement {
	return versionStatement(func(w *writer) {
		w.given = v.Given
		w.text("UPDATE " + w.d.table(v.Table) + " SET ")
		for _, a := range u.Set {
			w.text(w.d.quote(a.Column) + " = ")
			w.frag(a.Expr, v.params())
			w.text(", ")
		}
		for i, c := range u.Columns {
			w.text(w.d.quote(c) + " = ")
			w.arg(v.params() + u.Params + i)
			w.text(", ")
		}
		version := w.d.quote(v.Version)
		w.text(version + " = " + version + " + 1 WHERE ")
		v.row(w)
		w.text(" AND " + version + " = ")
		w.arg(0)
		w.predicate(u.Where, v.params())
	})
}

// Select writes the read that tells why an update without a where= of its own
// did not match: the version of the row.
func (v Versioned) Select() VersionStatement { return v.read("") }

// Check writes the read for an update that has a where= of its own: the version,
// and whether that predicate holds.
func (v Versioned) Check(where model.Frag) VersionStatement { return v.read(", CASE WHEN ", where...) }

func (v Versioned) read(before string, where ...model.FragToken) VersionStatement {
	return versionStatement(func(w *writer) {
		w.given = v.Given
		w.text("SELECT " + w.d.quote(v.Version) + before)
		if len(where) > 0 {
			w.frag(where, v.params())
			w.text(" THEN 1 ELSE 0 END")
		}
		w.text(" FROM " + w.d.table(v.Table) + " WHERE ")
		v.row(w)
		w.text(w.d.lock)
	})
}

// params is the index of the first parameter among the arguments.
func (v Versioned) params() int { return 1 + len(v.Key) }

// row is the predicate that selects the row.
func (v Versioned) row(w *writer) {
	for i, k := range v.Key {
		if i > 0 {
			w.text(" AND ")
		}
		w.text(w.d.quote(k) + " = ")
		w.arg(1 + i)
	}
	w.predicate(v.Where, v.params())
}

// versionStatement writes a statement in every dialect; the arguments stand in the same
// order in all of them.
func versionStatement(write func(w *writer)) VersionStatement {
	var s VersionStatement
	for _, to := range []struct {
		d    *dialect
		text *string
	}{{&sqlite, &s.SQLite}, {&postgres, &s.Postgres}, {&mysql, &s.MySQL}} {
		w := &writer{d: to.d}
		write(w)
		*to.text, s.Args = w.b.String(), w.args
	}
	return s
}
