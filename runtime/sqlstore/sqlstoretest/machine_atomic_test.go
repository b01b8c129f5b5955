package sqlstoretest

import (
	"context"
	"database/sql/driver"
	"errors"
	"sync"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// What a guard runs as one transaction is run again after a deadlock.
func TestLaw_T3_AtomicAfterADeadlock(t *testing.T) {
	on(t, everyServer, func(t *testing.T, d *database) {
		ctx := context.Background()
		f := d.fixture(t)
		f.exec("CREATE TABLE n (id INTEGER PRIMARY KEY, v INTEGER)")
		f.exec("INSERT INTO n VALUES (1, 0), (2, 0)")
		db := sqlstore.DB(f.db).(idem.Atomic)
		var both, wg sync.WaitGroup
		both.Add(2)
		runs := make([]int, 2)
		for i := range 2 {
			wg.Go(func() {
				err := db.Atomically(ctx, func(ctx context.Context, db idem.DB) error {
					runs[i]++
					for step := range 2 {
						if _, err := db.Exec(ctx, d.text("UPDATE n SET v = v + 1 WHERE id = ?"), 1+(i+step)%2); err != nil {
							return err
						}
						if step == 0 && runs[i] == 1 {
							both.Done()
							both.Wait()
						}
					}
					return nil
				})
				if err != nil {
					t.Errorf("%d: %v", i, err)
				}
			})
		}
		wg.Wait()
		if n := f.count("SELECT SUM(v) FROM n"); n != 4 || runs[0]+runs[1] < 3 {
			t.Errorf("%d updates in %v runs", n, runs)
		}
	})
}

// It leaves nothing when its body fails or panics, and says what the body said.
func TestLaw_T1_AtomicLeavesNothing(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		ctx := context.Background()
		f := d.fixture(t)
		f.db.SetMaxOpenConns(1)
		db := sqlstore.DB(f.db).(idem.Atomic)
		write := func(ctx context.Context, db idem.DB) {
			if _, err := db.Exec(ctx, d.text("INSERT INTO effects (id, n) VALUES (?, 1)"), []byte("o")); err != nil {
				t.Error(err)
			}
		}
		if err := db.Atomically(ctx, func(ctx context.Context, db idem.DB) error { write(ctx, db); return errBusiness }); err != errBusiness {
			t.Errorf("%v", err)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic did not pass through")
				}
			}()
			_ = db.Atomically(ctx, func(ctx context.Context, db idem.DB) error { write(ctx, db); panic("body") })
		}()
		if n := f.effects("o"); n != 0 {
			t.Errorf("%d effects", n)
		}
		if err := db.Atomically(ctx, func(ctx context.Context, db idem.DB) error { write(ctx, db); return nil }); err != nil || f.effects("o") != 1 {
			t.Errorf("%v, %d effects", err, f.effects("o"))
		}
		ended, cancel := context.WithCancel(ctx)
		cancel()
		if err := db.Atomically(ended, func(context.Context, idem.DB) error { t.Error("the body ran"); return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	})
}

// A COMMIT whose reply was lost is told as such, and not run again.
func TestLaw_T8_AtomicWithoutTheReplyOfCommit(t *testing.T) {
	f, w := sqliteFile.wired(t)
	w.setReply(func(verb string, err error) error {
		if verb == "COMMIT" {
			return driver.ErrBadConn
		}
		return err
	})
	runs := 0
	err := sqlstore.DB(f.db).(idem.Atomic).Atomically(context.Background(), func(context.Context, idem.DB) error { runs++; return nil })
	if !errors.Is(err, idem.ErrCommitUnknown) || runs != 1 {
		t.Errorf("%v after %d runs", err, runs)
	}
}
