package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/servers"
)

// process tells the test binary that it is one of the storm's processes.
const process = "WALLET_PROCESS"

func TestMain(m *testing.M) {
	if os.Getenv(process) != "" {
		os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(servers.Main(m))
}

// databases are the flags of a new database of each kind.
var databases = []struct {
	name  string
	flags func(t *testing.T) []string
}{
	{"sqlite", func(t *testing.T) []string { return []string{"-sqlite", filepath.Join(t.TempDir(), "wallet.db")} }},
	{"postgres", func(t *testing.T) []string { return []string{"-postgres", servers.Postgres(t).Database(t).DSN()} }},
	{"mariadb", func(t *testing.T) []string { return []string{"-mariadb", servers.MariaDB(t).Database(t).DSN()} }},
	{"mariadb,clientFoundRows", func(t *testing.T) []string {
		return []string{"-mariadb", servers.MariaDB(t).Database(t).With("clientFoundRows", "true").DSN()}
	}},
}

func onEach(t *testing.T, test func(t *testing.T, flags []string)) {
	for _, d := range databases {
		t.Run(d.name, func(t *testing.T) { test(t, d.flags(t)) })
	}
}

// wallet runs the program.
func wallet(t *testing.T, flags []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), append(flags[:len(flags):len(flags)], args...), &out, &errs)
	return code, out.String(), errs.String()
}

// Money is conserved and every intention has one effect, whatever comes twice, at once or is killed.
func TestStorm(t *testing.T) {
	onEach(t, func(t *testing.T, flags []string) {
		t.Setenv(process, "1")
		if code, out, errs := wallet(t, flags, "-kills", "8", "storm"); code != 0 {
			t.Errorf("exit %d\n%s%s", code, out, errs)
		}
	})
}

// The storm finds the fault where the wrapper is missing.
func TestStormUnguarded(t *testing.T) {
	onEach(t, func(t *testing.T, flags []string) {
		t.Setenv(process, "1")
		code, out, errs := wallet(t, flags, "-unguarded", "-kills", "2", "storm")
		if code != 0 || !strings.Contains(out, "fault: transfer t-0") {
			t.Errorf("exit %d\n%s%s", code, out, errs)
		}
	})
}

func TestCommands(t *testing.T) {
	onEach(t, func(t *testing.T, flags []string) {
		for _, c := range []struct {
			args   string
			code   int
			stdout string
			stderr string
		}{
			{"open ann Ann 1000", 0, "", ""},
			{"open bob Bob 0 -500", 0, "", ""},
			{"transfer t-1 ann bob 300", 0, "t-1: 700 cents left, version 1\n", ""},
			{"transfer t-1 ann bob 300", 0, "t-1: 700 cents left, version 1\n", ""},
			{"transfer t-1 ann bob 400", 2, "", "idem: key reused with another payload"},
			{"transfer t-2 ann bob 701", 2, "", "service: insufficient funds: ann holds 700 cents"},
			{"transfer t-2 ann bob 700", 0, "t-2: 0 cents left, version 2\n", ""},
			{"transfer t-3 ann ann 1", 2, "", "service: bad request"},
			{"transfer t-3 ann eve 1", 2, "", "service: no such account: eve"},
			{"withdraw w-1 bob 1500", 0, "w-1: -500 cents left, version 3\n", ""},
			{"withdraw w-2 bob 1", 2, "", "service: insufficient funds: bob holds -500 cents"},
			{"withdraw w-3 bob -1", 2, "", "service: bad request"},
			{"accounts", 0, "ann          Ann                           0  floor 0, version 2\nbob          Bob                        -500  floor -500, version 3\n", ""},
			{"transfer t-4 ann bob", 2, "", "usage:"},
			{"transfer t-4 ann bob x", 2, "", `"x" is no number of cents`},
			{"dance", 2, "", "usage:"},
		} {
			code, out, errs := wallet(t, flags, strings.Fields(c.args)...)
			if code != c.code || out != c.stdout || !strings.Contains(errs, c.stderr) {
				t.Errorf("%s: exit %d, %q, %q", c.args, code, out, errs)
			}
		}
	})
}
