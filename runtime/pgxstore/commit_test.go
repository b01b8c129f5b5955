package pgxstore_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgxstore"
	"github.com/jackc/pgx/v5"
)

// A COMMIT that Postgres answers with ROLLBACK is a failed commit.
func TestLaw_T5_CommitAnsweredByRollback(t *testing.T) {
	f := newFixture(t)
	swallow := func(ctx context.Context, tx pgx.Tx) error {
		err := write(ctx, tx, "K")
		_, _ = tx.Exec(ctx, "SELECT 1/0")
		return err
	}
	err := f.store.Begin(f.ctx, swallow)
	if !errors.Is(err, pgx.ErrTxCommitRollback) || errors.Is(err, idem.ErrCommitUnknown) || errors.Is(err, idem.ErrRetryTransaction) {
		t.Errorf("a plain transaction: %v", err)
	}
	c := claimOf(t, "K")
	_, err = f.store.InTx(f.ctx, c, func(ctx context.Context, tx pgx.Tx) (idem.Outcome, error) { return done("1"), swallow(ctx, tx) })
	if err == nil || errors.Is(err, idem.ErrCommitUnknown) || errors.Is(err, idem.ErrRetryTransaction) {
		t.Errorf("a guarded call: %v", err)
	}
	f.has("K", 0)
	f.is(c, idem.Absent)
	f.idle()
}

// The same where outcome and COMMIT went together.
func TestLaw_T5_PipelinedCommitAnsweredByRollback(t *testing.T) {
	f := newFixture(t, pgxstore.WithTxOptions(pgx.TxOptions{CommitQuery: "rollback"}))
	c := claimOf(t, "K")
	_, err := f.store.InTx(f.ctx, c, body("K"))
	if !errors.Is(err, pgx.ErrTxCommitRollback) || errors.Is(err, idem.ErrCommitUnknown) {
		t.Errorf("%v", err)
	}
	f.has("K", 0)
	f.is(c, idem.Absent)
	f.idle()
}

// A body that takes its own claim away can't commit: the outcome has no place,
// and the server leaves the COMMIT behind it out.
func TestLaw_T3_ALostClaimCommitsNothing(t *testing.T) {
	for _, m := range modes {
		f := newFixture(t).process([]setting{mode(m)})
		c := claimOf(t, "K")
		took := func(ctx context.Context, tx pgx.Tx) (idem.Outcome, error) {
			if err := write(ctx, tx, "K"); err != nil {
				return idem.Outcome{}, err
			}
			_, err := tx.Exec(ctx, "DELETE FROM idem_records")
			return done("K"), err
		}
		if _, err := f.store.InTx(f.ctx, c, took); !errors.Is(err, idem.ErrLeaseLost) || strings.Contains(err.Error(), "commit:") {
			t.Errorf("%v: %v", m, err)
		}
		err := f.store.Begin(f.ctx, func(ctx context.Context, tx pgx.Tx) error {
			if _, err := f.store.Join(ctx, tx, c, took); !errors.Is(err, idem.ErrLeaseLost) {
				t.Errorf("%v joined: %v", m, err)
			}
			return write(ctx, tx, "around")
		})
		if err != nil {
			t.Errorf("%v around: %v", m, err)
		}
		f.has("K", 0)
		f.has("around", 1)
		f.is(c, idem.Absent)
		f.idle()
	}
}

// The body loses the connection: that is certain, since no COMMIT was sent.
func TestLaw_T8_NothingSentIsNothingUnknown(t *testing.T) {
	f := newFixture(t)
	for name, spoil := range map[string]func(ctx context.Context, tx pgx.Tx) error{
		"closed": func(ctx context.Context, tx pgx.Tx) error { return tx.Conn().Close(ctx) },
		"rows left open": func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Query(ctx, "SELECT generate_series(1, 100000)")
			return err
		},
	} {
		c := claimOf(t, name)
		_, err := f.store.InTx(f.ctx, c, func(ctx context.Context, tx pgx.Tx) (idem.Outcome, error) {
			return done("K"), errors.Join(write(ctx, tx, name), spoil(ctx, tx))
		})
		if err == nil || errors.Is(err, idem.ErrCommitUnknown) || errors.Is(err, idem.ErrStoreUnavailable) != (name == "closed") {
			t.Errorf("%s: %v", name, err)
		}
		f.has(name, 0)
		f.is(c, idem.Absent)
	}
	f.idle()
}
