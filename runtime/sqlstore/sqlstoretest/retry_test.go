package sqlstoretest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
	"modernc.org/sqlite"
)

// impatient opens the fixture's file without a busy timeout.
func (f *fixture) impatient() *fixture {
	f.Helper()
	db, err := sql.Open("sqlite", "file:"+f.path())
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { db.Close() })
	return f.on.over(f.TB, f.source, db)
}

// isBusy checks that an error is to be retried and still carries the driver's.
func isBusy(t *testing.T, what string, err error) {
	t.Helper()
	var own *sqlite.Error
	if !errors.Is(err, idem.ErrRetryTransaction) || errors.Is(err, idem.ErrStoreUnavailable) {
		t.Errorf("%s: %v, want %v", what, err, idem.ErrRetryTransaction)
	}
	if !errors.As(err, &own) || own.Code()&0xff != 5 {
		t.Errorf("%s: the driver's error is lost: %v", what, err)
	}
}

func TestLaw_T3_BusyIsRetryable(t *testing.T) {
	ctx := context.Background()
	f := newFixture(t)
	g := f.impatient()
	k := sqlKind(g)
	release := slow(f, sqlKind(f), claimOn(t, 0, idem.String("other")), "other", nil)
	c := claimOn(t, 0, idem.String("K"))
	_, err := g.store.InTx(ctx, c, k.body("K"))
	isBusy(t, "claim", err)
	isBusy(t, "plain transaction", g.store.Begin(ctx, func(ctx context.Context, tx *sql.Tx) error { return f.effect(ctx, tx, "K") }))
	_, err = g.store.Claim(ctx, leased(c, time.Minute, idem.OrphanRerun))
	isBusy(t, "claim in lease mode", err)
	_, err = g.store.Keep(ctx, c, idem.Outcome{Kind: idem.Failed})
	isBusy(t, "keep", err)
	release()
	if got, err := g.store.InTx(ctx, c, k.body("K")); err != nil || got.Status != idem.Fresh {
		t.Errorf("a new transaction: %v, %v", got.Status, err)
	}
}

// A body that reads, lets another writer commit and then writes fails at once,
// whatever the busy timeout: SQLITE_BUSY_SNAPSHOT. A claim comes first and so
// never does (T4).
func TestLaw_T4_ClaimComesFirst(t *testing.T) {
	ctx := context.Background()
	f := newFixture(t)
	err := f.store.Begin(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var n int
		if err := tx.QueryRowContext(ctx, "SELECT COUNT(*) FROM effects").Scan(&n); err != nil {
			return err
		}
		f.exec("INSERT INTO effects VALUES ('between', 1)")
		return f.effect(ctx, tx, "late")
	})
	isBusy(t, "a read that is upgraded", err)

	k := sqlKind(f)
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			_, err := f.store.InTx(ctx, claimOn(t, 0, idem.Int(i)), func(ctx context.Context, tx *sql.Tx) (idem.Outcome, error) {
				var n int
				if err := tx.QueryRowContext(ctx, "SELECT COUNT(*) FROM effects").Scan(&n); err != nil {
					return idem.Outcome{}, err
				}
				return done("1"), k.write(ctx, tx, "storm")
			})
			if err != nil {
				t.Errorf("caller %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	if n := f.effects("storm"); n != 64 {
		t.Errorf("%d effects of 64", n)
	}
}

// strict is a database that refuses a COMMIT: a child of "nobody" is only
// found out then.
func strict(t *testing.T) *fixture {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.db")
	db, err := sql.Open("sqlite", dsn(path)+"&_pragma=foreign_keys(1)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	f := sqliteFile.setUp(t, dsn(path), db, nil)
	f.exec("CREATE TABLE parents (id TEXT PRIMARY KEY)")
	f.exec("INSERT INTO parents VALUES ('somebody')")
	f.exec("CREATE TABLE children (id TEXT REFERENCES parents DEFERRABLE INITIALLY DEFERRED)")
	return f
}

func TestLaw_T5_FailedCommitIsAnError(t *testing.T) {
	f := strict(t)
	refused(f, sqlKind(f), func(tx *sql.Tx) sqlstore.Conn { return tx })
	refused(f, unitKind(f), func(u *unitOfWork) sqlstore.Conn { return u.conn })
}

func refused[T any](f *fixture, k kind[T], conn func(T) sqlstore.Conn) {
	c := claimOn(f, 0, idem.String("K"))
	_, err := k.store.InTx(context.Background(), c, func(ctx context.Context, tx T) (idem.Outcome, error) {
		_, err := conn(tx).ExecContext(ctx, "INSERT INTO children VALUES ('nobody')")
		return done("1"), errors.Join(err, k.write(ctx, tx, "K"))
	})
	var own *sqlite.Error
	if !errors.As(err, &own) || errors.Is(err, idem.ErrCommitUnknown) || errors.Is(err, idem.ErrRetryTransaction) {
		f.Errorf("a refused commit: %v", err)
	}
	absent(f, k, c, "K")
}

// The reply of a COMMIT is lost: nobody knows, until a look for the own owner.
func TestLaw_T8_LostCommitReplyIsUnknown(t *testing.T) {
	on(t, everyDatabase, lostCommitReplyIsUnknown)
}

func lostCommitReplyIsUnknown(t *testing.T, d *database) {
	ctx := context.Background()
	f, w := d.wired(t)
	k := sqlKind(f)
	lose := func(verb string, err error) error {
		if verb == "COMMIT" {
			return driver.ErrBadConn
		}
		return err
	}
	c := claimOn(t, 0, idem.String("K"))
	w.setReply(lose)
	_, err := f.store.InTx(ctx, c, k.body("K"))
	w.setReply(nil)
	if !errors.Is(err, idem.ErrCommitUnknown) || !errors.Is(err, driver.ErrBadConn) {
		t.Errorf("a lost reply: %v", err)
	}
	if got, err := f.store.Lookup(ctx, c.Key); err != nil || got.Status != idem.Done || got.Record.Owner != c.Owner {
		t.Errorf("look for the own owner: %v, %v", got.Status, err)
	}
	if got, err := f.store.InTx(ctx, c, k.body("K")); err != nil || got.Status != idem.Done {
		t.Errorf("the same owner again: %v, %v", got.Status, err)
	}
	w.setReply(lose)
	err = f.store.Begin(ctx, func(ctx context.Context, tx *sql.Tx) error { return f.effect(ctx, tx, "plain") })
	if !errors.Is(err, idem.ErrCommitUnknown) {
		t.Errorf("a plain transaction: %v", err)
	}
}

func TestLaw_C15_UnreachableStore(t *testing.T) {
	ctx := context.Background()
	missing, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "no", "such", "dir.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer missing.Close()
	f := newFixture(t)
	f.db.Close()
	for name, store := range map[string]*sqlstore.Store{"no file": sqlstore.New(missing, idem.SQLite), "closed": f.store} {
		ran := false
		c := claimOn(t, 0, idem.String("K"))
		_, err := store.InTx(ctx, c, func(context.Context, *sql.Tx) (idem.Outcome, error) {
			ran = true
			return done("1"), nil
		})
		if !errors.Is(err, idem.ErrStoreUnavailable) || ran {
			t.Errorf("%s: %v, ran %v", name, err, ran)
		}
		if _, err := store.Claim(ctx, leased(c, time.Minute, idem.OrphanRerun)); !errors.Is(err, idem.ErrStoreUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := store.Lookup(ctx, c.Key); !errors.Is(err, idem.ErrStoreUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A table that does not exist is a fault of the set-up, not an outage: it must
// never let a method run unguarded.
func TestLaw_C15_MissingTableIsNoOutage(t *testing.T) { on(t, everyDatabase, missingTableIsNoOutage) }

func missingTableIsNoOutage(t *testing.T, d *database) {
	f := d.fixture(t)
	store := sqlstore.New(f.db, d.dialect, sqlstore.WithTable("elsewhere"))
	_, err := store.Claim(context.Background(), leased(claimOn(t, 0, idem.String("K")), time.Minute, idem.OrphanRerun))
	if err == nil || errors.Is(err, idem.ErrStoreUnavailable) || errors.Is(err, idem.ErrRetryTransaction) {
		t.Errorf("a missing table: %v", err)
	}
}
