package sqlstore

import (
	"context"
	"errors"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/internal/sqlpipe"
)

// NewPiped is NewTx for a driver that sends several statements in one round
// trip. It serves the stores of this repository; the driver's interface is
// internal. The rules, the tables and the errors are NewTx's. It panics for a
// dialect without the statements that a pipeline needs.
func NewPiped[T any](d idem.Dialect, driver sqlpipe.Driver[T], opts ...Option) *TxStore[T] {
	s := NewTx(d, driver.Begin, driver.Use, append(opts[:len(opts):len(opts)], WithAutocommit(driver.Auto))...)
	if s.records.sql.completeLast.text == "" {
		panic("idem: sqlstore: dialect " + d.String() + " has no pipeline")
	}
	s.pipe, s.replay = &driver, errReplay
	return s
}

// late is what begins a transaction whose first statement is the store's.
func (s *TxStore[T]) late() BeginFunc[T] {
	if s.pipe != nil {
		return s.pipe.BeginLate
	}
	return s.begin
}

// whole is the handle for the store's own statements in a transaction of late.
func (s *TxStore[T]) whole(ctx context.Context, tx T) idem.DB {
	if s.pipe != nil {
		return s.pipe.Whole(tx)
	}
	return s.use(ctx, tx)
}

// part is the handle for the store's own statements in a part of a transaction.
func (s *TxStore[T]) part(ctx context.Context, tx T) idem.DB {
	if s.pipe != nil {
		return s.pipe.Point(tx)
	}
	return s.use(ctx, tx)
}

// pipedSavepoint is one that its first and last statement bring along.
type pipedSavepoint struct{ part sqlpipe.Part }

func (p pipedSavepoint) set(context.Context) error          { return nil }
func (p pipedSavepoint) stands(context.Context) error       { return nil }
func (p pipedSavepoint) release(ctx context.Context) error  { return p.part.Keep(ctx) }
func (p pipedSavepoint) rollback(ctx context.Context) error { return p.part.Undo(ctx) }

// readLost reads what a claim lost to. A claim that lost has written nothing, so
// that its transaction, or its part of one, may end with the statement.
func (r *records) readLost(ctx context.Context, db idem.DB, st *statement, k idem.Key) (got row, found bool, err error) {
	if p, piped := db.(sqlpipe.Part); piped {
		db = lastOf{p}
	}
	return r.readBy(ctx, db, st, k)
}

// lastOf makes each query of a part its last one.
type lastOf struct{ sqlpipe.Part }

func (p lastOf) Query(ctx context.Context, query string, args ...any) (idem.Rows, error) {
	return p.QueryLast(ctx, query, args...)
}

// reopen opens a part again that readLost ended, for a claim that found its own
// record.
func (r *records) reopen(ctx context.Context, db idem.DB, doing string) error {
	if p, piped := db.(sqlpipe.Part); piped {
		if err := p.Open(ctx); err != nil {
			return r.fault(ctx, doing, err)
		}
	}
	return nil
}

// completeIn stores the outcome of a claim in its transaction, at once or with
// the end of it.
func (r *records) completeIn(ctx context.Context, db idem.DB, h idem.Hold, o idem.Outcome, retention time.Duration) error {
	p, piped := db.(sqlpipe.Part)
	if !piped {
		return r.complete(ctx, db, h, o, retention)
	}
	st := &r.sql.completeLast
	p.Later(st.text, st.bind(r.outcomeValues(h, o, retention)), func(err error) error {
		var state interface{ SQLState() string }
		if errors.As(err, &state) && state.SQLState() == "22012" { // division by zero, see completeLast
			return ours(claimGone())
		}
		return ours(r.fault(context.WithoutCancel(ctx), "complete", err))
	})
	return nil
}
