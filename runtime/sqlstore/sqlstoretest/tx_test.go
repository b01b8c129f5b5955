package sqlstoretest

import (
	"context"
	"database/sql"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

func TestLaw_T1_OneTransaction(t *testing.T) {
	onEveryKind(t, everyDatabase, oneTransaction[*sql.Tx], oneTransaction[*unitOfWork], oneTransaction[struct{}])
}

func oneTransaction[T any](f *fixture, k kind[T]) {
	ctx := context.Background()
	c := claimOn(f, 0, idem.String("ok"))
	got, err := k.store.InTx(ctx, c, k.body("ok"))
	if err != nil || got.Status != idem.Fresh || got.Record.Owner != c.Owner || string(got.Record.Outcome.Data) != "ok" {
		f.Fatalf("fresh: %+v, %v", got, err)
	}
	again := c
	again.Owner = idem.NewOwner()
	got, err = k.store.InTx(ctx, again, k.body("ok"))
	if err != nil || got.Status != idem.Done || got.Record.Owner != c.Owner || string(got.Record.Outcome.Data) != "ok" {
		f.Fatalf("duplicate: %+v, %v", got, err)
	}
	if n := f.effects("ok"); n != 1 {
		f.Fatalf("%d effects", n)
	}

	c = claimOn(f, 0, idem.String("fails"))
	if _, err := k.store.InTx(ctx, c, k.failing("fails", errBusiness)); !errors.Is(err, errBusiness) || errors.Is(err, idem.ErrRetryTransaction) {
		f.Fatalf("business error: %v", err)
	}
	absent(f, k, c, "fails")
	if got, err = k.store.InTx(ctx, c, k.body("fails")); err != nil || got.Status != idem.Fresh {
		f.Fatalf("after a failure: %v, %v", got.Status, err)
	}
}

func TestLaw_T1_PanicAndGoexitRollBack(t *testing.T) {
	onEveryKind(t, everyDatabase, panics[*sql.Tx], panics[*unitOfWork], panics[struct{}])
}

func panics[T any](f *fixture, k kind[T]) {
	ctx := context.Background()
	c := claimOn(f, 0, idem.String("panics"))
	f.breaks(func() {
		k.store.InTx(ctx, c, func(ctx context.Context, tx T) (idem.Outcome, error) {
			k.write(ctx, tx, "panics")
			panic(errBusiness)
		})
	}, errBusiness)
	absent(f, k, c, "panics")
	f.breaks(func() {
		k.store.InTx(ctx, c, func(ctx context.Context, tx T) (idem.Outcome, error) {
			k.write(ctx, tx, "panics")
			runtime.Goexit()
			return done("never"), nil
		})
	}, nil)
	absent(f, k, c, "panics")
	if got, err := k.store.InTx(ctx, c, k.body("panics")); err != nil || got.Status != idem.Fresh {
		f.Fatalf("afterwards: %v, %v", got.Status, err)
	}
}

// breaks runs f in a goroutine of its own and expects it not to return.
func (f *fixture) breaks(run func(), want any) {
	f.Helper()
	var wg sync.WaitGroup
	wg.Go(func() {
		returned := false
		defer func() {
			if got := recover(); got != want || returned {
				f.Errorf("recovered %v, returned %v; want %v", got, returned, want)
			}
		}()
		run()
		returned = true
	})
	wg.Wait()
}

func TestLaw_T1_EndedContextRollsBack(t *testing.T) {
	onEveryKind(t, everyDatabase, endedContext[*sql.Tx], endedContext[*unitOfWork], endedContext[struct{}])
}

func endedContext[T any](f *fixture, k kind[T]) {
	cause := errors.New("the client is gone")
	ctx, cancel := context.WithCancelCause(context.Background())
	c := claimOn(f, 0, idem.String("ends"))
	_, err := k.store.InTx(ctx, c, func(ctx context.Context, tx T) (idem.Outcome, error) {
		defer cancel(cause)
		return done("1"), k.write(ctx, tx, "ends")
	})
	if !errors.Is(err, context.Canceled) || !errors.Is(err, cause) {
		f.Fatalf("a context that ended on the way: %v", err)
	}
	absent(f, k, c, "ends")
	if _, err := k.store.InTx(ctx, c, k.body("ends")); !errors.Is(err, context.Canceled) || !errors.Is(err, cause) {
		f.Fatalf("a context that ended before: %v", err)
	}
	absent(f, k, c, "ends")
	if err := k.store.Begin(ctx, func(ctx context.Context, tx T) error { return k.write(ctx, tx, "ends") }); !errors.Is(err, context.Canceled) {
		f.Fatalf("a plain transaction: %v", err)
	}
}

// A body that goes on after the caller's context ended still has its
// transaction: nobody rolls back under it.
func TestLaw_T1_NobodyRollsBackUnderTheBody(t *testing.T) {
	on(t, everyDatabase, nobodyRollsBackUnderTheBody)
}

func nobodyRollsBackUnderTheBody(t *testing.T, d *database) {
	f := d.fixture(t)
	ctx, cancel := context.WithCancel(context.Background())
	c := claimOn(t, 0, idem.String("ends"))
	_, err := f.store.InTx(ctx, c, func(ctx context.Context, tx *sql.Tx) (idem.Outcome, error) {
		cancel()
		time.Sleep(20 * time.Millisecond)
		err := f.effect(context.WithoutCancel(ctx), tx, "ends")
		if err != nil {
			t.Errorf("a statement after the end: %v", err)
		}
		return done("1"), err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	absent(f, sqlKind(f), c, "ends")
}

func TestLaw_T9_JoinLeavesNothingOnError(t *testing.T) {
	onEveryKind(t, everyDatabase, joins[*sql.Tx], joins[*unitOfWork], joins[struct{}])
}

// joins checks that an error inside a joined call undoes that call alone, and
// that the transaction around it goes on.
func joins[T any](f *fixture, k kind[T]) {
	ctx := context.Background()
	fails, panics, works := claimOn(f, 0, idem.String("fails")), claimOn(f, 0, idem.String("panics")), claimOn(f, 0, idem.String("works"))
	err := k.store.Begin(ctx, func(ctx context.Context, tx T) error {
		if err := k.write(ctx, tx, "outer"); err != nil {
			return err
		}
		if _, err := k.store.Join(ctx, tx, fails, k.failing("fails", errBusiness)); !errors.Is(err, errBusiness) {
			f.Errorf("joined failure: %v", err)
		}
		func() {
			defer func() { recover() }()
			k.store.Join(ctx, tx, panics, func(ctx context.Context, tx T) (idem.Outcome, error) {
				k.write(ctx, tx, "panics")
				panic("inner")
			})
		}()
		got, err := k.store.Join(ctx, tx, works, k.body("works"))
		if err != nil || got.Status != idem.Fresh {
			f.Errorf("joined: %v, %v", got.Status, err)
		}
		again := works
		again.Owner = idem.NewOwner()
		got, err = k.store.Join(ctx, tx, again, k.body("works"))
		if err != nil || got.Status != idem.Done {
			f.Errorf("joined duplicate: %v, %v", got.Status, err)
		}
		return k.write(ctx, tx, "outer")
	})
	if err != nil {
		f.Fatal(err)
	}
	absent(f, k, fails, "fails")
	absent(f, k, panics, "panics")
	if f.effects("works") != 1 || f.effects("outer") != 2 {
		f.Errorf("%d and %d effects", f.effects("works"), f.effects("outer"))
	}
	if got, err := k.store.Lookup(ctx, works.Key); err != nil || got.Status != idem.Done {
		f.Errorf("joined record: %v, %v", got.Status, err)
	}
}

// A call for another key, and one for its own, inside a claimed transaction
// with a pool of one connection.
func TestLaw_T9_PoolOfOne(t *testing.T) {
	onEveryKind(t, everyDatabase, poolOfOne[*sql.Tx], poolOfOne[*unitOfWork], poolOfOne[struct{}])
}

func poolOfOne[T any](f *fixture, k kind[T]) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	f.db.SetMaxOpenConns(1)
	outer, inner := claimOn(f, time.Minute, idem.String("outer")), claimOn(f, time.Minute, idem.String("inner"))
	_, err := k.store.InTx(ctx, outer, func(ctx context.Context, tx T) (idem.Outcome, error) {
		if _, err := k.store.Join(ctx, tx, inner, k.failing("inner", errBusiness)); !errors.Is(err, errBusiness) {
			f.Errorf("joined failure: %v", err)
		}
		for i, want := range []idem.ClaimStatus{idem.Fresh, idem.Done} {
			inner.Owner = idem.NewOwner()
			if got, err := k.store.Join(ctx, tx, inner, k.body("inner")); err != nil || got.Status != want {
				f.Errorf("joined call %d: %v, %v", i, got.Status, err)
			}
		}
		self := outer
		self.Owner = idem.NewOwner()
		if got, err := k.store.Join(ctx, tx, self, k.body("outer")); err != nil || got.Status != idem.Running {
			f.Errorf("a call that calls itself: %v, %v", got.Status, err)
		}
		return done("1"), k.write(ctx, tx, "outer")
	})
	if err != nil {
		f.Fatal(err)
	}
	if f.effects("inner") != 1 || f.effects("outer") != 1 {
		f.Errorf("%d and %d effects", f.effects("inner"), f.effects("outer"))
	}
}

// What was joined shares the fate of the transaction around it.
func TestLaw_T9_JoinedCallRollsBackWithItsTransaction(t *testing.T) {
	on(t, everyDatabase, joinedCallRollsBackWithItsTransaction)
}

func joinedCallRollsBackWithItsTransaction(t *testing.T, d *database) {
	f := d.fixture(t)
	k := sqlKind(f)
	ctx := context.Background()
	outer, inner := claimOn(t, 0, idem.String("outer")), claimOn(t, 0, idem.String("inner"))
	_, err := k.store.InTx(ctx, outer, func(ctx context.Context, tx *sql.Tx) (idem.Outcome, error) {
		if _, err := k.store.Join(ctx, tx, inner, k.body("inner")); err != nil {
			t.Error(err)
		}
		return idem.Outcome{}, errBusiness
	})
	if !errors.Is(err, errBusiness) {
		t.Fatal(err)
	}
	absent(f, k, outer, "outer")
	absent(f, k, inner, "inner")
	if got, err := k.store.InTx(ctx, inner, k.body("inner")); err != nil || got.Status != idem.Fresh {
		t.Errorf("afterwards: %v, %v", got.Status, err)
	}
}
