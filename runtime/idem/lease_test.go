package idem_test

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

func TestLaw_C2_LeaseAndRetentionAreChecked(t *testing.T) {
	for name, change := range map[string]func(*idem.Op){
		"negative lease": func(o *idem.Op) { o.Lease = -time.Second }, "sub-millisecond lease": func(o *idem.Op) { o.Lease = time.Microsecond },
		"negative retention": func(o *idem.Op) { o.TTL = -2 }, "tiny retention": func(o *idem.Op) { o.TTL = 1 }, "negative wait": func(o *idem.Op) { o.Wait = -1 },
		"no name": func(o *idem.Op) { o.Name = "" }, "no orphan": func(o *idem.Op) { o.Orphan = idem.OrphanNone },
	} {
		w := newWorld(t)
		call := w.call("k")
		change(&w.op)
		_, err := idem.Once(context.Background(), w.store, call, func(context.Context) (int, error) { w.ran++; return 0, nil })
		if !errors.Is(err, idem.ErrInvalidOp) || w.ran != 0 {
			t.Errorf("%s: %v, ran %d", name, err, w.ran)
		}
	}
	_, err := idem.Once(context.Background(), newWorld(t).store, idem.Call{}, func(context.Context) (int, error) { return 0, nil })
	is(t, err, idem.ErrInvalidOp)
}

func TestLaw_C2_LeaseAndRetentionAreDifferentTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.op.Lease, w.op.TTL = time.Second, time.Hour
		_, err := once(w, "k", 1, nil)
		ok(t, err)
		time.Sleep(59 * time.Minute)
		_, err = once(w, "k", 2, nil)
		ok(t, err)
		equal(t, "runs within the retention", w.ran, 1)
		time.Sleep(2 * time.Minute)
		_, err = once(w, "k", 3, nil)
		ok(t, err)
		equal(t, "runs after it", w.ran, 2)
		w.op.TTL = idem.Never
		_, err = once(w, "never", 1, nil)
		ok(t, err)
		time.Sleep(10 * 365 * 24 * time.Hour)
		equal(t, "ttl=never", w.status("never"), idem.Done)
	})
}

func TestLaw_C3_StaleOwnerGetsLeaseLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.store.set(fail(errBiz, -1, "renew"), nil) // A's heartbeat never gets through
		got, err := idem.Once(context.Background(), w.store, w.call("k"), func(context.Context) (string, error) {
			time.Sleep(31 * time.Second)
			res, err := once(w, "k", "B", nil) // B takes over and completes
			ok(t, err)
			equal(t, "B's result", res, "B")
			return "A", nil
		})
		is(t, err, idem.ErrLeaseLost)
		equal(t, "A's result beside it", got, "A")
		res, err := once(w, "k", "C", nil)
		ok(t, err)
		equal(t, "result that stays", res, "B")
	})
}

func TestLaw_C4_HeartbeatKeepsTheClaim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		got, err := idem.Once(context.Background(), w.store, w.call("k"), func(ctx context.Context) (int, error) {
			for range 10 {
				time.Sleep(time.Minute) // the lease is 30 s
				_, err := once(w, "k", 2, nil)
				is(t, err, idem.ErrInProgress)
			}
			return 1, ctx.Err()
		})
		ok(t, err)
		equal(t, "result", got, 1)
		equal(t, "runs", w.ran, 0)
	})
}

func TestLaw_C4_OneFailedRenewalIsSurvived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.store.set(fail(idem.ErrStoreUnavailable, 1, "renew"), nil)
		_, err := idem.Once(context.Background(), w.store, w.call("k"), func(ctx context.Context) (int, error) {
			time.Sleep(time.Minute)
			_, err := once(w, "k", 2, nil)
			is(t, err, idem.ErrInProgress)
			return 1, ctx.Err()
		})
		ok(t, err)
		equal(t, "failed renewals", w.log.count(idem.EventRenewFailed), 1)
	})
}

func TestLaw_C4_LostLeaseCancelsTheMethod(t *testing.T) {
	for name, renewal := range map[string]error{"taken": idem.ErrLeaseLost, "unreachable": idem.ErrStoreUnavailable} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.store.set(fail(renewal, -1, "renew"), nil)
				start := time.Now()
				_, err := idem.Once(context.Background(), w.store, w.call("k"), func(ctx context.Context) (int, error) {
					<-ctx.Done()
					is(t, context.Cause(ctx), idem.ErrLeaseLost)
					return 0, ctx.Err()
				})
				is(t, err, idem.ErrLeaseLost)
				is(t, err, context.Canceled)
				if took := time.Since(start); took > 31*time.Second {
					t.Errorf("the loss was noticed after %v", took)
				}
				synctest.Wait() // the heartbeat tells after it has cancelled
				equal(t, "events", w.log.count(idem.EventLeaseLost), 1)
				equal(t, "releases", w.store.seen("release"), 0)
			})
		})
	}
}

func TestLaw_C5_SettledOnEveryExit(t *testing.T) {
	type row struct {
		name string
		run  func(ctx context.Context, cancel func()) (int, error)
		want idem.ClaimStatus // after the call
		goes idem.ClaimStatus // after its lease
	}
	rows := []row{
		{"return", func(context.Context, func()) (int, error) { return 1, nil }, idem.Done, idem.Done},
		{"error", func(context.Context, func()) (int, error) { return 0, errBiz }, idem.Absent, idem.Absent},
		{"panic", func(context.Context, func()) (int, error) { panic(errBiz) }, idem.Running, idem.Absent},
		{"goexit", func(context.Context, func()) (int, error) { runtime.Goexit(); return 0, nil }, idem.Running, idem.Absent},
		{"cancelled after the effect", func(_ context.Context, cancel func()) (int, error) { cancel(); return 1, nil }, idem.Done, idem.Done},
		{"cancelled", func(ctx context.Context, cancel func()) (int, error) { cancel(); return 0, ctx.Err() }, idem.Running, idem.Absent},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				done := make(chan struct{})
				go func() {
					defer close(done)
					defer func() { _ = recover() }()
					_, _ = idem.Once(ctx, w.store, w.call("k"), func(ctx context.Context) (int, error) { return r.run(ctx, cancel) })
				}()
				<-done
				equal(t, "status", w.status("k"), r.want)
				time.Sleep(29 * time.Second)
				equal(t, "status within the lease", w.status("k"), r.want)
				time.Sleep(2 * time.Second) // no heartbeat is left
				equal(t, "status after the lease", w.status("k"), r.goes)
			})
		})
	}
}

func TestLaw_C5_PanicPassesThroughOnceWithItsStack(t *testing.T) {
	w := newWorld(t)
	panics := 0
	func() {
		defer func() {
			v := recover()
			panics++
			if v != errBiz {
				t.Errorf("recovered %v", v)
			}
			if stack := string(debug.Stack()); !strings.Contains(stack, "whereItHappened") {
				t.Errorf("the stack lost its origin:\n%s", stack)
			}
		}()
		_, _ = idem.Once(context.Background(), w.store, w.call("k"), func(context.Context) (int, error) { return whereItHappened() })
	}()
	equal(t, "panics", panics, 1)
	equal(t, "events", w.log.count(idem.EventUnknown), 1)
}

//go:noinline
func whereItHappened() (int, error) { panic(errBiz) }

func TestLaw_C6_ResultThatCannotBeStoredKeepsTheClaim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.store.set(fail(idem.ErrStoreUnavailable, -1, "complete"), nil)
		got, err := once(w, "k", 42, nil)
		ok(t, err)
		equal(t, "real result", got, 42)
		equal(t, "releases", w.store.seen("release"), 0)
		if w.log.count(idem.EventCompleteFailed) == 0 {
			t.Error("the observer was not told")
		}
		w.store.set(nil, nil)
		time.Sleep(25 * time.Second)
		_, err = once(w, "k", 43, nil)
		is(t, err, idem.ErrInProgress)
		equal(t, "runs", w.ran, 1)
	})
}

func TestLaw_C6_CompletionIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.store.set(fail(idem.ErrStoreUnavailable, 1, "complete"), nil)
		_, err := once(w, "k", 42, nil)
		ok(t, err)
		equal(t, "status", w.status("k"), idem.Done)
		equal(t, "events", w.log.count(idem.EventCompleteFailed), 1)
		w.store.set(nil, fail(idem.ErrStoreUnavailable, 1, "complete")) // it succeeds, its reply is lost
		_, err = once(w, "k2", 42, nil)
		ok(t, err)
		equal(t, "status", w.status("k2"), idem.Done)
		equal(t, "completions", w.store.seen("complete"), 4)
	})
}

func TestLaw_C4_SettlingWaitsForTheRenewalUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		var renewing atomic.Bool
		w.store.set(func(op string) error {
			switch op {
			case "renew":
				renewing.Store(true)
				time.Sleep(2 * time.Second)
				renewing.Store(false)
			case "complete":
				equal(t, "a renewal is under way", renewing.Load(), false)
			}
			return nil
		}, nil)
		_, err := idem.Once(context.Background(), w.store, w.call("k"), func(context.Context) (int, error) {
			time.Sleep(11 * time.Second) // the renewal began at 10 s
			return 1, nil
		})
		ok(t, err)
		equal(t, "renewals", w.store.seen("renew"), 1)
	})
}
