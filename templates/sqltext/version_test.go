package sqltext

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/model"
)

// versionFrag makes a fragment of words as they stand, :n for parameter n, "name",
// 'text' and @value for a constant.
func versionFrag(s string) model.Frag {
	var f model.Frag
	for i, word := range strings.Fields(s) {
		if i > 0 {
			f = append(f, model.FragToken{Kind: model.FragSpace, Text: " "})
		}
		t := model.FragToken{Kind: model.FragWord, Text: word}
		switch word[0] {
		case ':':
			t = model.FragToken{Kind: model.FragParam, Param: int(word[1] - '0')}
		case '"':
			t = model.FragToken{Kind: model.FragName, Text: strings.Trim(word, `"`)}
		case '\'':
			t = model.FragToken{Kind: model.FragText, Text: strings.Trim(word, "'")}
		case '@':
			t = model.FragToken{Kind: model.FragValue, Value: model.SQLValue{Text: word[1:], Number: strings.Trim(word[1:], "-0123456789") == ""}}
		}
		f = append(f, t)
	}
	return f
}

func versionSet(column, expr string) model.Assign {
	return model.Assign{Column: column, Expr: versionFrag(expr)}
}

var (
	accounts = Versioned{Table: []string{"accounts"}, Key: []string{"id"}, Version: "version"}
	tenants  = Versioned{Table: []string{"shop", "order"}, Key: []string{"group", "no"}, Version: "rev", Where: versionFrag("tenant_id = :0")}
)

var versionCases = []struct {
	name string
	row  Versioned
	up   VersionUpdate
}{
	{"version_set", accounts, VersionUpdate{Set: []model.Assign{versionSet("balance", "balance - :0")}, Where: versionFrag("balance >= :0"), Params: 1}},
	{"version_plain", accounts, VersionUpdate{Set: []model.Assign{versionSet("seen", "seen + 1")}}},
	{"version_columns", accounts, VersionUpdate{Columns: []string{"status", "paid_at"}}},
	{"version_tenant", tenants, VersionUpdate{
		Set: []model.Assign{versionSet("note", `:2`), versionSet("order", `COALESCE( "order" , 'it's' )`), versionSet("was", "rev")}, Where: versionFrag("state = @PAID OR level = @-1 OR owner = :1"), Params: 3,
	}},
	{"version_tenant_columns", tenants, VersionUpdate{Columns: []string{"status", "group2"}, Where: versionFrag("level - @-1 > :1"), Params: 2}},
}

// TestGolden_Versions holds the SQL of every form in three dialects.
func TestGolden_Versions(t *testing.T) {
	for _, c := range versionCases {
		t.Run(c.name, func(t *testing.T) {
			u, s := c.row.Update(c.up), c.row.Select()
			if len(c.up.Where) > 0 {
				s = c.row.Check(c.up.Where)
			}
			got := "-- sqlite\n" + u.SQLite + ";\n" + s.SQLite +
				";\n-- postgres\n" + u.Postgres + ";\n" + s.Postgres +
				";\n-- mysql\n" + u.MySQL + ";\n" + s.MySQL +
				fmt.Sprintf(";\n-- arguments\n-- %v\n-- %v\n", u.Args, s.Args)
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

// Every update compares the version with the expected one and bumps it, writes
// nothing but what was declared, and is one statement (V1, V2).
func TestLaw_V1_EveryUpdateComparesTheVersion(t *testing.T) {
	for _, c := range versionCases {
		u := c.row.Update(c.up)
		if n := occurrences(u.Args, 0); n != 1 {
			t.Errorf("%s: the expected version stands in %d places", c.name, n)
		}
		for d, stmt := range map[*dialect]string{&sqlite: u.SQLite, &postgres: u.Postgres, &mysql: u.MySQL} {
			v := d.quote(c.row.Version)
			i := slices.Index(u.Args, 0)
			if !strings.Contains(stmt, v+" = "+v+" + 1 WHERE ") || !strings.Contains(stmt, " AND "+v+" = "+d.placeholder(i+1)) {
				t.Errorf("%s: %s", c.name, stmt)
			}
			assigned := stmt[:strings.Index(stmt, " WHERE ")]
			if n := len(c.up.Set) + len(c.up.Columns) + 1; strings.Count(assigned, " = ") != n {
				t.Errorf("%s: not %d columns are written: %s", c.name, n, stmt)
			}
		}
		if n := strings.Count(u.SQLite, "?"); n != len(u.Args) {
			t.Errorf("%s: %d placeholders, %d arguments", c.name, n, len(u.Args))
		}
	}
}

func occurrences(list []int, n int) int {
	found := 0
	for _, x := range list {
		if x == n {
			found++
		}
	}
	return found
}
