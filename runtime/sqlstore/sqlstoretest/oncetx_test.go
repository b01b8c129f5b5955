package sqlstoretest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// A busy database is tried again in a new transaction, a bounded number of
// times, and only where the wrapper began it.
func TestLaw_T3_BusyIsTriedAgain(t *testing.T) {
	ctx := context.Background()
	f := newFixture(t)
	s := newService(f.impatient(), idem.Op{})
	release := slow(f, sqlKind(f), claimOn(t, 0, idem.String("other")), "other", nil)
	_, err := s.Pay(ctx, "K", 1)
	isBusy(t, "while another writes", err)
	if n := s.retry.Load(); n != idem.DefaultTxRetries {
		t.Errorf("%d retries", n)
	}
	first := make(chan error)
	go func() { _, err := s.Pay(ctx, "K", 1); first <- err }()
	release()
	if err := <-first; err != nil {
		t.Errorf("once the other has ended: %v", err)
	}
	s.ran("K", 1, 1)

	before := s.retry.Load()
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	release = slow(f, sqlKind(f), claimOn(t, 0, idem.String("third")), "third", nil)
	defer release()
	_, err = s.PayTx(ctx, tx, "joined", 1)
	isBusy(t, "in a caller's transaction", err)
	if s.retry.Load() != before {
		t.Error("a caller's transaction was tried again")
	}
}

// A business statement that finds the database busy makes the whole
// transaction run again.
func TestLaw_T3_BusyBodyIsTriedAgain(t *testing.T) {
	ctx := context.Background()
	f := newFixture(t)
	s := newService(f, idem.Op{})
	other := f.impatient()
	var once sync.Once
	s.during = func(ctx context.Context, tx *sql.Tx) error {
		var err error
		once.Do(func() { _, err = other.db.ExecContext(ctx, "INSERT INTO effects VALUES ('elsewhere', 1)") })
		return err
	}
	if _, err := s.Pay(ctx, "K", 1); err != nil {
		t.Fatal(err)
	}
	s.ran("K", 2, 1)
}

// The reply of COMMIT is lost, with the commit done or not.
func TestLaw_T8_LostCommitReply(t *testing.T) { on(t, everyDatabase, lostCommitReply) }

func lostCommitReply(t *testing.T, d *database) {
	t.Run("committed", func(t *testing.T) {
		f, w := d.wired(t)
		s := newService(f, idem.Op{})
		var lost atomic.Int64
		w.setReply(func(verb string, err error) error {
			if verb == "COMMIT" && lost.Add(1) == 1 {
				return driver.ErrBadConn
			}
			return err
		})
		for range 2 {
			if got, err := s.Pay(context.Background(), "K", 7); err != nil || *got != (receipt{"K", 7}) {
				t.Errorf("%v, %v", got, err)
			}
		}
		s.ran("K", 1, 1)
	})
	t.Run("not committed", func(t *testing.T) {
		f, w := d.wired(t)
		s := newService(f, idem.Op{})
		var lost atomic.Int64
		w.setInsteadOfCommit(func(tx driver.Tx) (bool, error) {
			if lost.Add(1) > 1 {
				return false, nil
			}
			tx.Rollback() // what a server does when it loses the client
			return true, driver.ErrBadConn
		})
		if got, err := s.Pay(context.Background(), "K", 7); err != nil || *got != (receipt{"K", 7}) {
			t.Errorf("%v, %v", got, err)
		}
		s.ran("K", 2, 1)
	})
}

// One guarded method calls another in its transaction, with one connection.
func TestLaw_T9_GuardedCallInsideAnother(t *testing.T) {
	on(t, everyDatabase, guardedCallInsideAnother)
}

func guardedCallInsideAnother(t *testing.T, d *database) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	f, w := d.wired(t)
	f.db.SetMaxOpenConns(1)
	inner, outer := newService(f, idem.Op{}), newService(f, idem.Op{})
	inner.op.Name = "sqlstoretest.Inner"
	outer.during = func(ctx context.Context, tx *sql.Tx) error {
		_, err := inner.Pay(ctx, "inner", 1) // the context carries the transaction
		_, again := inner.PayTx(ctx, tx, "inner", 1)
		return errors.Join(err, again)
	}
	if _, err := outer.Pay(ctx, "warm", 1); err != nil {
		t.Fatal(err)
	}
	f.exec("DELETE FROM effects")
	f.exec("DELETE FROM idem_records")
	inner.runs.Store(0)
	outer.runs.Store(0)
	f.sends(w, "a call inside another", func() {
		if _, err := outer.Pay(ctx, "outer", 1); err != nil {
			t.Error(err)
		}
	}, "BEGIN", "INSERT", "INSERT",
		"SAVEPOINT", "INSERT", "INSERT", "UPDATE", "RELEASE",
		"SAVEPOINT", "INSERT", "SELECT", "RELEASE",
		"UPDATE", "COMMIT")
	inner.ran("inner", 1, 1)
	outer.ran("outer", 1, 1)
}

// A method that ends the transaction it was given is told so, loudly, and its
// key is held: nobody knows what it did.
func TestLaw_T3_TransactionEndedInside(t *testing.T) { on(t, everyDatabase, transactionEndedInside) }

func transactionEndedInside(t *testing.T, d *database) {
	ctx := context.Background()
	f := d.fixture(t)
	s := newService(f, idem.Op{})
	s.during = func(ctx context.Context, tx *sql.Tx) error { return tx.Commit() }
	if _, err := s.Pay(ctx, "K", 1); !errors.Is(err, sql.ErrTxDone) {
		t.Errorf("a transaction that the method committed: %v", err)
	}
	if _, err := s.Pay(ctx, "K", 1); !errors.Is(err, idem.ErrOutcomeUnknown) {
		t.Errorf("the next call: %v", err)
	}
	s.ran("K", 1, 1)
	call := s.engine.Call(ctx, &s.op, idem.String("K"))
	if err := f.store.Resolve(ctx, call.Key(), idem.Resolution{Rerun: true}); err != nil {
		t.Error(err)
	}
	s.during = nil
	if _, err := s.Pay(ctx, "K", 1); err != nil {
		t.Errorf("after it was resolved: %v", err)
	}
}

// A transaction that lost its writes on the way does not complete.
func TestLaw_T3_CompletionChecksItsClaim(t *testing.T) {
	on(t, everyDatabase, completionChecksItsClaim)
}

func completionChecksItsClaim(t *testing.T, d *database) {
	ctx := context.Background()
	s := newService(d.fixture(t), idem.Op{})
	s.during = func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM idem_records")
		return err
	}
	if _, err := s.Pay(ctx, "K", 1); !errors.Is(err, idem.ErrLeaseLost) {
		t.Errorf("%v", err)
	}
	s.ran("K", 1, 0)
}
