package difftest

import (
	"context"
	"slices"
	"sync/atomic"
	"time"
)

// patience bounds the cutting down of one history.
const patience = 30 * time.Second

// shrink cuts a history down that fails on one store by the model, or between two:
// first what follows the fault, then as many steps as the fault doesn't need, then
// what is special about those that are left.
func (k *Kind[Store, Step, State]) shrink(ctx context.Context, among []Named[Store], h []Step, fault *Fault) ([]Step, *Fault) {
	until := time.Now().Add(patience)
	try := func(candidate []Step) bool {
		if len(candidate) == 0 || time.Now().After(until) {
			return false
		}
		f := k.fails(ctx, among, candidate)
		if f == nil {
			return false
		}
		h, fault = slices.Clone(candidate[:f.Step+1]), f
		return true
	}
	try(h[:fault.Step+1])
	for smaller := true; smaller; {
		smaller = false
		for size := len(h) / 2; size >= 1; size /= 2 {
			for at := 0; at+size <= len(h); {
				if try(slices.Concat(h[:at], h[at+size:])) {
					smaller = true
				} else {
					at++
				}
			}
		}
		for at := 0; at < len(h); at++ {
			for _, s := range k.Simpler(h[at]) {
				candidate := slices.Clone(h)
				candidate[at] = s
				if try(candidate) {
					smaller = true
					break
				}
			}
		}
	}
	return h, fault
}

// fails plays a history on its own and returns the fault, nil when there is none.
func (k *Kind[Store, Step, State]) fails(ctx context.Context, among []Named[Store], h []Step) *Fault {
	var missed atomic.Int64
	var before play
	for n, store := range among {
		p := k.again(ctx, store, h, make(awake, 1), &missed)
		if p.missed || p.fault != nil {
			return p.fault
		}
		if n > 0 {
			return differ(&before, &p, among[0].Name, store.Name)
		}
		before = p
	}
	return nil
}
