package check

import (
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
	"github.com/idemgen/idemgen/parser/sqlfrag"
)

// assigner checks the assignments of one statement in the order in which it makes
// them: no column twice, none that the guard writes itself, and no expression that
// reads a column assigned before it.
type assigner struct {
	*machine
	scope  *sqlScope
	create bool // the statement makes a row: there is nothing to read
	done   []assigned
}

// assigned is a column that the statement writes already.
type assigned struct {
	column string
	pos    model.Pos
	what   string // completes "column x is set twice": "" or where else it comes from
}

func (a *assigner) all(list []directive.Assignment) []model.Assign {
	var out []model.Assign
	for _, x := range list {
		converted := a.scope.assign(x) // faulty ones as well: their parameters are used
		if !a.column(x.Column) || !a.reads(x) {
			continue
		}
		out = append(out, converted)
		a.done = append(a.done, assigned{column: x.Column.Text, pos: x.Column.Pos})
	}
	return out
}

// column checks the left side.
func (a *assigner) column(c directive.Name) bool {
	if role, at := a.g.machine.ColumnRole(c.Text); role != "" {
		a.fault(diag.New(diag.CodeColumnGuarded, c.Pos, "column %s can't be set by hand: the guard writes it", c.Text).
			WithRelated(at, "%s= is here", role).WithHint("%s", guardedHint[role]))
		return false
	}
	if first, twice := a.written(c.Text); twice {
		d := diag.New(diag.CodeColumnTwice, c.Pos, "column %s is set twice", c.Text)
		if first.what != "" {
			d.Message = "column " + c.Text + " is given already: " + first.what
		}
		a.fault(d.WithRelated(first.pos, "it is here first").WithHint("remove one of the two"))
		return false
	}
	return true
}

// guardedHint says by the role of a column who writes it, and when.
var guardedHint = map[string]string{
	"key":     "the key of a row never changes, and a new row gets the one that the caller gives",
	"column":  "the state changes by events alone; a new row is in the initial state",
	"version": "every event increments it; a new row begins with 0",
	"fence":   "every event writes the fence of its lock into it",
}

// written finds a column among those that were assigned. Upper and lower case count
// the same, as on MySQL and SQLite.
func (a *assigner) written(column string) (assigned, bool) {
	for _, d := range a.done {
		if strings.EqualFold(d.column, column) {
			return d, true
		}
	}
	return assigned{}, false
}

// reads checks the right side.
func (a *assigner) reads(x directive.Assignment) bool {
	at := map[int]model.Pos{}
	for _, t := range x.Expr {
		at[t.Off] = t.Pos
	}
	for _, c := range sqlfrag.Columns(directive.Scanned(x.Expr)) {
		if a.create {
			a.fault(diag.New(diag.CodeCreateReads, at[c.Off], "%s can't be read: a new row has no columns yet", c.Text).
				WithHint("write :%s for a parameter, '%s' for a text", c.Text, c.Text))
			return false
		}
		if first, before := a.written(c.Text); before {
			a.fault(diag.New(diag.CodeReadsAssigned, at[c.Off], "%s is read here but was assigned before: MySQL would see the new value, the others the old one", c.Text).
				WithRelated(first.pos, "it is assigned here").
				WithHint("put the assignment of %s in front of that of %s", x.Column.Text, c.Text))
			return false
		}
	}
	return true
}
