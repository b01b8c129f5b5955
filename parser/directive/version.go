package directive

import (
	"strings"

	"github.com/idemgen/idemgen/parser/diag"
)

// Version is //idem:version: the column that an optimistic lock compares, on a
// struct whose tags say which field is which column.
type Version struct {
	Name   Val[string]   `arg:"name" form:"name" doc:"prefix of the generated names; by default the name of the struct"`
	Table  Val[string]   `arg:"table,required" form:"table" doc:"table of the rows: accounts or shop.accounts"`
	Key    ColumnNames   `arg:"key,required" doc:"columns that select the row, usually one"`
	Column Val[string]   `arg:"column,required" form:"column" doc:"column that holds the version: a 64-bit integer that every update counts up"`
	Where  Val[Fragment] `arg:"where" doc:"what a row must meet to be found at all, in SQL, such as tenant_id = :tenant"`
	Params List[Named]   `arg:"params" form:"type" doc:"Go types of the parameters in where=; else each has the type of the field that it is compared with"`
}

// Update is //idem:update Name: one typed update of the versioned struct of the
// same declaration.
type Update struct {
	Name   Name
	Set    SetColumns    `arg:"set,required" doc:"assignments in SQL (balance = balance - :amount), or the columns that are written from the struct (status,paid_at)"`
	Where  Val[Fragment] `arg:"where" doc:"what must hold besides the version, in SQL; a row for which it does not is left alone, and the outcome is Guard"`
	Params List[Named]   `arg:"params" form:"type" doc:"Go types of the parameters in set= and where=; else each has the type of the field that it is assigned to or compared with"`
}

func versionSpec() Spec {
	return Spec{
		Name:    "version",
		Doc:     "makes an optimistic lock by a version column",
		Targets: []TargetKind{Struct},
		New:     func() any { return new(Version) },
	}
}

func updateSpec() Spec {
	return Spec{
		Name:       "update",
		Doc:        "one typed update of the versioned struct of the same declaration",
		Targets:    []TargetKind{Struct},
		Repeatable: true,
		Positional: "Name",
		Head:       []string{"name"},
		New:        func() any { return new(Update) },
	}
}

// positional reads the name of the update.
func (u *Update) positional(d *decoder, a Arg) { u.Name, _ = d.identifier(a.Value, "update") }

// validate refuses one column in two roles.
func (v *Version) validate(d *decoder) {
	for _, k := range v.Key.Elems {
		if v.Column.Set && strings.EqualFold(k.Text, v.Column.V) {
			d.add(diag.New(diag.CodeContradiction, v.Column.Pos, "column= and key= name the same column %q", v.Column.V).
				WithRelated(k.Pos, "key= is here"))
		}
	}
}
