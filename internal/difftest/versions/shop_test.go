package versions_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"testing"

	_ "github.com/go-sql-driver/mysql"
	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"
)

// base is one row of the table of what the versions share.
type base struct {
	name, driver string
	dialect      idem.Dialect
	source       func(t *testing.T) string
	redis        bool // keeps the records of lease mode
}

var bases = []base{
	{"SQLite", "sqlite", idem.SQLite, sqliteFile, false},
	{"Postgres", "pgx", idem.Postgres, func(t *testing.T) string { return servers.Postgres(t).Database(t).DSN() }, false},
	{"MariaDB", "mysql", idem.MySQL, func(t *testing.T) string { return servers.MariaDB(t).Database(t).DSN() }, false},
	{"Redis beside Postgres", "pgx", idem.Postgres, func(t *testing.T) string { return servers.Postgres(t).Database(t).DSN() }, true},
}

func sqliteFile(t *testing.T) string {
	q := url.Values{"_pragma": {"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(NORMAL)"}}
	return "file:" + filepath.Join(t.TempDir(), "shop.db") + "?" + q.Encode()
}

// shop is a database that processes of both versions share.
type shop struct {
	*testing.T
	programs [2]string
	args     []string
	db       *sql.DB
}

// newShop makes the database and its tables.
func newShop(t *testing.T, b *base) *shop {
	t.Helper()
	source := b.source(t)
	s := &shop{T: t, programs: build(t), args: []string{"-driver", b.driver, "-source", source}}
	if b.redis {
		s.args = append(s.args, "-redis", servers.Redis(t).URL(), "-prefix", servers.Unique(t)+":")
	}
	var err error
	if s.db, err = sql.Open(b.driver, source); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.db.Close() })
	if err := sqlstore.New(s.db, b.dialect).Migrate(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.db.Exec("CREATE TABLE effects (op VARCHAR(16) NOT NULL, id VARCHAR(64) NOT NULL, version INTEGER NOT NULL)"); err != nil {
		t.Fatal(err)
	}
	return s
}

// start starts a process of a version, 1 or 2.
func (s *shop) start(version int) *process {
	s.Helper()
	return start(s.T, s.programs[version-1], s.args...)
}

// effect is what an operation did for an order.
type effect struct{ op, id string }

// effects counts what was done, and by which version.
func (s *shop) effects() (n map[effect]int, byVersion map[int]int) {
	s.Helper()
	rows, err := s.db.Query("SELECT op, id, version FROM effects")
	if err != nil {
		s.Fatal(err)
	}
	defer rows.Close()
	n, byVersion = map[effect]int{}, map[int]int{}
	for rows.Next() {
		var e effect
		var version int
		if err := rows.Scan(&e.op, &e.id, &version); err != nil {
			s.Fatal(err)
		}
		n[e]++
		byVersion[version]++
	}
	if err := rows.Err(); err != nil {
		s.Fatal(err)
	}
	return n, byVersion
}

// ask sends a call and expects a code.
func (s *shop) ask(p *process, method string, r request, code string) reply {
	s.Helper()
	got, err := p.call(method, r)
	if err != nil {
		s.Fatalf("%s: %v: %s", method, err, p.stderr.String())
	}
	if got.Code != code {
		s.Fatalf("%s %+v: code %q, want %q: %s", method, r, got.Code, code, got.Error)
	}
	return got
}

// receipt is what both versions know of a receipt.
type receipt struct {
	Number string `json:"number"`
	Amount int64  `json:"amount"`
}

func parse(r reply) (out receipt, err error) {
	if err = json.Unmarshal(r.Result, &out); err == nil && out.Number == "" {
		err = fmt.Errorf("%s has no number", r.Result)
	}
	return out, err
}

func (s *shop) receipt(r reply) receipt {
	s.Helper()
	out, err := parse(r)
	if err != nil {
		s.Fatal(err)
	}
	return out
}

// onAll runs a test on every base.
func onAll(t *testing.T, test func(s *shop)) {
	for i := range bases {
		t.Run(bases[i].name, func(t *testing.T) { test(newShop(t, &bases[i])) })
	}
}
