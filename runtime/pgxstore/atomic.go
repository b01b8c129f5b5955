package pgxstore

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
	"github.com/jackc/pgx/v5"
)

// What guards run as one transaction on a handle that is not in one yet.

// atomicTries bounds the attempts at one transaction (T3); the pause between them
// grows from the first to the longest.
const (
	atomicTries  = idem.DefaultTxRetries + 1
	firstPause   = 2 * time.Millisecond
	longestPause = 100 * time.Millisecond
)

// txBeginner is what begins transactions: *pgxpool.Pool, *pgxpool.Conn, *pgx.Conn.
type txBeginner interface {
	BeginTx(ctx context.Context, opts pgx.TxOptions) (pgx.Tx, error)
}

// beginning is a handle that begins transactions.
type beginning struct {
	adapter
	txs func() *sqlstore.TxStore[pgx.Tx]
}

var _ idem.Atomic = beginning{}

func newBeginning(a adapter, b txBeginner) beginning {
	return beginning{a, sync.OnceValue(func() *sqlstore.TxStore[pgx.Tx] {
		return sqlstore.NewTx(idem.Postgres, plain(b), func(_ context.Context, tx pgx.Tx) idem.DB { return adapter{tx} },
			sqlstore.WithClassifier(configure(nil).classify))
	})}
}

// plain begins one transaction after the other. Unlike pgx.BeginTxFunc it ends
// them on a context that the caller's end doesn't reach.
func plain(b txBeginner) sqlstore.BeginFunc[pgx.Tx] {
	settle := configure(nil).settle
	return func(ctx context.Context, body func(ctx context.Context, tx pgx.Tx) error) error {
		tx, err := b.BeginTx(ctx, pgx.TxOptions{})
		if err != nil {
			return err
		}
		defer func() { // nothing after a commit
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settle)
			defer cancel()
			_ = tx.Rollback(ctx)
		}()
		if err := body(ctx, tx); err != nil {
			return err
		}
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), settle)
		defer cancel()
		return tx.Commit(end)
	}
}

// Atomically runs body in a transaction of its own, and again in a new one after
// a deadlock or a serialization failure.
func (b beginning) Atomically(ctx context.Context, body func(ctx context.Context, db idem.DB) error) error {
	pause := firstPause
	for try := 1; ; try++ {
		err := b.txs().Begin(ctx, func(ctx context.Context, tx pgx.Tx) error { return body(ctx, adapter{tx}) })
		if try == atomicTries || !errors.Is(err, idem.ErrRetryTransaction) {
			return err
		}
		select {
		case <-time.After(time.Duration(rand.Int64N(int64(pause)))):
		case <-ctx.Done():
			return err
		}
		pause = min(2*pause, longestPause)
	}
}

// pinned is one connection. Whoever holds it may have begun a transaction on it.
type pinned struct {
	beginning
	conn *pgx.Conn
}

// Atomically runs body under a savepoint of the transaction that is open, or in
// one of its own.
func (p pinned) Atomically(ctx context.Context, body func(ctx context.Context, db idem.DB) error) error {
	if p.conn.IsClosed() || p.conn.PgConn().TxStatus() == 'I' {
		return p.beginning.Atomically(ctx, body)
	}
	if _, err := p.Exec(ctx, "savepoint idem_atomic"); err != nil {
		return err
	}
	end := "rollback to savepoint idem_atomic; release savepoint idem_atomic"
	defer func() {
		if end != "" { // an error, a panic or runtime.Goexit
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), configure(nil).settle)
			defer cancel()
			_, _ = p.Exec(ctx, end) // what can't be rolled back has lost its connection
		}
	}()
	if err := body(ctx, p.adapter); err != nil {
		return err
	}
	if _, err := p.Exec(ctx, "release savepoint idem_atomic"); err != nil {
		return err
	}
	end = ""
	return nil
}
