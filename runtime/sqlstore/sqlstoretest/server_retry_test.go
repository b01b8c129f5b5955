package sqlstoretest

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// What servers with row locks do to transactions.

// Three processes insert one key, the first rolls back: one of the others wins,
// the last one replays, and no deadlock surfaces.
func TestLaw_T3_ThreeInsertsOneRollback(t *testing.T) {
	onLevels(t, func(t *testing.T, l sql.IsolationLevel, a, b *fixture) {
		first := newService(a, idem.Op{})
		claimed, finish := make(chan struct{}), make(chan struct{})
		first.during = func(context.Context, *sql.Tx) error { close(claimed); <-finish; return errBusiness }
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := first.Pay(context.Background(), "K", 1); !errors.Is(err, errBusiness) {
				t.Errorf("the first: %v", err)
			}
		})
		<-claimed
		var runs atomic.Int64
		for _, f := range []*fixture{b, b.process(level(l))} {
			s := newService(f, idem.Op{Wait: 30 * time.Second})
			s.during = func(context.Context, *sql.Tx) error { runs.Add(1); return nil }
			wg.Go(func() {
				if got, err := s.Pay(context.Background(), "K", 1); err != nil || got.Amount != 1 {
					t.Errorf("one of the others: %v, %v", got, err)
				}
			})
		}
		time.Sleep(50 * time.Millisecond)
		close(finish)
		wg.Wait()
		if runs.Load() != 1 || a.effects("K") != 1 {
			t.Errorf("%d runs, %d effects", runs.Load(), a.effects("K"))
		}
	})
}

// The same where a claim blocks on the database: errors that are kept while
// the first transaction is open.
func TestLaw_T3_ThreeBlockedInsertsOneRollback(t *testing.T) {
	on(t, everyServer, func(t *testing.T, d *database) {
		f := d.fixture(t)
		c := claimOn(t, 0, idem.String("K"))
		release := slow(f, sqlKind(f), c, "K", errBusiness)
		var fresh atomic.Int64
		var wg sync.WaitGroup
		for range 3 {
			p := f.process()
			wg.Go(func() {
				k := c
				k.Owner = idem.NewOwner()
				got, err := p.store.Keep(context.Background(), k, idem.Outcome{Kind: idem.Failed})
				if err != nil || got.Record.Outcome.Kind != idem.Failed {
					t.Errorf("keep: %v, %v", got, err)
				}
				if got.Status == idem.Fresh {
					fresh.Add(1)
				}
			})
		}
		time.Sleep(50 * time.Millisecond)
		release()
		wg.Wait()
		if fresh.Load() != 1 {
			t.Errorf("%d winners", fresh.Load())
		}
	})
}

// accounts are two rows that two calls touch in opposite order.
func (f *fixture) accounts() {
	f.exec("CREATE TABLE accounts (id INTEGER PRIMARY KEY, n INTEGER NOT NULL)")
	f.exec("INSERT INTO accounts VALUES (1, 0), (2, 0)")
}

// crossing updates one row, waits for the other call, and updates the second.
func (f *fixture) crossing(ctx context.Context, tx *sql.Tx, order [2]int, met *sync.WaitGroup, once *sync.Once) error {
	if _, err := tx.ExecContext(ctx, f.on.text("UPDATE accounts SET n = n + 1 WHERE id = ?"), order[0]); err != nil {
		return err
	}
	once.Do(func() { met.Done(); met.Wait() })
	_, err := tx.ExecContext(ctx, f.on.text("UPDATE accounts SET n = n + 1 WHERE id = ?"), order[1])
	return err
}

// A deadlock of the business statements is tried again in a new transaction.
func TestLaw_T3_DeadlockIsTriedAgain(t *testing.T) {
	on(t, everyServer, func(t *testing.T, d *database) {
		f := d.fixture(t)
		f.accounts()
		var met, wg sync.WaitGroup
		met.Add(2)
		var retries int64
		services := map[string]*service{}
		for id, order := range map[string][2]int{"A": {1, 2}, "B": {2, 1}} {
			s := newService(f, idem.Op{})
			services[id] = s
			var once sync.Once
			s.during = func(ctx context.Context, tx *sql.Tx) error { return f.crossing(ctx, tx, order, &met, &once) }
			wg.Go(func() {
				if _, err := s.Pay(context.Background(), id, 1); err != nil {
					t.Errorf("%s: %v", id, err)
				}
			})
		}
		wg.Wait()
		for id, s := range services {
			retries += s.retry.Load()
			if n := f.effects(id); n != 1 {
				t.Errorf("%s: %d effects", id, n)
			}
		}
		if n := f.count("SELECT SUM(n) FROM accounts"); n != 4 || retries == 0 {
			t.Errorf("%d updates, %d retries", n, retries)
		}
	})
}

// After a deadlock InnoDB's transaction is gone. A body that swallows the error
// is told when it wants to complete, and leaves no record.
func TestLaw_T3_SwallowedDeadlockFailsLoudly(t *testing.T) {
	on(t, everyServer, func(t *testing.T, d *database) {
		f := d.fixture(t)
		f.accounts()
		var met, wg sync.WaitGroup
		met.Add(2)
		var failed atomic.Int64
		for id, order := range map[string][2]int{"A": {1, 2}, "B": {2, 1}} {
			c := claimOn(t, 0, idem.String(id))
			wg.Go(func() {
				var swallowed error
				_, err := f.store.InTx(context.Background(), c, func(ctx context.Context, tx *sql.Tx) (idem.Outcome, error) {
					swallowed = f.crossing(ctx, tx, order, &met, new(sync.Once))
					return done("1"), nil
				})
				if (swallowed != nil) != (err != nil) {
					t.Errorf("%s: swallowed %v, told %v", id, swallowed, err)
				}
				if swallowed == nil {
					return
				}
				failed.Add(1)
				if got, err := f.store.Lookup(context.Background(), c.Key); err != nil || got.Status != idem.Absent {
					t.Errorf("%s: %v, %v", id, got.Status, err)
				}
			})
		}
		wg.Wait()
		if failed.Load() != 1 {
			t.Errorf("%d deadlocks", failed.Load())
		}
	})
}

// A COMMIT that Postgres answers with ROLLBACK is a failed commit.
func TestLaw_T5_CommitAnsweredByRollback(t *testing.T) {
	on(t, []*database{pgxOnPostgres, pqOnPostgres}, func(t *testing.T, d *database) {
		ctx := context.Background()
		f := d.fixture(t)
		err := f.store.Begin(ctx, func(ctx context.Context, tx *sql.Tx) error {
			err := f.effect(ctx, tx, "K")
			tx.ExecContext(ctx, "SELECT 1/0") // the error is swallowed
			return err
		})
		if err == nil || errors.Is(err, idem.ErrCommitUnknown) || errors.Is(err, idem.ErrRetryTransaction) || f.effects("K") != 0 {
			t.Errorf("%v, %d effects", err, f.effects("K"))
		}
		c := claimOn(t, 0, idem.String("K"))
		_, err = f.store.InTx(ctx, c, func(ctx context.Context, tx *sql.Tx) (idem.Outcome, error) {
			err := f.effect(ctx, tx, "K")
			tx.ExecContext(ctx, "SELECT 1/0")
			return done("1"), err
		})
		if err == nil || errors.Is(err, idem.ErrCommitUnknown) {
			t.Errorf("a guarded call: %v", err)
		}
		absent(f, sqlKind(f), c, "K")
	})
}

// A constraint that is found violated at the commit fails it.
func TestLaw_T5_RefusedCommitOnPostgres(t *testing.T) {
	on(t, []*database{pgxOnPostgres, pqOnPostgres}, func(t *testing.T, d *database) {
		f := d.fixture(t)
		f.exec("CREATE TABLE parents (id TEXT PRIMARY KEY)")
		f.exec("CREATE TABLE children (id TEXT REFERENCES parents DEFERRABLE INITIALLY DEFERRED)")
		refuses(f, sqlKind(f), func(tx *sql.Tx) sqlstore.Conn { return tx })
		refuses(f, unitKind(f), func(u *unitOfWork) sqlstore.Conn { return u.conn })
	})
}

func refuses[T any](f *fixture, k kind[T], conn func(T) sqlstore.Conn) {
	f.Helper()
	c := claimOn(f, 0, idem.String("K"))
	_, err := k.store.InTx(context.Background(), c, func(ctx context.Context, tx T) (idem.Outcome, error) {
		_, err := conn(tx).ExecContext(ctx, "INSERT INTO children VALUES ('nobody')")
		return done("1"), errors.Join(err, k.write(ctx, tx, "K"))
	})
	if err == nil || errors.Is(err, idem.ErrCommitUnknown) || errors.Is(err, idem.ErrRetryTransaction) {
		f.Errorf("a refused commit: %v", err)
	}
	absent(f, k, c, "K")
}

// Every other refusal that a new transaction may cure is tried again, too.
func TestLaw_T3_RefusalsAreTriedAgain(t *testing.T) {
	snapshots, impatient := *mariaDB, *mariaDB
	snapshots.params = [][2]string{{"innodb_snapshot_isolation", "ON"}}
	impatient.params = [][2]string{{"innodb_lock_wait_timeout", "1"}}
	for _, c := range []struct {
		name string
		on   *database
		// refused makes the server refuse the last statement of the transaction.
		refused func(ctx context.Context, f *fixture, tx *sql.Tx) error
		text    string // what the driver's error says
	}{
		{"40001 pgx", pgxOnPostgres, changedBehind, "40001"},
		{"40001 pq", pqOnPostgres, changedBehind, "40001"},
		{"1020", &snapshots, changedBehind, "1020"},
		{"55P03", pgxOnPostgres, locked("SET LOCAL lock_timeout = '50ms'"), "55P03"},
		{"1205", &impatient, locked("SELECT 1"), "1205"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := c.on.fixture(t, level(sql.LevelRepeatableRead))
			f.accounts()
			s := newService(f, idem.Op{})
			var once sync.Once
			s.during = func(ctx context.Context, tx *sql.Tx) (err error) {
				once.Do(func() { err = c.refused(ctx, f, tx) })
				if err != nil && !strings.Contains(err.Error(), c.text) {
					t.Errorf("refused with %v, want %s", err, c.text)
				}
				return err
			}
			if _, err := s.Pay(context.Background(), "K", 1); err != nil {
				t.Errorf("%v", err)
			}
			if s.retry.Load() != 1 {
				t.Errorf("%d retries", s.retry.Load())
			}
			s.ran("K", 2, 1)
		})
	}
}

// changedBehind updates a row that was changed since the transaction's
// snapshot.
func changedBehind(ctx context.Context, f *fixture, tx *sql.Tx) error {
	var n int
	if err := tx.QueryRowContext(ctx, "SELECT n FROM accounts WHERE id = 1").Scan(&n); err != nil {
		return err
	}
	f.exec("UPDATE accounts SET n = n + 1 WHERE id = 1")
	_, err := tx.ExecContext(ctx, "UPDATE accounts SET n = n + 1 WHERE id = 1")
	return err
}

// locked updates a row that another transaction holds.
func locked(before string) func(context.Context, *fixture, *sql.Tx) error {
	return func(ctx context.Context, f *fixture, tx *sql.Tx) error {
		other, err := f.db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer other.Rollback()
		if _, err := other.ExecContext(ctx, "UPDATE accounts SET n = n + 1 WHERE id = 1"); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, before); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE accounts SET n = n + 1 WHERE id = 1")
		return err
	}
}
