package sqltext

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/templates/sqltext/sqlcases"
)

var update = flag.Bool("update", false, "write the golden files")

// golden writes all statements of a machine, with the arguments that they bind.
func golden(c sqlcases.Case) string {
	var b strings.Builder
	text := func(dialect, sql string, args []int) {
		if sql != "" {
			fmt.Fprintf(&b, "-- %s %v\n%s;\n", dialect, args, sql)
		}
	}
	form := func(name string, f Form) {
		if f.SQLite+f.Postgres+f.MySQL == "" {
			return
		}
		fmt.Fprintf(&b, "\n---- %s\n", name)
		args := func(own []int) []int {
			if own == nil {
				own = f.Args
			}
			if own == nil {
				own = []int{0}
			}
			return own
		}
		text("sqlite", f.SQLite, args(f.SQLiteArgs))
		text("postgres", f.Postgres, args(f.PostgresArgs))
		text("mysql", f.MySQL, args(f.MySQLArgs))
	}
	m := OfMachine(c.Machine)
	form("select", m.Select)
	form("lock", m.Lock)
	form("create", m.CreateInsert)
	form("create: what is in the way", m.CreateSelect)
	if m.HistorySQLite.Into != "" {
		b.WriteString("\n---- history\n")
		text("sqlite", m.HistorySQLite.Into+m.HistorySQLite.Row, nil)
		text("mysql", m.HistoryMySQL.Into+m.HistoryMySQL.Row, nil)
	}
	for _, e := range c.Machine.Events {
		t := OfEvent(c.Machine, e)
		form(e.Name, t.Update)
		form(e.Name+": check", t.Check)
		if len(t.BatchPostgres.Parts) > 0 {
			fmt.Fprintf(&b, "\n---- %s: many\n", e.Name)
			text("sqlite", t.BatchSQLite.String(), t.BatchSQLite.Args)
			text("postgres", t.BatchPostgres.String(), t.BatchPostgres.Args)
			text("mysql", t.BatchMySQLRead.String(), t.BatchMySQLRead.Args)
			text("mysql", t.BatchMySQL.String(), t.BatchMySQL.Args)
		}
		if len(t.Once.Parts) > 0 {
			fmt.Fprintf(&b, "\n---- %s: once\n", e.Name)
			text("postgres", t.Once.String(), t.Once.Args)
		}
	}
	return strings.TrimPrefix(b.String(), "\n")
}

// TestGolden holds the SQL of every feature in three dialects.
func TestGolden(t *testing.T) {
	for _, c := range sqlcases.All() {
		t.Run(c.Name, func(t *testing.T) {
			got := golden(c)
			file := filepath.Join("testdata", c.Name+".sql")
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

// placeholders counts those of a text.
func placeholders(dialect, sql string) int {
	if dialect == "postgres" {
		n := 0
		for strings.Contains(sql, fmt.Sprintf("$%d", n+1)) {
			n++
		}
		return n
	}
	return strings.Count(sql, "?")
}

// Each placeholder stands for one argument, and a transition is one UPDATE (S1).
func TestLaw_S1_OneStatementItsArguments(t *testing.T) {
	for _, c := range sqlcases.All() {
		m := OfMachine(c.Machine)
		forms := []Form{m.Select, m.Lock, m.CreateInsert, m.CreateSelect}
		for _, e := range c.Machine.Events {
			t1 := OfEvent(c.Machine, e)
			forms = append(forms, t1.Update, t1.Check)
			for _, sql := range []string{t1.Update.SQLite, t1.Update.Postgres, t1.Update.MySQL} {
				if n := strings.Count(strings.ReplaceAll(sql, "FOR UPDATE", ""), "UPDATE "); n != 1 || strings.Contains(sql, ";\n") {
					t.Errorf("%s: not one update: %s", c, sql)
				}
			}
		}
		for _, f := range forms {
			for _, s := range []struct {
				dialect, sql string
				args         []int
			}{{"sqlite", f.SQLite, f.SQLiteArgs}, {"postgres", f.Postgres, f.PostgresArgs}, {"mysql", f.MySQL, f.MySQLArgs}} {
				want := 1
				if s.args == nil {
					s.args = f.Args
				}
				if s.args != nil {
					want = len(s.args)
				}
				if n := placeholders(s.dialect, s.sql); s.sql != "" && n != want {
					t.Errorf("%s: %d placeholders for %d arguments: %s", c, n, want, s.sql)
				}
			}
		}
	}
}
