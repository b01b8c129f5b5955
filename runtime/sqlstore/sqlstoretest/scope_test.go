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

// A context that outlived its transaction carries another one: the key that is
// claimed there is free for duplicates when that one has ended.
func TestLaw_T9_ScopeEndsWithItsTransaction(t *testing.T) {
	ctx := context.Background()
	f := newFixture(t)
	e := idem.New(idem.GlobalScope)
	outer, inner := &idem.Op{Name: "outer"}, &idem.Op{Name: "inner"}
	call := func(ctx context.Context, op *idem.Op, key string, run func(context.Context, *sql.Tx) (string, error)) (string, error) {
		return idem.OnceTx(ctx, f.store, e.Call(ctx, op, idem.String(key)), run)
	}
	var kept context.Context
	if _, err := call(ctx, outer, "A", func(ctx context.Context, _ *sql.Tx) (string, error) {
		kept = context.WithoutCancel(ctx) // handed to somebody who works on
		return "a", nil
	}); err != nil {
		t.Fatal(err)
	}
	tx, err := f.db.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := call(idem.Join(kept, f.store, tx), inner, "B", func(ctx context.Context, tx *sql.Tx) (string, error) {
		return "b", f.effect(ctx, tx, "B")
	}); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	got, err := call(ctx, inner, "B", func(context.Context, *sql.Tx) (string, error) { return "again", nil })
	if got != "b" || err != nil {
		t.Errorf("duplicate after the commit: %q, %v", got, err)
	}
}

// A duplicate of a call that joined a plain transaction of the wrapper is told at
// once, as of one that joined a guarded call's.
func TestLaw_C7_JoinedInAPlainTransactionAnswersAtOnce(t *testing.T) {
	ctx := context.Background()
	f := newFixture(t)
	e := idem.New(idem.GlobalScope)
	op := &idem.Op{Name: "inner"}
	once := func(ctx context.Context) error {
		_, err := idem.OnceTx(ctx, f.store, e.Call(ctx, op, idem.String("B")), func(ctx context.Context, tx *sql.Tx) (idem.None, error) {
			return idem.None{}, f.effect(ctx, tx, "B")
		})
		return err
	}
	joined, release, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		_, err := idem.Tx(ctx, e, f.store, func(ctx context.Context, _ *sql.Tx) (idem.None, error) {
			err := once(ctx)
			close(joined)
			<-release
			return idem.None{}, err
		})
		done <- err
	}()
	<-joined
	answered := make(chan error, 1)
	go func() { answered <- once(ctx) }()
	select {
	case err := <-answered:
		if !errors.Is(err, idem.ErrInProgress) {
			t.Errorf("duplicate: %v", err)
		}
	case <-time.After(3 * time.Second): // the busy time-out is longer
		t.Error("the duplicate blocks on the transaction")
	}
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := once(ctx); err != nil {
		t.Error(err)
	}
	if n := f.effects("B"); n != 1 {
		t.Errorf("%d effects", n)
	}
}

// A duplicate in another process meets the file lock. When the driver's busy
// timeout is over it is told that a call is in progress, and does not wait for as
// long again.
func TestLaw_C7_AnotherProcessHoldsTheFile(t *testing.T) {
	ctx := context.Background()
	f := newFixture(t)
	// The other process: a store of its own on the same file, which shares nothing
	// with the first but the file. Its driver waits for 400 ms.
	db, err := sql.Open("sqlite", "file:"+f.path()+"?_pragma=busy_timeout(400)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	other := sqlstore.New(db, idem.SQLite)
	e := idem.New(idem.GlobalScope)
	op := &idem.Op{Name: "op"}
	once := func(store idem.TxStore[*sql.Tx], body func()) error {
		_, err := idem.OnceTx(ctx, store, e.Call(ctx, op, idem.String("K")), func(ctx context.Context, tx *sql.Tx) (idem.None, error) {
			body()
			return idem.None{}, f.effect(ctx, tx, "K")
		})
		return err
	}
	running, release, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() { done <- once(f.store, func() { close(running); <-release }) }()
	<-running
	began := time.Now()
	if err := once(other, func() { t.Error("ran") }); !errors.Is(err, idem.ErrInProgress) {
		t.Errorf("duplicate: %v", err)
	}
	if took := time.Since(began); took > 2*400*time.Millisecond { // six attempts would take 2.4 s
		t.Errorf("it took %v", took)
	}
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := once(other, func() { t.Error("ran") }); err != nil {
		t.Error(err)
	}
}
