package sqlstoretest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// edited is a connector whose statements are edited before they reach the server.
type edited struct {
	driver.Connector
	edit func(string) string
}

func (e edited) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := e.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &editedConn{c, e.edit}, nil
}

// editedConn knows what the stores use outside a transaction.
type editedConn struct {
	driver.Conn
	edit func(string) string
}

func (c *editedConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	return c.Conn.(driver.ConnPrepareContext).PrepareContext(ctx, c.edit(query))
}

func (c *editedConn) CheckNamedValue(v *driver.NamedValue) error {
	return c.Conn.(driver.NamedValueChecker).CheckNamedValue(v)
}

// On MySQL, NOWAIT concerns the read that says it; MariaDB then waits for nothing in
// the statement, the lock's own row neither. So here the server is one that waits for
// the row, and while it does the record is completed: the look that comes after the
// wait is what counts (L3).
func TestLaw_L3_SecondLookOnMySQL(t *testing.T) {
	ctx := context.Background()
	f := mariaDB.atLevel("read committed").fixture(t)
	s := f.locks()
	r := lockOn(t, idem.String("K"))
	if err := s.Release(ctx, acquire(t, s, r, idem.LockAcquired)); err != nil {
		t.Fatal(err)
	}
	connector, err := f.on.connector(f.source)
	if err != nil {
		t.Fatal(err)
	}
	waits := sql.OpenDB(edited{connector, func(query string) string { return strings.ReplaceAll(query, " NOWAIT", "") }})
	defer waits.Close()
	answers := make(chan idem.LockFound, 1)
	err = f.store.Begin(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "UPDATE idem_locks SET fence = fence + 1"); err != nil {
			return err
		}
		go func() {
			got, err := sqlstore.NewLocks(waits, idem.MySQL).Acquire(context.Background(), next(r))
			if err != nil {
				t.Error(err)
			}
			answers <- got
		}()
		time.Sleep(300 * time.Millisecond)
		f.complete(r.Key, "1")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := <-answers; got.Status != idem.LockNeedless {
		t.Errorf("%+v", got)
	}
}

// between is a locker of another process, whose statements something happens before:
// before[i] before the ith is first sent.
func between(t *testing.T, f *fixture, before ...func()) *sqlstore.Locks {
	t.Helper()
	connector, err := f.on.connector(f.source)
	if err != nil {
		t.Fatal(err)
	}
	sent := 0
	db := sql.OpenDB(edited{connector, func(query string) string {
		if sent++; sent <= len(before) && before[sent-1] != nil {
			before[sent-1]()
		}
		return query
	}})
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	return sqlstore.NewLocks(db, idem.MySQL)
}

// A check that an open transaction was in the way of finds the record completed when
// it looks: the lock is not acquired, not even to be freed again, and so nobody else
// hears of it.
func TestLaw_L3_NeedlessLockIsNeverHeld(t *testing.T) {
	f := mariaDB.fixture(t)
	f.locks()
	r := lockOn(t, idem.String("K"))
	there := f.process()
	release := slow(there, sqlKind(there), idem.Claim{Key: r.Key, Owner: idem.NewOwner(), Retention: time.Hour}, "K", nil)
	acquire(t, between(t, f, nil, release), r, idem.LockNeedless)
	if n := f.count("SELECT COUNT(*) FROM idem_locks"); n != 0 {
		t.Error("a needless lock was held")
	}
}

// Between that look and the acquisition somebody else has the lock, and completes the
// record: what the look saw is older than the lock, and doesn't count.
func TestLaw_L3_LookIsNotOlderThanTheLockOnMySQL(t *testing.T) {
	ctx := context.Background()
	for _, rows := range []int{0, 1} { // of the lock, before
		f := mariaDB.fixture(t)
		s := f.locks()
		r := lockOn(t, idem.String("K"))
		if rows > 0 {
			if err := s.Release(ctx, acquire(t, s, next(r), idem.LockAcquired)); err != nil {
				t.Fatal(err)
			}
		}
		there := f.process()
		release := slow(there, sqlKind(there), idem.Claim{Key: r.Key, Owner: idem.NewOwner(), Retention: time.Hour}, "K", nil)
		plain := next(r)
		plain.Check = false
		acquire(t, between(t, f, nil, nil, func() {
			h := acquire(t, s, plain, idem.LockAcquired)
			release()
			if err := s.Release(ctx, h); err != nil {
				t.Error(err)
			}
		}), r, idem.LockNeedless)
	}
}
