package idem_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// lockFaults is a locker whose operations are counted and can fail.
type lockFaults struct {
	idem.Locker
	mu    sync.Mutex
	calls []string
	deny  map[string]error
	lose  bool // the reply of the next Acquire
}

func (f *lockFaults) note(op string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, op)
	return f.deny[op]
}

// fail makes an operation fail; nil: no more.
func (f *lockFaults) fail(op string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.deny[op] = err
}

func (f *lockFaults) Acquire(ctx context.Context, r idem.LockRequest) (idem.LockFound, error) {
	if err := f.note("acquire"); err != nil {
		return idem.LockFound{}, err
	}
	found, err := f.Locker.Acquire(ctx, r)
	if f.lose {
		f.lose = false
		return idem.LockFound{}, fmt.Errorf("%w: reply lost", idem.ErrStoreUnavailable)
	}
	return found, err
}

func (f *lockFaults) Renew(ctx context.Context, h idem.Hold, ttl time.Duration) error {
	if err := f.note("renew"); err != nil {
		return err
	}
	return f.Locker.Renew(ctx, h, ttl)
}

func (f *lockFaults) Release(ctx context.Context, h idem.Hold) error {
	if err := f.note("release"); err != nil {
		return err
	}
	return f.Locker.Release(ctx, h)
}

// vault is a world with a lock around its method.
type vault struct {
	*world
	locks *lockFaults
	lop   idem.LockOp
	check func(context.Context) (int, bool, error)
	// records: the record of the once inside is the check.
	records idem.Looker
	lockOn  string // another key for the lock; "" = the call's own
}

func newVault(t *testing.T) *vault {
	w := newWorld(t)
	return &vault{world: w, locks: &lockFaults{Locker: memstore.NewLocks(w.store.RecordStore.(*memstore.Store)), deny: map[string]error{}}, lop: idem.LockOp{TTL: 9 * time.Second, Wait: 5 * time.Second}}
}

func (v *vault) run(ctx context.Context, id string, run func(context.Context) (int, error)) (int, error) {
	l := idem.Locked{Store: v.locks, Op: &v.lop, Call: v.call(id), Records: v.records}
	if v.lockOn != "" {
		l.Call = v.call(v.lockOn)
	}
	return idem.Lock(ctx, l, v.call(id), v.check, func(ctx context.Context) (int, error) {
		v.ran++
		if v.records == nil {
			return run(ctx)
		}
		return idem.Once(ctx, v.store, v.call(id), run)
	})
}

func (v *vault) try(id string, res int, err error) (int, error) {
	return v.run(context.Background(), id, func(context.Context) (int, error) { return res, err })
}

// TestLaw_L3_CheckLockCheckRunRelease in that order; the second check sees what
// happened while the lock was waited for.
func TestLaw_L3_CheckLockCheckRunRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVault(t)
		var answer atomic.Int64
		v.check = func(context.Context) (int, bool, error) {
			_ = v.locks.note("check")
			return int(answer.Load()), answer.Load() != 0, nil
		}
		var other sync.WaitGroup
		got, err := v.run(context.Background(), "k", func(context.Context) (int, error) {
			_ = v.locks.note("run")
			equal(t, "calls", fmt.Sprint(v.locks.calls), "[check acquire check run]")
			other.Go(func() { // finds the lock held, and then the answer
				got, err := v.try("k", 8, nil)
				ok(t, err)
				equal(t, "second answer", got, 7)
			})
			time.Sleep(time.Second)
			answer.Store(7)
			return 7, nil
		})
		ok(t, err)
		equal(t, "answer", got, 7)
		other.Wait()
		equal(t, "runs", v.ran, 1)
		v.locks.calls = nil
		got, err = v.try("k", 9, nil)
		ok(t, err)
		equal(t, "third answer", got, 7)
		equal(t, "calls", fmt.Sprint(v.locks.calls), "[check]")

		v.check = func(context.Context) (int, bool, error) { return 0, false, errBiz }
		_, err = v.try("k", 9, nil)
		is(t, err, errBiz)
		equal(t, "runs", v.ran, 1)
	})
}

// TestLaw_L3_RecordIsTheCheck: without a check of its own the record of the once
// inside is it, folded into the acquisition where the store has both.
func TestLaw_L3_RecordIsTheCheck(t *testing.T) {
	for _, lockOn := range []string{"", "another key"} {
		synctest.Test(t, func(t *testing.T) {
			v := newVault(t)
			v.records, v.lockOn = v.store, lockOn
			got, err := v.try("k", 7, nil)
			ok(t, err)
			equal(t, "calls", fmt.Sprint(v.locks.calls), "[acquire release]")
			got2, err := v.try("k", 8, nil)
			ok(t, err)
			equal(t, "answers", [2]int{got, got2}, [2]int{7, 7})
			equal(t, "runs", v.ran, 1)
			if lockOn == "" {
				equal(t, "calls", fmt.Sprint(v.locks.calls), "[acquire release acquire]") // found with the acquisition, nothing held
			} else {
				equal(t, "calls", fmt.Sprint(v.locks.calls), "[acquire release]") // looked up before
			}
		})
	}
}

// TestLaw_C9_LockAsksTheLookup: where the record has no result to give, the look-up of
// the once inside answers, whichever of the checks found the record.
func TestLaw_C9_LockAsksTheLookup(t *testing.T) {
	for _, lockOn := range []string{"k", "another key"} {
		synctest.Test(t, func(t *testing.T) {
			v := newVault(t)
			v.op.NoResult = true
			run := func() (int, error) {
				l := idem.Locked{Store: v.locks, Op: &v.lop, Call: v.call(lockOn), Records: v.store}
				lookup := func(context.Context) (int, error) { return 70, nil }
				return idem.LockOr(context.Background(), l, v.call("k"), lookup, func(ctx context.Context) (int, error) {
					return idem.OnceOr(ctx, v.store, v.call("k"), lookup, func(context.Context) (int, error) { v.ran++; return 7, nil })
				})
			}
			first, err := run()
			ok(t, err)
			second, err := run()
			ok(t, err)
			equal(t, "answers", [2]int{first, second}, [2]int{7, 70})
			equal(t, "runs", v.ran, 1)
		})
	}
}

// TestLaw_L1_WaitsThenGivesUp: a lock that another holds is ErrLockHeld after the
// wait, at once without one, and is never freed by others.
func TestLaw_L1_WaitsThenGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVault(t)
		_, err := v.run(context.Background(), "k", func(context.Context) (int, error) {
			start := time.Now()
			_, err := v.try("k", 2, nil)
			is(t, err, idem.ErrLockHeld)
			equal(t, "waited", time.Since(start), 5*time.Second)
			var held *idem.LockHeldError
			if !errors.As(err, &held) || held.RetryAfter <= 0 || held.RetryAfter > time.Second {
				t.Errorf("%v", err)
			}
			v.lop.Wait = 0
			start = time.Now()
			_, err = v.try("k", 2, nil)
			is(t, err, idem.ErrLockHeld)
			equal(t, "waited", time.Since(start), 0)
			v.lop.Wait = time.Minute
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			_, err = v.run(ctx, "k", nil)
			is(t, err, idem.ErrLockHeld)
			is(t, err, context.DeadlineExceeded)
			return 1, nil
		})
		ok(t, err)
		equal(t, "runs", v.ran, 1)
	})
}

// TestLaw_L1_RenewedWhileTheMethodRuns: longer than its TTL, through a failed
// renewal; the fence is there for the guard.
func TestLaw_L1_RenewedWhileTheMethodRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVault(t)
		first := int64(0)
		for range 2 {
			_, err := v.run(context.Background(), "k", func(ctx context.Context) (int, error) {
				time.Sleep(4 * time.Second)
				v.locks.fail("renew", idem.ErrStoreUnavailable)
				time.Sleep(3 * time.Second)
				v.locks.fail("renew", nil)
				time.Sleep(30 * time.Second)
				fence := idem.LockFence(ctx)
				if fence <= first {
					t.Errorf("fence %d after %d", fence, first)
				}
				first = fence
				return 1, ctx.Err()
			})
			ok(t, err)
		}
		equal(t, "fence outside", idem.LockFence(context.Background()), 0)
	})
}

// TestLaw_L1_LostLock: the context ends with the cause, the caller hears of it
// beside the result, and nothing is freed.
func TestLaw_L1_LostLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVault(t)
		v.locks.fail("renew", idem.ErrLockLost)
		got, err := v.run(context.Background(), "k", func(ctx context.Context) (int, error) {
			<-ctx.Done()
			is(t, context.Cause(ctx), idem.ErrLockLost)
			return 7, nil
		})
		is(t, err, idem.ErrLockLost)
		equal(t, "result", got, 7)
		equal(t, "calls", fmt.Sprint(v.locks.calls), "[acquire renew]")
		synctest.Wait() // the heartbeat tells after it has cancelled
		equal(t, "told", v.log.count(idem.EventLockLost), 1)

		v.locks.fail("renew", idem.ErrStoreUnavailable) // until it has run out
		_, err = v.run(context.Background(), "k2", func(ctx context.Context) (int, error) {
			<-ctx.Done()
			return 0, errBiz
		})
		is(t, err, idem.ErrLockLost)
		is(t, err, errBiz)
	})
}

// TestLaw_L1_LostBeforeTheCommitRollsBack: what was written under a lock that is
// lost is not committed; what was committed before stands.
func TestLaw_L1_LostBeforeTheCommitRollsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVault(t)
		v.op.Lease, v.op.Orphan, v.lop.Tx = 0, idem.OrphanNone, true
		store := newMemTx()
		v.locks.fail("renew", idem.ErrLockLost)
		for _, guarded := range []bool{true, false} {
			got, err := v.run(context.Background(), "k", func(ctx context.Context) (int, error) {
				body := func(ctx context.Context, t *tx) (int, error) {
					t.rows["k"]++
					time.Sleep(4 * time.Second) // ignores its context
					return 7, nil
				}
				if guarded {
					return idem.OnceTx(ctx, store, v.call("k"), body)
				}
				return idem.Tx(ctx, v.engine, store, body)
			})
			is(t, err, idem.ErrLockLost)
			equal(t, "result", got, 0)
			equal(t, "rows", store.row("k"), 0)
		}
		_, err := v.run(context.Background(), "k", func(ctx context.Context) (int, error) {
			got, err := idem.OnceTx(ctx, store, v.call("k"), func(ctx context.Context, t *tx) (int, error) { t.rows["k"]++; return 7, nil })
			time.Sleep(4 * time.Second)
			return got, err
		})
		ok(t, err)
		equal(t, "rows", store.row("k"), 1)
	})
}

// TestLaw_L5_LostReplyOfAcquire: the lock is cleaned up by its own owner value.
func TestLaw_L5_LostReplyOfAcquire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVault(t)
		v.lop.Wait = 0
		v.locks.lose = true
		_, err := v.try("k", 1, nil)
		is(t, err, idem.ErrStoreUnavailable)
		equal(t, "runs", v.ran, 0)
		synctest.Wait()
		_, err = v.try("k", 1, nil)
		ok(t, err)
	})
}

// TestLaw_C5_LockIsReleasedOnEveryExit: error, panic, Goexit, an ended context.
func TestLaw_C5_LockIsReleasedOnEveryExit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVault(t)
		v.lop.Wait = 0
		ctx, cancel := context.WithCancel(context.Background())
		for _, run := range []func(context.Context) (int, error){
			func(context.Context) (int, error) { return 0, errBiz },
			func(context.Context) (int, error) { panic("boom") },
			func(context.Context) (int, error) { runtime.Goexit(); return 0, nil },
			func(context.Context) (int, error) { cancel(); return 0, nil },
		} {
			done := make(chan struct{})
			go func() {
				defer close(done)
				defer func() { _ = recover() }()
				_, _ = v.run(ctx, "k", run)
			}()
			<-done
		}
		_, err := v.try("k", 1, nil)
		ok(t, err)
	})
}

// TestLaw_C15_LockOutage: the method does not run.
func TestLaw_C15_LockOutage(t *testing.T) {
	v := newVault(t)
	v.locks.fail("acquire", idem.ErrStoreUnavailable)
	_, err := v.try("k", 1, nil)
	is(t, err, idem.ErrStoreUnavailable)
	equal(t, "runs", v.ran, 0)
}

// TestLaw_L1_NotInsideItsTransaction: a lock is not freed before the write under it is
// committed.
func TestLaw_L1_NotInsideItsTransaction(t *testing.T) {
	v := newVault(t)
	v.op.Lease, v.op.Orphan, v.lop.Tx = 0, idem.OrphanNone, true
	store := newMemTx()
	v.records, v.lop.Tx = store, true
	ok(t, store.Begin(context.Background(), func(ctx context.Context, cur *tx) error {
		_, err := v.run(idem.Join(ctx, store, cur), "k", nil)
		is(t, err, idem.ErrInsideTransaction)
		return nil
	}))
	equal(t, "runs", v.ran, 0)
	equal(t, "calls", len(v.locks.calls), 0)
}

// TestLaw_L1_NotInsideItsBareTransaction: nor where the method has a transaction alone,
// without a record in it.
func TestLaw_L1_NotInsideItsBareTransaction(t *testing.T) {
	v := newVault(t)
	v.lop.Tx = true
	store := newMemTx()
	l := idem.Locked{Store: v.locks, Op: &v.lop, Call: v.call("k"), Tx: store}
	ok(t, store.Begin(context.Background(), func(ctx context.Context, cur *tx) error {
		_, err := idem.Lock(idem.Join(ctx, store, cur), l, v.call("k"), nil, func(context.Context) (int, error) { v.ran++; return 1, nil })
		is(t, err, idem.ErrInsideTransaction)
		return nil
	}))
	equal(t, "runs", v.ran, 0)
	equal(t, "calls", len(v.locks.calls), 0)
}
