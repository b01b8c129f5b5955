package api

import (
	"context"
	"sync/atomic"

	"github.com/idemgen/idemgen/runtime/idem"
)

// ReplayedHeader is "true" on a reply that repeats an earlier one.
const ReplayedHeader = "Idempotency-Replayed"

type watchKey struct{}

// watch prepares a call to be told, by the Observer, that it is a duplicate: again says so when the call is over.
func watch(ctx context.Context) (_ context.Context, again func() bool) {
	var seen atomic.Bool
	return context.WithValue(ctx, watchKey{}, &seen), seen.Load
}

// Observer makes the observer that the engine of a served service needs, so that replies can tell replays. It passes every event on to next.
func Observer(next idem.Observer) idem.Observer { return observer{next} }

type observer struct{ next idem.Observer }

// Observe notes replays.
func (o observer) Observe(ctx context.Context, e idem.Event) {
	switch e.Kind {
	case idem.EventReplayed, idem.EventLookedUp:
		if seen, ok := ctx.Value(watchKey{}).(*atomic.Bool); ok {
			seen.Store(true)
		}
	}
	o.next.Observe(ctx, e)
}
