package races

import (
	"context"
	"fmt"

	"github.com/idemgen/idemgen/internal/bench/races/guarded"
	"github.com/idemgen/idemgen/internal/bench/run"
)

// Names that bars refer to.
const (
	// Transitions is how many checks, or moves, are one operation.
	Transitions     = 3000
	TransitionGroup = "Runtime: transitions"
	MayName         = "may the event leave the state?"
	MoveName        = "move: where the event leads"
	TableByHand     = "hand-written table"
)

// step is a check or a move: an event in a state, and where it leads, 0 = nowhere.
type step struct {
	from  guarded.Status
	event guarded.StatusEvent
	to    guarded.Status
}

// name is how the libraries that go by names know the event.
func (s step) name() string { return s.event.String() }

// walk leads from the initial state to the final one; then it begins again.
var walk = [...]step{
	{guarded.Created, guarded.StatusPay, guarded.Paid},
	{guarded.Paid, guarded.StatusShip, guarded.Shipped},
	{guarded.Shipped, guarded.StatusSign, guarded.Done},
}

// edges are all edges of the machine.
var edges = [...]step{walk[0], walk[1], walk[2],
	{guarded.Created, guarded.StatusCancel, guarded.Cancelled},
	{guarded.Paid, guarded.StatusCancel, guarded.Cancelled},
}

// checks are edges that there are, and one that there is not.
var checks = [...]step{walk[0], walk[1], walk[2], edges[4], {guarded.Done, guarded.StatusPay, 0}}

// May is the question whether an event is allowed, which changes nothing.
func May() run.Race {
	table := tableByHand()
	return run.Race{Group: TransitionGroup, Name: MayName, Unit: fmt.Sprintf("%d checks", Transitions),
		Contestants: []run.Contestant{
			{Name: TableByHand, Start: may(func(s guarded.Status, e guarded.StatusEvent) bool { return lookUp(&table, s, e) != 0 })},
			{Name: "hand-written switch", Start: may(func(s guarded.Status, e guarded.StatusEvent) bool { return switchByHand(s, e) != 0 })},
			{Name: Ours, Start: may(guarded.Status.Can)},
			{Name: "looplab/fsm, Can", Start: mayBy(func(s step) func() (bool, error) {
				m := looplab(s.from)
				return func() (bool, error) { return m.Can(s.name()), nil }
			})},
			{Name: "qmuntal/stateless, CanFire", Start: mayBy(func(s step) func() (bool, error) {
				state := s.from
				m := qmuntal(&state)
				return func() (bool, error) { return m.CanFire(s.name()) }
			})},
		}}
}

// Move is the event that is applied to a state in memory.
func Move() run.Race {
	table := tableByHand()
	return run.Race{Group: TransitionGroup, Name: MoveName, Unit: fmt.Sprintf("%d moves", Transitions),
		Note: "A state is moved from the initial to the final one and set back. The libraries call what is registered for states and events, of which there is nothing here; the others compute the next state alone.",
		Contestants: []run.Contestant{
			{Name: TableByHand, Start: move(func(s guarded.Status, e guarded.StatusEvent) (guarded.Status, bool) {
				to := lookUp(&table, s, e)
				return to, to != 0
			})},
			{Name: "hand-written switch", Start: move(func(s guarded.Status, e guarded.StatusEvent) (guarded.Status, bool) {
				to := switchByHand(s, e)
				return to, to != 0
			})},
			{Name: Ours, Start: move(guarded.Status.Next)},
			{Name: "looplab/fsm, Event", Start: func(context.Context) (run.Running, error) {
				m, first, last := looplab(guarded.Created), nameOf(guarded.Created), nameOf(guarded.Done)
				return moves(func(ctx context.Context, s step) error { return m.Event(ctx, s.name()) },
					func() bool { return m.Is(last) }, func() { m.SetState(first) }), nil
			}},
			{Name: "qmuntal/stateless, Fire", Start: func(context.Context) (run.Running, error) {
				state := guarded.Created
				m := qmuntal(&state)
				return moves(func(ctx context.Context, s step) error { return m.FireCtx(ctx, s.name()) },
					func() bool { return state == guarded.Done }, func() { state = guarded.Created }), nil
			}},
		}}
}

type byHandTable [6][8]guarded.Status

func tableByHand() (table byHandTable) {
	for _, s := range edges {
		table[s.from][s.event] = s.to
	}
	return table
}

func lookUp(table *byHandTable, s guarded.Status, e guarded.StatusEvent) guarded.Status {
	if s < 0 || int(s) >= len(table) || int(e) >= len(table[0]) {
		return 0
	}
	return table[s][e]
}

func switchByHand(s guarded.Status, e guarded.StatusEvent) guarded.Status {
	switch {
	case s == guarded.Created && e == guarded.StatusPay:
		return guarded.Paid
	case s == guarded.Paid && e == guarded.StatusShip:
		return guarded.Shipped
	case s == guarded.Shipped && e == guarded.StatusSign:
		return guarded.Done
	case (s == guarded.Created || s == guarded.Paid) && e == guarded.StatusCancel:
		return guarded.Cancelled
	}
	return 0
}
