package pgxstore

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// tx is the transaction that a body gets. All that a pgx.Tx can do it can do,
// but end: that is the store's, and after it the value is closed for good.
type tx struct {
	pgx.Tx  // the transaction of pgx; a closed one before it has begun and after its end
	conn    *pgx.Conn
	whole   part // the store's own handle on it
	lent    bool // something that pgx made of it may outlive it
	refused error
}

// closed is a transaction whose methods say pgx.ErrTxClosed. It has no connection
// and no state that changes.
var closed = func() pgx.Tx {
	var b pgx.Batch
	b.BeginTx(pgx.TxOptions{})
	return pgx.FailedBatchResults(&b, pgx.ErrTxClosed).Tx()
}()

// Commit is refused: nothing is sent, and the transaction will roll back.
func (t *tx) Commit(context.Context) error { return t.refuse(errCommitted) }

// Rollback is refused: nothing is sent, and the transaction will roll back.
func (t *tx) Rollback(context.Context) error { return t.refuse(errRolled) }

func (t *tx) refuse(reason error) error {
	if !t.whole.open {
		return pgx.ErrTxClosed
	}
	if t.refused == nil {
		t.refused = reason
	}
	return reason
}

// Begin starts a pseudo nested transaction, with a savepoint.
func (t *tx) Begin(ctx context.Context) (pgx.Tx, error) {
	t.lent = true
	return t.Tx.Begin(ctx)
}

// LargeObjects are those of the transaction.
func (t *tx) LargeObjects() pgx.LargeObjects {
	t.lent = true
	return t.Tx.LargeObjects()
}

// Conn is the connection of the transaction.
func (t *tx) Conn() *pgx.Conn { return t.conn }

// idle tells that the server has no transaction open on the connection.
func (t *tx) idle() bool { return t.conn.PgConn().TxStatus() == 'I' }

// end closes the value. What a body made of it and kept is closed with it: a
// COMMIT on an ended context is never sent, and leaves pgx's transaction closed.
func (t *tx) end() {
	inner := t.Tx
	t.Tx, t.whole.open = closed, false
	if t.lent && t.idle() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = inner.Commit(ctx)
	}
}

// rollback undoes everything. A connection on which that fails is closed by pgx,
// and the server rolls back by itself.
func (t *tx) rollback(ctx context.Context) {
	if t.whole.open && !t.conn.IsClosed() && !t.idle() {
		_ = t.Tx.Rollback(ctx)
	}
	t.end()
}
