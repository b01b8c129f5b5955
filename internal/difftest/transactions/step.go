// Package transactions has the histories of stores in transaction mode and their
// model. Beside the answers it counts effects: rows that the bodies wrote.
package transactions

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/idemgen/idemgen/internal/difftest"
)

// Verb is what a step does.
type Verb string

// Verbs are methods of idem.TxStore, the count of a key's effects, and the pause. An
// outer transaction joins calls and ends as End says.
const (
	InTx    Verb = "intx"
	Outer   Verb = "outer"
	Keep    Verb = "keep"
	Lookup  Verb = "lookup"
	Effects Verb = "effects"
	Pause   Verb = "pause"
)

// End is how a body or an outer transaction ends.
type End string

// Ends.
const (
	Commit End = "commit"
	Fail   End = "fail"
	Panic  End = "panic"
)

// most is how many calls an outer transaction joins at most.
const most = 3

// Call is one guarded call.
type Call struct {
	Key, Owner, Print, Outcome int
	Short                      bool // the retention
	End                        End  // of the body
}

// Step is one step. Fields that its verb doesn't use are zero.
type Step struct {
	Do    Verb
	Calls [most]Call // one, but for Outer
	Count int        // of calls
	End   End        // of Outer
}

// outcomes are what bodies return, two numbers apart.
const outcomes = 3

func (c Call) String() string {
	return fmt.Sprintf("key=%d owner=%d print=%d outcome=%d short=%v body=%s", c.Key, c.Owner, c.Print, c.Outcome, c.Short, c.End)
}

// String is the step as a report shows it.
func (s Step) String() string {
	switch s.Do {
	case Pause:
		return string(s.Do)
	case Lookup, Effects:
		return fmt.Sprintf("%s key=%d", s.Do, s.Calls[0].Key)
	case Outer:
		text := make([]string, s.Count)
		for i := range text {
			text[i] = s.Calls[i].String()
		}
		return fmt.Sprintf("outer [%s] %s", strings.Join(text, "; "), s.End)
	}
	return fmt.Sprintf("%s %v", s.Do, s.Calls[0])
}

func traits(s Step) (pause, short bool) {
	for _, c := range s.Calls[:s.Count] {
		short = short || c.Short
	}
	return s.Do == Pause, short
}

var verbs = []Verb{InTx, InTx, InTx, InTx, InTx, Outer, Outer, Outer, Keep, Keep, Lookup, Effects}

// makeHistory makes a history: steps drawn by weight, some of them said twice (C16),
// and at the end a look at every key and its effects.
func makeHistory(r *rand.Rand) []Step {
	var steps []Step
	pauses := 0
	for len(steps) < 5+r.IntN(8) {
		s := draw(r)
		if pauses == 2 { // what is short from here on never ends
			s = s.lasting()
		}
		steps = append(steps, s)
		if _, short := traits(s); short && r.IntN(2) == 0 {
			pauses++
			steps = append(steps, Step{Do: Pause})
			continue
		}
		if r.IntN(6) == 0 {
			steps = append(steps, s)
		}
	}
	for key := range difftest.Keys {
		at := [most]Call{{Key: key}}
		steps = append(steps, Step{Do: Lookup, Calls: at, Count: 1}, Step{Do: Effects, Calls: at, Count: 1})
	}
	return steps
}

func draw(r *rand.Rand) Step {
	s := Step{Do: difftest.Pick(r, verbs...), Count: 1}
	if s.Do == Outer {
		s.Count, s.End = r.IntN(most+1), difftest.Pick(r, Commit, Commit, Fail)
	}
	for i := range s.Count {
		s.Calls[i] = call(r)
		switch s.Do {
		case Lookup, Effects:
			s.Calls[i] = Call{Key: s.Calls[i].Key}
		case Keep:
			s.Calls[i].End = Commit
		case Outer:
			s.Calls[i].End = difftest.Pick(r, Commit, Commit, Fail)
		}
	}
	return s
}

// lasting is the step with nothing short in it.
func (s Step) lasting() Step {
	for i := range s.Calls {
		s.Calls[i].Short = false
	}
	return s
}

func call(r *rand.Rand) Call {
	return Call{
		Key: difftest.Pick(r, 0, 0, 0, 1), Owner: difftest.Pick(r, 0, 0, 1, 1, 2, 3), Print: difftest.Pick(r, 1, 1, 1, 2, 0, 3), Outcome: r.IntN(outcomes),
		Short: r.IntN(5) == 0, End: difftest.Pick(r, Commit, Commit, Commit, Fail, Fail, Panic),
	}
}

// simpler proposes steps with one thing less that is special.
func simpler(s Step) []Step {
	var out []Step
	if s.Do == Outer && s.Count > 0 {
		for i := range s.Count {
			c := s
			copy(c.Calls[i:], s.Calls[i+1:])
			c.Count--
			c.Calls[c.Count] = Call{}
			out = append(out, c)
		}
	}
	for i := range s.Count {
		for _, f := range []func(*Call){
			func(c *Call) { c.Key = 0 }, func(c *Call) { c.Owner = 0 }, func(c *Call) { c.Print = 0 },
			func(c *Call) { c.Outcome = 0 }, func(c *Call) { c.Short = false },
		} {
			c := s
			if f(&c.Calls[i]); c != s {
				out = append(out, c)
			}
		}
	}
	return out
}

var _ difftest.Player[Step] = (*player)(nil)
