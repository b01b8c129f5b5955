package pgxstore

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// beginner makes attempts at transactions on a pool.
type beginner struct {
	config
	pool *pgxpool.Pool
}

// eager begins before the body runs: a plain transaction, whose first
// statement is not the store's.
func (b *beginner) eager(ctx context.Context, body func(ctx context.Context, tx pgx.Tx) error) error {
	return b.attempt(ctx, func(t *tx) (err error) {
		if t.Tx, err = t.conn.BeginTx(ctx, b.tx); err != nil {
			t.Tx = closed
			return err
		}
		t.whole.open = true
		return body(ctx, t)
	})
}

// late leaves BEGIN to the first statement of the store.
func (b *beginner) late(ctx context.Context, body func(ctx context.Context, tx pgx.Tx) error) error {
	return b.attempt(ctx, func(t *tx) error { return body(ctx, t) })
}

// attempt takes a connection, and commits or rolls back. The caller's context
// bounds the wait for the connection and the statements; after the body, COMMIT
// and ROLLBACK have the settle timeout alone.
func (b *beginner) attempt(ctx context.Context, run func(t *tx) error) error {
	conn, err := b.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	t := &tx{Tx: closed, conn: conn.Conn()}
	t.whole.of = begun{t, b.tx}
	settle := func() (context.Context, context.CancelFunc) {
		return context.WithTimeout(context.WithoutCancel(ctx), b.settle)
	}
	open := true
	defer func() {
		if open { // an error, a panic or runtime.Goexit
			ctx, cancel := settle()
			defer cancel()
			t.rollback(ctx)
		}
	}()
	if err := run(t); err != nil {
		return err
	}
	end, cancel := settle()
	defer cancel()
	if err := t.commit(end, b.tx.CommitQuery); err != nil {
		return err
	}
	open = false
	t.end()
	return nil
}

// commit ends the transaction; what was held back for the end goes with it, in
// one round trip. A COMMIT that the server answers with ROLLBACK has failed (T5).
func (t *tx) commit(ctx context.Context, query string) error {
	switch {
	case t.refused != nil:
		return t.refused
	case t.conn.IsClosed():
	case t.idle():
		return errEnded
	}
	if len(t.whole.held) == 0 {
		return t.Tx.Commit(ctx) // tells a rollback by itself
	}
	if query == "" {
		query = "commit"
	}
	tag, err := t.whole.finish(ctx, query)
	if err == nil && tag.String() == "ROLLBACK" {
		err = pgx.ErrTxCommitRollback
	}
	return err
}
