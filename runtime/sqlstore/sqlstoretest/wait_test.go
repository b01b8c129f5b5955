package sqlstoretest

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// slow starts a transaction that holds its key until release is called.
func slow[T any](f *fixture, k kind[T], c idem.Claim, id string, fail error) (release func()) {
	f.Helper()
	started, finish, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		_, err := k.store.InTx(context.Background(), c, func(ctx context.Context, tx T) (idem.Outcome, error) {
			close(started)
			<-finish
			return done(id), errors.Join(k.write(ctx, tx, id), fail)
		})
		if !errors.Is(err, fail) {
			f.Errorf("slow call: %v", err)
		}
	}()
	<-started
	return func() { close(finish); <-ended }
}

// A waiter that wakes reads before it claims, and so needs no transaction.
func TestLaw_C7_WaiterReadsFirst(t *testing.T) { on(t, everyDatabase, waiterReadsFirst) }

func waiterReadsFirst(t *testing.T, d *database) {
	f, w := d.wired(t)
	k := sqlKind(f)
	c := claimOn(t, 0, idem.String("K"))
	release := slow(f, k, c, "K", nil)
	w.reset()
	waited := make(chan error)
	go func() {
		d := c
		d.Owner, d.Wait = idem.NewOwner(), time.Minute
		got, err := f.store.InTx(context.Background(), d, k.body("K"))
		if got.Status != idem.Done {
			t.Errorf("%v", got.Status)
		}
		waited <- err
	}()
	time.Sleep(20 * time.Millisecond)
	release()
	if err := <-waited; err != nil {
		t.Error(err)
	}
	if verbs, _ := w.verbs(); !slices.Equal(verbs, []string{"INSERT", "UPDATE", "COMMIT", "SELECT"}) {
		t.Errorf("the end of the first and the waiter send %v", verbs)
	}
}

// A joined call meets another transaction of this process that holds its key, and
// with it the file.
func TestLaw_C7_JoinDoesNotWaitForTheFileLock(t *testing.T) {
	f := newFixture(t)
	k := sqlKind(f)
	c := claimOn(t, 0, idem.String("K"))
	release := slow(f, k, c, "K", nil)
	defer release()
	err := k.store.Begin(context.Background(), func(ctx context.Context, tx *sql.Tx) error {
		d := c
		d.Owner = idem.NewOwner()
		start := time.Now()
		got, err := k.store.Join(ctx, tx, d, k.body("K"))
		if err != nil || got.Status != idem.Running || time.Since(start) > 500*time.Millisecond {
			t.Errorf("join: %v, %v after %v", got.Status, err, time.Since(start))
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
