// Package locks has the histories of lockers and their model.
package locks

import (
	"fmt"
	"math/rand/v2"

	"github.com/idemgen/idemgen/internal/difftest"
)

// Verb is what a step does.
type Verb string

// Verbs are the methods of idem.Locker, the pause, and the completion of a record that
// a locker with records finds when it checks.
const (
	Acquire  Verb = "acquire"
	Renew    Verb = "renew"
	Release  Verb = "release"
	Complete Verb = "complete"
	Pause    Verb = "pause"
)

// Step is one step. Fields that its verb doesn't use are zero.
type Step struct {
	Do         Verb
	Key, Owner int
	Off        int64 // is added to the fence that the owner was told
	AnyFence   bool  // fence 0: the owner alone
	Brief      bool  // the TTL of Acquire and Renew
	Check      bool  // of Acquire
}

// String is the step as a report shows it.
func (s Step) String() string {
	switch s.Do {
	case Pause:
		return string(s.Do)
	case Complete:
		return fmt.Sprintf("%s key=%d", s.Do, s.Key)
	}
	text := fmt.Sprintf("%s key=%d owner=%d", s.Do, s.Key, s.Owner)
	switch {
	case s.Do == Acquire:
		return text + fmt.Sprintf(" short=%v check=%v", s.Brief, s.Check)
	case s.AnyFence:
		text += " fence=0"
	case s.Off != 0:
		text += fmt.Sprintf(" fence%+d", s.Off)
	}
	if s.Do == Renew {
		text += fmt.Sprintf(" short=%v", s.Brief)
	}
	return text
}

func traits(s Step) (pause, short bool) { return s.Do == Pause, s.Brief }

// verbs are drawn from, by weight.
var verbs = []Verb{
	Acquire, Acquire, Acquire, Acquire, Acquire, Acquire, Acquire, Acquire,
	Release, Release, Release, Release, Release, Renew, Renew, Renew, Complete, Pause, Pause,
}

// makeHistory makes a history: steps drawn by weight, some of them said twice (C16),
// with few pauses.
func makeHistory(r *rand.Rand) []Step {
	var steps []Step
	pauses := 0
	for len(steps) < 7+r.IntN(10) {
		s := draw(r)
		if s.Do == Pause {
			if pauses++; pauses > 2 {
				continue
			}
		}
		steps = append(steps, s)
		if _, short := traits(s); short && pauses < 2 && r.IntN(3) == 0 {
			pauses++
			steps = append(steps, Step{Do: Pause})
			continue
		}
		if r.IntN(6) == 0 && s.Do != Pause {
			steps = append(steps, s)
		}
	}
	return steps
}

func draw(r *rand.Rand) Step {
	s := Step{Do: difftest.Pick(r, verbs...), Key: difftest.Pick(r, 0, 0, 0, 0, 1), Owner: difftest.Pick(r, 0, 0, 0, 1, 1, 2)}
	switch s.Do {
	case Pause:
		return Step{Do: Pause}
	case Complete:
		return Step{Do: Complete, Key: s.Key}
	case Acquire:
		s.Brief, s.Check = r.IntN(3) == 0, r.IntN(4) == 0
		return s
	case Renew:
		s.Brief = r.IntN(3) == 0
	}
	if s.AnyFence = r.IntN(6) == 0; !s.AnyFence {
		s.Off = difftest.Pick(r, 0, 0, 0, 0, 0, 0, int64(-1), 7)
	}
	return s
}

// simpler proposes steps with one thing less that is special.
func simpler(s Step) []Step {
	var out []Step
	for _, f := range []func(*Step){
		func(s *Step) { s.Key = 0 }, func(s *Step) { s.Owner = 0 }, func(s *Step) { s.Off = 0 },
		func(s *Step) { s.AnyFence = false }, func(s *Step) { s.Brief = false }, func(s *Step) { s.Check = false },
	} {
		c := s
		if f(&c); c != s {
			out = append(out, c)
		}
	}
	return out
}

var _ difftest.Player[Step] = (*player)(nil)
