package races

import (
	"context"
	"errors"
	"fmt"

	"github.com/idemgen/idemgen/internal/bench/races/guarded"
	"github.com/idemgen/idemgen/internal/bench/run"
	"github.com/looplab/fsm"
	"github.com/qmuntal/stateless"
)

// yes counts the checks of one operation that say yes.
const yes = Transitions / len(checks) * (len(checks) - 1)

// may asks a function of state and event.
func may(ask func(s guarded.Status, e guarded.StatusEvent) bool) func(context.Context) (run.Running, error) {
	return func(context.Context) (run.Running, error) {
		said := 0 // one caller
		return run.Running{
			Op: func(context.Context, int) error {
				for range Transitions / len(checks) {
					for i := range checks {
						s := &checks[i]
						ok := ask(s.from, s.event)
						if ok != (s.to != 0) {
							return fmt.Errorf("%v in %v is allowed: %t", s.event, s.from, ok)
						}
						if ok {
							said++
						}
					}
				}
				return nil
			},
			Verify: saidYes(&said)}, nil
	}
}

func saidYes(said *int) func(context.Context, int) error {
	return func(_ context.Context, ops int) error {
		if *said != ops*yes {
			return fmt.Errorf("%d of %d checks said yes, not %d", *said, ops*Transitions, ops*yes)
		}
		return nil
	}
}

// mayBy asks a machine of a library for each check, which stands in the check's state.
func mayBy(machine func(s step) func() (bool, error)) func(context.Context) (run.Running, error) {
	return func(context.Context) (run.Running, error) {
		var asks [len(checks)]func() (bool, error)
		for i, s := range checks {
			asks[i] = machine(s)
		}
		said := 0
		return run.Running{
			Op: func(context.Context, int) error {
				for range Transitions / len(checks) {
					for i := range checks {
						ok, err := asks[i]()
						if err != nil || ok != (checks[i].to != 0) {
							return wrong(err, "%v in %v is allowed: %t", checks[i].event, checks[i].from, ok)
						}
						if ok {
							said++
						}
					}
				}
				return nil
			},
			Verify: saidYes(&said)}, nil
	}
}

// arrived fails unless each operation has walked its walks to the end.
func arrived(walks *int) func(context.Context, int) error {
	return func(_ context.Context, ops int) error {
		if want := ops * (Transitions / len(walk)); *walks != want {
			return fmt.Errorf("%d walks came to their end, not %d", *walks, want)
		}
		return nil
	}
}

// move applies a function of state and event to a state.
func move(next func(s guarded.Status, e guarded.StatusEvent) (guarded.Status, bool)) func(context.Context) (run.Running, error) {
	return func(context.Context) (run.Running, error) {
		walks := 0
		return run.Running{
			Op: func(context.Context, int) error {
				for range Transitions / len(walk) {
					state := guarded.Created
					for i := range walk {
						to, ok := next(state, walk[i].event)
						if !ok {
							return fmt.Errorf("%v in %v leads nowhere", walk[i].event, state)
						}
						state = to
					}
					if state == guarded.Done {
						walks++
					}
				}
				return nil
			},
			Verify: arrived(&walks)}, nil
	}
}

// moves has a library's machine walk.
func moves(fire func(ctx context.Context, s step) error, done func() bool, back func()) run.Running {
	walks := 0
	return run.Running{
		Op: func(ctx context.Context, _ int) error {
			for range Transitions / len(walk) {
				for i := range walk {
					if err := fire(ctx, walk[i]); err != nil {
						return err
					}
				}
				if done() {
					walks++
				}
				back()
			}
			return nil
		},
		Verify: arrived(&walks)}
}

// nameOf is the name that looplab/fsm has for a state.
func nameOf(s guarded.Status) string { return fmt.Sprintf("state %d", int(s)) }

func looplab(initial guarded.Status) *fsm.FSM {
	var events fsm.Events
	for _, s := range edges {
		events = append(events, fsm.EventDesc{Name: s.name(), Src: []string{nameOf(s.from)}, Dst: nameOf(s.to)})
	}
	return fsm.NewFSM(nameOf(initial), events, nil)
}

// qmuntal is a machine whose state the caller keeps.
func qmuntal(state *guarded.Status) *stateless.StateMachine {
	m := stateless.NewStateMachineWithExternalStorage(
		func(context.Context) (stateless.State, error) { return *state, nil },
		func(_ context.Context, s stateless.State) error {
			to, ok := s.(guarded.Status)
			if !ok {
				return errors.New("no state")
			}
			*state = to
			return nil
		}, stateless.FiringImmediate)
	for _, s := range edges {
		m.Configure(s.from).Permit(s.name(), s.to)
	}
	return m
}
