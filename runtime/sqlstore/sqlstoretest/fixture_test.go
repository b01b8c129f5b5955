package sqlstoretest

import (
	"context"
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// fixture is a database with a store on it.
type fixture struct {
	testing.TB
	on     *database
	source string
	db     *sql.DB
	store  *sqlstore.Store
}

// newFixture is one on a SQLite file.
func newFixture(t testing.TB, opts ...sqlstore.Option) *fixture {
	t.Helper()
	return sqliteFile.fixture(t, opts...)
}

// path is the file of a SQLite database.
func (f *fixture) path() string {
	path, _, _ := strings.Cut(strings.TrimPrefix(f.source, "file:"), "?")
	return path
}

func (f *fixture) exec(query string, args ...any) {
	f.Helper()
	if _, err := f.db.Exec(f.on.text(query), args...); err != nil {
		f.Fatalf("%s: %v", query, err)
	}
}

// count runs a query that yields one number.
func (f *fixture) count(query string, args ...any) int {
	f.Helper()
	var n int
	if err := f.db.QueryRow(f.on.text(query), args...).Scan(&n); err != nil {
		f.Fatalf("%s: %v", query, err)
	}
	return n
}

// effects is how many effects an intention had.
func (f *fixture) effects(id string) int {
	f.Helper()
	return f.count("SELECT COUNT(*) FROM effects WHERE id = ?", []byte(id))
}

// effect is the business write.
func (f *fixture) effect(ctx context.Context, tx sqlstore.Conn, id string) error {
	_, err := tx.ExecContext(ctx, f.on.text("INSERT INTO effects (id, n) VALUES (?, 1)"), []byte(id))
	return err
}

// claimOn is a claim of a new owner in transaction mode.
func claimOn(t testing.TB, wait time.Duration, parts ...idem.Part) idem.Claim {
	t.Helper()
	op := idem.Op{Name: "sqlstoretest"}
	call := idem.New(idem.GlobalScope).Call(context.Background(), &op, parts...)
	if err := call.Err(); err != nil {
		t.Fatal(err)
	}
	return idem.Claim{Key: call.Key(), Owner: idem.NewOwner(), Retention: time.Hour, Wait: wait}
}

// leased turns a claim into one of lease mode.
func leased(c idem.Claim, lease time.Duration, orphan idem.Orphan) idem.Claim {
	c.Lease, c.Orphan = lease, orphan
	return c
}

// done is a small success.
func done(text string) idem.Outcome {
	return idem.Outcome{Kind: idem.Succeeded, Codec: "json", Data: []byte(text)}
}
