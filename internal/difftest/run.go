package difftest

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Plan says what a run plays.
type Plan struct {
	Seed  uint64
	First int // number of the first history
	Count int // how many
}

// Report tells what a run played and found.
type Report struct {
	Kind     string
	Plan     Plan
	Steps    int // of all histories, played on each store
	Pauses   int // of them
	Free     int // answers that the model leaves open
	ByStore  []StoreReport
	Unplayed int // plays that missed it every time: not compared
	Failure  *Failure
	Took     time.Duration
}

// StoreReport is what a report tells of one store.
type StoreReport struct {
	Name   string
	Missed int
	Took   time.Duration
}

// Failure is the first history, by its number, that failed.
type Failure struct {
	History int // its number
	Fault   *Fault
	Steps   []string // the history, cut down
}

// tries is how often a play is begun again that missed a margin.
const tries = 25

// atOnce is how many plays of a store are awake at a time where the store doesn't say,
// and asleep how many more may be at rest.
const (
	atOnce = 3
	asleep = 200
)

// Run plays Plan.Count histories on every store, compares, and cuts down the first
// history that failed.
func (k *Kind[Store, Step, State]) Run(ctx context.Context, plan Plan, stores []Named[Store]) *Report {
	began := time.Now()
	r := &Report{Kind: k.Name, Plan: plan}
	histories := make([][]Step, plan.Count)
	for i := range histories {
		histories[i] = k.history(plan.Seed, plan.First+i)
		r.Steps += len(histories[i])
		for _, s := range histories[i] {
			if pause, _ := k.Traits(s); pause {
				r.Pauses++
			}
		}
	}
	plays := make([][]play, len(stores)) // by store and history
	r.ByStore = make([]StoreReport, len(stores))
	var wg sync.WaitGroup
	for n, store := range stores {
		plays[n] = make([]play, plan.Count)
		wg.Go(func() {
			missed := k.all(ctx, store, histories, plays[n])
			r.ByStore[n] = StoreReport{store.Name, missed, time.Since(began)}
		})
	}
	wg.Wait()
	for i := range histories {
		if k.compare(ctx, r, stores, plays, i, histories[i]) {
			break
		}
	}
	r.Took = time.Since(began)
	return r
}

// all plays every history on one store and counts the plays that were thrown away.
func (k *Kind[Store, Step, State]) all(ctx context.Context, store Named[Store], histories [][]Step, into []play) int {
	a := make(awake, cmp.Or(store.AtOnce, atOnce))
	places := make(chan struct{}, atOnce+asleep)
	var missed atomic.Int64
	var wg sync.WaitGroup
	for i, h := range histories {
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			into[i] = k.again(ctx, store, h, a, &missed)
		})
	}
	wg.Wait()
	return int(missed.Load())
}

// again plays until no margin is missed.
func (k *Kind[Store, Step, State]) again(ctx context.Context, store Named[Store], h []Step, a awake, missed *atomic.Int64) (p play) {
	for range tries {
		if p = k.play(ctx, store, h, a); !p.missed {
			return p
		}
		missed.Add(1)
	}
	return p
}

// compare looks at the plays of one history and tells whether it failed.
func (k *Kind[Store, Step, State]) compare(ctx context.Context, r *Report, stores []Named[Store], plays [][]play, i int, h []Step) bool {
	first := -1 // a store that played it
	for n := range stores {
		p := &plays[n][i]
		if p.missed {
			r.Unplayed++
			continue
		}
		for _, free := range p.free {
			if free {
				r.Free++
			}
		}
		fault := p.fault
		among := stores[n : n+1]
		if fault == nil && first >= 0 {
			fault = differ(&plays[first][i], p, stores[first].Name, stores[n].Name)
			among = []Named[Store]{stores[first], stores[n]}
		}
		if fault != nil {
			steps, fault := k.shrink(ctx, among, h, fault)
			r.Failure = &Failure{History: r.Plan.First + i, Fault: fault, Steps: words(steps)}
			return true
		}
		if first < 0 {
			first = n
		}
	}
	return false
}

// differ compares two plays, up to where the model leaves an answer open and they
// took different branches.
func differ(a, b *play, nameA, nameB string) *Fault {
	for i := range a.answers {
		if a.answers[i].Told == b.answers[i].Told {
			continue
		}
		if a.free[i] || b.free[i] {
			return nil
		}
		return &Fault{Store: nameB, Step: i, Got: b.answers[i].String(), Want: []string{nameA + ": " + a.answers[i].String()}}
	}
	return nil
}

func words[Step any](steps []Step) []string {
	out := make([]string, len(steps))
	for i, s := range steps {
		out[i] = fmt.Sprint(s)
	}
	return out
}

// String is the report: a line, a line for each store, and the failure.
func (r *Report) String() string {
	text := fmt.Sprintf("%s: %d histories, each on %d stores, %d steps, %d of them pauses; %d answers left open, %d plays never played; seed %d, %v",
		r.Kind, r.Plan.Count, len(r.ByStore), r.Steps, r.Pauses, r.Free, r.Unplayed, r.Plan.Seed, r.Took.Round(time.Millisecond))
	for _, s := range r.ByStore {
		text += fmt.Sprintf("\n  %s: %v, %d plays thrown away for a missed margin", s.Name, s.Took.Round(time.Millisecond), s.Missed)
	}
	if f := r.Failure; f != nil {
		text += fmt.Sprintf("\nhistory %d of seed %d failed: %v\ncut down to %d steps:\n  %s",
			f.History, r.Plan.Seed, f.Fault, len(f.Steps), strings.Join(f.Steps, "\n  "))
	}
	return text
}
