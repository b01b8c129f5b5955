package versions_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"
)

// fleet is two processes behind a load balancer; each can be replaced.
type fleet struct {
	mu    sync.RWMutex
	slots [2]*process
}

// call sends a call to one of them.
func (f *fleet) call(method string, r request) (reply, error) {
	f.mu.RLock()
	p := f.slots[rand.IntN(len(f.slots))]
	f.mu.RUnlock()
	return p.call(method, r)
}

// replace puts another process into a slot and returns the old one, which still has
// calls under way.
func (f *fleet) replace(slot int, p *process) *process {
	f.mu.Lock()
	defer f.mu.Unlock()
	old := f.slots[slot]
	f.slots[slot] = p
	return old
}

// A storm comes in so many waves of so many intentions of every method, each sent by so
// many callers until one of the versions says how it ended.
const (
	waves      = 7 // one more than there are rolls
	intentions = 10
	callers    = 4
	spacing    = 4 * time.Millisecond
	patience   = 60 * time.Second
)

// again are the codes after which a caller sends its call once more.
var again = []string{"in_progress", "retry_transaction", "commit_unknown", "store_unavailable", "lease_lost"}

// insist sends a call until it is answered, and returns the receipt.
func (s *shop) insist(f *fleet, method string, r request) (receipt, error) {
	var last error
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		got, err := f.call(method, r)
		switch {
		case errors.Is(err, errGone):
			last = err
		case got.Code == "ok":
			return parse(got)
		case slices.Contains(again, got.Code):
			last = errors.New(got.Error)
		default:
			return receipt{}, fmt.Errorf("%s of %s: %s: %s", method, r.Order, got.Code, got.Error)
		}
	}
	return receipt{}, fmt.Errorf("%s of %s was never answered: %w", method, r.Order, last)
}

// storm sends every call of the methods. The intentions come in waves; in each, when
// the first call is answered, a process is replaced as rolls say and ends as end says,
// with calls under way in it, and only then the next wave begins.
func (s *shop) storm(methods []string, end func(*process) error) {
	s.Helper()
	f := &fleet{slots: [2]*process{s.start(1), s.start(1)}}
	next := s.startAll()
	var wg sync.WaitGroup
	for w := range waves {
		first := make(chan struct{})
		answered := sync.OnceFunc(func() { close(first) })
		for i := range intentions {
			for _, method := range methods {
				wg.Go(func() { s.send(f, method, w*intentions+i, answered) })
			}
		}
		<-first
		if w < len(rolls) {
			if err := end(f.replace(rolls[w].slot, next[w])); err != nil {
				s.Error(err)
			}
		}
	}
	wg.Wait()
	s.single(waves * intentions * len(methods))
	_, by := s.effects()
	s.Logf("%d intentions of %v, %d calls each: %d effects by version 1, %d by version 2", waves*intentions, methods, callers, by[1], by[2])
	if by[1] == 0 || by[2] == 0 {
		s.Error("one of the versions did nothing")
	}
}

// send has all callers of an intention send their call, and compares the receipts.
func (s *shop) send(f *fleet, method string, i int, answered func()) {
	receipts := make([]receipt, callers)
	var each sync.WaitGroup
	for c := range callers {
		each.Go(func() {
			defer answered() // or given up
			time.Sleep(time.Duration(i%intentions)*spacing + time.Duration(c)*spacing/2)
			var err error
			if receipts[c], err = s.insist(f, method, request{Order: fmt.Sprint(i), Amount: int64(i)}); err != nil {
				s.Error(err)
			}
		})
	}
	each.Wait()
	if slices.ContainsFunc(receipts, func(r receipt) bool { return r != receipts[0] }) {
		s.Errorf("%s of %d was answered with %+v", method, i, receipts)
	}
}

// rolls are which slot gets which version: a deploy, a roll-back, and the deploy again.
var rolls = []struct{ slot, version int }{{0, 2}, {1, 2}, {1, 1}, {0, 1}, {0, 2}, {1, 2}}

// TestLaw_C14_RollingDeployInAStorm: versions are rolled over each other, each process
// finishing what it was asked.
func TestLaw_C14_RollingDeployInAStorm(t *testing.T) {
	onAll(t, func(s *shop) { s.storm([]string{"pay", "notify"}, (*process).stop) })
}

// TestLaw_T1_RollingDeployByKillInAStorm: the processes are killed instead. What is in a
// transaction happens once all the same.
func TestLaw_T1_RollingDeployByKillInAStorm(t *testing.T) {
	onAll(t, func(s *shop) {
		s.storm([]string{"pay"}, func(p *process) error {
			p.kill()
			return nil
		})
	})
}

// startAll starts the processes of every roll: a start takes longer under a storm.
func (s *shop) startAll() []*process {
	s.Helper()
	out := make([]*process, len(rolls))
	for i, roll := range rolls {
		out[i] = s.start(roll.version)
	}
	return out
}
