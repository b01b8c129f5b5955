package pgxstore_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/jackc/pgx/v5"
)

// However a body ends, its transaction does, too, also on a pool of one, and
// when the caller has gone.
func TestLaw_C5_EveryExitEndsTheTransaction(t *testing.T) {
	all := newFixture(t)
	f := all.process([]setting{conns(1)})
	exits := map[string]func(cancel func()) error{
		"error":  func(func()) error { return errors.New("sold out") },
		"panic":  func(func()) error { panic("at once") },
		"Goexit": func(func()) error { runtime.Goexit(); return nil },
		"cancelled and failed": func(cancel func()) error {
			cancel()
			return errors.New("sold out")
		},
		"cancelled": func(cancel func()) error { cancel(); return nil },
	}
	for name, exit := range exits {
		c := claimOf(t, name)
		ctx, cancel := context.WithCancel(f.ctx)
		ended := make(chan error, 1)
		go func() {
			err := errors.New("it did not return")
			defer func() { _ = recover(); ended <- err }()
			_, err = f.store.InTx(ctx, c, func(ctx context.Context, tx pgx.Tx) (idem.Outcome, error) {
				if err := write(ctx, tx, name); err != nil {
					t.Error(err)
				}
				return done("K"), exit(cancel)
			})
		}()
		if err := <-ended; err == nil {
			t.Errorf("%s: no error", name)
		}
		cancel()
		all.has(name, 0)
		f.is(c, idem.Absent)
		all.idle()
	}
}

// The caller goes away while the effect is done: it is kept all the same, since
// nobody asked to undo it before the transaction was on its way to the commit.
func TestLaw_C5_TheCommitIsDetached(t *testing.T) {
	f := newFixture(t)
	c := claimOf(t, "K")
	ctx, cancel := context.WithTimeout(f.ctx, 300*time.Millisecond)
	defer cancel()
	got, err := f.store.InTx(ctx, c, func(ctx context.Context, tx pgx.Tx) (idem.Outcome, error) {
		// A deferred trigger makes the commit outlast the caller's time.
		if _, err := tx.Exec(ctx, `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.6); RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON effects DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow()`); err != nil {
			return idem.Outcome{}, err
		}
		return done("K"), write(ctx, tx, "K")
	})
	if err != nil || got.Status != idem.Fresh {
		t.Errorf("%v, %v", got.Status, err)
	}
	if ctx.Err() == nil {
		t.Error("the commit was too fast for this test")
	}
	f.has("K", 1)
	f.is(c, idem.Done)
}
