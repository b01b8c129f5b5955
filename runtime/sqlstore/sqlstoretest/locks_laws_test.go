package sqlstoretest

import (
	"context"
	"database/sql"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// The lock changes hands while a request waits for its row, and whoever had it
// meanwhile completed the record: the request does not acquire on the strength of
// what it saw before (L3).
func TestLaw_L3_CheckIsNotOlderThanTheLock(t *testing.T) {
	onDefaultLevels(t, func(t *testing.T, d *database) {
		ctx := context.Background()
		f := d.fixture(t)
		s := f.locks()
		r := lockOn(t, idem.String("K"))
		first := acquire(t, s, r, idem.LockAcquired)
		if err := s.Release(ctx, first); err != nil {
			t.Fatal(err)
		}
		answers := make(chan idem.LockFound, 1)
		err := f.store.Begin(ctx, func(ctx context.Context, tx *sql.Tx) error {
			between := func(query string) {
				if _, err := tx.ExecContext(ctx, query); err != nil {
					t.Fatal(err)
				}
			}
			between("UPDATE idem_locks SET fence = fence + 1, lease_until = fence + 60000000")
			go func() {
				p := f.process()
				got, err := p.locks().Acquire(context.Background(), next(r))
				if err != nil {
					t.Error(err)
				}
				answers <- got
			}()
			time.Sleep(300 * time.Millisecond) // it waits for the row now
			if _, err := f.store.Join(ctx, tx, claimOn(t, 0, idem.String("K")), sqlKind(f).body("K")); err != nil {
				return err
			}
			between("UPDATE idem_locks SET lease_until = NULL")
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := <-answers; got.Status != idem.LockNeedless || !got.Checked || got.Record.Outcome.Kind != idem.Succeeded {
			t.Errorf("%+v", got)
		}
		if n := f.count("SELECT COUNT(*) FROM idem_locks WHERE lease_until IS NOT NULL"); n != 0 {
			t.Error("a needless lock was kept")
		}
	})
}

// The record is in the hands of an open transaction, which may last as long as the
// call: nobody waits for it, and its lock is told from a free one (L1).
func TestLaw_L3_OpenTransactionIsNotWaitedFor(t *testing.T) {
	onDefaultLevels(t, func(t *testing.T, d *database) {
		ctx := context.Background()
		f := d.fixture(t)
		s, there := f.locks(), f.process()
		held, free := lockOn(t, idem.String("held")), lockOn(t, idem.String("free"))
		h := acquire(t, s, held, idem.LockAcquired)
		var releases []func()
		for _, r := range []idem.LockRequest{held, free} {
			c := idem.Claim{Key: r.Key, Owner: idem.NewOwner(), Retention: time.Hour}
			releases = append(releases, slow(there, sqlKind(there), c, r.Key.Readable, nil))
		}
		start := time.Now()
		acquire(t, s, next(held), idem.LockBusy)
		if err := s.Renew(ctx, h, time.Minute); err != nil {
			t.Error(err)
		}
		got := acquire(t, s, free, idem.LockAcquired)
		if took := time.Since(start); took > time.Second {
			t.Errorf("waited %v", took)
		}
		for _, release := range releases {
			release()
		}
		acquire(t, s, next(held), idem.LockNeedless)
		acquire(t, s, next(free), idem.LockNeedless)
		for _, h := range []idem.Hold{h, got} {
			if err := s.Release(ctx, h); err != nil {
				t.Error(err)
			}
		}
		acquire(t, s, next(free), idem.LockNeedless)
	})
}

// A check that another statement disturbs acquires nothing when the record is
// completed, and one that finds an expired record acquires.
func TestLaw_L3_OnlyACompletedRecordMakesNeedless(t *testing.T) {
	on(t, oneOfEach, func(t *testing.T, d *database) {
		f := d.fixture(t)
		s := f.locks()
		r := lockOn(t, idem.String("K"))
		f.complete(r.Key, "1")
		acquire(t, s, r, idem.LockNeedless)
		if n := f.count("SELECT COUNT(*) FROM idem_locks"); n != 0 {
			t.Error("a needless lock left a row")
		}
		f.exec("UPDATE idem_records SET expires_at = 1")
		acquire(t, s, r, idem.LockAcquired)
		f.exec("UPDATE idem_records SET expires_at = NULL")
		acquire(t, s, next(r), idem.LockNeedless)
		unchecked := next(r)
		unchecked.Check = false
		acquire(t, s, unchecked, idem.LockBusy)
		f.exec("UPDATE idem_records SET state = 0")
		acquire(t, s, next(r), idem.LockBusy)
	})
}

// The fence grows over a clock that was set back, and over a prune.
func TestLaw_L2_FenceGrows(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		ctx := context.Background()
		f := d.fixture(t)
		s := f.locks()
		r := lockOn(t, idem.String("K"))
		h := acquire(t, s, r, idem.LockAcquired)
		f.exec("UPDATE idem_locks SET fence = fence + 3600000000") // as if the clock had been an hour ahead
		h.Fence += 3600000000
		if err := s.Release(ctx, h); err != nil {
			t.Fatal(err)
		}
		later := acquire(t, s, next(r), idem.LockAcquired)
		if later.Fence != h.Fence+1 {
			t.Errorf("fence %d after %d", later.Fence, h.Fence)
		}
		f.exec("UPDATE idem_locks SET fence = fence - 3600000000, expires_at = 1, lease_until = 1")
		if n, err := s.Prune(ctx, 10); n != 1 || err != nil {
			t.Fatalf("pruned %d, %v", n, err)
		}
		if again := acquire(t, s, next(r), idem.LockAcquired); again.Fence <= later.Fence-3600000000 {
			t.Errorf("fence %d after a prune of %d", again.Fence, later.Fence-3600000000)
		}
	})
}

// A pool of one connection is enough for a lock around a transaction.
func TestLaw_L4_PoolOfOne(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		f := d.fixture(t)
		s, tokens := f.locks(), f.tokens()
		f.db.SetMaxOpenConns(1)
		var wg sync.WaitGroup
		var inside, turns atomic.Int64
		id := issue(t, tokens, 1)[0]
		for range 4 {
			wg.Go(func() {
				for {
					r := lockOn(t, idem.String("K"))
					got, err := s.Acquire(ctx, r)
					if err != nil {
						t.Error(err)
						return
					}
					if got.Status == idem.LockNeedless {
						return
					}
					if got.Status == idem.LockBusy {
						time.Sleep(time.Millisecond)
						continue
					}
					if inside.Add(1) != 1 {
						t.Error("two holders at a time")
					}
					consume(t, tokens, consumption(id), idem.TokenConsumed)
					_, err = f.store.InTx(ctx, claimOn(t, 0, idem.String("K")), sqlKind(f).body("K"))
					inside.Add(-1)
					turns.Add(1)
					if err := s.Release(ctx, idem.Hold{Key: r.Key, Owner: r.Owner, Fence: got.Fence}); err != nil {
						t.Error(err)
					}
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		if turns.Load() != 1 || f.effects("K") != 1 {
			t.Errorf("%d turns, %d effects", turns.Load(), f.effects("K"))
		}
	})
}

// An option that concerns a table concerns that one.
func TestLockTablesAreNamed(t *testing.T) {
	on(t, oneOfEach, func(t *testing.T, d *database) {
		ctx := context.Background()
		f := d.fixture(t)
		for _, name := range []string{"order", `a"b`, "a`b", "{records}", "a:key {table}", "支付"} {
			records := []sqlstore.Option{sqlstore.WithTable("r " + name), sqlstore.WithLockTable("l " + name), sqlstore.WithTokenTable("t " + name)}
			if err := sqlstore.Migrate(ctx, sqlstore.DB(f.db), d.dialect, records...); err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			locks, tokens := sqlstore.NewLocks(f.db, d.dialect, records...), sqlstore.NewTokens(f.db, d.dialect, records...)
			r := lockOn(t, idem.String("K"))
			for range 2 {
				if err := locks.Release(ctx, acquire(t, locks, next(r), idem.LockAcquired)); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			if err := tokens.Finish(ctx, consume(t, tokens, consumption(issue(t, tokens, 2)[1]), idem.TokenConsumed)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			for _, prune := range []func(context.Context, int) (int, error){locks.Prune, tokens.Prune} {
				if _, err := prune(ctx, 1); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	})
}
