package sqlstoretest

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// What Store's own transactions do beside what the suite asks of every kind.

// The error of a context that ended carries its cause, whatever the driver said.
func TestLaw_T1_EndedContextTellsItsCause(t *testing.T) {
	on(t, everyDatabase, endedContextTellsItsCause)
}

func endedContextTellsItsCause(t *testing.T, d *database) {
	f := d.fixture(t)
	cause := errors.New("the client is gone")
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	c := claimOn(t, 0, idem.String("ends"))
	for _, when := range []string{"on the way", "before"} {
		_, err := f.store.InTx(ctx, c, func(ctx context.Context, tx *sql.Tx) (idem.Outcome, error) {
			defer cancel(cause)
			return done("1"), f.effect(ctx, tx, "ends")
		})
		if !errors.Is(err, context.Canceled) || !errors.Is(err, cause) {
			t.Errorf("a context that ended %s: %v", when, err)
		}
		absent(f, sqlKind(f), c, "ends")
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
