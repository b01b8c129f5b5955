package run

import "context"

// Wire counts round trips, as a proxy between client and server does.
type Wire struct {
	Reset func()
	Total func() int
}

// How often an operation is done to count its trips: first until statements are
// prepared and scripts known, then for the count.
const (
	tripsWarm  = 6
	tripsTimes = 8
)

// Counted gives contestants the count of their round trips: twins are the same ones on
// connections over a wire that counts. Of several operations the least counts, because
// what a driver says on its own account, and a burst that a busy machine has parted,
// only add.
func Counted(contestants, twins []Contestant, wire Wire) []Contestant {
	out := make([]Contestant, len(contestants))
	for i, c := range contestants {
		out[i] = Contestant{Name: c.Name, Start: func(ctx context.Context) (Running, error) {
			r, err := c.Start(ctx)
			if err == nil {
				r.Trips = func(ctx context.Context) ([]int, error) { return trips(ctx, twins[i], wire) }
			}
			return r, err
		}}
	}
	return out
}

func trips(ctx context.Context, c Contestant, wire Wire) ([]int, error) {
	r, err := c.Start(ctx)
	if err != nil {
		return nil, err
	}
	if r.Close != nil {
		defer r.Close()
	}
	steps := r.Steps
	if steps == nil {
		steps = append(steps, r.Op)
	}
	least := make([]int, len(steps))
	for n := range tripsWarm + tripsTimes {
		for i, step := range steps {
			wire.Reset()
			if err := step(ctx, n); err != nil {
				return nil, err
			}
			if got := wire.Total(); n <= tripsWarm || got < least[i] {
				least[i] = got
			}
		}
	}
	return least, r.Verify(ctx, tripsWarm+tripsTimes)
}
