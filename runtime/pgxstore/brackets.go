package pgxstore

import (
	"context"

	"github.com/idemgen/idemgen/runtime/internal/sqlpipe"
	"github.com/jackc/pgx/v5"
)

// whole is a transaction of the store's own. Its end is the beginner's.
type whole struct{ *part }

var _ sqlpipe.Part = whole{}

func (whole) Keep(context.Context) error { return nil }
func (whole) Undo(context.Context) error { return nil }

// begun opens and ends a whole transaction.
type begun struct {
	tx   *tx
	opts pgx.TxOptions
}

func (b begun) send(ctx context.Context, batch *pgx.Batch) pgx.BatchResults {
	return b.tx.conn.SendBatch(ctx, batch)
}

func (b begun) queueOpen(batch *pgx.Batch) { batch.BeginTx(b.opts) }
func (b begun) opened(br pgx.BatchResults) { b.tx.Tx = br.Tx() }
func (b begun) alone() bool                { return false }
func (b begun) shared()                    {}
func (b begun) drop() string               { return "rollback" }
func (b begun) dropped()                   { b.tx.Tx = closed }

// point is the part of a transaction behind a savepoint.
type point struct {
	*part
	tx pgx.Tx
}

var _ sqlpipe.Part = point{}

// The savepoint has one name for all calls, so that its statements are prepared
// once for each connection. Postgres lets the newest of a name stand for it, and
// joined calls end in the order in which they nest.
const (
	setPoint     = "savepoint idem_once"
	releasePoint = "release savepoint idem_once"
	undoPoint    = "rollback to savepoint idem_once; release savepoint idem_once"
)

// Keep releases the savepoint; what was held back goes with it.
func (p point) Keep(ctx context.Context) error {
	if !p.open {
		return nil
	}
	if _, err := p.finish(ctx, releasePoint); err != nil {
		return err
	}
	p.open = false
	return nil
}

// Undo rolls back to the savepoint and removes it, in one text without values,
// which pgx never prepares: an aborted transaction would refuse that.
func (p point) Undo(ctx context.Context) error {
	if !p.open {
		return nil
	}
	p.open = false
	_, err := p.tx.Exec(ctx, undoPoint)
	return err
}

// saved opens and ends a part behind a savepoint.
type saved struct {
	tx  pgx.Tx
	key string // of what the connection remembers
}

func (s saved) send(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	return s.tx.SendBatch(ctx, b)
}
func (s saved) queueOpen(b *pgx.Batch)  { b.Queue(setPoint) }
func (s saved) opened(pgx.BatchResults) {}
func (s saved) drop() string            { return releasePoint }
func (s saved) dropped()                {}

// alone: pgx prepares a statement that a connection hasn't seen before the batch
// runs, and so before the savepoint would be set: an error there would abort the
// caller's transaction beyond repair (T2). The first time the savepoint goes ahead.
func (s saved) alone() bool {
	conn := s.tx.Conn()
	return conn == nil || conn.PgConn().CustomData()[s.key] == nil
}

func (s saved) shared() {
	if conn := s.tx.Conn(); conn != nil {
		conn.PgConn().CustomData()[s.key] = true
	}
}
