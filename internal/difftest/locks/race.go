package locks

import (
	"math/rand/v2"

	"github.com/idemgen/idemgen/internal/difftest"
)

// Clients and their steps in a concurrent history.
const (
	clients       = 4
	stepsOfClient = 5
)

// race makes a concurrent history of one lock. In some the owner that is the last
// client held it until it expired. The first client may complete the record that the
// others check.
func race(r *rand.Rand) (before []Step, all [][]Step) {
	if r.IntN(3) == 0 {
		before = []Step{{Do: Acquire, Owner: clients - 1, Brief: true}, {Do: Pause}}
	}
	for c := range clients {
		var steps []Step
		for range stepsOfClient {
			s := Step{Do: difftest.Pick(r, Acquire, Acquire, Acquire, Release, Release, Renew), Owner: c}
			switch {
			case s.Do == Acquire:
				s.Check = r.IntN(4) == 0
			case s.Do == Release:
				s.AnyFence = r.IntN(4) == 0
			case c == 0 && r.IntN(3) == 0:
				s = Step{Do: Complete}
			}
			steps = append(steps, s)
		}
		all = append(all, steps)
	}
	return before, all
}
