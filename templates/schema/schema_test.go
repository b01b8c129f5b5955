package schema

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/templates/sqltext"
)

var update = flag.Bool("update", false, "write the golden files")

// machine makes a machine whose states are texts, numbers or bools.
func machine(table, column string, base model.Kind, values ...string) *model.Machine {
	m := &model.Machine{Pos: model.Pos{File: "order.go", Line: 7, Col: 1}, Name: "Status", Table: strings.Split(table, "."), Key: "id", KeyKind: model.KindString, Column: column, Base: base}
	for i, v := range values {
		m.States = append(m.States, &model.State{Index: i, SQL: model.SQLValue{Text: v, Number: base == model.KindInt || base == model.KindUint, Bool: base == model.KindBool}})
	}
	m.Initial = m.States[0]
	return m
}

func text(table, column string, values ...string) *model.Machine {
	return machine(table, column, model.KindString, values...)
}

// with changes a machine.
func with(m *model.Machine, change func(*model.Machine)) *model.Machine {
	change(m)
	return m
}

func pkg(machines ...*model.Machine) *model.Package { return &model.Package{Machines: machines} }

func param(name string, k model.Kind, typ model.Code) ([]model.SQLParam, model.Frag) {
	return []model.SQLParam{{Name: name, Kind: k, Type: typ}}, model.Frag{{Kind: model.FragParam, Text: name}}
}

var account = &model.Package{Versions: []*model.Version{{
	Name: "Account", Table: []string{"accounts"},
	Key:    []model.Column{{Name: "tenant_id", Kind: model.KindInt}, {Name: "id", Kind: model.KindByteArray}},
	Column: model.Column{Name: "version", Kind: model.KindInt},
	Updates: []*model.Update{{Name: "Save", Columns: []model.Column{
		{Name: "status", Kind: model.KindString},
		{Name: "paid_at", Kind: model.KindOther, Type: model.Qual("time", "time", "Time")},
		{Name: "blob", Kind: model.KindBytes},
		{Name: "score", Kind: model.KindOther, Type: model.Text("float64")},
	}}},
}}}

// full has all that a machine may ask for.
func full(values ...string) *model.Machine {
	return with(text("shop.order", "group", values...), func(m *model.Machine) {
		m.KeyKind, m.Version, m.Fence, m.History = model.KindInt, "version", "fence", []string{"shop", "order_history"}
		params, expr := param("tenant", model.KindInt, model.Text("int64"))
		m.Params, m.Same = params, []model.Assign{{Column: "tenant_id", Expr: expr}}
		at, expr := param("at", model.KindOther, model.Qual("time", "time", "Time"))
		m.Events = []*model.Event{{Name: "Pay", Params: at, Set: []model.Assign{{Column: "paid_at", Expr: expr}}}}
	})
}

// step is a schema, or a change from one to another.
type step struct {
	name     string
	from, to []*model.Package
	old, o   Options
}

var steps = []step{
	{name: "text", to: []*model.Package{pkg(text("orders", "status", "CREATED", "PAID", "it's", `back\slash`, "支付"))}},
	{name: "numbers", to: []*model.Package{pkg(machine("jobs", "state", model.KindInt, "-1", "0", "7"))}},
	{name: "bools", to: []*model.Package{pkg(machine("mails", "sent", model.KindBool, "false", "true"))}},
	{name: "full", to: []*model.Package{pkg(full("NEW", "DONE"))}},
	{name: "enum", to: []*model.Package{pkg(full("NEW", "DONE"))}, o: Options{Enum: true}},
	{name: "alter", to: []*model.Package{pkg(full("NEW", "DONE"))}, o: Options{Alter: true}},
	{name: "version", to: []*model.Package{account}},
	{name: "two_columns", to: []*model.Package{pkg(text("orders", "status", "A", "B"), with(text("orders", "delivery", "X", "Y"), func(m *model.Machine) { m.Name = "Delivery" }))}},
	{name: "add_state", from: []*model.Package{pkg(full("NEW", "DONE"))}, to: []*model.Package{pkg(full("NEW", "HELD", "DONE"))}},
	{name: "remove_state", from: []*model.Package{pkg(full("NEW", "HELD", "DONE"))}, to: []*model.Package{pkg(full("NEW", "DONE"))}},
	{name: "enum_add_state", from: []*model.Package{pkg(full("NEW", "DONE"))}, to: []*model.Package{pkg(full("NEW", "HELD", "DONE"))}, old: Options{Enum: true}, o: Options{Enum: true}},
	{name: "enum_remove_state", from: []*model.Package{pkg(full("NEW", "HELD", "DONE"))}, to: []*model.Package{pkg(full("NEW", "DONE"))}, old: Options{Enum: true}, o: Options{Enum: true}},
	{name: "check_to_enum", from: []*model.Package{pkg(full("NEW", "DONE"))}, to: []*model.Package{pkg(full("NEW", "DONE"))}, o: Options{Enum: true}},
	{name: "enum_to_check", from: []*model.Package{pkg(full("NEW", "DONE"))}, to: []*model.Package{pkg(full("NEW", "DONE"))}, old: Options{Enum: true}},
	{name: "long_state", from: []*model.Package{pkg(full("NEW", "DONE"))}, to: []*model.Package{pkg(full("NEW", strings.Repeat("支", 70)))}},
	{name: "initial", from: []*model.Package{pkg(text("orders", "status", "A", "B"))}, to: []*model.Package{pkg(with(text("orders", "status", "A", "B"), func(m *model.Machine) { m.Initial = m.States[1] }))}},
	{name: "more", from: []*model.Package{pkg(text("shop.order", "group", "NEW", "DONE"))}, to: []*model.Package{pkg(with(full("NEW", "DONE"), func(m *model.Machine) { m.KeyKind = model.KindString }))}},
	{name: "less", from: []*model.Package{pkg(full("NEW", "DONE"))}, to: []*model.Package{}},
	{name: "same", from: []*model.Package{pkg(full("NEW", "DONE"))}, to: []*model.Package{pkg(full("DONE", "NEW"), text("zeta", "s", "x"))}},
}

// script runs a step.
func (s step) script(t *testing.T, d sqltext.Dialect) Script {
	t.Helper()
	to, err := Of(s.to...)
	if err != nil {
		t.Fatal(err)
	}
	if s.from == nil {
		return Create(d, to, s.o)
	}
	from, err := Of(s.from...)
	if err != nil {
		t.Fatal(err)
	}
	out, err := Migrate(d, from, to, s.old, s.o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestGolden holds the DDL of every form in three dialects.
func TestGolden(t *testing.T) {
	for _, s := range steps {
		t.Run(s.name, func(t *testing.T) {
			var b strings.Builder
			for _, d := range sqltext.Dialects {
				fmt.Fprintf(&b, "-- %s\n%s\n", d, s.script(t, d).Text())
			}
			file := filepath.Join("testdata", s.name+".sql")
			if *update {
				if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), b.String()); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestRead_FindsWhatAScriptLeadsTo: a file is enough to migrate from.
func TestRead_FindsWhatAScriptLeadsTo(t *testing.T) {
	for _, s := range steps {
		for _, d := range sqltext.Dialects {
			want := s.script(t, d)
			dialect, got, o, err := Read("\n-- a comment\n" + want.Text())
			if err != nil {
				t.Fatal(s.name, err)
			}
			if diff := cmp.Diff(want.Schema, got); diff != "" || dialect != d || o != s.o {
				t.Errorf("%s: %v %v %s", s.name, dialect, o, diff)
			}
			again, err := Migrate(d, got, want.Schema, o, o)
			if err != nil || len(again.Statements) != 0 {
				t.Errorf("%s: the schema differs from itself: %v %v", s.name, again.Statements, err)
			}
		}
	}
}

func TestRead_RefusesWhatItDidNotWrite(t *testing.T) {
	for _, text := range []string{
		"", "CREATE TABLE x (id INT);\n", head + "{", head + `{"dialect":"oracle"}`, head + `{"dialect":"mysql","tables":[{"name":["a"]}]}`,
		head + `{"dialect":"mysql","extra":1}`, head + `{"dialect":"mysql","tables":[{"name":["a"],"key":[{"name":"id","type":"blob"}]}]}`,
		head + `{"dialect":"mysql","history":[{"name":["a"],"key":"int"}]}`,
	} {
		if _, _, _, err := Read(text); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

// TestOf_RefusesContradictions: two machines or versions that want different things
// of one table are told apart with the place of the second.
func TestOf_RefusesContradictions(t *testing.T) {
	named := func(m *model.Machine, name string) *model.Machine { m.Name = name; return m }
	for _, c := range []struct {
		pkgs []*model.Package
		want string
	}{
		{[]*model.Package{pkg(text("orders", "status", "A")), pkg(named(text("orders", "status", "B"), "Other"))},
			"order.go:7:1: column status of orders is used by the state machine Status and by the state machine Other"},
		{[]*model.Package{pkg(text("orders", "status", "A"), with(named(text("orders", "other", "A"), "Other"), func(m *model.Machine) { m.KeyKind = model.KindInt }))},
			"order.go:7:1: table orders has the key id text elsewhere and id int here"},
		{[]*model.Package{pkg(with(text("orders", "status", "A"), func(m *model.Machine) { m.Version = "v" }), with(named(text("orders", "other", "A"), "Other"), func(m *model.Machine) { m.Version = "w" }))},
			"order.go:7:1: table orders has the version columns v and w"},
		{[]*model.Package{pkg(with(text("orders", "status", "A"), func(m *model.Machine) { m.History = []string{"h"} }), with(named(text("jobs", "other", "A"), "Other"), func(m *model.Machine) { m.History = []string{"h"} }))},
			"order.go:7:1: history table h is used by the state machine Status and by the state machine Other"},
	} {
		_, err := Of(c.pkgs...)
		if err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestMigrate_RefusesOtherTypes: a column never changes its type unasked.
func TestMigrate_RefusesOtherTypes(t *testing.T) {
	of := func(m *model.Machine) Schema {
		s, err := Of(pkg(m))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	withHistory := func(m *model.Machine, k model.Kind) *model.Machine {
		m.History, m.KeyKind = []string{"h"}, k
		return m
	}
	for _, c := range [][2]Schema{
		{of(text("orders", "status", "A")), of(machine("orders", "status", model.KindInt, "1"))},
		{of(withHistory(text("orders", "status", "A"), model.KindInt)), of(withHistory(text("orders", "status", "A"), model.KindString))},
	} {
		if s, err := Migrate(sqltext.Postgres, c[0], c[1], Options{}, Options{}); err == nil {
			t.Errorf("got %v", s.Statements)
		}
	}
}

// TestNamesFit: a long table gives names that Postgres keeps whole, and no two the same.
func TestNamesFit(t *testing.T) {
	long := strings.Repeat("ü", 40)
	seen := map[string]bool{}
	for _, column := range []string{"status", "status2", strings.Repeat("c", 60)} {
		for _, n := range []string{name(&Table{Name: []string{long}}, column, "states"), name(&Table{Name: []string{long}}, column)} {
			if len(n) > maxName || seen[n] || !strings.HasPrefix(n, "ü") {
				t.Errorf("%q has %d bytes", n, len(n))
			}
			seen[n] = true
		}
	}
}
