package idem

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// batchChunk is how many rows one statement changes at most.
const batchChunk = 100

// BatchOutcome is what became of one key of a batch: Fired, or the error that
// FireEvent would have returned.
type BatchOutcome struct {
	Fired Fired
	Err   error
}

// FireBatch runs the guarded update of an event on the rows with these keys: one
// outcome for each, in their order. A key that stands in the list again is fired
// again, after the first. args are those of FireEvent without the expected version:
// versions are bumped, not compared.
//
// For each 100 keys it takes one statement on Postgres and SQLite, and two on
// MySQL, the first of which locks the rows; a history is one more on SQLite and
// MySQL. What takes several runs in a transaction where db is Atomic. Then one read
// for each key that did not apply says why. Rows are locked in the order of their
// keys, so that two batches don't deadlock on 100 keys.
//
// An error means that a statement failed: it stands in the outcomes of all keys
// that nothing is known of. In a transaction that must be rolled back; outside one
// the rows of outcomes without an error have moved.
func FireBatch(ctx context.Context, db DB, d Dialect, m *Machine, e *EventInfo, keys []any, args ...any) ([]BatchOutcome, error) {
	if m.Version {
		args = append([]any{AnyVersion}, args...)
	}
	b := batch{firing: firing{dialect: d, machine: m, event: e, to: -1, args: args}, keys: keys}
	if e.Dynamic || len(e.Batch.Postgres.Parts) == 0 {
		return nil, fmt.Errorf("%w: %s: the event has no batch form", ErrInvalidOp, b.name())
	}
	b.outcomes, b.known = make([]BatchOutcome, len(keys)), make([]bool, len(keys))
	err := b.run(ctx, db)
	for i := range b.outcomes {
		if !b.known[i] {
			b.outcomes[i].Err = err
		}
	}
	return b.outcomes, err
}

// FireAll is FireBatch in the types of a machine: keys as the row has them, and what
// was fired in its states, as change says it. Beside an error, too, there is a result
// for each key.
func FireAll[K, S any](ctx context.Context, db DB, d Dialect, m *Machine, e *EventInfo, change func(Fired, error) (Change[S], error), keys []K, args ...any) ([]BatchResult[S], error) {
	plain := make([]any, len(keys))
	for i, k := range keys {
		plain[i] = k
	}
	outcomes, err := FireBatch(ctx, db, d, m, e, plain, args...)
	results := make([]BatchResult[S], len(outcomes))
	for i, o := range outcomes {
		results[i].Change, results[i].Err = change(o.Fired, o.Err)
	}
	return results, err
}

// batch is one call of FireBatch.
type batch struct {
	firing
	keys     []any
	outcomes []BatchOutcome
	known    []bool // of outcomes
}

func (b *batch) run(ctx context.Context, db DB) error {
	for _, round := range rounds(b.keys) {
		for places := range slices.Chunk(round, batchChunk) {
			if err := b.chunk(ctx, db, places); err != nil {
				return err
			}
		}
	}
	return nil
}

// rounds are the places of the keys, such that no key stands in one of them twice.
func rounds(keys []any) [][]int {
	var list [][]int
	times := make(map[any]int, len(keys))
	for i, key := range keys {
		n := 0
		if k, ok := mapKey(key); ok {
			n = times[k]
			times[k] = n + 1
		}
		if n == len(list) {
			list = append(list, nil)
		}
		list[n] = append(list[n], i)
	}
	return list
}

// mapKey is a key as it can be compared, if it can.
func mapKey(key any) (any, bool) {
	switch k := key.(type) {
	case string, int64, int:
		return k, true
	case []byte:
		return [1]string{string(k)}, true
	case nil:
		return nil, false
	}
	return key, reflect.ValueOf(key).Comparable()
}

// chunk fires on the keys at these places.
func (b *batch) chunk(ctx context.Context, db DB, places []int) error {
	keys := make([]any, len(places))
	for i, at := range places {
		keys[i] = b.keys[at]
	}
	var hits []hit
	whole := func(ctx context.Context, db DB) (err error) {
		hits, err = b.change(ctx, db, keys)
		return err
	}
	var err error
	if b.dialect == MySQL || b.ownHistory().Into != "" {
		err = atomically(ctx, db, whole)
	} else {
		err = whole(ctx, db)
	}
	if err != nil {
		return err
	}
	for _, h := range hits {
		at := places[h.key]
		b.outcomes[at].Fired, b.known[at] = h.fired, true
	}
	return b.classify(ctx, db, places)
}

// classify says of each key that did not apply why.
func (b *batch) classify(ctx context.Context, db DB, places []int) error {
	for _, at := range places {
		if b.known[at] {
			continue
		}
		one := b.firing
		one.key = b.keys[at]
		err := one.whyNot(ctx, db)
		if !errors.Is(err, ErrTransition) && !errors.Is(err, ErrUnknownState) {
			return err
		}
		b.outcomes[at].Err, b.known[at] = err, true
	}
	return nil
}

// hit is a key that applied.
type hit struct {
	key   int // place in the chunk
	fired Fired
}

// change runs the statements of a chunk.
func (b *batch) change(ctx context.Context, db DB, keys []any) ([]hit, error) {
	sql := &b.event.Batch
	list := &sql.SQLite
	switch b.dialect {
	case SQLite:
	case Postgres:
		list = &sql.Postgres
	case MySQL:
		list = &sql.MySQLRead
	default:
		return nil, fmt.Errorf("idem: %s: unknown SQL dialect %d", b.name(), b.dialect)
	}
	hits, err := b.read(ctx, db, list, keys)
	if err != nil || len(hits) == 0 {
		return nil, err
	}
	rows := make([]moved, len(hits))
	matched := make([]any, len(hits))
	for i, h := range hits {
		rows[i] = moved{keys[h.key], h.fired.From, h.fired.To}
		matched[i] = keys[h.key]
	}
	if b.dialect == MySQL {
		query, args, err := b.list(ctx, &sql.MySQL, matched)
		if err != nil {
			return nil, err
		}
		if _, err := db.Exec(ctx, query, args...); err != nil {
			return nil, err
		}
	}
	return hits, b.record(ctx, db, b.event.Name, rows...)
}

// read runs a statement that returns ordinal, edge and version of each row that
// the event applies to.
func (b *batch) read(ctx context.Context, db DB, list *ListSQL, keys []any) ([]hit, error) {
	query, args, err := b.list(ctx, list, keys)
	if err != nil {
		return nil, err
	}
	var hits []hit
	var ordinal, edge int64
	var version *int64
	dest := []any{&ordinal, &edge}
	if b.machine.Version {
		dest = append(dest, &version)
	}
	err = queryRows(ctx, db, query, args, dest, func() error {
		fired, err := b.fired(edge, version)
		if err != nil {
			return err
		}
		if ordinal < 1 || ordinal > int64(len(keys)) {
			return fmt.Errorf("idem: %s: the update matched key %d of %d", b.name(), ordinal, len(keys))
		}
		hits = append(hits, hit{int(ordinal) - 1, fired})
		return nil
	})
	return hits, err
}
