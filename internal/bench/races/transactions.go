package races

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/internal/bench/races/guarded"
	"github.com/idemgen/idemgen/internal/bench/run"
	"github.com/idemgen/idemgen/runtime/idem"
)

// Names of contestants and races on databases.
const (
	TxGroup      = "Runtime: transactions"
	FreshName    = "a fresh call with one effect"
	AgainName    = "a duplicate"
	BareTx       = "the transaction unguarded"
	DedupeByHand = "select, then insert by hand"
	InsertByHand = "insert by hand, no select"
	OursPgx      = "idemgen, pgx pipelined"
	BarePgx      = "the transaction unguarded, pgx"
	DedupePgx    = "select, then insert by hand, pgx"
)

const (
	dedupeSelect = "SELECT COUNT(*) FROM bench_dedupe WHERE k = $1"
	dedupeInsert = "INSERT INTO bench_dedupe (k) VALUES ($1)"
)

// errThere tells that a number that nobody has is in the table of keys.
var errThere = errors.New("the number is there already")

// Transactions race: one effect, unguarded, guarded by hand and guarded by us.
func Transactions(x *database, callers []int) run.Race {
	return x.race(run.Race{Group: TxGroup, Name: x.name + ": " + FreshName, Unit: "call", Callers: callers}, (*database).freshCalls)
}

func (x *database) freshCalls() []run.Contestant {
	out := []run.Contestant{
		{Name: BareTx, Start: x.bare},
		{Name: DedupeByHand, Start: func(ctx context.Context) (run.Running, error) { return x.byHand(ctx, true) }},
		{Name: InsertByHand, Start: func(ctx context.Context) (run.Running, error) { return x.byHand(ctx, false) }},
		{Name: Ours, Start: func(context.Context) (run.Running, error) { return x.paid(x.pays()), nil }},
	}
	if x.pool != nil {
		out = append(out,
			run.Contestant{Name: BarePgx, Start: x.barePgx}, run.Contestant{Name: DedupePgx, Start: x.dedupePgx},
			run.Contestant{Name: OursPgx, Start: func(context.Context) (run.Running, error) { return x.paid(x.paysPgx()), nil }})
	}
	return out
}

// effects proves that each operation left its one row.
func (x *database) effects(from int64) func(ctx context.Context, ops int) error {
	return func(ctx context.Context, ops int) error { return x.rows(ctx, "bench_effects", "id", from, ops) }
}

// deduped proves that it left its number in the table of keys, too.
func (x *database) deduped(from int64) func(ctx context.Context, ops int) error {
	return func(ctx context.Context, ops int) error {
		return errors.Join(x.effects(from)(ctx, ops), x.rows(ctx, "bench_dedupe", "k", from, ops))
	}
}

func (x *database) bare(context.Context) (run.Running, error) {
	from := x.numbers()
	return run.Running{Verify: x.effects(from), Op: func(ctx context.Context, i int) error {
		return inTx(ctx, x.db, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, x.insert, from+int64(i), "paid")
			return err
		})
	}}, nil
}

// byHand looks whether the number is there, if so wanted, and puts it there. On SQLite a
// transaction that reads first begins by BEGIN IMMEDIATE: one that is upgraded when it
// writes fails under load.
func (x *database) byHand(ctx context.Context, look bool) (run.Running, error) {
	from, db := x.numbers(), x.db
	if look && x.immediate != nil {
		db = x.immediate
	}
	stmts, done, err := x.prepared(ctx, db, dedupeSelect, dedupeInsert)
	return run.Running{Verify: x.deduped(from), Close: done, Op: func(ctx context.Context, i int) error {
		id := from + int64(i)
		return inTx(ctx, db, func(tx *sql.Tx) error {
			if look {
				var n int
				if err := tx.StmtContext(ctx, stmts[0]).QueryRowContext(ctx, id).Scan(&n); err != nil || n > 0 {
					return wrong(err, "%w", errThere)
				}
			}
			if _, err := tx.StmtContext(ctx, stmts[1]).ExecContext(ctx, id); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, x.insert, id, "paid")
			return err
		})
	}}, err
}

func (x *database) barePgx(context.Context) (run.Running, error) {
	from := x.numbers()
	return run.Running{Verify: x.effects(from), Op: func(ctx context.Context, i int) error {
		return pgx.BeginFunc(ctx, x.pool, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, x.insert, from+int64(i), "paid")
			return err
		})
	}}, nil
}

func (x *database) dedupePgx(context.Context) (run.Running, error) {
	from := x.numbers()
	return run.Running{Verify: x.deduped(from), Op: func(ctx context.Context, i int) error {
		id := from + int64(i)
		return pgx.BeginFunc(ctx, x.pool, func(tx pgx.Tx) error {
			var n int
			if err := tx.QueryRow(ctx, dedupeSelect, id).Scan(&n); err != nil || n > 0 {
				return wrong(err, "%w", errThere)
			}
			if _, err := tx.Exec(ctx, dedupeInsert, id); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, x.insert, id, "paid")
			return err
		})
	}}, nil
}

// pay is our guarded method.
type pay func(ctx context.Context, id int64) (int64, error)

func (x *database) pays() pay {
	return guarded.NewIdempotentService(&guarded.Service{Insert: x.insert}, idem.New(idem.GlobalScope, idem.WithPruning(0)), x.store, x.store).Pay
}

func (x *database) paysPgx() pay {
	return guarded.NewIdempotentPgxService(&guarded.PgxService{Insert: x.insert}, idem.New(idem.GlobalScope, idem.WithPruning(0)), x.pgx).Pay
}

// call calls it and looks at the answer.
func (p pay) call(ctx context.Context, id int64) error {
	got, err := p(ctx, id)
	if err != nil || got != id {
		return wrong(err, "the answer is %d, not %d", got, id)
	}
	return nil
}

// paid are fresh calls. Afterwards each has its effect, and asked again its stored answer
// and no second effect.
func (x *database) paid(p pay) run.Running {
	from := x.numbers()
	effects := x.effects(from)
	return run.Running{
		Op: func(ctx context.Context, i int) error { return p.call(ctx, from+int64(i)) },
		Verify: func(ctx context.Context, ops int) error {
			return errors.Join(effects(ctx, ops), spread(ops, func(i int) error { return p.call(ctx, from+int64(i)) }), effects(ctx, ops))
		}}
}

// paidBefore are duplicates of one call, which ran before anything is timed.
func (x *database) paidBefore(p pay) func(ctx context.Context) (run.Running, error) {
	return func(ctx context.Context) (run.Running, error) {
		from := x.numbers()
		var answers atomic.Int64
		return run.Running{
			Op: func(ctx context.Context, _ int) error {
				if err := p.call(ctx, from); err != nil {
					return err
				}
				answers.Add(1)
				return nil
			},
			Verify: func(ctx context.Context, ops int) error {
				return errors.Join(counted("stored answers", &answers, ops), x.effects(from)(ctx, 1))
			}}, p.call(ctx, from)
	}
}

// Duplicates race: what a call that came before costs.
func Duplicates(x *database) run.Race {
	return x.race(run.Race{Group: TxGroup, Name: x.name + ": " + AgainName, Unit: "call"}, (*database).duplicates)
}

func (x *database) duplicates() []run.Contestant {
	out := []run.Contestant{
		{Name: BareTx, Start: x.bare},
		{Name: "select by hand", Start: x.foundByHand},
		{Name: Ours, Start: x.paidBefore(x.pays())},
	}
	if x.pool != nil {
		out = append(out, run.Contestant{Name: OursPgx, Start: x.paidBefore(x.paysPgx())})
	}
	return out
}

// foundByHand finds the number in the table of keys, and does nothing.
func (x *database) foundByHand(ctx context.Context) (run.Running, error) {
	from := x.numbers()
	if _, err := x.db.ExecContext(ctx, x.marks(dedupeInsert), from); err != nil {
		return run.Running{}, err
	}
	stmts, done, err := x.prepared(ctx, x.db, dedupeSelect)
	var found atomic.Int64
	return run.Running{Close: done, Verify: allCounted("duplicates found", &found), Op: func(ctx context.Context, _ int) error {
		return inTx(ctx, x.db, func(tx *sql.Tx) error {
			var n int
			if err := tx.StmtContext(ctx, stmts[0]).QueryRowContext(ctx, from).Scan(&n); err != nil || n != 1 {
				return wrong(err, "the number is there %d times", n)
			}
			found.Add(1)
			return nil
		})
	}}, err
}
