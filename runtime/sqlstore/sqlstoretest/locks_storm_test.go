package sqlstoretest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Many callers in several processes take a lock, which checks, around a guarded
// transaction: the method runs once for each key, under its lock alone, and the
// looks at the records and the claims don't get into each other's way.
func TestLaw_L3_StormOfLockedCalls(t *testing.T) {
	on(t, oneOfEach, func(t *testing.T, d *database) {
		ctx := context.Background()
		const pools, callers, intentions = 4, 32, 60
		f := d.fixture(t)
		var processes []*service
		var lockers []idem.Locker
		for range pools {
			p := f.process()
			p.db.SetMaxOpenConns(4)
			processes = append(processes, newService(p, idem.Op{Wait: time.Minute}))
			lockers = append(lockers, p.locks())
		}
		var inside [intentions]atomic.Int64
		var wg sync.WaitGroup
		for range callers {
			wg.Go(func() {
				for _, i := range rand.Perm(intentions) {
					n := rand.N(pools)
					id := fmt.Sprint("intention ", i)
					for {
						r := idem.LockRequest{Key: processes[n].engine.Call(ctx, &processes[n].op, idem.String(id)).Key(), Owner: idem.NewOwner(), TTL: time.Minute, Check: true}
						got, err := lockers[n].Acquire(ctx, r)
						if err != nil {
							t.Errorf("acquire: %v", err)
							return
						}
						if got.Status == idem.LockNeedless {
							break
						}
						if got.Status == idem.LockBusy {
							time.Sleep(time.Millisecond)
							continue
						}
						if inside[i].Add(1) != 1 {
							t.Errorf("%s: two holders at a time", id)
						}
						if _, err := processes[n].Pay(ctx, id, int64(i)); err != nil {
							t.Errorf("%s: %v", id, err)
						}
						inside[i].Add(-1)
						if err := lockers[n].Release(ctx, idem.Hold{Key: r.Key, Owner: r.Owner, Fence: got.Fence}); err != nil {
							t.Errorf("release: %v", err)
						}
					}
				}
			})
		}
		wg.Wait()
		for i := range intentions {
			if n := f.effects(fmt.Sprint("intention ", i)); n != 1 {
				t.Errorf("intention %d: %d effects", i, n)
			}
		}
		var runs, retries int64
		for _, p := range processes {
			runs, retries = runs+p.runs.Load(), retries+p.retry.Load()
		}
		if runs < intentions || runs > intentions+retries {
			t.Errorf("%d runs with %d retries of %d intentions", runs, retries, intentions)
		}
		t.Logf("%d runs, %d retries", runs, retries)
	})
}
