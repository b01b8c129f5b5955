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

func TestLaw_C7_WaitBoundsTheBlocking(t *testing.T) {
	onEveryKind(t, everyDatabase, waits[*sql.Tx], waits[*unitOfWork], waits[struct{}])
}

func waits[T any](f *fixture, k kind[T]) {
	ctx := context.Background()
	c := claimOn(f, 0, idem.String("K"))
	c.Fingerprint = idem.Fingerprint{0: 1, 1: 2}
	release := slow(f, k, c, "K", nil)
	duplicate := func(ctx context.Context, wait time.Duration) (idem.Found, time.Duration, error) {
		d := c
		d.Owner, d.Wait = idem.NewOwner(), wait
		start := time.Now()
		got, err := k.store.InTx(ctx, d, k.body("K"))
		return got, time.Since(start), err
	}

	got, took, err := duplicate(ctx, 0)
	if err != nil || got.Status != idem.Running || took > 500*time.Millisecond {
		f.Errorf("wait=0: %v, %v after %v", got.Status, err, took)
	}
	if got.Record.Fingerprint != c.Fingerprint || got.Record.Owner != c.Owner {
		f.Errorf("wait=0 tells %+v", got.Record)
	}
	got, took, err = duplicate(ctx, 100*time.Millisecond)
	if err != nil || got.Status != idem.Running || took < 100*time.Millisecond || took > time.Second {
		f.Errorf("wait=100ms: %v, %v after %v", got.Status, err, took)
	}
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if _, _, err = duplicate(short, time.Minute); !errors.Is(err, context.DeadlineExceeded) {
		f.Errorf("a waiter that gives up: %v", err)
	}

	type answer struct {
		found idem.Found
		err   error
	}
	answers := make(chan answer)
	for range 10 {
		go func() {
			got, _, err := duplicate(ctx, time.Minute)
			answers <- answer{got, err}
		}()
	}
	time.Sleep(20 * time.Millisecond)
	release()
	for range 10 {
		if a := <-answers; a.err != nil || a.found.Status != idem.Done || a.found.Record.Owner != c.Owner {
			f.Errorf("a waiter gets %v, %v", a.found.Status, a.err)
		}
	}
	if n := f.effects("K"); n != 1 {
		f.Errorf("%d effects", n)
	}
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

// The first of several fails: exactly one of those who waited runs.
func TestLaw_C7_WaitersOfAFailedCallRunOnce(t *testing.T) {
	on(t, everyDatabase, waitersOfAFailedCallRunOnce)
}

func waitersOfAFailedCallRunOnce(t *testing.T, d *database) {
	f := d.fixture(t)
	k := sqlKind(f)
	c := claimOn(t, 0, idem.String("K"))
	release := slow(f, k, c, "K", errBusiness)
	statuses := make(chan idem.ClaimStatus)
	const waiters = 20
	for range waiters {
		go func() {
			d := c
			d.Owner, d.Wait = idem.NewOwner(), time.Minute
			got, err := k.store.InTx(context.Background(), d, k.body("K"))
			if err != nil {
				t.Errorf("a waiter: %v", err)
			}
			statuses <- got.Status
		}()
	}
	time.Sleep(20 * time.Millisecond)
	release()
	count := map[idem.ClaimStatus]int{}
	for range waiters {
		count[<-statuses]++
	}
	if count[idem.Fresh] != 1 || count[idem.Done] != waiters-1 || f.effects("K") != 1 {
		t.Errorf("%v, %d effects", count, f.effects("K"))
	}
}

// A joined call meets another transaction of this process that holds its key.
func TestLaw_C7_JoinDoesNotWaitForTheFileLock(t *testing.T) {
	on(t, everyDatabase, joinDoesNotWaitForTheFileLock)
}

func joinDoesNotWaitForTheFileLock(t *testing.T, d *database) {
	f := d.fixture(t)
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
