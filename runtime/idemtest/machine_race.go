package idemtest

import (
	"errors"
	"sync/atomic"

	"github.com/idemgen/idemgen/runtime/idem"
)

// racers is how many callers fire one event at once.
const racers = 16

// raceOn fires the event from many goroutines on one row for each of its moves.
// One applies it, unless it may be applied again from where it leads to: then
// all may.
func (f *machineTest[S, K]) raceOn(e *Event[S, K]) {
	f.t.Helper()
	for _, m := range e.Moves {
		id := f.row(e, f.state(m.From))
		var applied, refused, conflicts atomic.Int64
		race(racers, func(int) {
			_, err := e.Fire(f.t.Context(), f.DB, id, m.To)
			switch {
			case err == nil:
				applied.Add(1)
			case errors.Is(err, idem.ErrTransition):
				refused.Add(1)
			default:
				conflicts.Add(1)
				f.t.Logf("%s from %v to %v: %v", e.Name, m.From, m.To, err)
			}
		})
		again := false
		for _, n := range e.Moves {
			again = again || n.From == m.To
		}
		switch n := applied.Load(); {
		case conflicts.Load() > 0:
			f.t.Errorf("%s from %v to %v: %d of %d callers got an error of the database", e.Name, m.From, m.To, conflicts.Load(), racers)
		case n == 0 && e.Unsure:
		case again && n > 0:
		case n != 1:
			f.t.Errorf("%s from %v to %v: applied %d times by %d callers, want once", e.Name, m.From, m.To, n, racers)
		case !f.is(id, m.To):
			f.t.Errorf("%s from %v to %v: applied, but the row is elsewhere", e.Name, m.From, m.To)
		}
	}
}

func (f *machineTest[S, K]) state(s S) State[S] {
	for _, x := range f.States {
		if x.State == s {
			return x
		}
	}
	f.t.Fatalf("%v is no state", s)
	return State[S]{}
}

// create makes a row twice.
func (f *machineTest[S, K]) create() {
	*f.keys++
	id := f.Key(*f.keys)
	if err := f.Create(f.t.Context(), f.DB, id); err != nil || !f.is(id, f.Initial) {
		f.t.Fatalf("create: %v, want a row in %v", err, f.Initial)
	}
	var refused *idem.TransitionError
	if err := f.Create(f.t.Context(), f.DB, id); !errors.As(err, &refused) || refused.Kind != idem.TransitionDuplicate || !f.is(id, f.Initial) {
		f.t.Errorf("create again: %v, want %v", err, idem.TransitionDuplicate)
	}
}
