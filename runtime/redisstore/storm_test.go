package redisstore_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
)

// storm lets callers call every key until each has its result, and counts effects.
type storm struct {
	store   idem.RecordStore
	effects []atomic.Int64
	done    atomic.Int64
}

const (
	stormKeys    = 60
	stormCallers = 8 // for each key
)

func newStorm(store idem.RecordStore) *storm {
	return &storm{store: store, effects: make([]atomic.Int64, stormKeys)}
}

// run returns when every caller has a result.
func (s *storm) run(t *testing.T) {
	engine := idem.New(idem.GlobalScope)
	var wg sync.WaitGroup
	for i := range stormKeys * stormCallers {
		id := i % stormKeys
		wg.Go(func() {
			defer s.done.Add(1)
			for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
				call := engine.Call(context.Background(), &op, idem.Int(id)).Match(idem.Int(id))
				got, err := idem.Once(context.Background(), s.store, call, func(context.Context) (string, error) {
					s.effects[id].Add(1)
					time.Sleep(5 * time.Millisecond)
					return fmt.Sprint("result ", id), nil
				})
				switch {
				case err == nil && got == fmt.Sprint("result ", id):
					return
				case errors.Is(err, idem.ErrInProgress), errors.Is(err, idem.ErrStoreUnavailable):
				default:
					t.Errorf("key %d: %q, %v", id, got, err)
					return
				}
			}
			t.Errorf("key %d has no result", id)
		})
		time.Sleep(time.Millisecond)
	}
	wg.Wait()
}

// once expects one effect for each key.
func (s *storm) once(t *testing.T) {
	for id := range s.effects {
		if n := s.effects[id].Load(); n != 1 {
			t.Errorf("key %d had %d effects", id, n)
		}
	}
}

// TestLaw_L5_ScriptsSurviveFlushInMidRun: the scripts vanish all the time.
func TestLaw_L5_ScriptsSurviveFlushInMidRun(t *testing.T) {
	s := servers.NewRedis(t)
	storm := newStorm(open(t, single(t, s.URL())))
	stop := make(chan struct{})
	var flusher sync.WaitGroup
	var flushes int
	flusher.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Millisecond):
			}
			if _, err := s.Do("SCRIPT", "FLUSH"); err != nil {
				t.Error(err)
				return
			}
			flushes++
		}
	})
	storm.run(t)
	close(stop)
	flusher.Wait()
	storm.once(t)
	if flushes < 10 {
		t.Errorf("only %d flushes", flushes)
	}
}

// TestLaw_C1_KillAndRestartInAStorm: the server is killed while calls are under way.
// It hands every write to the operating system before it acknowledges it.
func TestLaw_C1_KillAndRestartInAStorm(t *testing.T) {
	s := servers.NewRedis(t)
	storm := newStorm(open(t, single(t, s.URL())))
	var killer sync.WaitGroup
	killer.Go(func() {
		for range 3 {
			time.Sleep(100 * time.Millisecond)
			if err := s.Kill(); err != nil {
				t.Error(err)
			}
			time.Sleep(50 * time.Millisecond)
			if err := s.Restart(); err != nil {
				t.Error(err)
			}
			if storm.done.Load() == stormKeys*stormCallers {
				t.Error("the storm was over before the server was back")
			}
		}
	})
	storm.run(t)
	killer.Wait()
	storm.once(t)
}
