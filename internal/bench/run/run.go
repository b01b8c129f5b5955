// Package run races contestants against each other.
//
// The flow: a Race starts its contestants, sizes a sample of each, and lets them run by
// turns (run.go); burst.go does operations by one or many callers; trips.go counts what
// one operation sends over the wire; stats.go and report.go say what it came to;
// profile.go says where the time of a contestant goes.
package run

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Contestant is one way to do the work of a race.
type Contestant struct {
	Name string
	// Start makes ready, once per race and number of callers.
	Start func(ctx context.Context) (Running, error)
}

// Running is a contestant at work. Fields that are nil or zero are left out, but for Op
// and Verify.
type Running struct {
	// Op does the work once. i counts from 0 over all samples and is never repeated; it
	// may be called concurrently.
	Op func(ctx context.Context, i int) error
	// Steps are the parts that Op consists of, where their round trips are told apart.
	Steps []func(ctx context.Context, i int) error
	// Verify proves that so many operations did their work: it counts effects, replays
	// and stored answers, and fails where one is missing. A race without it is refused.
	Verify func(ctx context.Context, ops int) error
	// Trips counts the round trips of each step of an operation; nil where there is no
	// wire, or it can't be listened to.
	Trips func(ctx context.Context) ([]int, error)
	// Most is how many operations a sample has at most, 0 = as many as fill its time.
	Most int
	// Between runs after every burst of operations and is not timed: it puts back what
	// the next one needs.
	Between func(ctx context.Context) error
	// Meter reads counters that only grow, one for each of the race's Figures; what they
	// grew by during the samples is told per operation.
	Meter func(ctx context.Context) ([]float64, error)
	Close func()
}

// Race is one comparison. The first contestant is the baseline of the ratios.
type Race struct {
	Group       string // a section of the results
	Name        string
	Unit        string // what one operation is: "call"
	Callers     []int  // nil = 1
	Contestants []Contestant
	Note        string
	Figures     []Figure // what the contestants' meters read
}

// Figure is a counter of a meter.
type Figure struct {
	Name  string
	Write func(perOp float64) string
}

// ID names the race among all others.
func (r Race) ID() string { return r.Group + ": " + r.Name }

// Config bounds a run.
type Config struct {
	Samples int           // per contestant; at least 10 in results that are kept
	Sample  time.Duration // how long one is to take, about
}

// Result is what a race came to with one number of callers.
type Result struct {
	Group, Name, Unit, Note string
	Callers                 int
	Figures                 []Figure
	Lines                   []Line
}

// ID is that of the race.
func (r Result) ID() string { return r.Group + ": " + r.Name }

// Line is one contestant's.
type Line struct {
	Name    string
	NsPerOp []float64 // one per sample, in order: those of one index ran next to each other
	Allocs  float64   // per operation, of the whole process
	Trips   []int     // of each step of an operation; nil = not counted
	Figures []float64 // per operation; nil = not metered
}

// Do runs a race with each of its numbers of callers.
func (r Race) Do(ctx context.Context, c Config) ([]Result, error) {
	callers := r.Callers
	if callers == nil {
		callers = []int{1}
	}
	var out []Result
	for _, n := range callers {
		res, err := r.with(ctx, c, n)
		if err != nil {
			return nil, fmt.Errorf("%s, %d callers: %w", r.ID(), n, err)
		}
		out = append(out, res)
	}
	return out, nil
}

func (r Race) with(ctx context.Context, c Config, callers int) (res Result, err error) {
	res = Result{Group: r.Group, Name: r.Name, Unit: r.Unit, Note: r.Note, Callers: callers, Figures: r.Figures}
	var runners []*runner
	defer func() {
		for _, x := range runners {
			if x.Close != nil {
				x.Close()
			}
		}
	}()
	for _, k := range r.Contestants {
		x, err := start(ctx, k, c.Sample, callers)
		if x != nil {
			runners = append(runners, x)
		}
		if err != nil {
			return res, fmt.Errorf("%s: %w", k.Name, err)
		}
	}
	for s := range c.Samples {
		for i := range runners {
			x := runners[(i+s)%len(runners)] // nobody is always first
			if err := x.sample(ctx, callers); err != nil {
				return res, fmt.Errorf("%s: %w", x.name, err)
			}
		}
	}
	for _, x := range runners {
		if err := x.finish(ctx, c.Samples); err != nil {
			return res, fmt.Errorf("%s: %w", x.name, err)
		}
		res.Lines = append(res.Lines, x.line)
	}
	return res, nil
}

// errNoVerify refuses a contestant that could be timed at nothing.
var errNoVerify = errors.New("it has no Verify: nothing would tell that it does its work")

// runner is a contestant in a race.
type runner struct {
	Running
	name  string
	next  int // operations done
	batch int // operations per sample
	line  Line
}

// start makes a contestant ready; the runner is nil only when it did not start at all.
func start(ctx context.Context, k Contestant, sample time.Duration, callers int) (*runner, error) {
	started, err := k.Start(ctx)
	if err != nil {
		return nil, err
	}
	x := &runner{Running: started, name: k.Name, line: Line{Name: k.Name}}
	if x.Verify == nil {
		return x, errNoVerify
	}
	if x.Trips != nil {
		if x.line.Trips, err = x.Trips(ctx); err != nil {
			return x, fmt.Errorf("trips: %w", err)
		}
	}
	return x, x.size(ctx, sample, callers)
}

// sample times one, and meters it.
func (x *runner) sample(ctx context.Context, callers int) error {
	var before []float64
	var err error
	if x.Meter != nil {
		if before, err = x.Meter(ctx); err != nil {
			return fmt.Errorf("meter: %w", err)
		}
	}
	took, err := x.burst(ctx, x.batch, callers)
	if err != nil {
		return err
	}
	x.line.NsPerOp = append(x.line.NsPerOp, float64(took)/float64(x.batch))
	if x.Meter != nil {
		after, err := x.Meter(ctx)
		if err != nil {
			return fmt.Errorf("meter: %w", err)
		}
		if x.line.Figures == nil {
			x.line.Figures = make([]float64, len(after))
		}
		for i := range after {
			x.line.Figures[i] += after[i] - before[i]
		}
	}
	return x.between(ctx)
}

// finish counts allocations and has the work proved.
func (x *runner) finish(ctx context.Context, samples int) (err error) {
	for i := range x.line.Figures {
		x.line.Figures[i] /= float64(samples * x.batch)
	}
	if x.line.Allocs, err = x.allocs(ctx); err != nil {
		return err
	}
	if err := x.Verify(ctx, x.next); err != nil {
		return fmt.Errorf("it did not do its work: %w", err)
	}
	return nil
}
