package transactions

import (
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/internal/difftest"
	"github.com/idemgen/idemgen/runtime/idem"
)

// State is what the model knows of the keys of a play.
type State [difftest.Keys]Key

// Key is what the model knows of one key: its record, which is always a completed one,
// and its effects.
type Key struct {
	Done, Brief           bool // Brief: the record is gone after a pause
	Owner, Print, Outcome int
	Effects               int
}

// Next is the model of idem.TxStore, for transactions that don't meet each other. What
// a transaction does is all there after its commit and all gone after anything else.
func Next(s State, step Step) []difftest.Branch[State] {
	told := ""
	switch step.Do {
	case Pause:
		for i := range s {
			if s[i].Brief {
				s[i] = Key{Effects: s[i].Effects}
			}
		}
	case InTx:
		s, told = s.call(step.Calls[0])
	case Outer:
		s, told = s.outer(step)
	case Keep:
		s, told = s.keep(step.Calls[0])
	case Lookup:
		told = idem.Absent.String()
		if k := s[step.Calls[0].Key]; k.Done {
			told = k.tell()
		}
	case Effects:
		told = effectsWord(s[step.Calls[0].Key].Effects)
	}
	return []difftest.Branch[State]{difftest.Leads(told, s)}
}

// outer joins the calls one after the other. A call that fails leaves the transaction
// usable (T2).
func (s State) outer(step Step) (State, string) {
	before := s
	words := make([]string, 0, most+1)
	for _, c := range step.Calls[:step.Count] {
		var told string
		s, told = s.call(c)
		words = append(words, told)
	}
	if step.End != Commit {
		s = before
	}
	return s, outerWords(words, step.End)
}

// call is a guarded call in its own or in a joined transaction.
func (s State) call(c Call) (State, string) {
	k := &s[c.Key]
	switch {
	case k.Done:
		return s, k.tell()
	case c.End != Commit:
		return s, failed(c.End)
	}
	*k = Key{Done: true, Brief: c.Short, Owner: c.Owner, Print: c.Print, Outcome: c.Outcome, Effects: k.Effects + 1}
	return s, freshWord(difftest.OwnerWord(c.Owner), true)
}

// keep stores an outcome unless another's stands there (C12).
func (s State) keep(c Call) (State, string) {
	k := &s[c.Key]
	switch {
	case k.Done && k.Owner != c.Owner:
		return s, k.tell()
	case !k.Done:
		*k = Key{Done: true, Brief: c.Short, Owner: c.Owner, Print: c.Print, Outcome: c.Outcome, Effects: k.Effects}
	}
	return s, freshWord(difftest.OwnerWord(c.Owner), false)
}

// tell are the words of an answer with the record.
func (k *Key) tell() string {
	o := outcome(k.Outcome)
	return doneWord(difftest.OwnerWord(k.Owner), difftest.PrintWord(k.Print), &o)
}

// outcome is what a body returns.
func outcome(n int) idem.Outcome {
	return idem.Outcome{Kind: idem.Succeeded, Codec: "json", Data: fmt.Append(nil, n)}
}

func doneWord(owner, print string, o *idem.Outcome) string {
	return fmt.Sprintf("%v %s %s %s", idem.Done, owner, print, difftest.Outcome(o))
}

func freshWord(owner string, ran bool) string {
	return fmt.Sprintf("%v %s ran=%v", idem.Fresh, owner, ran)
}

func effectsWord(n int) string { return fmt.Sprintf("%d effects", n) }

func failed(e End) string { return "body: " + string(e) }

func outerWords(calls []string, end End) string {
	return "[" + strings.Join(calls, "; ") + "] " + string(end)
}
