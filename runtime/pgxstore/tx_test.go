package pgxstore_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/jackc/pgx/v5"
)

// The transaction that a body gets is a whole one: savepoints, batches, copies,
// rows, large objects, and all of it is in the one transaction of the claim.
func TestLaw_T1_TheBodyGetsAWholeTransaction(t *testing.T) {
	for _, m := range modes {
		t.Run(m.String(), func(t *testing.T) {
			all := newFixture(t)
			f := all.process([]setting{mode(m), conns(1)})
			use := func(ctx context.Context, tx pgx.Tx) error {
				if err := pgx.BeginFunc(ctx, tx, func(inner pgx.Tx) error { return write(ctx, inner, "kept") }); err != nil {
					return err
				}
				lost := errors.New("rolled back to the savepoint")
				err := pgx.BeginFunc(ctx, tx, func(inner pgx.Tx) error { return errors.Join(write(ctx, inner, "lost"), lost) })
				if !errors.Is(err, lost) {
					return err
				}
				if _, err := tx.CopyFrom(ctx, pgx.Identifier{"effects"}, []string{"id", "n"}, pgx.CopyFromRows([][]any{{"copied", 1}})); err != nil {
					return err
				}
				var b pgx.Batch
				b.Queue("INSERT INTO effects VALUES ($1, 1)", "batched")
				if err := tx.SendBatch(ctx, &b).Close(); err != nil {
					return err
				}
				if _, err := tx.Prepare(ctx, "business", "SELECT count(*) FROM effects WHERE id = $1"); err != nil {
					return err
				}
				var n int
				if err := tx.QueryRow(ctx, "business", "copied").Scan(&n); err != nil || n != 1 {
					t.Errorf("%d rows, %v", n, err)
				}
				lobs := tx.LargeObjects()
				oid, err := lobs.Create(ctx, 0)
				if err != nil {
					return err
				}
				lob, err := lobs.Open(ctx, oid, pgx.LargeObjectModeRead|pgx.LargeObjectModeWrite)
				if err != nil {
					return err
				}
				if _, err := io.WriteString(lob, "large"); err != nil {
					return err
				}
				return write(ctx, tx.Conn(), "by the connection")
			}
			effects := func(want int) {
				t.Helper()
				for _, id := range []string{"kept", "copied", "batched", "by the connection"} {
					all.has(id, want)
				}
				all.has("lost", 0)
				if n := all.count("SELECT count(*) FROM pg_largeobject_metadata"); n != want {
					t.Errorf("%d large objects, want %d", n, want)
				}
			}
			sold := errors.New("sold out")
			_, err := f.store.InTx(f.ctx, claimOf(t, "K"), func(ctx context.Context, tx pgx.Tx) (idem.Outcome, error) {
				return idem.Outcome{}, errors.Join(use(ctx, tx), sold)
			})
			if !errors.Is(err, sold) {
				t.Errorf("a failed body: %v", err)
			}
			effects(0)
			got, err := f.store.InTx(f.ctx, claimOf(t, "K"), func(ctx context.Context, tx pgx.Tx) (idem.Outcome, error) {
				return done("K"), use(ctx, tx)
			})
			if err != nil || got.Status != idem.Fresh {
				t.Errorf("%v, %v", got.Status, err)
			}
			effects(1)
			f.idle()
		})
	}
}

// A body that ends the transaction is told so, and nothing of it stays.
func TestLaw_T1_TheBodyMayNotEndTheTransaction(t *testing.T) {
	f := newFixture(t)
	for _, c := range []struct {
		name string
		end  func(ctx context.Context, tx pgx.Tx) error
		says string
	}{
		{"Commit", func(ctx context.Context, tx pgx.Tx) error { return tx.Commit(ctx) }, "called Commit"},
		{"Rollback", func(ctx context.Context, tx pgx.Tx) error { return tx.Rollback(ctx) }, "called Rollback"},
	} {
		t.Run(c.name, func(t *testing.T) {
			claim := claimOf(t, c.name)
			_, err := f.store.InTx(f.ctx, claim, func(ctx context.Context, tx pgx.Tx) (idem.Outcome, error) {
				if err := write(ctx, tx, c.name); err != nil {
					return idem.Outcome{}, err
				}
				if err := c.end(ctx, tx); err == nil || !strings.Contains(err.Error(), c.says) {
					t.Errorf("the body was told %v", err)
				}
				return done("K"), nil
			})
			if err == nil || !strings.Contains(err.Error(), c.says) || errors.Is(err, idem.ErrCommitUnknown) {
				t.Errorf("the caller was told %v", err)
			}
			f.has(c.name, 0)
			f.is(claim, idem.Absent)
			err = f.store.Begin(f.ctx, func(ctx context.Context, tx pgx.Tx) error {
				return errors.Join(write(ctx, tx, c.name), ignore(c.end(ctx, tx)))
			})
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("Begin told %v", err)
			}
			f.has(c.name, 0)
			f.idle()
		})
	}
}

func ignore(error) error { return nil }

// A COMMIT or ROLLBACK as a statement can't be stopped, only told; a record that
// it committed is held, and never run again.
func TestLaw_T5_TheBodyEndsTheTransactionByAStatement(t *testing.T) {
	f := newFixture(t)
	for _, c := range []struct {
		statement string
		stands    idem.ClaimStatus
		effects   int
	}{
		{"COMMIT", idem.Held, 1},
		{"ROLLBACK", idem.Absent, 0},
	} {
		claim := claimOf(t, c.statement)
		_, err := f.store.InTx(f.ctx, claim, func(ctx context.Context, tx pgx.Tx) (idem.Outcome, error) {
			err := write(ctx, tx, c.statement)
			if err == nil {
				_, err = tx.Exec(ctx, c.statement)
			}
			return done("K"), err
		})
		if err == nil || !strings.Contains(err.Error(), "ended the transaction by a statement") || errors.Is(err, idem.ErrCommitUnknown) {
			t.Errorf("%s: %v", c.statement, err)
		}
		f.is(claim, c.stands)
		f.has(c.statement, c.effects)
	}
	f.idle()
}

// What a body kept of its transaction is closed when that has ended, and can't
// reach a connection that somebody else has by then.
func TestLaw_T9_NothingOutlivesTheTransaction(t *testing.T) {
	for _, c := range []struct {
		name string
		run  func(f *fixture, body func(ctx context.Context, tx pgx.Tx) error) error
	}{
		{"InTx", func(f *fixture, body func(ctx context.Context, tx pgx.Tx) error) error {
			_, err := f.store.InTx(f.ctx, claimOf(f, "K"), func(ctx context.Context, tx pgx.Tx) (idem.Outcome, error) {
				return done("K"), body(ctx, tx)
			})
			return err
		}},
		{"Begin", func(f *fixture, body func(ctx context.Context, tx pgx.Tx) error) error {
			return f.store.Begin(f.ctx, body)
		}},
	} {
		for _, fails := range []error{nil, errors.New("sold out")} {
			f := newFixture(t)
			var kept, nested pgx.Tx
			var lobs pgx.LargeObjects
			err := c.run(f, func(ctx context.Context, tx pgx.Tx) (err error) {
				kept, lobs = tx, tx.LargeObjects()
				if nested, err = tx.Begin(ctx); err != nil {
					return err
				}
				return errors.Join(write(ctx, tx, "K"), fails)
			})
			if !errors.Is(err, fails) {
				t.Errorf("%s: %v", c.name, err)
			}
			for _, tx := range []pgx.Tx{kept, nested} {
				if err := write(f.ctx, tx, "late"); !errors.Is(err, pgx.ErrTxClosed) {
					t.Errorf("%s: a write afterwards: %v", c.name, err)
				}
				var n int
				if err := tx.QueryRow(f.ctx, "SELECT 1").Scan(&n); !errors.Is(err, pgx.ErrTxClosed) {
					t.Errorf("%s: a query afterwards: %v", c.name, err)
				}
				if _, err := tx.Begin(f.ctx); !errors.Is(err, pgx.ErrTxClosed) {
					t.Errorf("%s: a savepoint afterwards: %v", c.name, err)
				}
			}
			if err := kept.Commit(f.ctx); !errors.Is(err, pgx.ErrTxClosed) {
				t.Errorf("%s: Commit afterwards: %v", c.name, err)
			}
			if _, err := lobs.Create(f.ctx, 0); !errors.Is(err, pgx.ErrTxClosed) {
				t.Errorf("%s: a large object afterwards: %v", c.name, err)
			}
			f.has("late", 0)
			f.idle()
		}
	}
}
