// Package linear has clients work on one key of a store at once and checks whether
// what they were answered is what a store would answer that does one thing after the
// other, in some order that fits the times (linearizability).
//
// The sequential store is the same model that the histories of package difftest are
// compared with. The check itself is porcupine's.
package linear

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/idemgen/idemgen/internal/difftest"
)

// Report tells what a run found.
type Report struct {
	Kind, Store      string
	Seed             uint64
	Histories, Steps int
	Overlaps         int      // steps that were under way while another client's was
	Undecided        int      // the check took too long
	Failed           int      // not linearizable
	First            []string // the first of them, in the order in which the steps began
	Took             time.Duration
	failedNumber     int
}

// String is the report in one line, and the first failure below it.
func (r *Report) String() string {
	text := fmt.Sprintf("%s on %s: %d concurrent histories, %d steps, %d of them while another was under way; %d undecided, %d not linearizable; seed %d, %v",
		r.Kind, r.Store, r.Histories, r.Steps, r.Overlaps, r.Undecided, r.Failed, r.Seed, r.Took.Round(time.Millisecond))
	if r.Failed > 0 {
		text += fmt.Sprintf("\nhistory %d:\n  %s", r.failedNumber, strings.Join(r.First, "\n  "))
	}
	return text
}

// patience bounds the check of one history.
const patience = 20 * time.Second

// played is one step as a client saw it.
type played[Step any] struct {
	client         int
	step           Step
	answer         difftest.Answer
	begun, settled time.Duration
}

// Run plays count concurrent histories on a store, atOnce of them side by side.
func Run[Store, Step any, State comparable](ctx context.Context, k *difftest.Kind[Store, Step, State], store difftest.Named[Store], seed uint64, count, atOnce int) *Report {
	began := time.Now()
	r := &Report{Kind: k.Name, Store: store.Name, Seed: seed, Histories: count}
	model := modelOf(k)
	var mu sync.Mutex
	var wg sync.WaitGroup
	places := make(chan struct{}, atOnce)
	for i := range count {
		places <- struct{}{}
		wg.Go(func() {
			history := play(ctx, k, store.Store, rand.New(rand.NewPCG(seed, uint64(i))), places)
			result := porcupine.CheckOperationsTimeout(model, operations(history), patience)
			mu.Lock()
			defer mu.Unlock()
			r.Steps += len(history)
			r.Overlaps += overlaps(history)
			switch result {
			case porcupine.Unknown:
				r.Undecided++
			case porcupine.Illegal:
				if r.Failed++; r.Failed == 1 {
					r.First, r.failedNumber = lines(history), i
				}
			}
		})
	}
	wg.Wait()
	r.Took = time.Since(began)
	return r
}

// play plays what comes before, one after the other, and then every client's steps,
// all clients at once. A pause gives its place to another history.
func play[Store, Step any, State comparable](ctx context.Context, k *difftest.Kind[Store, Step, State], store Store, r *rand.Rand, places chan struct{}) []played[Step] {
	before, clients := k.Race(r)
	player := k.Open(store)
	start := time.Now()
	do := func(client int, s Step) played[Step] {
		p := played[Step]{client: client, step: s, begun: time.Since(start)}
		p.answer = player.Play(ctx, s)
		p.settled = time.Since(start)
		return p
	}
	var history []played[Step]
	for _, s := range before {
		if pause, _ := k.Traits(s); pause {
			<-places
			p := played[Step]{client: len(clients), step: s, begun: time.Since(start)}
			time.Sleep(difftest.Rest)
			p.settled = time.Since(start)
			history = append(history, p)
			places <- struct{}{}
			continue
		}
		history = append(history, do(len(clients), s))
	}
	defer func() { <-places }()
	each := make([][]played[Step], len(clients))
	var wg sync.WaitGroup
	ready := make(chan struct{})
	for c, steps := range clients {
		wg.Go(func() {
			<-ready
			for _, s := range steps {
				each[c] = append(each[c], do(c, s))
			}
		})
	}
	close(ready)
	wg.Wait()
	return append(history, slices.Concat(each...)...)
}

// modelOf is the kind's model as porcupine takes it.
func modelOf[Store, Step any, State comparable](k *difftest.Kind[Store, Step, State]) porcupine.Model {
	m := porcupine.NondeterministicModel{
		Init: func() []any { return []any{k.Start} },
		Step: func(state, input, output any) []any {
			var next []any
			answer := output.(difftest.Answer)
			for _, b := range k.Next(state.(State), input.(Step)) {
				if b.Admits(answer) {
					next = append(next, b.Then(answer.Fence))
				}
			}
			return next
		},
	}
	return m.ToModel()
}

func operations[Step any](history []played[Step]) []porcupine.Operation {
	out := make([]porcupine.Operation, len(history))
	for i, p := range history {
		out[i] = porcupine.Operation{ClientId: p.client, Input: p.step, Call: int64(p.begun), Output: p.answer, Return: int64(p.settled)}
	}
	return out
}

// overlaps counts the steps that were under way while another client's was.
func overlaps[Step any](history []played[Step]) int {
	n := 0
	for _, p := range history {
		if slices.ContainsFunc(history, func(q played[Step]) bool {
			return q.client != p.client && q.begun < p.settled && p.begun < q.settled
		}) {
			n++
		}
	}
	return n
}

func lines[Step any](history []played[Step]) []string {
	slices.SortFunc(history, func(a, b played[Step]) int { return cmp.Compare(a.begun, b.begun) })
	out := make([]string, len(history))
	for i, p := range history {
		out[i] = fmt.Sprintf("%9v–%-9v client %d: %v → %v", p.begun.Round(time.Microsecond), p.settled.Round(time.Microsecond), p.client, p.step, p.answer)
	}
	return out
}
