package sqlstore

import (
	"context"
	"database/sql"
	"strings"

	"github.com/idemgen/idemgen/runtime/idem"
)

// What the token store and the locker share: a table beside the records whose
// rows are taken by one owner at a time, each time with a larger fence.

// beside runs the statements on a table beside the records. The connection and
// what is known of errors, retries and the clock are those of records.
type beside struct {
	*records
	db   *sql.DB
	clip statement // prunes
}

func newBeside(db *sql.DB, d idem.Dialect, opts []Option) beside {
	r := newRecords(d, opts)
	r.auto = preparedDB{&prepared{db: db, off: r.unprepared}}
	return beside{records: r, db: db}
}

// nextFence is the fence of who takes a row: larger than that of who had it
// before, and at least the clock, so that it grows also over rows that were
// pruned (L2).
const nextFence = `CASE WHEN fence >= :now THEN fence + 1 ELSE :now END`

// telling is how a statement tells the fence with which it took a row.
type telling uint8

const (
	// A row with the fence; no row means not taken.
	tellsRow telling = iota
	// Result.LastInsertId is the fence; 0 means not taken. MySQL has no
	// RETURNING, and its number of affected rows decides nothing (C1).
	tellsInsertID
	// A row with the fence, or NULL when not taken, followed by what stands
	// there: nothing is left to read.
	tellsAll
)

// take runs the statement that decides. What follows the fence is read into
// rest, if the statement tells it; stands is whether there was a row to read.
func (b *beside) take(ctx context.Context, how telling, s *statement, v *values, rest []any) (fence int64, stands bool, err error) {
	if how == tellsInsertID {
		res, err := b.auto.Exec(ctx, s.text, s.bind(v)...)
		if err != nil {
			return 0, false, err
		}
		fence, err = res.LastInsertId()
		return fence, false, err
	}
	var won *int64
	dest := []any{&won}
	if how == tellsAll {
		dest = append(dest, rest...)
	}
	stands, err = queryRow(ctx, b.auto, s.text, s.bind(v), dest...)
	if won != nil {
		fence = *won
	}
	return fence, stands, err
}

// change runs an update of what an owner has, and tells whether it matched.
func (b *beside) change(ctx context.Context, doing string, s statement, v *values) (matched bool, err error) {
	err = b.repeat(ctx, func() error {
		n, err := b.exec(ctx, b.auto, doing, s, v)
		matched = n != 0
		return err
	})
	return matched, err
}

// pruneText is the dialect's, on a table with another primary key.
func (d *dialect) pruneText(key string) string { return strings.ReplaceAll(d.prune, "key_hash", key) }

// clipped prunes at most limit rows, in a transaction of its own where the
// dialect wants one.
func (b *beside) clipped(ctx context.Context, limit int) (n int, err error) {
	if limit <= 0 {
		return 0, nil
	}
	err = b.repeat(ctx, func() error {
		n, err = b.pruneOnce(ctx, limit)
		return err
	})
	return n, err
}

func (b *beside) pruneOnce(ctx context.Context, limit int) (int, error) {
	v := b.values(idem.Key{})
	v[pLimit] = int64(limit)
	if b.dialect.pruneIn == nil {
		n, err := b.exec(ctx, b.auto, "prune", b.clip, v)
		return int(n), err
	}
	tx, err := b.db.BeginTx(ctx, b.dialect.pruneIn)
	if err != nil {
		return 0, b.fault(ctx, "prune", err)
	}
	defer tx.Rollback()
	n, err := b.exec(ctx, DB(tx), "prune", b.clip, v)
	if err != nil {
		return 0, err
	}
	if err := tx.Commit(); err != nil {
		return 0, b.fault(ctx, "prune", err)
	}
	return int(n), nil
}
