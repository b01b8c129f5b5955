package layers

import (
	"context"

	"github.com/idemgen/idemgen/runtime/idem"
)

// GateObserver is the observer of the gate's engine. It writes down how the gate answered, and passes every event on.
func GateObserver(next idem.Observer) idem.Observer {
	return Gate.observe(next, map[idem.EventKind]Verdict{
		idem.EventReplayed: Replayed, idem.EventInProgress: Running, idem.EventKeyReused: Refused, idem.EventHeld: Refused,
	})
}

// CallObserver is the observer of the service's engine: the one thing that no store sees is that a violated index was answered by the look-up.
func CallObserver(next idem.Observer) idem.Observer {
	return Index.observe(next, map[idem.EventKind]Verdict{idem.EventLookedUp: Duplicate})
}

type observer struct {
	layer    Layer
	next     idem.Observer
	verdicts map[idem.EventKind]Verdict
}

// Observe writes down what the event says of the layer.
func (o observer) Observe(ctx context.Context, e idem.Event) {
	if v, ok := o.verdicts[e.Kind]; ok {
		traceOf(ctx).note(o.layer, v)
	}
	o.next.Observe(ctx, e)
}

// observe makes the observer of a layer.
func (l Layer) observe(next idem.Observer, verdicts map[idem.EventKind]Verdict) idem.Observer {
	return observer{l, next, verdicts}
}
