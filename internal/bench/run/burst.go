package run

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// size finds how many operations make a sample.
func (x *runner) size(ctx context.Context, sample time.Duration, callers int) error {
	for n := callers; ; n *= 2 {
		if x.Most > 0 {
			n = min(n, x.Most)
		}
		took, err := x.burst(ctx, n, callers)
		if err != nil {
			return err
		}
		if err := x.between(ctx); err != nil {
			return err
		}
		if took > sample/4 || n > 1<<24 || n == x.Most {
			x.batch = max(callers, int(float64(n)*float64(sample)/float64(max(took, 1))))
			if x.Most > 0 {
				x.batch = min(x.batch, x.Most)
			}
			if x.batch > callers {
				x.batch -= x.batch % callers
			}
			return nil
		}
	}
}

func (x *runner) between(ctx context.Context) error {
	if x.Between == nil {
		return nil
	}
	return x.Between(ctx)
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
	const during = 50 * time.Millisecond
	n := max(20, min(200, int(float64(during)/Summarize(x.line.NsPerOp).Median)))
	if x.Most > 0 {
		n = min(n, x.Most)
	}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := x.burst(ctx, n, 1); err != nil {
		return 0, err
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / float64(n), x.between(ctx)
}
