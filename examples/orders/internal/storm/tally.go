package storm

import (
	"fmt"
	"sync"

	"github.com/idemgen/idemgen/examples/orders/internal/crash"
)

// maxFaults bounds how many faults are kept word for word.
const maxFaults = 20

// place is a crash point of an operation.
type place struct {
	act   string
	point crash.Point
}

// tally counts what callers saw. Safe for concurrent use.
type tally struct {
	mu      sync.Mutex
	answers map[string]*[answers]int // by operation
	kills   map[place]int
	held    int // keys that were answered unknown until they were reconciled
	lives   int // orders whose life is over
	calls   int
	faults  []string
	more    int // faults beyond maxFaults
}

func newTally(acts []*act) *tally {
	t := &tally{answers: map[string]*[answers]int{}, kills: map[place]int{}}
	for _, a := range acts {
		t.answers[a.name] = new([answers]int)
	}
	return t
}

func (t *tally) count(act string, a answer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.answers[act][a]++
	t.calls++
}

func (t *tally) killed(act string, p crash.Point) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kills[place{act, p}]++
}

func (t *tally) reconciled() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held++
}

func (t *tally) finished() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lives++
}

// fault notes something that must not happen.
func (t *tally) fault(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.faults) == maxFaults {
		t.more++
		return
	}
	t.faults = append(t.faults, fmt.Sprintf(format, args...))
}

// progress returns how far the storm is: orders done, calls answered, processes killed.
func (t *tally) progress() (lives, calls, kills int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, n := range t.kills {
		kills += n
	}
	return t.lives, t.calls, kills
}
