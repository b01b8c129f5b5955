package races

import (
	"context"

	"github.com/idemgen/idemgen/internal/bench/meter"
	"github.com/idemgen/idemgen/internal/bench/run"
)

// metered has a race tell the processor time of its two sides: of this process, and of
// the servers. With many callers that is what bounds all contestants alike.
func metered(r *run.Race, pids []int) {
	if len(pids) == 0 || pids[0] == 0 {
		return // not ours
	}
	if _, err := meter.Processes(pids...); err != nil {
		return // this system does not tell
	}
	r.Figures = []run.Figure{{Name: "processor, client", Write: run.Span}, {Name: "processor, server", Write: run.Span}}
	for i := range r.Contestants {
		start := r.Contestants[i].Start
		r.Contestants[i].Start = func(ctx context.Context) (run.Running, error) {
			x, err := start(ctx)
			x.Meter = func(context.Context) ([]float64, error) {
				client, err := meter.Self()
				if err != nil {
					return nil, err
				}
				server, err := meter.Processes(pids...)
				return []float64{client, server}, err
			}
			return x, err
		}
	}
}
