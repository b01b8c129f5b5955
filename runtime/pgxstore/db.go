package pgxstore

import (
	"context"
	"errors"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Conn is anything that runs statements the way pgx does: pgx.Tx, *pgx.Conn,
// *pgxpool.Pool, *pgxpool.Conn, *pgxpool.Tx.
type Conn interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// DB adapts c to the interface that stores and guards use. It adds no state:
// the result is as safe for concurrent use as c is. Close of its rows returns
// the error that ended them, too.
//
// Guards need a transaction where they run several statements (idem.Atomic). A
// pool begins one; a connection sets a savepoint if it is in one already;
// everything that can't begin is taken for a transaction.
func DB(c Conn) idem.DB {
	a := adapter{c}
	switch c := c.(type) {
	case pgx.Tx:
		return a
	case *pgx.Conn:
		return pinned{newBeginning(a, c), c}
	case interface {
		txBeginner
		Conn() *pgx.Conn
	}:
		return pinned{newBeginning(a, c), c.Conn()}
	case txBeginner:
		return newBeginning(a, c)
	}
	return a
}

type adapter struct{ conn Conn }

func (a adapter) Exec(ctx context.Context, query string, args ...any) (idem.Result, error) {
	tag, err := a.conn.Exec(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return result(tag.RowsAffected()), nil
}

func (a adapter) Query(ctx context.Context, query string, args ...any) (idem.Rows, error) {
	r, err := a.conn.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return rows{r}, nil
}

// result is how many rows a statement affected.
type result int64

var errNoInsertID = errors.New("idem: pgxstore: postgres has no last insert id: use RETURNING")

func (r result) RowsAffected() (int64, error) { return int64(r), nil }
func (r result) LastInsertId() (int64, error) { return 0, errNoInsertID }

// rows are pgx's with an error from Close: what ends a statement early shows up
// only when all of it has been read.
type rows struct{ pgx.Rows }

func (r rows) Close() error {
	r.Rows.Close()
	return r.Rows.Err()
}
