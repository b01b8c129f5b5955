package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/idemgen/idemgen/examples/stock/service"
)

// row is one way to release sales.
type row struct {
	name    string
	release func(ctx context.Context, s *service.IdempotentService, saleID string) error
	forget  bool // the locks are forgotten while their holders work
	doubles bool // is expected to release twice: it has no guard against what happens
}

// rows are all of them: each layer with the other, alone, and forgotten.
func rows() []row {
	var fences atomic.Int64 // of callers without a lock
	both := func(ctx context.Context, s *service.IdempotentService, id string) error {
		_, err := s.Release(ctx, id)
		return err
	}
	guard := func(ctx context.Context, s *service.IdempotentService, id string) error {
		_, err := s.ReleaseGuarded(ctx, id, fences.Add(1))
		return err
	}
	lock := func(ctx context.Context, s *service.IdempotentService, id string) error {
		_, err := s.ReleaseLocked(ctx, id)
		return err
	}
	bare := func(ctx context.Context, s *service.IdempotentService, id string) error {
		_, err := s.ReleaseBare(ctx, id)
		return err
	}
	return []row{
		{name: "lock and guard", release: both},
		{name: "lock and guard, forgotten", release: both, forget: true},
		{name: "guard alone", release: guard},
		{name: "lock alone", release: lock},
		{name: "lock alone, forgotten", release: lock, forget: true, doubles: true},
		{name: "neither", release: bare, doubles: true},
	}
}

// counts are what a row came to.
type counts struct{ counted, released int64 }

// judge tells whether a row came to what it must, and says so.
func (r row) judge(got counts, sales int64) (word string, ok bool) {
	switch {
	case r.doubles && got.released > sales:
		return "doubles, as it must", true
	case r.doubles:
		return "NO DOUBLES: the storm does not bite", false
	case got.released == sales:
		return "one each", true
	}
	return "DOUBLES", false
}

// row runs one row on empty tables.
func (w *world) row(ctx context.Context, r row) (counts, error) {
	if err := w.empty(ctx); err != nil {
		return counts{}, err
	}
	before := w.plain.Runs()
	var wg sync.WaitGroup
	failed := make(chan error, w.o.sales*w.o.callers+1)
	for sale := range w.o.sales {
		id := fmt.Sprintf("sale-%d", sale)
		if err := w.sales.Announce(ctx, w.db, id, int64(100+sale)); err != nil {
			return counts{}, err
		}
		for range w.o.callers {
			wg.Go(func() {
				for {
					err := r.release(ctx, w.service, id)
					if err == nil || !again(err) {
						if err != nil {
							failed <- fmt.Errorf("%s: %w", id, err)
						}
						return
					}
					select { // a scheduler comes again
					case <-time.After(5 * time.Millisecond):
					case <-ctx.Done():
						return
					}
				}
			})
		}
	}
	over := make(chan struct{})
	var forgetting sync.WaitGroup
	if r.forget {
		forgetting.Go(func() {
			for {
				select {
				case <-over:
					return
				case <-time.After(w.o.count / 3):
				}
				if err := w.forget(ctx); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	wg.Wait()
	close(over)
	forgetting.Wait()
	close(failed)
	for err := range failed {
		return counts{}, err
	}
	released, _, err := w.sales.Stock(ctx, w.db)
	return counts{counted: w.plain.Runs() - before, released: released}, err
}
