package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/examples/tickets/internal/testdb"
	"github.com/idemgen/idemgen/internal/servers"
)

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

// The day goes as it must, twice on one database.
func TestDemo(t *testing.T) {
	testdb.OnEach(t, func(t *testing.T) {
		source := testdb.Source(t)
		args := []string{"-demo", "-sqlite", source.SQLite, "-postgres", source.Postgres, "-mariadb", source.MariaDB}
		for range 2 {
			var out, errs bytes.Buffer
			if code := run(t.Context(), args, &out, &errs); code != 0 || !strings.Contains(out.String(), "  Approve  ManagerApproved → Approved, by fin-") {
				t.Fatalf("exit %d\n%s%s", code, out.String(), errs.String())
			}
		}
	})
}

// A day on a desk that is not there does not go as it must.
func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"", 2, "usage:"}, {"-demo x", 2, "usage:"}, {"-dance", 2, "not defined"}, {"-h", 0, "-postgres DSN"},
		{"-demo -sqlite /nowhere/at/all.db", 1, "tickets: "}, {"-demo -mariadb @@", 1, "tickets: database: "},
	} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), strings.Fields(c.args), &out, &errs); code != c.code || !strings.Contains(errs.String(), c.says) {
			t.Errorf("%q: exit %d, %q", c.args, code, errs.String())
		}
	}
}
