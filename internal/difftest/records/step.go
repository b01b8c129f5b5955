// Package records has the histories of record stores and their model.
package records

import (
	"fmt"
	"math/rand/v2"

	"github.com/idemgen/idemgen/internal/difftest"
	"github.com/idemgen/idemgen/runtime/idem"
)

// Verb is what a step does.
type Verb string

// Verbs are the methods of idem.RecordStore, and the pause.
const (
	Claim    Verb = "claim"
	Look     Verb = "look" // Claim that only looks
	Lookup   Verb = "lookup"
	Renew    Verb = "renew"
	Complete Verb = "complete"
	Release  Verb = "release"
	Resolve  Verb = "resolve"
	Prune    Verb = "prune"
	Pause    Verb = "pause"
)

// Keep is a retention.
type Keep string

// Retentions. Unsaid is a claim that leaves it to Complete.
const (
	Long   Keep = "long"
	Short  Keep = "short"
	Never  Keep = "never"
	Unsaid Keep = "unsaid"
)

// Step is one step. Fields that its verb doesn't use are zero.
type Step struct {
	Do         Verb
	Key, Owner int
	Off        int64 // is added to the fence that the owner was told
	Print      int
	Orphan     idem.Orphan
	ShortLease bool // of Claim and Renew
	Keep       Keep // of Claim, Complete and Resolve
	Outcome    int  // of Complete and Resolve, from Outcomes
	Rerun      bool // of Resolve
}

// Outcomes are what records are completed with.
var Outcomes = []idem.Outcome{
	{Kind: idem.Succeeded, Codec: "json", Data: []byte(`{"n":1}`)},
	{Kind: idem.Failed, Codec: "json", Data: []byte(`"sold out"`)},
	{Kind: idem.Oversize},
	{Kind: idem.Succeeded, Codec: "raw", Data: []byte("\x00\xff'\"\\\r\n%s?$1:now")},
	{Kind: idem.Succeeded, Codec: "json", Data: make([]byte, 3000)},
}

// String is the step as a report shows it.
func (s Step) String() string {
	text := fmt.Sprintf("%s key=%d", s.Do, s.Key)
	switch s.Do {
	case Pause, Prune:
		return string(s.Do)
	case Look, Lookup:
		return text
	case Resolve:
		if s.Rerun {
			return text + " rerun"
		}
		return text + fmt.Sprintf(" outcome=%d keep=%s", s.Outcome, s.Keep)
	}
	text += fmt.Sprintf(" owner=%d", s.Owner)
	if s.Off != 0 {
		text += fmt.Sprintf(" fence%+d", s.Off)
	}
	switch s.Do {
	case Claim:
		text += fmt.Sprintf(" print=%d orphan=%d keep=%s short=%v", s.Print, s.Orphan, s.Keep, s.ShortLease)
	case Renew:
		text += fmt.Sprintf(" short=%v", s.ShortLease)
	case Complete:
		text += fmt.Sprintf(" outcome=%d keep=%s", s.Outcome, s.Keep)
	}
	return text
}

// traits tells of pauses and of what begins something short.
func traits(s Step) (pause, short bool) {
	return s.Do == Pause, s.ShortLease || s.Keep == Short
}

// weights say how often a verb comes.
var weights = []struct {
	do     Verb
	weight int
}{
	{Claim, 30}, {Complete, 14}, {Release, 9}, {Renew, 9}, {Lookup, 7}, {Look, 3}, {Resolve, 8}, {Prune, 2}, {Pause, 9},
}

// make makes a history: steps drawn by weight, some of them said twice (C16), with
// few pauses.
func makeHistory(r *rand.Rand) []Step {
	steps := make([]Step, 0, 20)
	pauses := 0
	for len(steps) < 8+r.IntN(10) {
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
			steps = append(steps, s) // the reply got lost, and it is said again
		}
	}
	return steps
}

func draw(r *rand.Rand) Step {
	n := r.IntN(91)
	do := Pause
	for _, w := range weights {
		if n -= w.weight; n < 0 {
			do = w.do
			break
		}
	}
	s := Step{Do: do}
	if do == Pause || do == Prune {
		return s
	}
	if r.IntN(6) == 0 {
		s.Key = 1
	}
	s.Owner = difftest.Pick(r, 0, 0, 0, 1, 1, 2, 3)
	switch do {
	case Claim:
		s.Print = difftest.Pick(r, 1, 1, 1, 1, 2, 0, 3)
		s.Orphan = difftest.Pick(r, idem.OrphanRerun, idem.OrphanRerun, idem.OrphanHold)
		s.ShortLease = r.IntN(2) == 0
		s.Keep = difftest.Pick(r, Long, Long, Long, Short, Never, Unsaid)
	case Renew:
		s.ShortLease = r.IntN(3) == 0
		s.Off = wrong(r)
	case Complete:
		s.Outcome, s.Keep, s.Off = r.IntN(len(Outcomes)), difftest.Pick(r, Long, Long, Short, Never), wrong(r)
	case Release:
		s.Off = wrong(r)
	case Resolve:
		if s.Rerun = r.IntN(2) == 0; !s.Rerun {
			s.Outcome, s.Keep = r.IntN(len(Outcomes)), difftest.Pick(r, Long, Long, Short, Never)
		}
	case Look, Lookup:
		s.Owner = 0
	}
	return s
}

// wrong is now and then something to add to a fence.
func wrong(r *rand.Rand) int64 { return difftest.Pick(r, 0, 0, 0, 0, 0, 0, 0, 0, int64(-1), 7) }

// simpler proposes steps with one thing less that is special.
func simpler(s Step) []Step {
	var out []Step
	change := func(f func(*Step)) {
		c := s
		if f(&c); c != s {
			out = append(out, c)
		}
	}
	change(func(s *Step) { s.Key = 0 })
	change(func(s *Step) { s.Owner = 0 })
	change(func(s *Step) { s.Outcome = 0 })
	change(func(s *Step) { s.ShortLease = false })
	change(func(s *Step) { s.Off = 0 })
	if s.Keep != "" {
		change(func(s *Step) { s.Keep = Long })
	}
	if s.Do == Claim {
		change(func(s *Step) { s.Print = 1 })
		change(func(s *Step) { s.Orphan = idem.OrphanRerun })
	}
	return out
}

var _ difftest.Player[Step] = (*player)(nil)
