package sqlstoretest

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// goldenSQL are the update and the read of one golden file for a dialect, with what
// their placeholders stand for.
type goldenSQL struct {
	update, read         string
	updateArgs, readArgs []int
}

func readGolden(t *testing.T, file string, d idem.Dialect) (g goldenSQL) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string][]string{}
	section := ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		name, comment := strings.CutPrefix(line, "-- ")
		switch {
		case comment && strings.HasPrefix(name, "["):
			parts[section] = append(parts[section], strings.ReplaceAll(name, " ", ","))
		case comment:
			section = name
		default:
			parts[section] = append(parts[section], strings.TrimSuffix(line, ";"))
		}
	}
	sql, args := parts[d.String()], parts["arguments"]
	if len(sql) != 2 || len(args) != 2 {
		t.Fatalf("%s: %q, %q", file, sql, args)
	}
	g.update, g.read = sql[0], sql[1]
	for i, list := range []*[]int{&g.updateArgs, &g.readArgs} {
		if err := json.Unmarshal([]byte(args[i]), list); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// goldenTables are the tables that the golden files speak of, each with one row in
// version 7.
func (f *fixture) goldenTables() (schema string) {
	f.Helper()
	schema = "shop"
	switch f.on.dialect {
	case idem.SQLite:
		f.db.SetMaxOpenConns(1)
		f.exec("ATTACH ':memory:' AS shop")
	case idem.Postgres:
		f.exec("CREATE SCHEMA shop")
	case idem.MySQL: // a schema is a database there: the test's own
		if err := f.db.QueryRow("SELECT DATABASE()").Scan(&schema); err != nil {
			f.Fatal(err)
		}
	}
	name := func(s string) string {
		if f.on.dialect == idem.MySQL {
			return "`" + s + "`"
		}
		return `"` + s + `"`
	}
	f.exec("CREATE TABLE accounts (id INTEGER, balance BIGINT, seen BIGINT, status VARCHAR(20), paid_at TIMESTAMP NULL, version BIGINT)")
	f.exec("INSERT INTO accounts VALUES (11, 1000, 1, 'NEW', NULL, 7)")
	f.exec("CREATE TABLE " + name(schema) + "." + name("order") + " (" + name("group") + " INTEGER, no INTEGER, tenant_id INTEGER, note VARCHAR(20), " +
		name("order") + " VARCHAR(20), was BIGINT, state VARCHAR(20), level INTEGER, owner VARCHAR(20), status VARCHAR(20), group2 VARCHAR(20), rev BIGINT)")
	f.exec("INSERT INTO " + name(schema) + "." + name("order") + " VALUES (11, 12, 13, 'n', NULL, 0, 'PAID', 100, 'o', 'NEW', 'x', 7)")
	return schema
}

// TestVersionGoldensExecute runs every golden statement on every database: the
// update applies to the row that has the version, and to no other.
func TestVersionGoldensExecute(t *testing.T) { on(t, everyDatabase, versionGoldensExecute) }

func versionGoldensExecute(t *testing.T, d *database) {
	files, err := filepath.Glob("../../../templates/sqltext/testdata/version_*.sql")
	if err != nil || len(files) < 5 {
		t.Fatalf("%q, %v", files, err)
	}
	// Arguments by their index, as each file's statements take them.
	paidAt := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	values := map[string][]any{
		"version_set.sql":            {7, 11, 10},
		"version_plain.sql":          {7, 11},
		"version_columns.sql":        {7, 11, "PAID", paidAt},
		"version_tenant.sql":         {7, 11, 12, 13, "o", "note"},
		"version_tenant_columns.sql": {7, 11, 12, 13, 5, "PAID", "y"},
	}
	ctx := context.Background()
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".sql"), func(t *testing.T) {
			f := d.fixture(t)
			schema := f.goldenTables()
			g := readGolden(t, file, d.dialect)
			list := values[filepath.Base(file)]
			if list == nil {
				t.Fatal("no arguments for this golden file")
			}
			pick := func(args []int) []any {
				var out []any
				for _, n := range args {
					out = append(out, list[n])
				}
				return out
			}
			text := func(s string) string { return strings.ReplaceAll(s, "`shop`", "`"+schema+"`") }
			for _, want := range []int64{1, 0} { // the second finds version 8
				res, err := f.db.ExecContext(ctx, text(g.update), pick(g.updateArgs)...)
				if err != nil {
					t.Fatalf("%s: %v", g.update, err)
				}
				if n, err := res.RowsAffected(); n != want || err != nil {
					t.Errorf("%s: %d rows, %v", g.update, n, err)
				}
			}
			var version, holds int64
			dest := []any{&version}
			if strings.Contains(g.read, "CASE") {
				dest = append(dest, &holds)
			} else {
				holds = 1
			}
			if err := f.db.QueryRowContext(ctx, text(g.read), pick(g.readArgs)...).Scan(dest...); err != nil || version != 8 || holds != 1 {
				t.Errorf("%s: %d, %d, %v", g.read, version, holds, err)
			}
		})
	}
}
