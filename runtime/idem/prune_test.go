package idem_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// crowded is a store with so many expired entries that pruning takes several rounds.
type crowded struct {
	idem.RecordStore
	left  atomic.Int64
	calls atomic.Int64
	err   error
	hang  bool
}

func (c *crowded) Prune(ctx context.Context, limit int) (int, error) {
	c.calls.Add(1)
	if c.hang {
		<-ctx.Done()
		return 0, ctx.Err()
	}
	n := min(int64(limit), c.left.Load())
	c.left.Add(-n)
	return int(n), c.err
}

// TestLaw_C13_EnginesPrune: the calls of an engine have its stores pruned, once per
// interval, a bounded number, and never wait for it.
func TestLaw_C13_EnginesPrune(t *testing.T) {
	op := idem.Op{Name: "op", Orphan: idem.OrphanRerun}
	call := func(e *idem.Engine, store idem.RecordStore, key string) error {
		_, err := idem.Once(context.Background(), store, e.Call(context.Background(), &op, idem.String(key)),
			func(context.Context) (int, error) { return 1, nil })
		return err
	}
	t.Run("bounded", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			seen := &log{}
			store := &crowded{RecordStore: memstore.New()}
			store.left.Store(12_345)
			e := idem.New(idem.GlobalScope, idem.WithObserver(seen))
			for i := range 5 { // the first round is not at the start
				equal(t, "err", call(e, store, string(rune('a'+i))), nil)
			}
			synctest.Wait()
			equal(t, "early rounds", store.calls.Load(), 0)
			for round, want := range []struct{ left, calls int64 }{{2_345, 10}, {0, 13}, {0, 14}} {
				time.Sleep(2 * idem.DefaultPruneEvery)
				for i := range 5 {
					equal(t, "err", call(e, store, string(rune('A'+round))+string(rune('a'+i))), nil)
				}
				synctest.Wait()
				equal(t, "left", store.left.Load(), want.left)
				equal(t, "statements", store.calls.Load(), want.calls)
			}
			equal(t, "events", seen.count(idem.EventPruned), 2)
			equal(t, "told", seen.events[len(seen.events)-1].Kind, idem.EventExecuted)
		})
	})
	t.Run("duplicates prune nothing", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := &crowded{RecordStore: memstore.New()}
			e := idem.New(idem.GlobalScope)
			for range 3 {
				equal(t, "err", call(e, store, "k"), nil)
				time.Sleep(2 * idem.DefaultPruneEvery)
			}
			synctest.Wait()
			equal(t, "statements", store.calls.Load(), 0)
		})
	})
	t.Run("a store that fails or hangs", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			seen := &log{}
			store := &crowded{RecordStore: memstore.New(), err: errors.New("down")}
			e := idem.New(idem.GlobalScope, idem.WithObserver(seen), idem.WithPruning(time.Second))
			equal(t, "err", call(e, store, "a"), nil)
			time.Sleep(2 * time.Second)
			equal(t, "err", call(e, store, "b"), nil)
			synctest.Wait()
			equal(t, "statements", store.calls.Load(), 1)
			equal(t, "told", seen.count(idem.EventPruned), 1)
			store.hang = true
			time.Sleep(2 * time.Second)
			began := time.Now()
			equal(t, "err", call(e, store, "c"), nil)
			equal(t, "waited", time.Since(began), 0)
			time.Sleep(time.Minute)
			synctest.Wait()
			equal(t, "told", seen.count(idem.EventPruned), 2)
		})
	})
	t.Run("switched off", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := &crowded{RecordStore: memstore.New()}
			e := idem.New(idem.GlobalScope, idem.WithPruning(0))
			for i := range 3 {
				equal(t, "err", call(e, store, string(rune('a'+i))), nil)
				time.Sleep(time.Hour)
			}
			synctest.Wait()
			equal(t, "statements", store.calls.Load(), 0)
		})
	})
}
