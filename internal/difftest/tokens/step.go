// Package tokens has the histories of token stores and their model.
package tokens

import (
	"fmt"
	"math/rand/v2"

	"github.com/idemgen/idemgen/internal/difftest"
)

// Verb is what a step does.
type Verb string

// Verbs are the methods of idem.TokenStore, and the pause.
const (
	Issue   Verb = "issue"
	Consume Verb = "consume"
	Finish  Verb = "finish"
	Restore Verb = "restore"
	Burn    Verb = "burn"
	Pause   Verb = "pause"
)

// Keep is how long a token is remembered.
type Keep string

// Times to remember.
const (
	Long  Keep = "long"
	Short Keep = "short"
	Never Keep = "never"
)

// Step is one step. Fields that its verb doesn't use are zero.
type Step struct {
	Do           Verb
	Token, Owner int
	Binding      int
	Off          int64 // is added to the fence that the owner was told
	AnyFence     bool  // fence 0: the owner alone
	Brief        bool  // the TTL of Issue, the lease of Consume
	Keep         Keep
	Key, Print   int // what for
	Retake       bool
}

// String is the step as a report shows it.
func (s Step) String() string {
	switch s.Do {
	case Pause:
		return string(s.Do)
	case Issue:
		return fmt.Sprintf("issue token=%d binding=%d short=%v keep=%s", s.Token, s.Binding, s.Brief, s.Keep)
	case Consume:
		return fmt.Sprintf("consume token=%d binding=%d owner=%d short=%v keep=%s key=%d print=%d retake=%v",
			s.Token, s.Binding, s.Owner, s.Brief, s.Keep, s.Key, s.Print, s.Retake)
	}
	text := fmt.Sprintf("%s token=%d owner=%d", s.Do, s.Token, s.Owner)
	switch {
	case s.AnyFence:
		text += " fence=0"
	case s.Off != 0:
		text += fmt.Sprintf(" fence%+d", s.Off)
	}
	return text
}

func traits(s Step) (pause, short bool) { return s.Do == Pause, s.Brief || s.Keep == Short }

// verbs are drawn from, by weight.
var verbs = []Verb{
	Consume, Consume, Consume, Consume, Consume, Consume, Consume, Consume,
	Finish, Finish, Restore, Restore, Restore, Burn, Issue, Issue, Pause, Pause,
}

// makeHistory makes a history: the tokens are issued first, then steps are drawn, some
// of them said twice (C16), with few pauses.
func makeHistory(r *rand.Rand) []Step {
	steps := []Step{issue(r, 0)}
	if r.IntN(4) == 0 {
		steps = append(steps, issue(r, 1))
	}
	pauses := 0
	for len(steps) < 7+r.IntN(9) {
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

func issue(r *rand.Rand, token int) Step {
	return Step{Do: Issue, Token: token, Binding: difftest.Pick(r, 0, 0, 0, 1), Brief: r.IntN(4) == 0, Keep: difftest.Pick(r, Long, Long, Short, Never)}
}

func draw(r *rand.Rand) Step {
	do := difftest.Pick(r, verbs...)
	token := difftest.Pick(r, 0, 0, 0, 0, 1)
	switch do {
	case Pause:
		return Step{Do: Pause}
	case Issue:
		return issue(r, token)
	}
	s := Step{Do: do, Token: token, Owner: difftest.Pick(r, 0, 0, 0, 1, 1, 2)}
	if do == Consume {
		s.Binding = difftest.Pick(r, 0, 0, 0, 0, 0, 0, 1, 2)
		s.Brief, s.Keep = r.IntN(2) == 0, difftest.Pick(r, Long, Long, Long, Short, Never)
		s.Key, s.Print, s.Retake = difftest.Pick(r, 0, 0, 0, 1), difftest.Pick(r, 1, 1, 1, 2, 0, 3), r.IntN(2) == 0
		return s
	}
	s.Off, s.AnyFence = difftest.Pick(r, 0, 0, 0, 0, 0, 0, int64(-1), 7), r.IntN(6) == 0
	if s.AnyFence {
		s.Off = 0
	}
	return s
}

// simpler proposes steps with one thing less that is special.
func simpler(s Step) []Step {
	var out []Step
	change := func(f func(*Step)) {
		c := s
		if f(&c); c != s {
			out = append(out, c)
		}
	}
	for _, f := range []func(*Step){
		func(s *Step) { s.Token = 0 }, func(s *Step) { s.Owner = 0 }, func(s *Step) { s.Binding = 0 }, func(s *Step) { s.Off = 0 },
		func(s *Step) { s.AnyFence = false }, func(s *Step) { s.Brief = false }, func(s *Step) { s.Key = 0 }, func(s *Step) { s.Retake = false },
	} {
		change(f)
	}
	if s.Keep != "" {
		change(func(s *Step) { s.Keep = Long })
	}
	if s.Do == Consume {
		change(func(s *Step) { s.Print = 1 })
	}
	return out
}

var _ difftest.Player[Step] = (*player)(nil)
