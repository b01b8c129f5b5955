package sqltext

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/model"
)

var update = flag.Bool("update", false, "write the golden files")

func text(s string) model.SQLValue   { return model.SQLValue{Text: s} }
func number(s string) model.SQLValue { return model.SQLValue{Text: s, Number: true} }
func truth(s string) model.SQLValue  { return model.SQLValue{Text: s, Bool: true} }

var orders = Guard{Table: []string{"orders"}, Key: "id", Column: "status"}

// cases are one guard with the edges of one event each.
var cases = []struct {
	name  string
	guard Guard
	edges []Edge
}{
	{"one_source", orders, []Edge{{text("CREATED"), text("PAID")}}},
	{"several_sources", orders, []Edge{{text("CREATED"), text("CANCELLED")}, {text("HELD"), text("CANCELLED")}}},
	{"several_targets", orders, []Edge{{text("PAID"), text("REFUNDED")}, {text("CREATED"), text("CANCELLED")}}},
	{"self_edge", orders, []Edge{{text("PAID"), text("PAID")}, {text("CREATED"), text("PAID")}}},
	{"numbers", orders, []Edge{{number("-1"), number("3")}, {number("0"), number("3")}}},
	{"number_targets", orders, []Edge{{number("-1"), number("3")}, {number("0"), number("4")}}},
	{"bools", orders, []Edge{{truth("false"), truth("true")}}},
	{"bool_targets", orders, []Edge{{truth("false"), truth("true")}, {truth("true"), truth("false")}}},
	{"names", Guard{Table: []string{"shop", "order"}, Key: "group", Column: "a\"b`c"}, []Edge{{text("x"), text("y")}, {text("z"), text("y")}}},
	{"literals", orders, []Edge{{text("it's"), text(`a\`)}, {text("line\nbreak"), text("支付")}, {text(`\'; DROP TABLE orders --`), text(`a"b`)}}},
}

// TestGolden holds the SQL of every form in three dialects.
func TestGolden(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			u, s := c.guard.Update(c.edges), c.guard.Select()
			got := "-- sqlite\n" + strings.Join(u.SQLite, ";\n") + ";\n" + s.SQLite +
				";\n-- postgres\n" + u.Postgres + ";\n" + s.Postgres +
				";\n-- mysql\n" + u.MySQL + ";\n" + s.MySQL + ";\n"
			file := filepath.Join("testdata", c.name+".sql")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// A transition is one guarded UPDATE whose only argument is the key (S1).
func TestLaw_S1_OneStatementOneArgument(t *testing.T) {
	for _, c := range cases {
		u := c.guard.Update(c.edges)
		if len(u.SQLite) != len(c.edges) {
			t.Errorf("%s: %d statements for %d edges on SQLite", c.name, len(u.SQLite), len(c.edges))
		}
		for _, stmt := range append([]string{u.Postgres, u.MySQL}, u.SQLite...) {
			if n := strings.Count(stmt, "UPDATE ") - strings.Count(stmt, "FOR UPDATE "); !strings.HasPrefix(stmt, "UPDATE ") || strings.Contains(stmt, ";\n") || n < 1 {
				t.Errorf("%s: not one update: %s", c.name, stmt)
			}
		}
		if strings.Count(u.Postgres, "$1") != 1 || strings.Contains(u.Postgres, "$2") {
			t.Errorf("%s: arguments of %s", c.name, u.Postgres)
		}
		if strings.Count(u.MySQL, "?") != 1 || strings.Count(u.SQLite[0], "?") != 1 {
			t.Errorf("%s: arguments of %s and %s", c.name, u.MySQL, u.SQLite[0])
		}
	}
}
