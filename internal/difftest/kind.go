package difftest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// Times of a history.
const (
	// Short passes in a pause.
	Short = 150 * time.Millisecond
	// Long never passes.
	Long = time.Hour
	// Slack is what a store may tell to be left of a time over the time itself: SQLite
	// reads the clock before it waits for its file.
	Slack = 30 * time.Second
	// margin is what clocks and their rounding may differ by.
	margin = 10 * time.Millisecond
	// Rest is a pause: a lease of Short and a retention of Short after it have passed.
	Rest = 2*Short + 2*margin
)

// Kind is one kind of store: its steps, its model, and how steps are played.
type Kind[Store, Step any, State comparable] struct {
	Name string
	// Make makes a history.
	Make func(r *rand.Rand) []Step
	// Race makes a concurrent history: what comes before, and what each client does.
	// Nothing in it is Short but what comes before a pause, and the owner in a client's
	// steps is its number.
	Race func(r *rand.Rand) (before []Step, clients [][]Step)
	// Simpler proposes simpler steps in place of one, for shrinking.
	Simpler func(s Step) []Step
	// Traits tells whether a step is a pause, and whether it begins something Short.
	Traits func(s Step) (pause, short bool)
	// Start is the state of the model before the first step.
	Start State
	// Next is the model: all that may happen in a step. It is not asked for the answer
	// to a pause, and has one branch then.
	Next func(s State, step Step) []Branch[State]
	// Open begins a play on keys of its own.
	Open func(store Store) Player[Step]
}

// Player plays the steps of one history on one store.
type Player[Step any] interface {
	Play(ctx context.Context, s Step) Answer
}

// Named is a store of the table of stores.
type Named[Store any] struct {
	Name  string
	Store Store
	// AtOnce is how many plays are awake at a time; 0 = a few. A store with one writer
	// is faster with one.
	AtOnce int
}

// history makes history number i of a seed.
func (k *Kind[Store, Step, State]) history(seed uint64, i int) []Step {
	return k.Make(rand.New(rand.NewPCG(seed, uint64(i))))
}

// Fault is an answer that the model doesn't allow, or that differs between stores.
type Fault struct {
	Store string
	Step  int      // index in the history
	Got   string   // the answer
	Want  []string // what the model allows, or what the other store answered
}

func (f *Fault) String() string {
	return fmt.Sprintf("%s, step %d: got %q, want one of %q", f.Store, f.Step+1, f.Got, f.Want)
}

// play is what came of a history on one store.
type play struct {
	answers []Answer
	free    []bool // the model allows several answers
	fault   *Fault
	missed  bool // a short time may have passed too early: says nothing
}

// awake bounds how many plays of a store are at work at a time; those that pause
// don't count. It keeps the time between two steps of a play short.
type awake chan struct{}

func (a awake) enter() { a <- struct{}{} }
func (a awake) leave() { <-a }

// play plays a history to its end, to the first fault, or to a missed margin.
func (k *Kind[Store, Step, State]) play(ctx context.Context, store Named[Store], history []Step, a awake) (p play) {
	a.enter()
	defer a.leave()
	player := k.Open(store.Store)
	states := []State{k.Start}
	var since time.Time // the first thing Short began, zero when none did
	for i, s := range history {
		pause, short := k.Traits(s)
		if pause {
			a.leave()
			time.Sleep(Rest)
			a.enter()
			since = time.Time{}
			states, _, _ = k.judge(states, s, nil)
			p.answers, p.free = append(p.answers, Answer{}), append(p.free, false)
			continue
		}
		if short && since.IsZero() {
			since = time.Now()
		}
		answer := player.Play(ctx, s)
		if !since.IsZero() && time.Since(since) > Short-margin {
			p.missed = true
			return p
		}
		next, want, free := k.judge(states, s, &answer)
		p.answers, p.free = append(p.answers, answer), append(p.free, free)
		if len(next) == 0 {
			p.fault = &Fault{Store: store.Name, Step: i, Got: answer.String(), Want: want}
			return p
		}
		states = next
	}
	return p
}

// judge follows every branch of every possible state that admits the answer; nil
// admits all. free tells that the answers of the branches differ.
func (k *Kind[Store, Step, State]) judge(states []State, s Step, answer *Answer) (next []State, want []string, free bool) {
	seen := map[State]bool{}
	told := map[string]bool{}
	for _, state := range states {
		for _, b := range k.Next(state, s) {
			told[b.Told] = true
			want = append(want, b.String())
			var fence int64
			if answer != nil {
				if !b.Admits(*answer) {
					continue
				}
				fence = answer.Fence
			}
			if to := b.Then(fence); !seen[to] {
				seen[to] = true
				next = append(next, to)
			}
		}
	}
	return next, want, len(told) > 1
}
