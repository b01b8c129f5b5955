package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/servers"
)

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

// TestLaw_L1_TheGuardHoldsWhenLocksAreForgotten, on each database, with the locks in it
// and in Redis: each sale is released once, whatever becomes of the locks, as long as
// there is a guard; a lock alone keeps out only those who respect it.
func TestLaw_L1_TheGuardHoldsWhenLocksAreForgotten(t *testing.T) {
	for name, flags := range map[string]func(t *testing.T) []string{
		"sqlite":       func(*testing.T) []string { return nil },
		"postgres":     func(t *testing.T) []string { return []string{"-postgres", servers.Postgres(t).Database(t).DSN()} },
		"mariadb":      func(t *testing.T) []string { return []string{"-mariadb", servers.MariaDB(t).Database(t).DSN()} },
		"sqlite,redis": func(t *testing.T) []string { return []string{"-redis", servers.Redis(t).URL()} },
		"postgres,redis": func(t *testing.T) []string {
			return []string{"-postgres", servers.Postgres(t).Database(t).DSN(), "-redis", servers.Redis(t).URL()}
		},
	} {
		t.Run(name, func(t *testing.T) {
			var out, said bytes.Buffer
			code := run(t.Context(), append(flags(t), "-sales", "3", "-callers", "12"), &out, &said)
			if code != 0 || strings.Count(out.String(), "one each") != 4 || strings.Count(out.String(), "as it must") != 2 {
				t.Errorf("exit %d\n%s%s", code, &out, &said)
			}
			t.Log("\n" + out.String())
		})
	}
}

// TestRowsAreJudged: a row that came to what it must not is a failure.
func TestRowsAreJudged(t *testing.T) {
	for _, c := range []struct {
		row      row
		released int64
		ok       bool
	}{
		{row{}, 3, true}, {row{}, 4, false}, {row{}, 2, false}, {row{doubles: true}, 4, true}, {row{doubles: true}, 3, false},
	} {
		if word, ok := c.row.judge(counts{released: c.released}, 3); ok != c.ok {
			t.Errorf("%+v, %d released: %s", c.row, c.released, word)
		}
	}
}

func TestUsage(t *testing.T) {
	for args, want := range map[string]struct {
		code   int
		stderr string
	}{
		"-h": {0, "-callers"}, "-caller 2": {2, "not defined"}, "now": {2, `unknown argument "now"`},
		"-callers 1": {2, "2 -callers"}, "-redis nowhere": {2, "redis: "}, "-sqlite /nowhere/stock.db": {2, "unable to open"},
	} {
		var out, said bytes.Buffer
		if code := run(t.Context(), strings.Fields(args), &out, &said); code != want.code || !strings.Contains(said.String(), want.stderr) {
			t.Errorf("%s: exit %d, %s", args, code, &said)
		}
	}
}
