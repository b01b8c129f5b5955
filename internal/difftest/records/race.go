package records

import (
	"math/rand/v2"

	"github.com/idemgen/idemgen/internal/difftest"
	"github.com/idemgen/idemgen/runtime/idem"
)

// Clients and their steps in a concurrent history.
const (
	clients       = 4
	stepsOfClient = 4
)

// race makes a concurrent history of one key. In most the owner that is the last
// client has vanished before: the others take over or resolve, and it comes back.
func race(r *rand.Rand) (before []Step, all [][]Step) {
	if r.IntN(3) > 0 {
		vanished := Step{
			Do: Claim, Owner: clients - 1, Print: 1, ShortLease: true, Keep: Long,
			Orphan: difftest.Pick(r, idem.OrphanRerun, idem.OrphanRerun, idem.OrphanHold),
		}
		before = []Step{vanished, {Do: Pause}}
	}
	for c := range clients {
		var steps []Step
		for range stepsOfClient {
			s := Step{Do: difftest.Pick(r, Claim, Claim, Claim, Complete, Complete, Release, Renew, Lookup, Resolve), Owner: c}
			switch s.Do {
			case Claim:
				s.Print, s.Orphan, s.Keep = difftest.Pick(r, 1, 1, 1, 2), difftest.Pick(r, idem.OrphanRerun, idem.OrphanHold), Long
			case Complete:
				s.Outcome, s.Keep = r.IntN(len(Outcomes)), Long
			case Resolve:
				if s.Rerun = r.IntN(2) == 0; !s.Rerun {
					s.Outcome, s.Keep = r.IntN(len(Outcomes)), Long
				}
			}
			steps = append(steps, s)
		}
		if c < clients-1 || before == nil {
			steps[0] = Step{Do: Claim, Owner: c, Print: 1, Orphan: idem.OrphanRerun, Keep: Long}
		}
		all = append(all, steps)
	}
	return before, all
}
