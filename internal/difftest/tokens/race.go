package tokens

import (
	"math/rand/v2"

	"github.com/idemgen/idemgen/internal/difftest"
)

// Clients and their steps in a concurrent history.
const (
	clients       = 4
	stepsOfClient = 4
)

// race makes a concurrent history of one token. In most the owner that is the last
// client has consumed it and vanished.
func race(r *rand.Rand) (before []Step, all [][]Step) {
	before = []Step{{Do: Issue, Keep: Long}}
	vanished := r.IntN(2) == 0
	if vanished {
		before = append(before, Step{Do: Consume, Owner: clients - 1, Brief: true, Keep: Long, Print: 1}, Step{Do: Pause})
	}
	for c := range clients {
		var steps []Step
		for i := range stepsOfClient {
			s := Step{Do: difftest.Pick(r, Consume, Consume, Consume, Finish, Restore, Restore, Burn), Owner: c}
			if i == 0 && (c < clients-1 || !vanished) {
				s.Do = Consume
			}
			switch s.Do {
			case Consume:
				s.Keep, s.Print, s.Retake = Long, 1, r.IntN(4) > 0
			case Restore:
				s.AnyFence = r.IntN(4) == 0
			}
			steps = append(steps, s)
		}
		all = append(all, steps)
	}
	return before, all
}
