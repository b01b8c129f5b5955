package idem_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// apart runs f on a goroutine of its own and swallows its panic.
func apart(f func()) (recovered any) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { recovered = recover() }()
		f()
	}()
	<-done
	return recovered
}

// An observer that panics, at whatever event, leaves a call that is settled.
func TestLaw_C5_TheObserverHearsOfWhatIsSettled(t *testing.T) {
	down := fail(idem.ErrStoreUnavailable, 1, "complete", "release")
	for _, r := range []struct {
		on     idem.EventKind
		res    any
		err    error
		before func(string) error
		want   idem.ClaimStatus
	}{
		{idem.EventExecuted, 1, nil, nil, idem.Done},
		{idem.EventOversize, "a long result", nil, nil, idem.Done},
		{idem.EventUnreadable, make(chan int), nil, nil, idem.Done},
		{idem.EventCompleteFailed, 1, nil, down, idem.Done}, // the second try succeeds
		{idem.EventFailed, 0, idem.Final(errBiz), nil, idem.Done},
		{idem.EventReleased, 0, errBiz, nil, idem.Absent},
		{idem.EventReleaseFailed, 0, errBiz, fail(idem.ErrStoreUnavailable, -1, "release"), idem.Absent},
		{idem.EventUnknown, 0, context.Canceled, nil, idem.Absent},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.engine = idem.New(idem.GlobalScope, idem.WithObserver(panickingObserver(r.on)), idem.WithMaxResult(4))
			w.store.set(r.before, nil)
			if got := apart(func() { _, _ = once(w, "k", r.res, r.err) }); got != "observer" {
				t.Errorf("%v: recovered %v", r.on, got)
			}
			time.Sleep(time.Minute) // the lease is 30 s, and nobody renews it
			if got := w.status("k"); got != r.want {
				t.Errorf("%v: %v, want %v", r.on, got, r.want)
			}
		})
	}
}

// rude is an error that panics when it is looked at.
type rude struct{}

func (rude) Error() string { return "rude" }
func (rude) Is(error) bool { panic("rude") }

func TestLaw_C5_AnErrorThatPanicsIsSettledAsUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.op.Orphan = idem.OrphanHold
		equal(t, "recovered", apart(func() { _, _ = once(w, "k", 0, error(rude{})) }), any("rude"))
		time.Sleep(time.Minute)
		equal(t, "status", w.status("k"), idem.Held)
		equal(t, "events", w.log.count(idem.EventUnknown), 1)
	})
}

// A renewal that heeds no context is left behind; the completion has its time.
func TestLaw_C6_DeafRenewalLeavesTimeToComplete(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, idem.WithSettleTimeout(time.Second))
		over := make(chan struct{})
		defer close(over)
		w.store.set(func(op string) error {
			if op == "renew" {
				<-over
			}
			return nil
		}, nil)
		w.store.RecordStore = timely{w.store.RecordStore}
		_, err := idem.Once(bg, w.store, w.call("k"), func(context.Context) (int, error) {
			time.Sleep(11 * time.Second) // the renewal began at 10 s
			return 1, nil
		})
		ok(t, err)
		equal(t, "status", w.status("k"), idem.Done)
		equal(t, "completions", w.store.seen("complete"), 1)
	})
}

// timely refuses to complete when the time for it is over.
type timely struct{ idem.RecordStore }

func (s timely) Complete(ctx context.Context, h idem.Hold, o idem.Outcome, r time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.RecordStore.Complete(ctx, h, o, r)
}

// Hooks, and Finals of joined calls, come before what the observer does.
func TestLaw_T5_TheObserverCostsNeitherHooksNorFinals(t *testing.T) {
	for _, on := range []idem.EventKind{idem.EventExecuted, idem.EventOversize, idem.EventCommitUnknown, idem.EventCommitFound} {
		w := newTxWorld(t)
		w.store.lostCommits = 1
		e := idem.New(idem.GlobalScope, idem.WithObserver(panickingObserver(on)), idem.WithMaxResult(4))
		hooks, inner := 0, 0
		final := func(ctx context.Context) (int, error) {
			return idem.OnceTx(ctx, w.store, w.call("inner"), func(context.Context, *tx) (int, error) { inner++; return 0, idem.Final(errBiz) })
		}
		got := apart(func() {
			_, _ = idem.OnceTx(bg, w.store, e.Call(bg, &w.op, idem.String("outer")), func(ctx context.Context, tx *tx) (string, error) {
				tx.rows["k"]++
				_, _ = final(ctx)
				return "a long result", idem.AfterCommit(ctx, func(context.Context) { hooks++ })
			})
		})
		equal(t, on.String()+": recovered", got, any("observer"))
		equal(t, on.String()+": row", w.store.row("k"), 1)
		equal(t, on.String()+": hooks", hooks, 1)
		_, err := final(bg)
		equal(t, on.String()+": replayed", err.Error(), errBiz.Error())
		equal(t, on.String()+": runs", inner, 1)
	}
}

// What the method says is its own, whatever it wraps.
func TestLaw_C12_TheMethodsErrorIsNoSignalOfTheStore(t *testing.T) {
	for name, err := range map[string]error{
		"commit unknown":       fmt.Errorf("inner service: %w", idem.ErrCommitUnknown),
		"final commit unknown": idem.Final(idem.ErrCommitUnknown),
		"final retry":          idem.Final(fmt.Errorf("inner service: %w", idem.ErrRetryTransaction)),
		"retryable retry":      idem.Retryable(idem.ErrRetryTransaction),
		"stored by a rule":     fmt.Errorf("%w: %w", errSoldOut, idem.ErrRetryTransaction),
	} {
		w := newTxWorld(t)
		w.op.Errors = []idem.ErrorRule{{Name: "ErrSoldOut", Err: errSoldOut, Do: idem.StoreError}}
		n, got := w.once(bg, "k", err)
		is(t, got, err)
		equal(t, name+": runs", w.ran, 1)
		equal(t, name+": result beside it", n, 1)
		equal(t, name+": commits of others", w.log.count(idem.EventCommitUnknown), 0)
		if name == "stored by a rule" || name == "commit unknown" {
			continue
		}
		runs := 0
		_, got = idem.Tx(bg, w.engine, w.store, func(context.Context, *tx) (int, error) { runs++; return 0, err })
		is(t, got, err)
		equal(t, name+": runs of a plain transaction", runs, 1)
	}
}

// classing is a store that takes every error of a body for a deadlock.
type classing struct{ *memTx }

func (s classing) InTx(ctx context.Context, c idem.Claim, body func(context.Context, *tx) (idem.Outcome, error)) (idem.Found, error) {
	found, err := s.memTx.InTx(ctx, c, body)
	if err != nil {
		err = fmt.Errorf("%w: %w", idem.ErrRetryTransaction, err)
	}
	return found, err
}

func TestLaw_C12_AMarkedErrorIsNotReclassed(t *testing.T) {
	w := newTxWorld(t)
	store := idem.TxStore[*tx](classing{w.store})
	runs := 0
	call := func(ctx context.Context) error {
		_, err := idem.OnceTx(ctx, store, w.call("k"), func(context.Context, *tx) (int, error) {
			runs++
			return 0, idem.Final(errors.New("database is locked for your tenant"))
		})
		return err
	}
	for range 2 {
		err := call(bg)
		equal(t, "text", err.Error(), "database is locked for your tenant")
		equal(t, "retry", errors.Is(err, idem.ErrRetryTransaction), false)
	}
	equal(t, "runs", runs, 1)
	// A replayed error is somebody's outcome, too.
	outer := idem.Op{Name: "outer"}
	runs = 0
	_, err := idem.OnceTx(bg, store, w.engine.Call(bg, &outer, idem.String("k")), func(ctx context.Context, _ *tx) (int, error) {
		runs++
		return 0, call(ctx)
	})
	equal(t, "text", err.Error(), "database is locked for your tenant")
	equal(t, "runs of the outer call", runs, 1)
}

// grpcStatus is a gRPC status, as far as its code goes.
type grpcStatus struct{ code uint32 }

func (s *grpcStatus) Code() uint32 { return s.code }

type grpcError struct{ status *grpcStatus }

func (e grpcError) Error() string           { return "rpc error" }
func (e grpcError) GRPCStatus() *grpcStatus { return e.status }

type pgxError struct{ safe bool }

func (e pgxError) Error() string     { return "pgx" }
func (e pgxError) SafeToRetry() bool { return e.safe }

func TestLaw_C12_WhatLeavesTheOutcomeUnknown(t *testing.T) {
	text := errors.New
	for _, r := range []struct {
		err     error
		unknown bool
	}{
		{text("sql: connection is already closed"), true},
		{text("invalid connection"), true},
		{text("invalid connection string"), false},
		{text("conn closed"), true},
		{text("http2: server sent GOAWAY and closed the connection; LastStreamID=1, ErrCode=NO_ERROR, debug=\"\""), true},
		{text("tenant says: invalid connection"), false},
		{io.ErrUnexpectedEOF, true},
		{driver.ErrBadConn, false}, // by its contract nothing was sent
		{pgxError{safe: false}, true},
		{pgxError{safe: true}, false},
		{grpcError{&grpcStatus{1}}, true},
		{grpcError{&grpcStatus{4}}, true},
		{grpcError{&grpcStatus{14}}, true},
		{grpcError{&grpcStatus{5}}, false},
		{grpcError{}, false},
		{&net.OpError{Op: "dial", Err: syscall.ECONNRESET}, false},
		{&net.OpError{Op: "dial", Err: timeout{}}, true},
		// A store inside says that nothing took effect, however its connection broke.
		{fmt.Errorf("%w: claim: %w", idem.ErrStoreUnavailable, io.ErrUnexpectedEOF), false},
		{errors.Join(fmt.Errorf("%w: claim: %w", idem.ErrStoreUnavailable, io.ErrUnexpectedEOF), io.ErrUnexpectedEOF), true},
		{fmt.Errorf("%w: %w", idem.ErrStoreUnavailable, fmt.Errorf("%w: %w", idem.ErrCommitUnknown, io.ErrUnexpectedEOF)), true},
	} {
		for name, err := range map[string]error{
			"": r.err, "wrapped": fmt.Errorf("bank: %w", r.err), "joined": errors.Join(errBiz, noTimeout{}, r.err),
			"deep": fmt.Errorf("%w: %w", errBiz, errors.Join(errSoldOut, fmt.Errorf("bank: %w", r.err))),
		} {
			w := newWorld(t)
			_, got := once(w, "k", 0, err)
			is(t, got, err)
			want := idem.Absent
			if r.unknown {
				want = idem.Running
			}
			if s := w.status("k"); s != want {
				t.Errorf("%q %s: %v, want %v", r.err, name, s, want)
			}
		}
	}
}

func TestLaw_C12_MarksOfJoinedErrors(t *testing.T) {
	for name, r := range map[string]struct {
		err  error
		want idem.ClaimStatus
	}{
		"final beside another": {errors.Join(errBiz, idem.Final(errSoldOut)), idem.Done},
		"retryable, final":     {errors.Join(idem.Retryable(errBiz), idem.Final(errSoldOut)), idem.Done},
		"final in a retryable": {idem.Retryable(idem.Final(errBiz)), idem.Absent},
		"retryable in a final": {idem.Final(idem.Retryable(errBiz)), idem.Done},
		"a mark, a deadline":   {errors.Join(context.DeadlineExceeded, idem.Retryable(errBiz)), idem.Absent},
	} {
		w := newWorld(t)
		_, err := once(w, "k", 0, r.err)
		is(t, err, r.err)
		equal(t, name, w.status("k"), r.want)
	}
}

func TestLaw_C12_OtherTransportsSayWhatIsUnknown(t *testing.T) {
	isBiz, isSoldOut := func(err error) bool { return errors.Is(err, errBiz) }, func(err error) bool { return errors.Is(err, errSoldOut) }
	w := newWorld(t, idem.WithUnknown(isBiz), idem.WithUnknown(isSoldOut))
	for err, want := range map[error]idem.ClaimStatus{
		errBiz: idem.Running, errSoldOut: idem.Running, io.ErrNoProgress: idem.Absent, idem.Retryable(errBiz): idem.Absent, idem.Final(errBiz): idem.Done,
	} {
		id := fmt.Sprintf("%T %v", err, err)
		if errors.Is(err, errBiz) && err != errBiz {
			id += fmt.Sprint(want)
		}
		_, got := once(w, id, 0, err)
		is(t, got, err)
		equal(t, id, w.status(id), want)
	}
}

func TestLaw_C12_FinalOfAJoinedCallIsReplayedInItsTransaction(t *testing.T) {
	w := newTxWorld(t)
	_, err := idem.OnceTx(bg, w.store, w.call("outer"), func(ctx context.Context, _ *tx) (int, error) {
		for range 2 {
			_, err := w.once(ctx, "inner", idem.Final(errBiz))
			equal(t, "text", err.Error(), errBiz.Error())
		}
		_, err := idem.OnceTx(ctx, w.store, w.engine.Call(ctx, &w.op, idem.String("inner")).Match(idem.Int(9)), func(context.Context, *tx) (int, error) { return 0, nil })
		is(t, err, idem.ErrKeyReused)
		return 0, nil
	})
	ok(t, err)
	equal(t, "runs", w.ran, 1)
}

func TestLaw_C12_FinalOfAJoinedCallOutlivesItsCaller(t *testing.T) {
	for name, leave := range map[string]func() error{
		"panic":  func() error { panic("outer") },
		"goexit": func() error { runtime.Goexit(); return nil },
		"error":  func() error { return errSoldOut },
		"none":   func() error { return nil },
	} {
		for _, plain := range []bool{false, true} {
			for _, commit := range []string{"", "unknown", "fails"} {
				w := newTxWorld(t, idem.WithTxRetries(0))
				body := func(ctx context.Context, _ *tx) (int, error) {
					_, _ = w.once(ctx, "inner", idem.Final(errBiz))
					switch commit {
					case "unknown":
						w.store.deadCommits, w.store.lookupErr = 1, idem.ErrStoreUnavailable
					case "fails":
						w.store.conflicts = 1
					}
					return 0, leave()
				}
				apart(func() {
					if plain {
						_, _ = idem.Tx(bg, w.engine, w.store, body)
					} else {
						_, _ = idem.OnceTx(bg, w.store, w.call("outer"), body)
					}
				})
				w.store.deadCommits, w.store.conflicts, w.store.lookupErr = 0, 0, nil
				if name != "none" && commit != "" {
					continue // the transaction never came to its COMMIT, and the fault struck what was stored
				}
				_, err := w.once(bg, "inner", nil)
				if err == nil || err.Error() != errBiz.Error() || w.ran != 1 {
					t.Errorf("%s, plain %v, commit %q: %v, ran %d", name, plain, commit, err, w.ran)
				}
			}
		}
	}
}

// halfJoined fails a joined call whose body succeeded.
type halfJoined struct{ *memTx }

func (s halfJoined) Join(ctx context.Context, t *tx, c idem.Claim, body func(context.Context, *tx) (idem.Outcome, error)) (idem.Found, error) {
	_, err := s.memTx.Join(ctx, t, c, func(ctx context.Context, t *tx) (idem.Outcome, error) {
		out, err := body(ctx, t)
		return out, errors.Join(err, idem.ErrStoreUnavailable)
	})
	return idem.Found{}, err
}

func TestLaw_T5_NoResultOfWhatIsRolledBack(t *testing.T) {
	w := newTxWorld(t)
	w.store.commitErr = errSoldOut
	seven := func(context.Context, *tx) (int, error) { return 7, nil }
	n, err := idem.Tx(bg, w.engine, w.store, seven)
	is(t, err, errSoldOut)
	equal(t, "beside a failed commit", n, 0)
	w.store.commitErr = nil
	n, err = idem.Tx(bg, w.engine, w.store, func(context.Context, *tx) (int, error) { return 7, errBiz })
	is(t, err, errBiz)
	equal(t, "beside the method's own error", n, 7)

	store := idem.TxStore[*tx](halfJoined{w.store})
	_, err = idem.Tx(bg, w.engine, store, func(ctx context.Context, _ *tx) (int, error) {
		n, err := idem.OnceTx(ctx, store, w.call("k"), seven)
		is(t, err, idem.ErrStoreUnavailable)
		equal(t, "of a joined call that was not stored", n, 0)
		ctx, cancel := context.WithCancel(ctx)
		n, err = idem.Tx(ctx, w.engine, store, func(context.Context, *tx) (int, error) { cancel(); return 7, nil })
		is(t, err, context.Canceled)
		equal(t, "of a savepoint that was not released", n, 0)
		return 0, nil
	})
	ok(t, err)
}

// Whatever mode its operation has, a record that is held is resolved.
func TestLaw_C17_ResolvingDependsOnTheRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		hold := w.op
		hold.Orphan, w.op.Orphan = idem.OrphanHold, idem.OrphanNone // the operation is in transaction mode by now
		for _, id := range []string{"result", "error", "rerun"} {
			_, err := idem.Once(bg, w.store, w.engine.Call(bg, &hold, idem.String(id)).Match(idem.String(id)), func(context.Context) (int, error) {
				return 0, context.DeadlineExceeded
			})
			is(t, err, context.DeadlineExceeded)
		}
		time.Sleep(time.Minute)
		ok(t, idem.Resolve(bg, w.store, idem.CallOf[int]{Call: w.call("result")}, 42))
		ok(t, idem.ResolveError(bg, w.store, idem.CallOf[int]{Call: w.call("error")}, errBiz))
		ok(t, idem.ResolveRerun(bg, w.store, idem.CallOf[int]{Call: w.call("rerun")}))
		equal(t, "result", w.status("result"), idem.Done)
		equal(t, "error", w.status("error"), idem.Done)
		equal(t, "rerun", w.status("rerun"), idem.Absent)
	})
}

// bothModes keeps records in both modes, as a store on one database does.
type bothModes struct {
	*memTx
	idem.RecordStore
}

func (s *bothModes) Lookup(ctx context.Context, k idem.Key) (idem.Found, error) {
	return s.RecordStore.Lookup(ctx, k)
}

func TestLaw_T9_LeaseModeInsideATransactionOfItsStoreAnswersAtOnce(t *testing.T) {
	store := &bothModes{newMemTx(), memstore.New()}
	e := idem.New(idem.GlobalScope)
	op := idem.Op{Name: "op", Orphan: idem.OrphanRerun}
	lease := func(ctx context.Context, records idem.RecordStore) error {
		_, err := idem.Once(ctx, records, e.Call(ctx, &op, idem.String("k")), func(context.Context) (int, error) { return 1, nil })
		return err
	}
	var leaked context.Context
	body := func(ctx context.Context, _ *tx) (int, error) {
		leaked = ctx
		is(t, lease(ctx, store), idem.ErrInsideTransaction)
		ok(t, lease(ctx, memstore.New())) // another store
		return 0, nil
	}
	_, err := idem.Tx(bg, e, idem.TxStore[*tx](store), body)
	ok(t, err)
	_, err = idem.OnceTx(bg, idem.TxStore[*tx](store), e.Call(bg, &idem.Op{Name: "outer"}, idem.String("k")), body)
	ok(t, err)
	ok(t, store.Begin(bg, func(ctx context.Context, own *tx) error {
		is(t, lease(idem.Join(ctx, idem.TxStore[*tx](store), own), store), idem.ErrInsideTransaction)
		return nil
	}))
	ok(t, lease(leaked, store)) // the transaction has ended
}
