// Package run races contestants against each other.
package run

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Contestant is one way to do the work of a race.
type Contestant struct {
	Name string
	// Start makes ready, once per race and number of callers. Nil fields of what it
	// returns are left out.
	Start func(ctx context.Context) (Running, error)
}

// Running is a contestant at work.
type Running struct {
	// Op does the work once. i counts from 0 over all samples and is never repeated; it
	// may be called concurrently.
	Op func(ctx context.Context, i int) error
	// Verify proves that so many operations did their work.
	Verify func(ctx context.Context, ops int) error
	// Trips is how many round trips (or statements, on SQLite) one operation takes;
	// nil where there are none.
	Trips func(ctx context.Context) (int, error)
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
}

// Config bounds a run.
type Config struct {
	Samples int           // per contestant; at least 10 in results that are kept
	Sample  time.Duration // how long one is to take, about
}

// Result is what a race came to with one number of callers.
type Result struct {
	Group, Name, Unit, Note string
	Callers                 int
	Lines                   []Line
}

// Line is one contestant's.
type Line struct {
	Name    string
	NsPerOp []float64 // one per sample, in order: those of one index ran next to each other
	Allocs  float64   // per operation, 0 where callers share the process with a server's client
	Trips   int       // -1 = none
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
			return nil, fmt.Errorf("%s, %s, %d callers: %w", r.Group, r.Name, n, err)
		}
		out = append(out, res)
	}
	return out, nil
}

// runner is a contestant in a race.
type runner struct {
	Running
	name  string
	next  int // operations done
	batch int // operations per sample
	line  Line
}

func (r Race) with(ctx context.Context, c Config, callers int) (res Result, err error) {
	res = Result{Group: r.Group, Name: r.Name, Unit: r.Unit, Note: r.Note, Callers: callers}
	var runners []*runner
	defer func() {
		for _, x := range runners {
			if x.Close != nil {
				x.Close()
			}
		}
	}()
	for _, k := range r.Contestants {
		started, err := k.Start(ctx)
		if err != nil {
			return res, fmt.Errorf("%s: %w", k.Name, err)
		}
		x := &runner{Running: started, name: k.Name, line: Line{Name: k.Name, Trips: -1}}
		runners = append(runners, x)
		if x.Trips != nil {
			if x.line.Trips, err = x.Trips(ctx); err != nil {
				return res, fmt.Errorf("%s: trips: %w", k.Name, err)
			}
		}
		if err := x.size(ctx, c.Sample, callers); err != nil {
			return res, fmt.Errorf("%s: %w", k.Name, err)
		}
	}
	for s := range c.Samples {
		for i := range runners {
			x := runners[(i+s)%len(runners)] // nobody is always first
			took, err := x.burst(ctx, x.batch, callers)
			if err != nil {
				return res, fmt.Errorf("%s: %w", x.name, err)
			}
			x.line.NsPerOp = append(x.line.NsPerOp, float64(took)/float64(x.batch))
		}
	}
	for _, x := range runners {
		if x.line.Allocs, err = x.allocs(ctx); err != nil {
			return res, fmt.Errorf("%s: %w", x.name, err)
		}
		if x.Verify != nil {
			if err := x.Verify(ctx, x.next); err != nil {
				return res, fmt.Errorf("%s did not do its work: %w", x.name, err)
			}
		}
		res.Lines = append(res.Lines, x.line)
	}
	return res, nil
}

// size finds how many operations make a sample.
func (x *runner) size(ctx context.Context, sample time.Duration, callers int) error {
	for n := callers; ; n *= 2 {
		took, err := x.burst(ctx, n, callers)
		if err != nil {
			return err
		}
		if took > sample/4 || n > 1<<24 {
			x.batch = max(callers, int(float64(n)*float64(sample)/float64(max(took, 1))))
			x.batch -= x.batch % callers
			return nil
		}
	}
}

// burst does n operations by so many callers at once.
func (x *runner) burst(ctx context.Context, n, callers int) (time.Duration, error) {
	from := x.next
	x.next += n
	if callers == 1 {
		began := time.Now()
		for i := from; i < x.next; i++ {
			if err := x.Op(ctx, i); err != nil {
				return 0, err
			}
		}
		return time.Since(began), nil
	}
	var taken atomic.Int64
	var failed atomic.Pointer[error]
	var wg sync.WaitGroup
	began := time.Now()
	for range callers {
		wg.Go(func() {
			for failed.Load() == nil {
				i := int(taken.Add(1)) - 1
				if i >= n {
					return
				}
				if err := x.Op(ctx, from+i); err != nil {
					failed.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	wg.Wait()
	took := time.Since(began)
	if err := failed.Load(); err != nil {
		return 0, *err
	}
	return took, nil
}

// allocs counts what one operation allocates, by one caller, with what happens on other
// goroutines for it.
func (x *runner) allocs(ctx context.Context) (float64, error) {
	const n = 200
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := x.burst(ctx, n, 1); err != nil {
		return 0, err
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / n, nil
}
