package races

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/idemgen/idemgen/internal/bench/races/guarded"
	"github.com/idemgen/idemgen/internal/bench/run"
	"github.com/idemgen/idemgen/runtime/idem"
)

// Names of contestants and races of events.
const (
	EventGroup = "Runtime: events"
	EventName  = "once + guard + history + result, without a body"
	EventAgain = "a once event, again"

	BareUpdate  = "BEGIN, UPDATE, COMMIT unguarded"
	BareHistory = "BEGIN, UPDATE, history, COMMIT unguarded"
)

// parcelRows are as many as one contestant sends in a race, at most.
const parcelRows = 60_000

// Events race: a once event without a body, with a history and a stored result.
func Events(x *database, callers []int) run.Race {
	return x.race(run.Race{Group: EventGroup, Name: x.name + ": " + EventName, Unit: "event", Callers: callers}, func(x *database) []run.Contestant {
		return []run.Contestant{
			{Name: BareUpdate, Start: func(ctx context.Context) (run.Running, error) { return x.sentByHand(ctx, false) }},
			{Name: BareHistory, Start: func(ctx context.Context) (run.Running, error) { return x.sentByHand(ctx, true) }},
			{Name: Ours, Start: x.sent},
		}
	})
}

// EventsAgain race: what an event that came before costs.
func EventsAgain(x *database) run.Race {
	return x.race(run.Race{Group: EventGroup, Name: x.name + ": " + EventAgain, Unit: "event"}, func(x *database) []run.Contestant {
		return []run.Contestant{
			{Name: BareUpdate, Start: func(ctx context.Context) (run.Running, error) { return x.sentByHand(ctx, false) }},
			{Name: Ours, Start: x.sentBefore},
		}
	})
}

// sentByHand updates whatever the row's state is, and keeps a history if so wanted.
func (x *database) sentByHand(ctx context.Context, history bool) (run.Running, error) {
	from := x.numbers()
	stmts, done, err := x.prepared(ctx, x.db, "UPDATE bench_parcels SET status = 'SENT' WHERE id = $1", //nolint:idemgen // meant to be unguarded
		"INSERT INTO bench_parcel_history (row_key, from_state, to_state, event, at_us) VALUES ($1, 'PACKED', 'SENT', 'Send', 0)")
	if err != nil {
		return run.Running{}, err
	}
	return run.Running{Close: done,
		Op: func(ctx context.Context, i int) error {
			return inTx(ctx, x.db, func(tx *sql.Tx) error {
				if _, err := tx.StmtContext(ctx, stmts[0]).ExecContext(ctx, from+int64(i)); err != nil || !history {
					return err
				}
				_, err := tx.StmtContext(ctx, stmts[1]).ExecContext(ctx, from+int64(i))
				return err
			})
		},
		Verify: func(ctx context.Context, ops int) error {
			if !history {
				return x.parcelsSent(ctx, from, ops)
			}
			return errors.Join(x.parcelsSent(ctx, from, ops), x.history(ctx, from, ops))
		}}, x.parcels(ctx, from, parcelRows)
}

// send fires our event, and looks at what it answers.
func (x *database) send(ctx context.Context, engine *idem.Engine, id int64) error {
	got, err := guarded.ParcelSendOnce(ctx, engine, x.store, fmt.Sprint(id), id)
	if err != nil || got.From != guarded.Packed || got.To != guarded.Sent {
		return wrong(err, "the event led from %v to %v", got.From, got.To)
	}
	return nil
}

// sent are our events, fresh ones. Afterwards each has its row and its history, and fired
// again its stored answer and no second history.
func (x *database) sent(ctx context.Context) (run.Running, error) {
	from, engine := x.numbers(), idem.New(idem.GlobalScope, idem.WithPruning(0))
	return run.Running{
		Op: func(ctx context.Context, i int) error { return x.send(ctx, engine, from+int64(i)) },
		Verify: func(ctx context.Context, ops int) error {
			return errors.Join(x.parcelsSent(ctx, from, ops), x.history(ctx, from, ops),
				spread(ops, func(i int) error { return x.send(ctx, engine, from+int64(i)) }),
				x.history(ctx, from, ops))
		}}, x.parcels(ctx, from, parcelRows)
}

// sentBefore fires one event again, which was fired before anything is timed.
func (x *database) sentBefore(ctx context.Context) (run.Running, error) {
	from, engine := x.numbers(), idem.New(idem.GlobalScope, idem.WithPruning(0))
	if err := x.parcels(ctx, from, 1); err != nil {
		return run.Running{}, err
	}
	var answers atomic.Int64
	return run.Running{
		Op: func(ctx context.Context, _ int) error {
			if err := x.send(ctx, engine, from); err != nil {
				return err
			}
			answers.Add(1)
			return nil
		},
		Verify: func(ctx context.Context, ops int) error {
			return errors.Join(counted("stored answers", &answers, ops), x.parcelsSent(ctx, from, 1), x.history(ctx, from, 1))
		}}, x.send(ctx, engine, from)
}

func (x *database) parcelsSent(ctx context.Context, from int64, want int) error {
	return x.rowsWhere(ctx, "bench_parcels", "id", "AND status = 'SENT'", from, want)
}

func (x *database) history(ctx context.Context, from int64, want int) error {
	return x.rows(ctx, "bench_parcel_history", "row_key", from, want)
}

// parcels puts parcels there.
func (x *database) parcels(ctx context.Context, from int64, n int) error {
	query := ""
	switch x.dialect {
	case idem.Postgres:
		query = fmt.Sprintf("INSERT INTO bench_parcels SELECT %d + g, 'PACKED' FROM generate_series(0, %d) g", from, n-1)
	case idem.MySQL:
		query = fmt.Sprintf("INSERT INTO bench_parcels SELECT %d + seq, 'PACKED' FROM seq_0_to_%d", from, n-1)
	default:
		query = fmt.Sprintf("INSERT INTO bench_parcels WITH RECURSIVE s(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM s WHERE i < %d) SELECT %d + i, 'PACKED' FROM s", n-1, from)
	}
	_, err := x.db.ExecContext(ctx, query)
	return err
}
