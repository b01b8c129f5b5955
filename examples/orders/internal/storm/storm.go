// Package storm attacks the order service: it sends every call many times over, from many sides at once, kills the processes that serve them at named points, and then counts what happened.
//
// The flow of [Run]: a [fleet] of server processes over one SQLite file and a bank of its own is started; a plan says what each order shall go through and who dies where; a driver sends the calls of many orders at once and
// keeps a tally of the answers; an audit reads the effects from the database and from the bank; the [Report] compares them with what was intended.
package storm

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/idemgen/idemgen/examples/orders/internal/bank"
)

// Config says how hard the storm blows. All counts must be positive.
type Config struct {
	Binary     string        // the orders program: the server and bank processes run it
	Unguarded  bool          // storm the service without its wrappers
	Orders     int           // orders that go through their whole life; every second one is refunded
	Duplicates int           // calls sent for each intention, at once
	Kills      int           // processes to kill per operation and point
	Servers    int           // server processes over one database
	Workers    int           // orders in flight at once
	Limit      time.Duration // the storm ends, in failure, after this long
	Progress   io.Writer     // where progress is told; required
	Stderr     io.Writer     // where the processes' own complaints go; required
}

// Run blows the storm once and returns its report. Its error tells that the storm could not be held, or was cut short; what the storm found is in the report alone.
// All processes and files it made are gone when it returns.
func Run(ctx context.Context, cfg Config) (report *Report, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, cfg.Limit, fmt.Errorf("storm: not over after %v", cfg.Limit))
	defer cancel()
	dir, err := os.MkdirTemp("", "orders-storm-")
	if err != nil {
		return nil, fmt.Errorf("storm: %w", err)
	}
	defer func() {
		if rerr := os.RemoveAll(dir); err == nil && rerr != nil {
			err = fmt.Errorf("storm: %w", rerr)
		}
	}()

	began := time.Now()
	plan := newPlan(cfg)
	ledger, err := openBooks(ctx, filepath.Join(dir, "orders.db"), plan)
	if err != nil {
		return nil, err
	}
	defer ledger.close()
	fleet, err := launch(cfg, dir)
	if err != nil {
		return nil, err
	}
	defer fleet.stop()

	d := newDriver(cfg, plan, fleet)
	stop := d.showProgress()
	err = d.drive(ctx)
	stop()
	if err != nil {
		return nil, err
	}
	told, err := bank.NewClient(fleet.bank.url, nil).Report(ctx)
	if err != nil {
		return nil, fmt.Errorf("storm: ask the bank: %w", err)
	}
	found, err := ledger.audit(ctx, told)
	if err != nil {
		return nil, err
	}
	return newReport(cfg, plan, d.tally, found, time.Since(began)), nil
}

// each runs fn for every item, n at a time. The first error ends the context of all others, and is returned when they are back.
func each[T any](ctx context.Context, n int, items []T, fn func(context.Context, T) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	slots := make(chan struct{}, n)
	var wg sync.WaitGroup
	for _, item := range items {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		wg.Go(func() {
			defer func() { <-slots }()
			if err := fn(ctx, item); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}
