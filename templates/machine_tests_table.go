package templates

import (
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/templates/schema"
	"github.com/idemgen/idemgen/templates/sqltext"
)

// testTable is the table that a machine's test makes: what the guard needs, and the
// columns that its SQL reads besides.
type testTable struct {
	m       *model.Machine
	schema  schema.Schema
	columns []schema.Column      // beside key, state, version and fence
	states  []schema.StateColumn // … the first of them, which are other machines'
}

// newTestTable collects the columns of a machine's table. Their types are those of
// the parameters and literals that stand beside them.
func newTestTable(pkg *model.Package, m *model.Machine) *testTable {
	t := &testTable{m: m}
	near := &model.Package{}
	for _, x := range pkg.Machines { // another machine on the table has its column there
		if slices.Equal(x.Table, m.Table) {
			bare := *x
			if x != m {
				bare.History = nil
			}
			near.Machines = append(near.Machines, &bare)
		}
	}
	s, err := schema.Of(near)
	if err != nil {
		panic(err) // two machines that disagree about a table are diagnosed before
	}
	t.schema = s
	own := &t.schema.Tables[0]
	for _, c := range own.States {
		if c.Name != m.Column {
			t.states = append(t.states, c)
			t.columns = append(t.columns, schema.Column{Name: c.Name, Type: c.Type})
		}
	}
	t.columns = append(t.columns, own.Others...)
	add := func(f model.Frag, params []model.SQLParam) {
		for _, c := range fragColumns(f, params) {
			if !t.known(own, c.Name) {
				t.columns = append(t.columns, c)
			}
		}
	}
	for _, x := range near.Machines {
		add(x.Where, x.Params)
		for _, a := range slices.Concat(x.Same, x.Create) {
			add(assigned(a), x.CreateParams)
		}
		for _, ev := range x.Events {
			add(ev.Where, ev.Params)
			for _, a := range ev.Set {
				add(assigned(a), ev.Params)
			}
		}
	}
	own.Others = t.columns[len(t.states):]
	return t
}

// assigned is an assignment as a comparison.
func assigned(a model.Assign) model.Frag {
	head := model.Frag{{Kind: model.FragName, Text: a.Column}, {Kind: model.FragOp, Text: "="}}
	return append(head, a.Expr...)
}

func (t *testTable) known(own *schema.Table, name string) bool {
	named := func(c schema.Column) bool { return strings.EqualFold(c.Name, name) }
	return strings.EqualFold(name, own.Version) || strings.EqualFold(name, own.Fence) ||
		slices.ContainsFunc(own.Key, named) || slices.ContainsFunc(t.columns, named) ||
		slices.ContainsFunc(own.States, func(s schema.StateColumn) bool { return strings.EqualFold(s.Name, name) })
}

// ddl makes and drops the tables.
func (t *testTable) ddl() (create, drop [len(sqltext.Dialects)][]string) {
	for _, d := range sqltext.Dialects {
		create[d] = schema.Create(d, t.schema, schema.Options{}).Statements
		if !t.multiline() {
			for i, stmt := range create[d] {
				create[d][i] = flat.Replace(stmt)
			}
		}
		for _, h := range t.schema.History {
			drop[d] = append(drop[d], "DROP TABLE "+d.Table(h.Name))
		}
		drop[d] = append(drop[d], "DROP TABLE "+d.Table(t.m.Table))
	}
	return create, drop
}

// multiline tells whether a state has a line break, which must stay.
func (t *testTable) multiline() bool {
	return slices.ContainsFunc(t.schema.Tables[0].States, func(c schema.StateColumn) bool {
		return slices.ContainsFunc(c.Values, func(v string) bool { return strings.Contains(v, "\n") })
	})
}

// flat puts a statement on one line.
var flat = strings.NewReplacer("(\n\t", "(", ",\n\t", ", ", "\n)", ")", "\n", " ")

// insert makes a row of key, state and columns.
func (t *testTable) insert() (texts [len(sqltext.Dialects)]string) {
	for _, d := range sqltext.Dialects {
		names := []string{d.Name(t.m.Key), d.Name(t.m.Column)}
		marks := []string{placeholder(d, 1), placeholder(d, 2)}
		for i, c := range t.columns {
			names = append(names, d.Name(c.Name))
			marks = append(marks, placeholder(d, i+3))
		}
		texts[d] = "INSERT INTO " + d.Table(t.m.Table) + " (" + strings.Join(names, ", ") + ") VALUES (" + strings.Join(marks, ", ") + ")"
	}
	return texts
}

func placeholder(d sqltext.Dialect, n int) string {
	if d == sqltext.Postgres {
		return "$" + strconv.Itoa(n)
	}
	return "?"
}

// read is the state of a row.
func (t *testTable) read() (texts [len(sqltext.Dialects)]string) {
	for _, d := range sqltext.Dialects {
		texts[d] = "SELECT " + d.Name(t.m.Column) + " FROM " + d.Table(t.m.Table) + " WHERE " + d.Name(t.m.Key) + " = " + placeholder(d, 1)
	}
	return texts
}

// testRow are the columns of a row on which an event may be fired.
type testRow struct {
	cells  []testCell
	unsure bool // the predicates may not hold
}

// values chooses columns so that the predicates of the machine and the event hold
// for the arguments of the test.
func (t *testTable) values(ev *model.Event) testRow {
	r := testRow{cells: make([]testCell, len(t.columns))}
	fixed := make([]bool, len(t.columns))
	for _, p := range []struct {
		where  model.Frag
		params []model.SQLParam
	}{{t.m.Where, t.m.Params}, {ev.Where, ev.Params}} {
		for _, conjunct := range conjuncts(p.where) {
			column, cell, ok := solve(conjunct, p.params)
			i := slices.IndexFunc(t.columns, func(c schema.Column) bool { return strings.EqualFold(c.Name, column) })
			if !ok || i < 0 || fixed[i] && r.cells[i] != cell {
				r.unsure = true
				continue
			}
			r.cells[i], fixed[i] = cell, true
		}
	}
	for i, c := range t.columns { // an expression over NULL is NULL: every other column has a value, too
		switch {
		case fixed[i]:
		case i < len(t.states):
			r.cells[i] = testCell{typeCell(c.Type).kind, t.states[i].Initial}
		default:
			r.cells[i] = typeCell(c.Type)
		}
	}
	return r
}
