package directive

import (
	"slices"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/sqlfrag"
)

// ColumnNames is a list of columns. When the argument is absent, Set is false.
type ColumnNames struct {
	Set   bool
	Elems []Name
	Pos   model.Pos // first byte of the value
}

// SetColumns is what an update writes: assignments, or columns whose values come
// from the struct.
type SetColumns struct {
	Set         bool
	Pos         model.Pos // first byte of the value
	Assignments []Assignment
	Columns     []Name
}

func (c *ColumnNames) set(d *decoder, arg *ArgSpec, a Arg) {
	*c = ColumnNames{Set: true, Elems: d.columns(arg, a.Value), Pos: a.Value.Pos()}
}

func (*ColumnNames) preset(*ArgSpec)        {}
func (*ColumnNames) syntax(*ArgSpec) string { return "column, …" }

// columns reads a list of column names.
func (d *decoder) columns(arg *ArgSpec, t Text) []Name {
	var out []Name
	for _, p := range splitList(t) {
		switch i := slices.IndexFunc(out, func(n Name) bool { return n.Text == p.S }); {
		case p.S == "":
			d.add(diag.New(diag.CodeMissingValue, p.Pos(), "empty element in %s=", arg.Name))
		case !isColumn(p.S):
			d.add(diag.New(diag.CodeColumnName, p.Pos(), "%q is not a column name", p.S))
		case i >= 0:
			d.add(diag.New(diag.CodeRepeatedArgument, p.Pos(), "%q is given twice in %s=", p.S, arg.Name).
				WithRelated(out[i].Pos, "it is here first"))
		default:
			out = append(out, Name{Text: p.S, Pos: p.Pos()})
		}
	}
	return out
}

// set takes a list of bare words for columns, and anything else for assignments.
func (s *SetColumns) set(d *decoder, arg *ArgSpec, a Arg) {
	tokens, err := sqlfrag.Scan(a.Value.S)
	if err != nil {
		d.badSQL(arg, a.Value, err)
		return
	}
	s.Set, s.Pos = true, a.Value.Pos()
	if !slices.ContainsFunc(tokens, inAssignment) {
		s.Columns = d.columns(arg, a.Value)
		return
	}
	list, _ := d.assignments(arg, a.Value)
	s.Assignments = list.List
}

// inAssignment tells a token that no list of columns has.
func inAssignment(t sqlfrag.Token) bool {
	return t.Kind != sqlfrag.Word && t.Kind != sqlfrag.Space && (t.Kind != sqlfrag.Op || t.Text != ",")
}

func (*SetColumns) preset(*ArgSpec)        {}
func (*SetColumns) syntax(*ArgSpec) string { return "column = expression, … | column, …" }
