package pgxstore_test

import (
	"context"
	"fmt"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgxstore"
	"github.com/idemgen/idemgen/runtime/sqlstore"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A guarded method in the transaction of a pool.
func Example() {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, "postgres://shop@localhost/shop")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pool.Close()
	store := pgxstore.New(pool)
	if err := store.Migrate(ctx); err != nil {
		fmt.Println(err)
		return
	}
	op := idem.Op{Name: "Service.Pay"}
	call := idem.New(idem.GlobalScope).Call(ctx, &op, idem.String("order 17"))
	receipt, err := idem.OnceTx(ctx, store, call, func(ctx context.Context, tx pgx.Tx) (string, error) {
		_, err := tx.Exec(ctx, "UPDATE orders SET paid = true WHERE id = $1", 17)
		return "receipt 17", err
	})
	fmt.Println(receipt, err)
}

// beginOn is the first of the two functions that make a kind of transactions
// known to sqlstore.NewTx. Unlike pgx.BeginTxFunc it rolls back on a context that
// the caller's end doesn't reach, and also after a panic.
func beginOn(pool *pgxpool.Pool, opts pgx.TxOptions) sqlstore.BeginFunc[pgx.Tx] {
	return func(ctx context.Context, body func(ctx context.Context, tx pgx.Tx) error) error {
		tx, err := pool.BeginTx(ctx, opts)
		if err != nil {
			return err
		}
		detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		defer tx.Rollback(detached) // nothing after a commit
		if err := body(ctx, tx); err != nil {
			return err
		}
		return tx.Commit(detached) // an error also when the server answers ROLLBACK
	}
}

// use is the second one.
func use(_ context.Context, tx pgx.Tx) idem.DB { return pgxstore.DB(tx) }

// pgx without pipelining: any transaction plugs into sqlstore with two functions.
// New does the same with fewer round trips.
func ExampleDB() {
	pool, err := pgxpool.New(context.Background(), "postgres://shop@localhost/shop")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pool.Close()
	store := sqlstore.NewTx(idem.Postgres, beginOn(pool, pgx.TxOptions{}), use,
		sqlstore.WithAutocommit(pgxstore.DB(pool)))
	fmt.Println(store.Dialect())
}
