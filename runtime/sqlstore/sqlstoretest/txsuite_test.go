package sqlstoretest

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// The suite of transaction mode on every database and driver, at every isolation
// level, and on every kind of transactions.

func TestTxStore(t *testing.T) {
	t.Run(sqliteFile.name, func(t *testing.T) { suite(t, sqliteFile, sqlKind) })
	for _, c := range []struct {
		on     *database
		levels []sql.IsolationLevel
	}{
		{pgxOnPostgres, levels},
		{pqOnPostgres, levels[2:]}, // the one with the most errors to class
		{mariaDB, levels},
		{mariaDBFoundRows, levels[1:2]}, // MariaDB's own
	} {
		for _, l := range c.levels {
			t.Run(c.on.name+"/"+l.String(), func(t *testing.T) { suite(t, c.on, sqlKind, level(l)) })
		}
	}
}

func TestTxStoreOfKinds(t *testing.T) {
	on(t, oneOfEach, func(t *testing.T, d *database) {
		t.Run("unit of work", func(t *testing.T) { suite(t, d, unitKind) })
		t.Run("in the context", func(t *testing.T) { suite(t, d, contextKind) })
	})
	on(t, bothServers, func(t *testing.T, d *database) {
		t.Run("in the context, autocommit", func(t *testing.T) { suite(t, d, autocommitKind) })
	})
}

// suite runs the suite for a kind of transactions in a database of its own.
func suite[T any](t *testing.T, d *database, of func(*fixture) kind[T], opts ...sqlstore.Option) {
	t.Parallel()
	subject := subjectOf(d.suiteFixture(t, opts), of, opts)
	idemtest.TestTxStore(t, func(*testing.T) idemtest.TxSubject[T] { return subject })
}

// subjectOf is a kind of transactions as the suite wants it: a store, one of
// another process, and one whose pool has one connection.
func subjectOf[T any](f *fixture, of func(*fixture) kind[T], opts []sqlstore.Option) idemtest.TxSubject[T] {
	f.Helper()
	other, one := f.elsewhere(opts), f.process(opts...)
	for pool, size := range map[*sql.DB]int{f.db: 12, other.db: 12, one.db: 1} {
		pool.SetMaxOpenConns(size)
		pool.SetMaxIdleConns(size)
	}
	k := of(f)
	s := idemtest.TxSubject[T]{
		Store: k.store, Other: of(other).store, One: of(one).store,
		Write: k.write,
		Effects: func(ctx context.Context, id string) (n int, err error) {
			err = f.db.QueryRowContext(ctx, f.on.text("SELECT COUNT(*) FROM effects WHERE id = ?"), []byte(id)).Scan(&n)
			return n, err
		},
	}
	if f.on.dialect == idem.SQLite {
		hasty := f.impatient()
		s.Refuse = func(ctx context.Context, _ T) error {
			return f.effect(ctx, hasty.db, "while another transaction has the file")
		}
		s.FailCommit = func(ctx context.Context, tx T) error {
			_, err := k.store.Use(ctx, tx).Exec(ctx, "INSERT INTO children VALUES ('nobody')")
			return err
		}
	}
	return s
}

// suiteFixture is a fixture whose commits can fail.
func (d *database) suiteFixture(t *testing.T, opts []sqlstore.Option) *fixture {
	t.Helper()
	if d.dialect == idem.SQLite {
		return strict(t)
	}
	return d.fixture(t, opts...)
}

// elsewhere is a store of another process, which on SQLite waits for the file a
// little only.
func (f *fixture) elsewhere(opts []sqlstore.Option) *fixture {
	f.Helper()
	if f.on.dialect != idem.SQLite {
		return f.process(opts...)
	}
	source := strings.Replace(f.source, "busy_timeout%2810000%29", "busy_timeout%28300%29", 1)
	if source == f.source {
		f.Fatalf("no busy timeout in %s", f.source)
	}
	return f.on.over(f.TB, source, f.on.open(f.TB, source), opts...)
}
