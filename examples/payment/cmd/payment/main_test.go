package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/examples/internal/database"
	"github.com/idemgen/idemgen/examples/payment/internal/shop"
	"github.com/idemgen/idemgen/internal/servers"
)

// child tells the test binary to be the program.
const child = "PAYMENT_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(child) != "" {
		os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(servers.Main(m))
}

// kinds are the places where a shop can keep what it keeps, each new.
var kinds = []struct {
	name    string
	options func(t *testing.T) shop.Options
}{
	{"sqlite", onSQLite},
	{"postgres", func(t *testing.T) shop.Options {
		return shop.Options{Database: database.Source{Postgres: servers.Postgres(t).Database(t).DSN()}}
	}},
	{"mariadb", func(t *testing.T) shop.Options {
		return shop.Options{Database: database.Source{MariaDB: servers.MariaDB(t).Database(t).DSN()}}
	}},
	{"sqlite,redis", func(t *testing.T) shop.Options {
		o := onSQLite(t)
		o.Redis, o.Prefix = servers.Redis(t).URL(), servers.Unique(t)+":"
		return o
	}},
}

func onSQLite(t *testing.T) shop.Options {
	return shop.Options{Database: database.Source{SQLite: filepath.Join(t.TempDir(), "payment.db")}}
}

func onEach(t *testing.T, test func(t *testing.T, o shop.Options)) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) { test(t, k.options(t)) })
	}
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args   string
		code   int
		stderr string
	}{
		{"-h", 0, "-storm"},
		{"-strom", 2, "not defined"},
		{"open", 2, `unknown argument "open"`},
		{"-storm -clicks 1", 2, "at least 2 -clicks"},
		{"-token-ttl -1s", 2, "a positive -token-ttl"},
		{"-redis nowhere", 2, "redis: "},
		{"-sqlite /nowhere/payment.db", 2, "unable to open database file"},
	} {
		t.Chdir(t.TempDir()) // where payment.db is made
		var out, errs bytes.Buffer
		code := run(t.Context(), strings.Fields(c.args), &out, &errs)
		if code != c.code || !strings.Contains(errs.String(), c.stderr) {
			t.Errorf("%s: exit %d, %q, %q", c.args, code, &out, &errs)
		}
	}
}
