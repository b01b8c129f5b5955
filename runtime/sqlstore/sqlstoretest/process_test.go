package sqlstoretest

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// Two processes meet on one key: they share nothing but the server.

// level is an isolation level that a store begins its transactions with.
func level(l sql.IsolationLevel) sqlstore.Option {
	return sqlstore.WithTxOptions(&sql.TxOptions{Isolation: l})
}

var levels = []sql.IsolationLevel{sql.LevelReadCommitted, sql.LevelRepeatableRead, sql.LevelSerializable}

// onLevels runs a test on both servers at each isolation level, in two
// processes.
func onLevels(t *testing.T, test func(t *testing.T, l sql.IsolationLevel, here, there *fixture)) {
	on(t, everyServer, func(t *testing.T, d *database) {
		for _, l := range levels {
			t.Run(l.String(), func(t *testing.T) {
				f := d.fixture(t, level(l))
				test(t, l, f, f.process(level(l)))
			})
		}
	})
}

// wait=0: a duplicate is answered at once while the winner's transaction is
// open, and keys beside it are free.
func TestLaw_C7_AnotherProcessIsNotWaitedFor(t *testing.T) {
	onLevels(t, func(t *testing.T, _ sql.IsolationLevel, here, there *fixture) {
		ctx := context.Background()
		c := claimOn(t, 0, idem.String("K"))
		release := slow(here, sqlKind(here), c, "K", nil)
		k := sqlKind(there)
		duplicate := func(want idem.ClaimStatus) {
			t.Helper()
			d := c
			d.Owner = idem.NewOwner()
			start := time.Now()
			got, err := there.store.InTx(ctx, d, k.body("K"))
			if err != nil || got.Status != want || time.Since(start) > time.Second {
				t.Errorf("%v, %v after %v, want %v", got.Status, err, time.Since(start), want)
			}
		}
		duplicate(idem.Running)
		for i := range 100 {
			if got, err := there.store.InTx(ctx, claimOn(t, 0, idem.Int(i)), k.body("beside")); err != nil || got.Status != idem.Fresh {
				t.Fatalf("key %d beside: %v, %v", i, got.Status, err)
			}
		}
		release()
		duplicate(idem.Done)
		if n := there.effects("K"); n != 1 {
			t.Errorf("%d effects", n)
		}
	})
}

// A duplicate inside a caller's transaction does not abort it, nor does it
// leave anything of its own waiting behind in the session.
func TestLaw_T2_DuplicateInsideATransaction(t *testing.T) {
	onLevels(t, func(t *testing.T, l sql.IsolationLevel, here, there *fixture) {
		ctx := context.Background()
		c := claimOn(t, 0, idem.String("K"))
		release := slow(here, sqlKind(here), c, "K", nil)
		join := func(tx *sql.Tx, wait time.Duration) (idem.ClaimStatus, time.Duration, error) {
			d := c
			d.Owner, d.Wait = idem.NewOwner(), wait
			start := time.Now()
			got, err := there.store.Join(ctx, tx, d, sqlKind(there).body("K"))
			return got.Status, time.Since(start), err
		}
		before := there.session()
		err := there.store.Begin(ctx, func(ctx context.Context, tx *sql.Tx) error {
			if got, took, err := join(tx, 0); err != nil || got != idem.Running || took > time.Second {
				t.Errorf("wait=0: %v, %v after %v", got, err, took)
			}
			if got, took, err := join(tx, 200*time.Millisecond); err != nil || got != idem.Running || took < 200*time.Millisecond || took > 2*time.Second {
				t.Errorf("wait=200ms: %v, %v after %v", got, err, took)
			}
			if after := there.sessionOf(tx); after != before {
				t.Errorf("the session's time-outs were %s and are %s", before, after)
			}
			return there.effect(ctx, tx, "outer")
		})
		if err != nil || there.effects("outer") != 1 {
			t.Errorf("the transaction around: %v, %d effects", err, there.effects("outer"))
		}
		err = there.store.Begin(ctx, func(ctx context.Context, tx *sql.Tx) error {
			go func() { time.Sleep(50 * time.Millisecond); release() }()
			got, _, err := join(tx, time.Minute)
			tooOld := errors.Is(err, idem.ErrRetryTransaction) && there.on.dialect == idem.Postgres && l > sql.LevelReadCommitted
			if !tooOld && (err != nil || got != idem.Done) {
				t.Errorf("once the winner has ended: %v, %v", got, err)
			}
			return there.effect(ctx, tx, "outer")
		})
		if err != nil || there.effects("outer") != 2 || there.effects("K") != 1 {
			t.Errorf("the transaction around: %v, %d effects", err, there.effects("outer"))
		}
	})
}

// session is what the session waits for locks.
func (f *fixture) session() string { return f.sessionOf(f.db) }

func (f *fixture) sessionOf(db interface {
	QueryRow(query string, args ...any) *sql.Row
}) (value string) {
	f.Helper()
	query := map[idem.Dialect]string{
		idem.Postgres: "SELECT current_setting('lock_timeout')",
		idem.MySQL:    "SELECT @@SESSION.innodb_lock_wait_timeout",
	}[f.on.dialect]
	if err := db.QueryRow(query).Scan(&value); err != nil {
		f.Fatal(err)
	}
	return value
}

// skewedBy is a process clock that is wrong by so much.
func skewedBy(by time.Duration) sqlstore.Option {
	return sqlstore.WithClock(func() time.Time { return time.Now().Add(by) })
}
