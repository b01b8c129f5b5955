package idemtest

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Victim is a guarded call that Crashes kills.
type Victim[R any] struct {
	// Call makes the call, for the same intention each time.
	Call func(ctx context.Context) (R, error)
	// Check looks at the effects when a process has died in step and the next one has
	// its answer; step is "" where nobody died. Nil checks nothing more than Crashes.
	Check func(t *testing.T, step string, got R, err error)
	// Within bounds how long the next process tries, so it must outlast leases and
	// lock times; 0 = 30 s.
	Within time.Duration
}

// Crashes kills a call at every step of its layers, one after the other, each time in
// a new world that open makes, and calls again as the next process would, until it is
// not told any more that the first call is under way. What open builds the call from
// must have gone through Records, Tx, Tokens or Locks with the process: these are the
// steps. A kill is as sudden as a process's: what the dead would still have done to
// its stores (settling, releasing, renewing) does not take place, and an open
// transaction rolls back.
//
// It fails t when the call without a kill fails, and when a call that was answered is
// not answered the same when it comes again. Use short leases: the next process waits
// for them. Effects outside the stores, and what an error means, are for Check.
func Crashes[R any](t *testing.T, open func(t *testing.T, p *Process) Victim[R]) {
	t.Helper()
	p := &Process{}
	v := open(t, p)
	got, err := v.Call(t.Context())
	if err != nil {
		t.Fatalf("the call fails without a kill: %v", err)
	}
	steps := p.steps
	if len(steps) == 0 {
		t.Fatal("no step was seen: build the call from Records, Tx, Tokens or Locks of the process")
	}
	v.answered(t, "", got, err)
	for i, step := range steps {
		t.Run(fmt.Sprintf("%02d %s", i+1, step), func(t *testing.T) {
			p := &Process{dieAt: i + 1}
			v := open(t, p)
			gone := make(chan struct{})
			go func() {
				defer close(gone)
				_, _ = v.Call(t.Context()) // it does not return
			}()
			<-gone
			if !p.buried() {
				t.Fatalf("the call took other steps this time: %q, not %q", p.steps, steps)
			}
			got, err := v.next(t)
			v.answered(t, step, got, err)
		})
	}
}

// next is what the next process gets.
func (v *Victim[R]) next(t *testing.T) (R, error) {
	t.Helper()
	within := v.Within
	if within == 0 {
		within = 30 * time.Second
	}
	for until := time.Now().Add(within); ; time.Sleep(10 * time.Millisecond) {
		got, err := v.Call(t.Context())
		if err == nil || !underWay(err) {
			return got, err
		}
		if time.Now().After(until) {
			t.Fatalf("still under way after %v: %v", within, err)
		}
	}
}

// answered checks what a process got, and what a duplicate of it gets.
func (v *Victim[R]) answered(t *testing.T, step string, got R, err error) {
	t.Helper()
	if err == nil {
		again, err := v.Call(t.Context())
		if err != nil {
			t.Errorf("the duplicate: %v", err)
		} else if !reflect.DeepEqual(again, got) {
			t.Errorf("the duplicate got %+v, not %+v", again, got)
		}
	}
	if v.Check != nil {
		v.Check(t, step, got, err)
	}
}

// Process is a process that Crashes kills in one of the steps of its stores; the zero
// value is one that nobody kills. It is safe for concurrent use.
type Process struct {
	mu    sync.Mutex
	dieAt int      // number of the step that it does not survive, from 1; 0 = none
	steps []string // that it has come to
	dead  bool
	now   map[idem.Owner]bool // owners of this process
	gone  map[idem.Owner]bool // owners of the one that died
}

// errDead is what a dead process's operations get: nobody sees it.
var errDead = fmt.Errorf("%w: the process is dead", idem.ErrStoreUnavailable)

// alive tells whether an owner's operation may take place.
func (p *Process) alive(o idem.Owner) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead || p.gone[o] {
		return errDead
	}
	if o == (idem.Owner{}) { // of a transaction without a record
		return nil
	}
	if p.now == nil {
		p.now = map[idem.Owner]bool{}
	}
	p.now[o] = true
	return nil
}

// step is a moment at which the process may die.
func (p *Process) step(o idem.Owner, name string) {
	p.mu.Lock()
	if p.dead || p.gone[o] {
		p.mu.Unlock()
		return
	}
	p.steps = append(p.steps, name)
	die := len(p.steps) == p.dieAt
	if die {
		p.dead = true
		p.gone = maps.Clone(p.now)
	}
	p.mu.Unlock()
	if die {
		runtime.Goexit()
	}
}

// buried makes room for the next process; false when this one has not died.
func (p *Process) buried() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	died := p.dead
	p.dead, p.dieAt = false, 0
	return died
}

// around runs one operation between two steps.
func around[R any](p *Process, o idem.Owner, name string, do func() (R, error)) (R, error) {
	if err := p.alive(o); err != nil {
		var zero R
		return zero, err
	}
	p.step(o, "before "+name)
	got, err := do()
	p.step(o, "after "+name)
	return got, err
}

// settled is around for an operation that answers with an error alone.
func settled(p *Process, o idem.Owner, name string, do func() error) error {
	_, err := around(p, o, name, func() (struct{}, error) { return struct{}{}, do() })
	return err
}
