package idem_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/idemgen/idemgen/runtime/idem"
)

// txWorld is an engine with an observer on one transactional store.
type txWorld struct {
	*testing.T
	log    *log
	engine *idem.Engine
	store  *memTx
	op     idem.Op
	ran    int
}

func newTxWorld(t *testing.T, opts ...idem.Option) *txWorld {
	w := &txWorld{T: t, log: &log{}, store: newMemTx()}
	w.engine = idem.New(idem.GlobalScope, append([]idem.Option{idem.WithObserver(w.log)}, opts...)...)
	w.op = idem.Op{Name: "test." + t.Name(), Key: []string{"id"}}
	return w
}

func (w *txWorld) call(id string) idem.Call {
	return w.engine.Call(context.Background(), &w.op, idem.String(id)).Match(idem.String(id))
}

// once adds 1 to the row of a key and returns the new value, and err.
func (w *txWorld) once(ctx context.Context, id string, err error) (int, error) {
	return idem.OnceTx(ctx, w.store, w.call(id), func(_ context.Context, tx *tx) (int, error) {
		w.ran++
		tx.rows[id]++
		return tx.rows[id], err
	})
}

var bg = context.Background()

func TestLaw_T1_TogetherOrNotAtAll(t *testing.T) {
	w := newTxWorld(t)
	_, err := w.once(bg, "k", errBiz)
	if err != errBiz { // unchanged
		t.Fatalf("error %v", err)
	}
	equal(t, "row after the rollback", w.store.row("k"), 0)
	for range 3 {
		n, err := w.once(bg, "k", nil)
		ok(t, err)
		equal(t, "result", n, 1)
	}
	equal(t, "row", w.store.row("k"), 1)
	equal(t, "runs", w.ran, 2)
	equal(t, "replays", w.log.count(idem.EventReplayed), 2)
}

func TestLaw_T1_PanicAndGoexitRollBack(t *testing.T) {
	for name, leave := range map[string]func(){"panic": func() { panic(errBiz) }, "goexit": runtime.Goexit} {
		w := newTxWorld(t)
		hooks := 0
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer func() {
				if v := recover(); name == "panic" && v != errBiz {
					t.Errorf("recovered %v", v)
				}
			}()
			_, _ = idem.OnceTx(bg, w.store, w.call("k"), func(ctx context.Context, tx *tx) (int, error) {
				tx.rows["k"]++
				ok(t, idem.AfterCommit(ctx, func(context.Context) { hooks++ }))
				leave()
				return 0, nil
			})
		}()
		<-done
		equal(t, name+": row", w.store.row("k"), 0)
		equal(t, name+": hooks", hooks, 0)
		n, err := w.once(bg, "k", nil)
		ok(t, err)
		equal(t, name+": result", n, 1)
	}
}

func TestLaw_T3_RetriedWithANewTransaction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTxWorld(t)
		w.store.conflicts = 3
		hooks := 0
		n, err := idem.OnceTx(bg, w.store, w.call("k"), func(ctx context.Context, tx *tx) (int, error) {
			w.ran++
			tx.rows["k"]++
			ok(t, idem.AfterCommit(ctx, func(context.Context) { hooks++ }))
			return tx.rows["k"], nil
		})
		ok(t, err)
		equal(t, "result", n, 1)
		equal(t, "row", w.store.row("k"), 1)
		equal(t, "runs", w.ran, 4)
		equal(t, "transactions", w.store.begun, 4)
		equal(t, "hooks", hooks, 1) // those of the attempts that rolled back are gone
		equal(t, "events", w.log.count(idem.EventTxRetry), 3)
	})
}

func TestLaw_T3_RetriesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTxWorld(t, idem.WithTxRetries(2))
		w.store.conflicts = 100
		n, err := w.once(bg, "k", nil)
		is(t, err, idem.ErrRetryTransaction)
		equal(t, "result", n, 0)
		equal(t, "transactions", w.store.begun, 3)

		ctx, cancel := context.WithCancel(bg)
		cancel()
		w.store.begun = 0
		_, err = idem.Tx(ctx, w.engine, w.store, func(context.Context, *tx) (int, error) { return 0, idem.ErrRetryTransaction })
		if err == nil || w.store.begun > 1 {
			t.Errorf("%d transactions for an ended context, %v", w.store.begun, err)
		}
	})
}

func TestLaw_T3_OnlyWhereTheWrapperBegan(t *testing.T) {
	w := newTxWorld(t)
	err := w.store.Begin(bg, func(ctx context.Context, own *tx) error {
		_, err := idem.OnceTx(idem.Join(ctx, w.store, own), w.store, w.call("k"), func(context.Context, *tx) (int, error) {
			w.ran++
			return 0, idem.ErrRetryTransaction
		})
		return err
	})
	is(t, err, idem.ErrRetryTransaction)
	equal(t, "runs", w.ran, 1)
}

func TestLaw_T5_HooksAfterTheCommitAlone(t *testing.T) {
	w := newTxWorld(t)
	var seen []string
	run := func(name string, err error) error {
		_, got := idem.OnceTx(bg, w.store, w.call(name), func(ctx context.Context, tx *tx) (int, error) {
			tx.rows[name] = 1
			for _, n := range []string{"1", "2"} {
				ok(t, idem.AfterCommit(ctx, func(ctx context.Context) {
					equal(t, "row in the hook", w.store.row(name), 1)
					seen = append(seen, name+n)
					is(t, idem.AfterCommit(ctx, func(context.Context) {}), idem.ErrNoTransaction)
				}))
			}
			equal(t, "hooks before the commit", len(seen), 0)
			return 0, err
		})
		return got
	}
	is(t, run("rollback", errBiz), errBiz)
	_, err := idem.Tx(bg, w.engine, w.store, func(ctx context.Context, _ *tx) (int, error) {
		ok(t, idem.AfterCommit(ctx, func(context.Context) { seen = append(seen, "Tx") }))
		return 0, errBiz
	})
	is(t, err, errBiz)
	w.store.commitErr = errBiz
	is(t, run("failed commit", nil), errBiz) // a failed commit is an error
	w.store.commitErr = nil
	equal(t, "hooks after rollbacks", len(seen), 0)
	ok(t, run("ok", nil))
	ok(t, run("ok", nil)) // a replay runs no hooks
	equal(t, "hooks", len(seen), 2)
	equal(t, "order", seen[0]+seen[1], "ok1ok2")
	is(t, idem.AfterCommit(bg, func(context.Context) {}), idem.ErrNoTransaction)
	ok(t, w.store.Begin(bg, func(ctx context.Context, own *tx) error {
		is(t, idem.AfterCommit(idem.Join(ctx, w.store, own), func(context.Context) {}), idem.ErrNoTransaction)
		return nil
	}))
}

func TestLaw_T5_HooksOfARolledBackSavepointAreDropped(t *testing.T) {
	w := newTxWorld(t)
	var seen []string
	hook := func(ctx context.Context, name string) {
		ok(t, idem.AfterCommit(ctx, func(context.Context) { seen = append(seen, name) }))
	}
	_, err := idem.OnceTx(bg, w.store, w.call("outer"), func(ctx context.Context, _ *tx) (int, error) {
		hook(ctx, "a")
		for name, inner := range map[string]error{"good": nil, "bad": errBiz} {
			_, err := idem.OnceTx(ctx, w.store, w.call(name), func(ctx context.Context, tx *tx) (int, error) {
				tx.rows[name]++
				hook(ctx, name)
				return 0, inner
			})
			equal(t, "inner error", err, inner)
		}
		for name, inner := range map[string]error{"good tx": nil, "bad tx": errBiz} {
			_, err := idem.Tx(ctx, w.engine, w.store, func(ctx context.Context, tx *tx) (int, error) {
				tx.rows[name]++
				hook(ctx, name)
				return 0, inner
			})
			equal(t, "inner error", err, inner)
		}
		func() {
			defer func() { _ = recover() }()
			_, _ = idem.OnceTx(ctx, w.store, w.call("panics"), func(ctx context.Context, tx *tx) (int, error) {
				tx.rows["panics"]++
				hook(ctx, "panics")
				panic("x")
			})
		}()
		hook(ctx, "z")
		return 0, nil
	})
	ok(t, err)
	equal(t, "hooks", len(seen), 4)
	for _, name := range seen {
		if name != "a" && name != "good" && name != "good tx" && name != "z" {
			t.Errorf("hook %q ran", name)
		}
	}
	for name, want := range map[string]int{"good": 1, "bad": 0, "good tx": 1, "bad tx": 0, "panics": 0} {
		equal(t, name, w.store.row(name), want)
	}
}

func TestLaw_T5_AllHooksRunAlsoBehindAPanic(t *testing.T) {
	w := newTxWorld(t)
	ran := false
	func() {
		defer func() { equal(t, "panic", recover(), any("hook")) }()
		_, _ = idem.Tx(bg, w.engine, w.store, func(ctx context.Context, tx *tx) (int, error) {
			tx.rows["k"]++
			ok(t, idem.AfterCommit(ctx, func(context.Context) { panic("hook") }))
			ok(t, idem.AfterCommit(ctx, func(context.Context) { ran = true }))
			return 0, nil
		})
	}()
	equal(t, "second hook", ran, true)
	equal(t, "row", w.store.row("k"), 1)
}

func TestLaw_T7_ResultsOfRolledBackRunsDontLeak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTxWorld(t, idem.WithTxRetries(0))
		w.store.commitErr = errBiz
		n, err := w.once(bg, "k", nil)
		is(t, err, errBiz)
		equal(t, "result", n, 0)
		_, err = idem.Tx(bg, w.engine, w.store, func(_ context.Context, tx *tx) (int, error) { tx.rows["k"]++; return 0, nil })
		is(t, err, errBiz)
		equal(t, "row", w.store.row("k"), 0)
	})
}

func TestLaw_T8_LostReplyOfCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTxWorld(t)
		hooks := 0
		run := func(id string) (int, error) {
			return idem.OnceTx(bg, w.store, w.call(id), func(ctx context.Context, tx *tx) (int, error) {
				w.ran++
				tx.rows[id]++
				ok(t, idem.AfterCommit(ctx, func(context.Context) { hooks++ }))
				return 42, nil
			})
		}
		w.store.lostCommits = 1 // committed
		n, err := run("found")
		ok(t, err)
		equal(t, "real result", n, 42)
		equal(t, "row", w.store.row("found"), 1)
		equal(t, "runs", w.ran, 1)
		equal(t, "hooks", hooks, 1)
		equal(t, "events", w.log.count(idem.EventCommitFound), 1)

		w.store.deadCommits = 1 // not committed: run again
		n, err = run("not found")
		ok(t, err)
		equal(t, "result", n, 42)
		equal(t, "row", w.store.row("not found"), 1)
		equal(t, "runs", w.ran, 3)
		equal(t, "hooks", hooks, 2)

		w.store.deadCommits = 1000
		_, err = run("never")
		is(t, err, idem.ErrStoreUnavailable)
		if errors.Is(err, idem.ErrCommitUnknown) {
			t.Error("it is known that nothing was committed")
		}
		w.store.deadCommits = 0
		equal(t, "row", w.store.row("never"), 0)

		w.store.lostCommits, w.store.lookupErr = 1, idem.ErrStoreUnavailable
		n, err = run("who knows")
		is(t, err, idem.ErrCommitUnknown)
		equal(t, "result", n, 0)
		w.store.lookupErr = nil
		n, err = run("who knows") // calling again is safe
		ok(t, err)
		equal(t, "row", w.store.row("who knows"), 1)
		equal(t, "replayed", n, 42)
	})
}

func TestLaw_T8_CommitThatLandsAfterTheLookup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTxWorld(t)
		late := &lateCommit{memTx: w.store}
		hooks := 0
		n, err := idem.OnceTx(bg, idem.TxStore[*tx](late), w.call("k"), func(ctx context.Context, tx *tx) (int, error) {
			w.ran++
			ok(t, idem.AfterCommit(ctx, func(context.Context) { hooks++ }))
			tx.rows["k"]++
			return 42, nil
		})
		ok(t, err)
		equal(t, "real result", n, 42)
		equal(t, "runs", w.ran, 1)
		equal(t, "hooks", hooks, 1)
		equal(t, "row", w.store.row("k"), 1)
	})
}

func TestLaw_T9_JoinsInsteadOfBeginning(t *testing.T) {
	w := newTxWorld(t) // its pool has one connection
	n, err := idem.OnceTx(bg, w.store, w.call("outer"), func(ctx context.Context, _ *tx) (int, error) {
		n, err := w.once(ctx, "inner", nil)
		ok(t, err)
		again, err := w.once(ctx, "inner", nil) // a duplicate inside the transaction
		ok(t, err)
		equal(t, "replayed inside", again, n)
		sum, err := idem.Tx(ctx, w.engine, w.store, func(_ context.Context, tx *tx) (int, error) { tx.rows["fire"]++; return n + 1, nil })
		ok(t, err)
		return sum, nil
	})
	ok(t, err)
	equal(t, "result", n, 2)
	equal(t, "transactions", w.store.begun, 1)
	equal(t, "inner", w.store.row("inner"), 1)
	equal(t, "fire", w.store.row("fire"), 1)
	n, err = w.once(bg, "inner", nil)
	ok(t, err)
	equal(t, "replayed outside", n, 1)
}

func TestLaw_T9_JoinedCallRollsBackWithItsCaller(t *testing.T) {
	w := newTxWorld(t)
	err := w.store.Begin(bg, func(ctx context.Context, own *tx) error {
		_, err := w.once(idem.Join(ctx, w.store, own), "k", nil)
		ok(t, err)
		return errBiz
	})
	is(t, err, errBiz)
	equal(t, "row", w.store.row("k"), 0)
	n, err := w.once(bg, "k", nil)
	ok(t, err)
	equal(t, "result", n, 1)
	equal(t, "runs", w.ran, 2)
}

func TestLaw_T9_AnEndedTransactionIsNotJoined(t *testing.T) {
	w := newTxWorld(t)
	var leaked context.Context
	_, err := idem.OnceTx(bg, w.store, w.call("outer"), func(ctx context.Context, own *tx) (int, error) {
		leaked = ctx
		if joined := idem.Join(ctx, w.store, own); joined != ctx { // carried already: hooks stay
			t.Error("a transaction that the context carries was wrapped again")
		}
		return 0, nil
	})
	ok(t, err)
	_, err = w.once(leaked, "k", nil)
	ok(t, err)
	equal(t, "transactions", w.store.begun, 2)
	is(t, idem.AfterCommit(leaked, func(context.Context) {}), idem.ErrNoTransaction)
}

func TestLaw_T9_TwoStoresDontJoinEachOther(t *testing.T) {
	a, b := newTxWorld(t), newTxWorld(t)
	_, err := idem.OnceTx(bg, a.store, a.call("k"), func(ctx context.Context, _ *tx) (int, error) {
		_, err := b.once(ctx, "k", nil)
		ok(t, err)
		return 0, errBiz
	})
	is(t, err, errBiz)
	equal(t, "row of the other store", b.store.row("k"), 1)
}
