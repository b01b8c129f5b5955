package races

import (
	"context"
	"fmt"
	"sync/atomic"
)

// most is how many of a race's operations are looked at one by one afterwards.
const most = 50

// spread calls with at most so many of the numbers below n, from the first to the last.
func spread(n int, do func(i int) error) error {
	for j := range min(n, most) {
		if err := do(j * n / min(n, most)); err != nil {
			return err
		}
	}
	return nil
}

// counted fails unless a counter stands at what is wanted.
func counted(what string, got *atomic.Int64, want int) error {
	if n := got.Load(); n != int64(want) {
		return fmt.Errorf("%d %s, not %d", n, what, want)
	}
	return nil
}

// allCounted proves one of a kind for each operation.
func allCounted(what string, got *atomic.Int64) func(context.Context, int) error {
	return func(_ context.Context, ops int) error { return counted(what, got, ops) }
}

// wrong is the error that a call had, or else what is wrong with its answer.
func wrong(err error, format string, args ...any) error {
	if err != nil {
		return err
	}
	return fmt.Errorf(format, args...)
}
