package pgxstore_test

import (
	"context"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/pgxstore"
	"github.com/idemgen/idemgen/runtime/sqlstore"
	"github.com/jackc/pgx/v5"
)

// pgx.Tx in two functions, see the example of DB, keeps the laws as the native
// store does.
func TestTxStoreInTwoFunctions(t *testing.T) {
	for _, level := range levels {
		t.Run(string(level), func(t *testing.T) {
			t.Parallel()
			opts := pgx.TxOptions{IsoLevel: level}
			f := newFixture(t)
			store := func(settings ...setting) idem.TxStore[pgx.Tx] {
				pool := f.process(settings).pool
				return sqlstore.NewTx(idem.Postgres, beginOn(pool, opts), use, sqlstore.WithAutocommit(pgxstore.DB(pool)))
			}
			subject := idemtest.TxSubject[pgx.Tx]{
				Store: store(), Other: store(), One: store(conns(1)),
				Write:   func(ctx context.Context, tx pgx.Tx, id string) error { return write(ctx, tx, id) },
				Effects: f.effectsNow,
			}
			idemtest.TestTxStore(t, func(t *testing.T) idemtest.TxSubject[pgx.Tx] { return subject })
		})
	}
}

// One half of the processes is in two functions, or on database/sql: they share
// the table with the native store, and all laws between them.
func TestTxStoreBesideTwoFunctions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	pool := f.process(nil).pool
	subject := idemtest.TxSubject[pgx.Tx]{
		Store:   f.store,
		Other:   sqlstore.NewTx(idem.Postgres, beginOn(pool, pgx.TxOptions{}), use, sqlstore.WithAutocommit(pgxstore.DB(pool))),
		Write:   func(ctx context.Context, tx pgx.Tx, id string) error { return write(ctx, tx, id) },
		Effects: f.effectsNow,
	}
	idemtest.TestTxStore(t, func(t *testing.T) idemtest.TxSubject[pgx.Tx] { return subject })
}
