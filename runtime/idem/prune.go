package idem

import (
	"context"
	"math/rand/v2"
	"reflect"
	"sync"
	"sync/atomic"
	"time"
)

// DefaultPruneEvery is how often an engine prunes each store that it works with.
const DefaultPruneEvery = time.Minute

// Bounds of one round of pruning.
const (
	pruneLimit   = 1000             // entries per statement
	pruneBatches = 10               // statements per round, as long as each finds its fill
	pruneTimeout = 10 * time.Second // for a round
)

// WithPruning sets how often each store that calls of the engine claim something in
// is pruned (C13): by the way, once a fresh claim of it is through, on a goroutine
// that removes at most 10,000 expired entries, 1,000 a statement. Zero or negative:
// never; then somebody else must call the stores' Prune. The default is
// DefaultPruneEvery. What a round came to is EventPruned.
func WithPruning(every time.Duration) Option {
	return func(e *Engine) { e.pruning.every = every }
}

// pruner is a store of records, tokens or locks that keeps what has expired until it
// is pruned.
type pruner interface {
	Prune(ctx context.Context, limit int) (int, error)
}

// pruning knows when which store is due.
type pruning struct {
	every  time.Duration
	stores sync.Map // store → *pruneDue
}

// pruneDue is when a store is pruned next. The first round comes after one interval,
// give or take, so that programs that start together don't prune together.
type pruneDue struct {
	at atomic.Pointer[time.Time]
}

// prune prunes a store that is due, in the background: a call neither waits for it
// nor fails by it. Of several engines that share a store each has its own clock, and
// a store may be pruned by several programs at a time.
func (e *Engine) prune(ctx context.Context, store any) {
	if e.pruning.every <= 0 {
		return
	}
	p, ok := store.(pruner)
	if !ok || !reflect.ValueOf(store).Comparable() {
		return
	}
	now := time.Now()
	found, known := e.pruning.stores.Load(store)
	if !known {
		first := now.Add(e.pruning.every/2 + rand.N(e.pruning.every))
		due := &pruneDue{}
		due.at.Store(&first)
		found, _ = e.pruning.stores.LoadOrStore(store, due)
	}
	due := found.(*pruneDue)
	at := due.at.Load()
	if now.Before(*at) {
		return
	}
	next := now.Add(e.pruning.every)
	if !due.at.CompareAndSwap(at, &next) {
		return // another call does it
	}
	go e.pruneRound(context.WithoutCancel(ctx), p)
}

// pruneRound removes what has expired, a bounded number. The context lends the values
// of the call that came when the round was due, not its end.
func (e *Engine) pruneRound(ctx context.Context, p pruner) {
	ctx, cancel := context.WithTimeout(ctx, pruneTimeout)
	defer cancel()
	var all int
	for range pruneBatches {
		n, err := p.Prune(ctx, pruneLimit)
		all += n
		if err != nil {
			e.pruned(ctx, Event{Kind: EventPruned, Pruned: all, Err: err})
			return
		}
		if n < pruneLimit {
			break
		}
	}
	if all > 0 {
		e.pruned(ctx, Event{Kind: EventPruned, Pruned: all})
	}
}

func (e *Engine) pruned(ctx context.Context, ev Event) {
	if e.observer != nil {
		defer logPanic(ctx)
		e.observer.Observe(ctx, ev)
	}
}
