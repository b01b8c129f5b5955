package pgxstore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgxstore"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// begun are the transactions of pgx that a caller may bring along.
var begun = map[string]func(f *fixture, run func(tx pgx.Tx) error) error{
	"pool": func(f *fixture, run func(tx pgx.Tx) error) error { return pgx.BeginFunc(f.ctx, f.pool, run) },
	"connection": func(f *fixture, run func(tx pgx.Tx) error) error {
		return f.pool.AcquireFunc(f.ctx, func(c *pgxpool.Conn) error { return pgx.BeginFunc(f.ctx, c.Conn(), run) })
	},
	"nested": func(f *fixture, run func(tx pgx.Tx) error) error {
		return pgx.BeginFunc(f.ctx, f.pool, func(tx pgx.Tx) error { return pgx.BeginFunc(f.ctx, tx, run) })
	},
	"store": func(f *fixture, run func(tx pgx.Tx) error) error {
		return f.store.Begin(f.ctx, func(_ context.Context, tx pgx.Tx) error { return run(tx) })
	},
}

// Whatever a joined call comes to, the caller's transaction is usable, and only
// what succeeded stays in it (T2), on a connection that has seen nothing yet and
// on one that has, in every way to talk to the server.
func TestLaw_T2_TheCallersTransactionStaysUsable(t *testing.T) {
	for name, begin := range begun {
		for _, m := range modes {
			t.Run(name+" "+m.String(), func(t *testing.T) {
				f := newFixture(t).process([]setting{mode(m), conns(1)})
				for _, round := range []string{"first", "second"} {
					c := claimOf(t, round)
					err := begin(f, func(tx pgx.Tx) error {
						for _, step := range []struct {
							name   string
							claim  idem.Claim
							body   func(context.Context, pgx.Tx) (idem.Outcome, error)
							status idem.ClaimStatus
							fails  bool
						}{
							{"an error", c, failing(round, nil), 0, true},
							{"a statement that fails", c, failing(round, func(ctx context.Context, tx pgx.Tx) error {
								_, err := tx.Exec(ctx, "SELECT 1/0")
								return err
							}), 0, true},
							{"a swallowed error", c, func(ctx context.Context, tx pgx.Tx) (idem.Outcome, error) {
								_, _ = tx.Exec(ctx, "SELECT 1/0")
								return done("K"), write(ctx, tx, round)
							}, 0, true},
							{"success", c, body(round), idem.Fresh, false},
							{"a duplicate", again(c), f.never, idem.Done, false},
							{"another duplicate", again(c), f.never, idem.Done, false},
							{"another key", claimOf(t, round+" other"), body(round + " other"), idem.Fresh, false},
						} {
							got, err := f.store.Join(f.ctx, tx, step.claim, step.body)
							if (err != nil) != step.fails || (err == nil && got.Status != step.status) {
								t.Errorf("%s, %s: %v, %v", round, step.name, got.Status, err)
							}
							if err := write(f.ctx, tx, round+" around"); err != nil {
								t.Fatalf("%s, after %s: %v", round, step.name, err)
							}
						}
						return nil
					})
					if err != nil {
						t.Error(err)
					}
					f.has(round, 1)
					f.has(round+" other", 1)
					f.has(round+" around", 7)
					f.is(c, idem.Done)
				}
				f.idle()
			})
		}
	}
}

func failing(id string, and func(ctx context.Context, tx pgx.Tx) error) func(context.Context, pgx.Tx) (idem.Outcome, error) {
	return func(ctx context.Context, tx pgx.Tx) (idem.Outcome, error) {
		err := write(ctx, tx, id)
		if and != nil {
			err = errors.Join(err, and(ctx, tx))
		}
		return idem.Outcome{}, errors.Join(err, errBusiness)
	}
}

// Without its table the store fails, and not the caller's transaction: what pgx
// prepares ahead of a batch must not come before the savepoint.
func TestLaw_T2_AMissingTableLeavesTheTransactionUsable(t *testing.T) {
	all := newFixture(t)
	for _, m := range modes {
		f := all.process([]setting{mode(m)}, pgxstore.WithTable("no_such_table"))
		err := pgx.BeginFunc(f.ctx, f.pool, func(tx pgx.Tx) error {
			for range 2 {
				var answer *pgconn.PgError
				if _, err := f.store.Join(f.ctx, tx, claimOf(t, "K"), f.never); !errors.As(err, &answer) || answer.Code != "42P01" {
					t.Errorf("%v: %v", m, err)
				}
			}
			return write(f.ctx, tx, m.String())
		})
		if err != nil {
			t.Errorf("%v: %v", m, err)
		}
		f.has(m.String(), 1)
		if _, err := f.store.InTx(f.ctx, claimOf(t, "K"), f.never); err == nil {
			t.Errorf("%v: a call without a table succeeds", m)
		}
		f.idle()
	}
}

// A transaction that is aborted already is told so, and is left as it is.
func TestLaw_T2_AnAbortedTransactionIsRefused(t *testing.T) {
	f := newFixture(t)
	for range 2 {
		err := pgx.BeginFunc(f.ctx, f.pool, func(tx pgx.Tx) error {
			_, _ = tx.Exec(f.ctx, "SELECT 1/0")
			var answer *pgconn.PgError
			if _, err := f.store.Join(f.ctx, tx, claimOf(t, "K"), f.never); !errors.As(err, &answer) || answer.Code != "25P02" {
				t.Errorf("%v", err)
			}
			return nil
		})
		if !errors.Is(err, pgx.ErrTxCommitRollback) {
			t.Errorf("%v", err)
		}
	}
	f.idle()
}

// Calls that nest end in their order, though their savepoints share a name.
func TestLaw_T9_JoinedCallsNest(t *testing.T) {
	f := newFixture(t).process([]setting{conns(1)})
	outer, inner, last := claimOf(t, "outer"), claimOf(t, "inner"), claimOf(t, "last")
	got, err := f.store.InTx(f.ctx, claimOf(t, "K"), func(ctx context.Context, tx pgx.Tx) (idem.Outcome, error) {
		_, err := f.store.Join(ctx, tx, outer, func(ctx context.Context, tx pgx.Tx) (idem.Outcome, error) {
			if err := write(ctx, tx, "outer"); err != nil {
				return idem.Outcome{}, err
			}
			if _, err := f.store.Join(ctx, tx, inner, failing("inner", nil)); !errors.Is(err, errBusiness) {
				t.Errorf("inner: %v", err)
			}
			if got, err := f.store.Join(ctx, tx, inner, body("inner")); err != nil || got.Status != idem.Fresh {
				t.Errorf("inner again: %v, %v", got.Status, err)
			}
			if got, err := f.store.Join(ctx, tx, again(outer), f.never); err != nil || got.Status != idem.Running {
				t.Errorf("outer inside itself: %v, %v", got.Status, err)
			}
			return done("outer"), write(ctx, tx, "outer")
		})
		if err != nil {
			return idem.Outcome{}, err
		}
		if _, err := f.store.Join(ctx, tx, last, failing("last", nil)); !errors.Is(err, errBusiness) {
			t.Errorf("last: %v", err)
		}
		return body("K")(ctx, tx)
	})
	if err != nil || got.Status != idem.Fresh {
		t.Errorf("%v, %v", got.Status, err)
	}
	f.has("K", 1)
	f.has("outer", 2)
	f.has("inner", 1)
	f.has("last", 0)
	f.is(outer, idem.Done)
	f.is(inner, idem.Done)
	f.is(last, idem.Absent)
	f.idle()
}

// A claim that finds its own running record, made earlier in the transaction,
// goes on with it, behind a savepoint of its own (C16).
func TestLaw_C16_AClaimThatFindsItsOwnRecord(t *testing.T) {
	f := newFixture(t)
	c := claimOf(t, "K")
	c.Lease, c.Orphan = 0, idem.OrphanNone
	leased := c
	leased.Lease, leased.Orphan = time.Minute, idem.OrphanHold
	if _, err := f.store.Claim(f.ctx, leased); err != nil {
		t.Fatal(err)
	}
	err := pgx.BeginFunc(f.ctx, f.pool, func(tx pgx.Tx) error {
		if _, err := f.store.Join(f.ctx, tx, c, failing("K", nil)); !errors.Is(err, errBusiness) {
			t.Errorf("%v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	f.has("K", 0)
	f.is(c, idem.Running)
	if got, err := f.store.InTx(f.ctx, c, body("K")); err != nil || got.Status != idem.Fresh {
		t.Errorf("%v, %v", got.Status, err)
	}
	f.has("K", 1)
	f.is(c, idem.Done)
	f.idle()
}
