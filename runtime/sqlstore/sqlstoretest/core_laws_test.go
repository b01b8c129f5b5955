package sqlstoretest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// An error of the method is its own, whatever it wraps: it is not taken for the
// store's word on this transaction, and a marked one is not tried again.
func TestLaw_C12_ErrorsOfTheMethodAreItsOwn(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
	}{
		{"commit unknown", fmt.Errorf("inner service: %w", idem.ErrCommitUnknown)},
		{"final commit unknown", idem.Final(fmt.Errorf("inner service: %w", idem.ErrCommitUnknown))},
		{"final retry", idem.Final(fmt.Errorf("inner service: %w", idem.ErrRetryTransaction))},
		{"final words", idem.Final(errors.New("database is locked"))},
		{"words", errors.New("database is locked for your tenant: pay your bill")},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			e := idem.New(idem.GlobalScope)
			runs := 0
			_, err := idem.OnceTx(context.Background(), f.store, e.Call(context.Background(), &idem.Op{Name: "op"}, idem.String("k")),
				func(ctx context.Context, tx *sql.Tx) (idem.None, error) {
					runs++
					return idem.None{}, c.err
				})
			if runs != 1 || !errors.Is(err, c.err) {
				t.Errorf("%d runs, %v", runs, err)
			}
		})
	}
}

// observerOf panics on every event of a kind.
type observerOf idem.EventKind

func (o observerOf) Observe(_ context.Context, e idem.Event) {
	if e.Kind == idem.EventKind(o) {
		panic("observer")
	}
}

// An observer that panics after the commit does not cost the hooks.
func TestLaw_T5_HooksRunBeforeTheObserver(t *testing.T) {
	f := newFixture(t)
	e := idem.New(idem.GlobalScope, idem.WithObserver(observerOf(idem.EventExecuted)))
	hooks := 0
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic did not pass through")
			}
		}()
		_, _ = idem.OnceTx(context.Background(), f.store, e.Call(context.Background(), &idem.Op{Name: "op"}, idem.String("k")),
			func(ctx context.Context, tx *sql.Tx) (idem.None, error) {
				if err := idem.AfterCommit(ctx, func(context.Context) { hooks++ }); err != nil {
					t.Error(err)
				}
				return idem.None{}, f.effect(ctx, tx, "k")
			})
	}()
	if hooks != 1 || f.effects("k") != 1 {
		t.Errorf("%d hooks, %d effects", hooks, f.effects("k"))
	}
}

// guarded runs a method in transaction mode, by its own transaction or joined.
func guarded(ctx context.Context, f *fixture, op, key string, run func(ctx context.Context, tx *sql.Tx) (string, error)) (string, error) {
	e := idem.New(idem.GlobalScope)
	return idem.OnceTx(ctx, f.store, e.Call(ctx, &idem.Op{Name: op}, idem.String(key)), run)
}

// A call in lease mode that would wait for the connection which its own
// transaction holds is told so at once.
func TestLaw_T9_LeaseModeInsideATransactionAnswersAtOnce(t *testing.T) {
	for _, pool := range []int{1, 0} {
		f := newFixture(t)
		f.db.SetMaxOpenConns(pool)
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		e := idem.New(idem.GlobalScope)
		lease := func(ctx context.Context) (string, error) {
			op := &idem.Op{Name: "lease", Orphan: idem.OrphanRerun}
			return idem.Once(ctx, f.store, e.Call(ctx, op, idem.String("L")), func(context.Context) (string, error) { return "l", nil })
		}
		began, runs := time.Now(), 0
		_, err := guarded(ctx, f, "outer", "A", func(ctx context.Context, _ *sql.Tx) (string, error) {
			runs++
			return lease(ctx)
		})
		if took := time.Since(began); !errors.Is(err, idem.ErrInsideTransaction) || runs != 1 || took > 2*time.Second {
			t.Errorf("pool %d: %v after %v and %d runs", pool, err, took, runs)
		}
		if got, err := lease(ctx); got != "l" || err != nil {
			t.Errorf("pool %d, outside: %q, %v", pool, got, err)
		}
	}
}

// A method that ended its transaction itself leaves a record that is held; it is
// resolved although its operation is in transaction mode.
func TestLaw_C17_HeldInTransactionModeIsResolved(t *testing.T) {
	ctx := context.Background()
	f := newFixture(t)
	commits := func(ctx context.Context, tx *sql.Tx) (string, error) {
		return "a", errors.Join(f.effect(ctx, tx, "A"), tx.Commit())
	}
	if _, err := guarded(ctx, f, "op", "A", commits); err == nil {
		t.Error("a method that commits itself succeeds")
	}
	if _, err := guarded(ctx, f, "op", "A", commits); !errors.Is(err, idem.ErrOutcomeUnknown) {
		t.Errorf("duplicate: %v", err)
	}
	call := idem.CallOf[string]{Call: idem.New(idem.GlobalScope).Call(ctx, &idem.Op{Name: "op"}, idem.String("A"))}
	if err := idem.Resolve(ctx, f.store, call, "resolved"); err != nil {
		t.Fatal(err)
	}
	if got, err := guarded(ctx, f, "op", "A", commits); got != "resolved" || err != nil || f.effects("A") != 1 {
		t.Errorf("%q, %v, %d effects", got, err, f.effects("A"))
	}
}

// The Final of a joined call counts from when it was said: in the rest of the
// transaction, and after it, however that ends.
func TestLaw_C12_FinalOfAJoinedCallIsNotLost(t *testing.T) {
	ctx := context.Background()
	f := newFixture(t)
	runs := 0
	declined := func(ctx context.Context) error {
		_, err := guarded(ctx, f, "inner", "B", func(ctx context.Context, tx *sql.Tx) (string, error) {
			runs++
			return "", errors.Join(f.effect(ctx, tx, "B"), idem.Final(errors.New("declined")))
		})
		return err
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = guarded(ctx, f, "outer", "A", func(ctx context.Context, _ *sql.Tx) (string, error) {
			for range 2 {
				if err := declined(ctx); err == nil || err.Error() != "declined" {
					t.Errorf("inside: %v", err)
				}
			}
			panic("outer")
		})
	}()
	if err := declined(ctx); err == nil || err.Error() != "declined" || runs != 1 || f.effects("B") != 0 {
		t.Errorf("after the panic: %v, %d runs, %d effects", err, runs, f.effects("B"))
	}
}

// What COMMIT refuses has no result, in a plain transaction either.
func TestLaw_T5_RefusedCommitHasNoResult(t *testing.T) {
	ctx := context.Background()
	f := newFixture(t)
	f.db.SetMaxOpenConns(1)
	f.exec("PRAGMA foreign_keys=1")
	f.exec("CREATE TABLE parents (id TEXT PRIMARY KEY)")
	f.exec("CREATE TABLE children (parent TEXT REFERENCES parents(id) DEFERRABLE INITIALLY DEFERRED)")
	hooks := 0
	body := func(ctx context.Context, tx *sql.Tx) (string, error) {
		_, err := tx.ExecContext(ctx, "INSERT INTO children VALUES ('none')")
		return "x", errors.Join(err, f.effect(ctx, tx, "A"), idem.AfterCommit(ctx, func(context.Context) { hooks++ }))
	}
	for name, run := range map[string]func() (string, error){
		"guarded": func() (string, error) { return guarded(ctx, f, "op", "A", body) },
		"plain":   func() (string, error) { return idem.Tx(ctx, idem.New(idem.GlobalScope), f.store, body) },
	} {
		if got, err := run(); got != "" || err == nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if hooks != 0 || f.effects("A") != 0 {
		t.Errorf("%d hooks, %d effects", hooks, f.effects("A"))
	}
}
