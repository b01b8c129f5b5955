package sqlstore

import (
	"context"
	"database/sql"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Conn is anything that runs statements the way database/sql does: *sql.DB,
// *sql.Conn, *sql.Tx, and what other libraries hand out in their place.
type Conn interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// DB adapts c to the interface that stores and guards use. It adds no state:
// the result is as safe for concurrent use as c is.
//
// Guards need a transaction where they run several statements (idem.Atomic). A
// pool (*sql.DB and what embeds it) begins one; a *sql.Conn begins one unless it
// is in one; a pool of a library that begins transactions of its own kind refuses,
// and wants the *sql.DB in it or a transaction; everything else is taken for a
// transaction.
func DB(c Conn) idem.DB {
	a := adapter{c}
	_, ends := c.(interface{ Commit() error })
	_, pings := c.(interface {
		PingContext(ctx context.Context) error
	})
	_, raw := c.(interface {
		Raw(f func(driverConn any) error) error
	})
	p, begins := c.(pool)
	switch {
	case ends:
		return a
	case begins && raw:
		return pinned{beginning{a, p}}
	case begins:
		return beginning{a, p}
	case pings:
		return refusing{a}
	}
	return a
}

type adapter struct{ conn Conn }

func (a adapter) Exec(ctx context.Context, query string, args ...any) (idem.Result, error) {
	return asResult(a.conn.ExecContext(ctx, query, args...))
}

func (a adapter) Query(ctx context.Context, query string, args ...any) (idem.Rows, error) {
	return asRows(a.conn.QueryContext(ctx, query, args...))
}

// asResult and asRows keep a nil pointer out of a non-nil interface.
func asResult(res sql.Result, err error) (idem.Result, error) {
	if err != nil {
		return nil, err
	}
	return res, nil
}

func asRows(rows *sql.Rows, err error) (idem.Rows, error) {
	if err != nil {
		return nil, err
	}
	return rows, nil
}
