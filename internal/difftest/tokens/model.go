package tokens

import (
	"fmt"

	"github.com/idemgen/idemgen/internal/difftest"
	"github.com/idemgen/idemgen/runtime/idem"
)

// State is what the model knows of the tokens of a play.
type State [difftest.Keys]Token

// Stage is where a token stands (X3).
type Stage uint8

// Stages.
const (
	Unknown Stage = iota
	Issued
	Consumed
	Finished
	Burned
)

// Life is how long something lasts.
type Life uint8

// Lives. A brief one is over after a pause; None has not begun.
const (
	Lasting Life = iota
	Brief
	Over
	None
)

// Token is what the model knows of one token.
type Token struct {
	Stage      Stage
	Binding    int
	TTL        Life
	Tombstone  Life // how long it is remembered by its issue
	Lease      Life
	Memory     Life // how long it is remembered by its consumption
	Kept       Life // how long from when it is settled
	Owned      bool // it was consumed once: the owner and what follows are set
	Owner      int
	Key, Print int
	Fence      int64
}

// Next is the model of idem.TokenStore.
func Next(s State, step Step) []difftest.Branch[State] {
	if step.Do == Pause {
		for i := range s {
			for _, life := range []*Life{&s[i].TTL, &s[i].Tombstone, &s[i].Lease, &s[i].Memory} {
				if *life == Brief {
					*life = Over
				}
			}
		}
		return []difftest.Branch[State]{difftest.Leads("", s)}
	}
	t := s[step.Token]
	all := t.next(step)
	if t.Stage != Unknown && t.Tombstone == Over && t.Memory >= Over { // it may be forgotten by now
		all = append(all, Token{}.next(step)...)
	}
	var out []difftest.Branch[State]
	for _, b := range all {
		out = append(out, difftest.Branch[State]{
			Told: b.Told, Fenced: b.Fenced, Fence: b.Fence,
			Then: func(fence int64) State {
				after := s
				after[step.Token] = b.Then(fence)
				return after
			},
		})
	}
	return out
}

// next is what may happen to a token.
func (t Token) next(s Step) []difftest.Branch[Token] {
	switch s.Do {
	case Issue:
		return one(difftest.Leads(difftest.OK, t.issue(s)))
	case Consume:
		return one(t.consume(s))
	}
	return one(t.settle(s))
}

func one(b difftest.Branch[Token]) []difftest.Branch[Token] { return []difftest.Branch[Token]{b} }

// life is brief or lasting.
func life(brief bool) Life {
	if brief {
		return Brief
	}
	return Lasting
}

// issue leaves a token that exists as it is (C16).
func (t Token) issue(s Step) Token {
	if t.Stage != Unknown {
		return t
	}
	return Token{Stage: Issued, Binding: s.Binding, TTL: life(s.Brief), Tombstone: life(s.Brief && s.Keep == Short), Memory: None}
}

// consume compares whether it is known, its binding and its state, in this order (X2).
func (t Token) consume(s Step) difftest.Branch[Token] {
	switch {
	case t.Stage == Unknown:
		return difftest.Leads(idem.TokenUnknown.String(), t)
	case t.Binding != s.Binding:
		return difftest.Leads(idem.TokenMismatch.String(), t)
	case t.Stage == Finished:
		return t.tell(idem.TokenFinished, "")
	case t.Stage == Burned:
		return t.tell(idem.TokenBurned, "")
	case t.Stage == Issued && t.TTL == Over:
		return difftest.Leads(idem.TokenExpired.String(), t)
	case t.Stage == Issued:
		return t.taken(s)
	case t.Owner == s.Owner: // the same answer (C16)
		return t.tell(idem.TokenConsumed, "")
	case t.Lease != Over:
		return t.tell(idem.TokenRunning, leased)
	case s.Retake && t.TTL != Over && t.Key == s.Key && !difftest.PrintsDiffer(t.Print, s.Print):
		return t.taken(s)
	}
	return t.tell(idem.TokenHeld, "")
}

// taken is a token that becomes the consumer's, with the next fence.
func (t Token) taken(s Step) difftest.Branch[Token] {
	above := t.Fence
	t.Stage, t.Owned, t.Owner, t.Key, t.Print = Consumed, true, s.Owner, s.Key, s.Print
	t.Lease, t.Memory = life(s.Brief), life(s.Brief && s.Keep == Short)
	t.Kept = life(s.Keep == Short)
	b := t.tell(idem.TokenConsumed, "")
	b.Fence = difftest.Fence{Above: above}
	b.Then = func(fence int64) Token {
		t.Fence = fence
		return t
	}
	return b
}

// settle brings a consumed token into its next state.
func (t Token) settle(s Step) difftest.Branch[Token] {
	to := map[Verb]Stage{Finish: Finished, Restore: Issued, Burn: Burned}[s.Do]
	owns := t.Owned && t.Owner == s.Owner && (s.AnyFence || s.Off == 0)
	switch {
	case owns && t.Stage == to: // asked again (C16)
		return difftest.Leads(difftest.OK, t)
	case owns && t.Stage == Consumed:
		t.Stage, t.Memory = to, t.Kept
		return difftest.Leads(difftest.OK, t)
	}
	return difftest.Leads(difftest.Lost, t)
}

// leased says that an answer told the rest of a lease.
const leased = " leased"

// tell is an answer with the consumption.
func (t Token) tell(status idem.TokenStatus, more string) difftest.Branch[Token] {
	return difftest.Branch[Token]{
		Told:   told(status, difftest.OwnerWord(t.Owner), fmt.Sprint(t.Key), difftest.PrintWord(t.Print)) + more,
		Fenced: true, Fence: difftest.Fence{Is: t.Fence},
		Then: func(int64) Token { return t },
	}
}

// told are the words of an answer that has a consumption.
func told(status idem.TokenStatus, owner, key, print string) string {
	return fmt.Sprintf("%v %s key=%s %s", status, owner, key, print)
}
