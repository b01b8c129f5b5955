package directive

import (
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

// Unique is //idem:unique: the business table's own unique index decides.
type Unique struct {
	Index  Val[Index]  `arg:"index,required" doc:"unique index or constraint whose violation is a duplicate, on SQLite with its columns: uq_orders_no(orders.shop,orders.no)"`
	Lookup Val[string] `arg:"lookup,required" form:"ident" doc:"method that answers a duplicate from the row that is there"`
}

func uniqueSpec() Spec {
	return Spec{
		Name:    "unique",
		Doc:     "lets a unique index of the business table decide; a duplicate gets what the look-up finds",
		Targets: []TargetKind{Method, Func, InterfaceMethod},
		New:     func() any { return new(Unique) },
	}
}

// Index is the value of index=.
type Index struct {
	Name    string
	Columns []Name // table.column as SQLite names them, in the index's order; nil if not given
}

// indexHint says how index= is written.
const indexHint = "write index=uq_orders_no, or index=uq_orders_no(orders.shop,orders.no) where SQLite is one of the databases"

// index parses name or name(table.column,…).
func (d *decoder) index(t Text) (Index, bool) {
	bad := func(at model.Pos, format string, args ...any) (Index, bool) {
		d.add(diag.New(diag.CodeUniqueIndex, at, format, args...).WithHint("%s", indexHint))
		return Index{}, false
	}
	name, rest, list := cutByte(t, '(')
	name = name.Trim()
	switch {
	case name.S == "":
		return bad(t.Pos(), "name of the index missing")
	case !isColumn(name.S) || strings.ContainsAny(name.S, "()'\"`"):
		return bad(name.Pos(), "%q is not the name of an index", name.S)
	case !list:
		return Index{Name: name.S}, true
	}
	body, behind, closed := cutByte(rest, ')')
	switch {
	case !closed:
		return bad(t.At(len(t.S)), "index=: ) is missing behind the columns")
	case strings.TrimSpace(behind.S) != "":
		return bad(behind.Trim().Pos(), "unexpected %q behind the columns of index=", behind.Trim().S)
	}
	columns, ok := d.indexColumns(splitList(body))
	return Index{Name: name.S, Columns: columns}, ok
}

// indexColumns reads the columns of an index, all of one table.
func (d *decoder) indexColumns(parts []Text) ([]Name, bool) {
	var out []Name
	table, ok := Text{}, true
	bad := func(at model.Pos, format string, args ...any) {
		d.add(diag.New(diag.CodeUniqueIndex, at, format, args...).WithHint("%s", indexHint))
		ok = false
	}
	seen := map[string]model.Pos{}
	for _, p := range parts {
		of, column, dotted := cutByte(p, '.')
		switch first, twice := seen[p.S]; {
		case p.S == "":
			bad(p.Pos(), "name of a column missing in index=")
		case !dotted || !isColumn(of.S) || !isColumn(column.S) || strings.ContainsAny(p.S, "()'\"`"):
			bad(p.Pos(), "%q is not a column as SQLite names it", p.S)
		case table.S != "" && table.S != of.S:
			bad(p.Pos(), "an index has columns of one table, not of %s and %s", table.S, of.S)
		case twice:
			d.add(diag.New(diag.CodeRepeatedArgument, p.Pos(), "column %s is given twice in index=", p.S).WithRelated(first, "it is here first"))
			ok = false
		default:
			table, seen[p.S] = of, p.Pos()
			out = append(out, Name{Text: p.S, Pos: p.Pos()})
		}
	}
	return out, ok
}
