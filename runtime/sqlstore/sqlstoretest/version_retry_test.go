package sqlstoretest

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// levels are the isolation levels that the laws hold under; SQLite has one.
func (d *database) levels() []sql.IsolationLevel {
	if d.dialect == idem.SQLite {
		return []sql.IsolationLevel{sql.LevelDefault}
	}
	return levels
}

// stubborn outlasts 64 callers on one row.
var stubborn = idem.Retry{Attempts: 400, MaxPause: 50 * time.Millisecond}

// withdraw reads the account and takes the amount from what it read, in the
// transaction of each attempt.
func (f *fixture) withdraw(ctx context.Context, tx *sql.Tx, amount int64) error {
	var version int64
	if err := tx.QueryRowContext(ctx, "SELECT version FROM accounts WHERE id = 'a'").Scan(&version); err != nil {
		return err
	}
	_, err := idem.UpdateVersion(ctx, f.store.Use(ctx, tx), f.on.dialect, &account, deduct, version, "a", 1, amount)
	return err
}

// rewrite is the same by a balance that is worked out in the program.
func (f *fixture) rewrite(ctx context.Context, tx *sql.Tx, amount int64) error {
	var version, balance int64
	if err := tx.QueryRowContext(ctx, "SELECT version, balance FROM accounts WHERE id = 'a'").Scan(&version, &balance); err != nil {
		return err
	}
	if balance < amount {
		return idem.ErrGuardFailed
	}
	_, err := idem.UpdateVersion(ctx, f.store.Use(ctx, tx), f.on.dialect, &account, write, version, "a", 1, balance-amount)
	return err
}

// 64 callers deduct at once: with re-reads in new transactions every one of them
// succeeds or meets the floor, no update is lost, and the floor holds, under every
// isolation level (V3).
func TestLaw_V3_NoUpdateIsLost(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		for _, l := range d.levels() {
			t.Run(l.String(), func(t *testing.T) {
				f := d.ledger(t, level(l))
				noUpdateIsLost(t, f, f.withdraw)
				noUpdateIsLost(t, f, f.rewrite)
			})
		}
	})
}

func noUpdateIsLost(t *testing.T, f *fixture, take func(ctx context.Context, tx *sql.Tx, amount int64) error) {
	const callers, amount, enough = 64, 10, 40 // for 40 of the 64
	f.db.SetMaxOpenConns(8)
	f.put(enough*amount+amount-1, 0)
	results := make([]error, callers)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			_, results[i] = idem.RetryOnConflict(context.Background(), f.store, stubborn, func(ctx context.Context, tx *sql.Tx) (idem.None, error) {
				return idem.None{}, take(ctx, tx, amount)
			})
		})
	}
	wg.Wait()
	took := int64(0)
	for _, err := range results {
		switch {
		case err == nil:
			took++
		case !errors.Is(err, idem.ErrGuardFailed):
			t.Error(err)
		}
	}
	if took != enough {
		t.Errorf("%d withdrawals", took)
	}
	f.is("in the end", enough*amount+amount-1-took*amount, "n", took)
}

// The same callers without the guard: each writes what it made of the balance that
// it read. A test that can't find the fault proves nothing.
func TestWithoutTheGuardUpdatesAreLost(t *testing.T) {
	on(t, everyDatabase, withoutTheGuardUpdatesAreLost)
}

func withoutTheGuardUpdatesAreLost(t *testing.T, d *database) {
	const callers, amount = 64, 10
	ctx := context.Background()
	f := d.ledger(t)
	f.db.SetMaxOpenConns(8)
	f.put(40*amount, 0)
	var read, written sync.WaitGroup
	read.Add(callers)
	var mu sync.Mutex
	took := int64(0)
	for range callers {
		written.Go(func() {
			var balance int64
			err := f.db.QueryRowContext(ctx, "SELECT balance FROM accounts WHERE id = 'a'").Scan(&balance)
			read.Done()
			if read.Wait(); err != nil || balance < amount {
				t.Errorf("%d, %v", balance, err)
				return
			}
			if _, err = f.db.ExecContext(ctx, f.on.text("UPDATE accounts SET balance = ? WHERE id = 'a'"), balance-amount); err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			took += amount
		})
	}
	written.Wait()
	if left := int64(f.count("SELECT balance FROM accounts WHERE id = 'a'")); left+took == 40*amount || took <= 40*amount {
		t.Errorf("%d taken, %d left of %d: nothing was lost", took, left, 40*amount)
	}
}

// A retry that stays in its transaction would see its snapshot again; the new one
// sees the winner under REPEATABLE READ, too (V3).
func TestLaw_V3_TheRetrySeesTheWinner(t *testing.T) {
	on(t, everyServer, func(t *testing.T, d *database) {
		for _, l := range d.levels() {
			if d.dialect == idem.MySQL && l == sql.LevelSerializable {
				continue // its reads lock the row: there is no winner to wait for
			}
			t.Run(l.String(), func(t *testing.T) {
				f := d.ledger(t, level(l))
				theRetrySeesTheWinner(t, f)
			})
		}
	})
}

func theRetrySeesTheWinner(t *testing.T, f *fixture) {
	f.put(50, 0)
	var read []int64
	_, err := idem.RetryOnConflict(context.Background(), f.store, idem.Retry{}, func(ctx context.Context, tx *sql.Tx) (idem.None, error) {
		var version int64
		if err := tx.QueryRowContext(ctx, "SELECT version FROM accounts WHERE id = 'a'").Scan(&version); err != nil {
			return idem.None{}, err
		}
		if read = append(read, version); len(read) == 1 { // another caller comes between
			if _, err := f.update(deduct, 0, "a", 1, 10); err != nil {
				t.Error(err)
			}
		}
		_, err := idem.UpdateVersion(ctx, f.store.Use(ctx, tx), f.on.dialect, &account, deduct, version, "a", 1, 10)
		return idem.None{}, err
	})
	if err != nil || len(read) != 2 || read[0] != 0 || read[1] != 1 {
		t.Errorf("%v, versions read: %v", err, read)
	}
	f.is("after the retry", 30, "n", 2)
}

// Each attempt is a transaction of its own on the wire, and the loser's is rolled
// back (V3).
func TestLaw_V3_TransactionsOnTheWire(t *testing.T) { on(t, oneOfEach, transactionsOnTheWire) }

func transactionsOnTheWire(t *testing.T, d *database) {
	f, w := d.wired(t)
	f.versioned()
	f.put(50, 1)
	expected := int64(0)
	f.sends(w, "a conflict and a retry", func() {
		_, err := idem.RetryOnConflict(context.Background(), f.store, idem.Retry{}, func(ctx context.Context, tx *sql.Tx) (idem.None, error) {
			_, err := idem.UpdateVersion(ctx, f.store.Use(ctx, tx), d.dialect, &account, deduct, expected, "a", 1, 10)
			expected++
			return idem.None{}, err
		})
		if err != nil {
			t.Error(err)
		}
	}, "BEGIN", "UPDATE", "SELECT", "ROLLBACK", "BEGIN", "UPDATE", "COMMIT")
}
