// Package schema writes the DDL that generated guards need of a database: state
// columns that hold states only, version and fence columns, history tables.
//
// The flow is Of (what the machines and versions of some packages need, free of
// any dialect) → Create or Migrate (statements of one dialect) → Script.Text (a
// file). A file tells in its first line what it was made from, so that Read gives
// the old Schema to Migrate later.
//
// Guarded tables belong to the user and have more columns than idemgen knows:
// Create makes them with what is known, or with Options.Alter adds the columns to
// tables that exist. Nothing here drops a column, a table or a row.
package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
)

// Schema is what guards need of a database, the same for every dialect. Tables are
// in the order of their names.
type Schema struct {
	Tables  []Table   `json:"tables,omitempty"`
	History []History `json:"history,omitempty"`
}

// Table is one guarded table as far as idemgen knows it.
type Table struct {
	Name    []string      `json:"name"` // schema first
	Key     []Column      `json:"key"`
	States  []StateColumn `json:"states,omitempty"`
	Version string        `json:"version,omitempty"` // 64-bit, 0 in a new row
	Fence   string        `json:"fence,omitempty"`   // 64-bit, NULL in a new row
	// Others are the columns that guards write besides, where their type is known.
	// They are in a table that is made here and never added to one that exists.
	Others []Column `json:"others,omitempty"`
}

// Column is a column with a type that every dialect has a form of.
type Column struct {
	Name string `json:"name"`
	Type Type   `json:"type"`
}

// StateColumn is the column of one machine.
type StateColumn struct {
	Machine string   `json:"machine"`
	Name    string   `json:"name"`
	Type    Type     `json:"type"`
	Values  []string `json:"values"` // as the column holds them, in the order of declaration
	Initial string   `json:"initial"`
}

// History is the table that gets a row per transition (S9).
type History struct {
	Name  []string `json:"name"`
	Table []string `json:"table"` // the guarded one
	Key   Type     `json:"key"`   // type of its key
	State Type     `json:"state"` // type of its state column
	Width int      `json:"width"` // characters of its longest state
}

// Type is a column type that every dialect has a form of.
type Type string

// Types.
const (
	TypeText  Type = "text"
	TypeBytes Type = "bytes"
	TypeInt   Type = "int"  // 64 bits
	TypeUint  Type = "uint" // 64 bits
	TypeBool  Type = "bool"
	TypeUUID  Type = "uuid"
	TypeTime  Type = "time" // with time zone where there is one, to the microsecond
)

// Of is what the machines and versions of packages need. It fails when two of
// them want different things of one table or column.
func Of(pkgs ...*model.Package) (Schema, error) {
	b := builder{tables: map[string]*Table{}, owners: map[string]string{}}
	for _, p := range pkgs {
		for _, m := range p.Machines {
			b.machine(m)
		}
		for _, v := range p.Versions {
			b.version(v)
		}
	}
	if b.err != nil {
		return Schema{}, b.err
	}
	var s Schema
	for _, t := range b.tables { // sorted below
		s.Tables = append(s.Tables, *t)
	}
	slices.SortFunc(s.Tables, func(x, y Table) int { return cmp.Compare(joined(x.Name), joined(y.Name)) })
	slices.SortFunc(b.history, func(x, y History) int { return cmp.Compare(joined(x.Name), joined(y.Name)) })
	s.History = b.history
	return s, nil
}

// builder merges the needs of machines and versions.
type builder struct {
	tables  map[string]*Table
	history []History
	owners  map[string]string // column or history table → who needs it
	err     error
}

func (b *builder) fail(pos model.Pos, format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf("%s:%d:%d: %s", pos.File, pos.Line, pos.Col, fmt.Sprintf(format, args...))
	}
}

// table finds or makes the table of a machine or version.
func (b *builder) table(pos model.Pos, name []string, key []Column) *Table {
	t := b.tables[joined(name)]
	if t == nil {
		t = &Table{Name: name, Key: key}
		b.tables[joined(name)] = t
		return t
	}
	if !slices.Equal(t.Key, key) {
		b.fail(pos, "table %s has the key %s elsewhere and %s here", joined(name), columnsText(t.Key), columnsText(key))
	}
	return t
}

// claim remembers who needs a thing, and fails when somebody else does.
func (b *builder) claim(pos model.Pos, thing, who string) bool {
	if first, taken := b.owners[thing]; taken && first != who {
		b.fail(pos, "%s is used by %s and by %s", thing, first, who)
		return false
	}
	b.owners[thing] = who
	return true
}

func (b *builder) machine(m *model.Machine) {
	key := []Column{{m.Key, typeOf(m.KeyKind)}}
	t := b.table(m.Pos, m.Table, key)
	b.claim(m.Pos, "column "+m.Column+" of "+joined(m.Table), "the state machine "+m.Name)
	state := StateColumn{Machine: m.Name, Name: m.Column, Type: stateType(m)}
	for _, s := range m.States {
		state.Values = append(state.Values, s.SQL.Text)
	}
	if m.Initial != nil {
		state.Initial = m.Initial.SQL.Text
	}
	t.States = append(t.States, state)
	b.one(m.Pos, &t.Version, m.Version, "version", t)
	b.one(m.Pos, &t.Fence, m.Fence, "fence", t)
	b.others(t, m.Same, m.Params)
	b.others(t, m.Create, m.CreateParams)
	for _, e := range m.Events {
		b.others(t, e.Set, e.Params)
	}
	if len(m.History) > 0 && b.claim(m.Pos, "history table "+joined(m.History), "the state machine "+m.Name) {
		b.history = append(b.history, History{
			Name: m.History, Table: m.Table, Key: key[0].Type, State: state.Type, Width: width(state.Values),
		})
	}
}

func (b *builder) version(v *model.Version) {
	var key []Column
	for _, c := range v.Key {
		key = append(key, Column{c.Name, columnType(c.Kind, c.Type)})
	}
	t := b.table(v.Pos, v.Table, key)
	b.one(v.Pos, &t.Version, v.Column.Name, "version", t)
	for _, u := range v.Updates {
		for _, c := range u.Columns {
			b.other(t, Column{c.Name, columnType(c.Kind, c.Type)})
		}
		b.others(t, u.Set, u.Params)
	}
}

// one sets a column of which a table has one.
func (b *builder) one(pos model.Pos, column *string, name, what string, t *Table) {
	switch {
	case name == "":
	case *column == "":
		*column = name
	case *column != name:
		b.fail(pos, "table %s has the %s columns %s and %s", joined(t.Name), what, *column, name)
	}
}

// others adds the columns of assignments whose type their parameter tells.
func (b *builder) others(t *Table, list []model.Assign, params []model.SQLParam) {
	for _, a := range list {
		for _, tok := range a.Expr {
			if tok.Kind == model.FragParam && tok.Param < len(params) {
				p := params[tok.Param]
				b.other(t, Column{a.Column, columnType(p.Kind, p.Type)})
				break
			}
		}
	}
}

// other adds a column unless the table has it; the first that says a type wins.
func (b *builder) other(t *Table, c Column) {
	if c.Type == "" || t.has(c.Name) {
		return
	}
	t.Others = append(t.Others, c)
}

func (t *Table) has(column string) bool {
	named := func(c Column) bool { return c.Name == column }
	return column == t.Version || column == t.Fence || slices.ContainsFunc(t.Key, named) || slices.ContainsFunc(t.Others, named) ||
		slices.ContainsFunc(t.States, func(s StateColumn) bool { return s.Name == column })
}

// typeOf is the type of a column that holds values of a kind. What marshals to
// text, or has a Value method, is text.
func typeOf(k model.Kind) Type {
	switch k {
	case model.KindBytes:
		return TypeBytes
	case model.KindInt:
		return TypeInt
	case model.KindUint:
		return TypeUint
	case model.KindBool:
		return TypeBool
	case model.KindByteArray:
		return TypeUUID
	}
	return TypeText
}

// columnType is the type of a column by kind and Go type; "" when unknown.
func columnType(k model.Kind, code model.Code) Type {
	for _, tok := range code {
		if tok.Kind == model.TokQual && tok.Import.Path == "time" && tok.Text == "Time" {
			return TypeTime
		}
	}
	if k == model.KindOther {
		return ""
	}
	return typeOf(k)
}

func stateType(m *model.Machine) Type {
	switch v := m.States[0].SQL; {
	case v.Bool:
		return TypeBool
	case v.Number && m.Base == model.KindUint:
		return TypeUint
	case v.Number:
		return TypeInt
	}
	return TypeText
}

// width is the number of characters of the longest text.
func width(values []string) int {
	n := 0
	for _, v := range values {
		n = max(n, len([]rune(v)))
	}
	return n
}

func joined(name []string) string { return strings.Join(name, ".") }

func columnsText(list []Column) string {
	var out []string
	for _, c := range list {
		out = append(out, c.Name+" "+string(c.Type))
	}
	return strings.Join(out, ", ")
}
