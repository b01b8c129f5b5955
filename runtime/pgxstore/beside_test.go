package pgxstore_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgxstore"
	"github.com/idemgen/idemgen/runtime/sqlstore"
	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib"
)

// beside is a store on database/sql over the fixture's table.
func (f *fixture) beside(opts ...sqlstore.Option) *sqlstore.Store {
	f.Helper()
	db, err := sql.Open("pgx", f.on.DSN())
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { db.Close() })
	return sqlstore.New(db, idem.Postgres, opts...)
}

func sqlBody(id string) func(context.Context, *sql.Tx) (idem.Outcome, error) {
	return func(ctx context.Context, tx *sql.Tx) (idem.Outcome, error) {
		_, err := tx.ExecContext(ctx, "INSERT INTO effects (id, n) VALUES ($1, 1)", id)
		return done(id), err
	}
}

// What one store wrote the other one reads: keys, owners, fences, outcomes,
// leases and locks are the same.
func TestLaw_C14_OneTableWithSQLStore(t *testing.T) {
	f := newFixture(t, pgxstore.WithTable("shared"))
	other := f.beside(sqlstore.WithTable("shared"))
	if err := other.Migrate(f.ctx); err != nil {
		t.Error(err)
	}
	same := func(what string, got idem.Found, err error, status idem.ClaimStatus, owner idem.Owner) {
		t.Helper()
		if err != nil || got.Status != status || got.Record.Owner != owner {
			t.Errorf("%s: %v, %v, owner %v; want %v of %v", what, got.Status, err, got.Record.Owner, status, owner)
		}
	}
	a, b := claimOf(t, "A"), claimOf(t, "B")
	got, err := f.store.InTx(f.ctx, a, func(ctx context.Context, tx pgx.Tx) (idem.Outcome, error) {
		d := again(a)
		got, err := other.InTx(ctx, d, func(context.Context, *sql.Tx) (idem.Outcome, error) { return f.never(ctx, nil) })
		same("beside an open transaction of pgx", got, err, idem.Running, idem.Owner{})
		return body("A")(ctx, tx)
	})
	same("pgx", got, err, idem.Fresh, a.Owner)
	got, err = other.InTx(f.ctx, b, func(ctx context.Context, tx *sql.Tx) (idem.Outcome, error) {
		got, err := f.store.InTx(ctx, again(b), f.never)
		same("beside an open transaction of database/sql", got, err, idem.Running, idem.Owner{})
		return sqlBody("B")(ctx, tx)
	})
	same("database/sql", got, err, idem.Fresh, b.Owner)
	got, err = other.Lookup(f.ctx, a.Key)
	same("database/sql reads", got, err, idem.Done, a.Owner)
	got, err = f.store.InTx(f.ctx, again(b), f.never)
	same("pgx replays", got, err, idem.Done, b.Owner)
	if string(got.Record.Outcome.Data) != "B" {
		t.Errorf("the outcome is %q", got.Record.Outcome.Data)
	}

	l := claimOf(t, "L")
	l.Lease, l.Orphan = 50*time.Millisecond, idem.OrphanRerun
	got, err = f.store.Claim(f.ctx, l)
	same("a lease of pgx", got, err, idem.Fresh, l.Owner)
	time.Sleep(60 * time.Millisecond)
	next := again(l)
	next.Lease = time.Minute
	got, err = other.Claim(f.ctx, next)
	same("is taken over", got, err, idem.Fresh, next.Owner)
	if got.Record.Fence != 2 {
		t.Errorf("fence %d", got.Record.Fence)
	}
	if err := f.store.Renew(f.ctx, idem.Hold{Key: l.Key, Owner: l.Owner, Fence: 1}, time.Minute); !errors.Is(err, idem.ErrLeaseLost) {
		t.Errorf("the stale owner renews: %v", err)
	}
	if err := f.store.Complete(f.ctx, idem.Hold{Key: l.Key, Owner: next.Owner, Fence: 2}, done("L"), time.Hour); err != nil {
		t.Errorf("pgx completes: %v", err)
	}
	f.has("A", 1)
	f.has("B", 1)
	if n := f.count("SELECT count(*) FROM shared"); n != 3 {
		t.Errorf("%d records", n)
	}
}

// Several processes of both kinds, one set of intentions: each has one effect.
func TestLaw_C11_StormBesideSQLStore(t *testing.T) {
	for _, level := range []pgx.TxIsoLevel{pgx.ReadCommitted, pgx.Serializable} {
		t.Run(string(level), func(t *testing.T) {
			const callers, intentions = 16, 24
			f := newFixture(t)
			at := pgxstore.WithTxOptions(pgx.TxOptions{IsoLevel: level})
			iso := map[pgx.TxIsoLevel]sql.IsolationLevel{pgx.ReadCommitted: sql.LevelReadCommitted, pgx.Serializable: sql.LevelSerializable}[level]
			stores := []*fixture{f.process([]setting{conns(3)}, at), f.process([]setting{conns(1)}, at)}
			other := f.beside(sqlstore.WithTxOptions(&sql.TxOptions{Isolation: iso}))
			engine, op := idem.New(idem.GlobalScope), idem.Op{Name: "Service.Pay", Wait: time.Minute}
			fail := func() error {
				if rand.N(5) == 0 {
					return errBusiness
				}
				return nil
			}
			pay := func(id string) (string, error) {
				call := engine.Call(f.ctx, &op, idem.String(id))
				if i := rand.N(len(stores) + 1); i < len(stores) {
					return idem.OnceTx(f.ctx, stores[i].store, call, func(ctx context.Context, tx pgx.Tx) (string, error) {
						return id, errors.Join(write(ctx, tx, id), fail())
					})
				}
				return idem.OnceTx(f.ctx, other, call, func(ctx context.Context, tx *sql.Tx) (string, error) {
					_, err := sqlBody(id)(ctx, tx)
					return id, errors.Join(err, fail())
				})
			}
			var wg sync.WaitGroup
			for range callers {
				wg.Go(func() {
					for _, i := range rand.Perm(intentions) {
						id := fmt.Sprint("intention ", i)
						for {
							got, err := pay(id)
							if errors.Is(err, errBusiness) || errors.Is(err, idem.ErrInProgress) || errors.Is(err, idem.ErrRetryTransaction) {
								continue
							}
							if err != nil || got != id {
								t.Errorf("%s: %q, %v", id, got, err)
							}
							break
						}
					}
				})
			}
			wg.Wait()
			for i := range intentions {
				f.has(fmt.Sprint("intention ", i), 1)
			}
			f.idle()
		})
	}
}
