package locks

import (
	"github.com/idemgen/idemgen/internal/difftest"
	"github.com/idemgen/idemgen/runtime/idem"
)

// State is what the model knows of the keys of a play.
type State [difftest.Keys]Lock

// Phase is where a lock stands.
type Phase uint8

// Phases.
const (
	Never    Phase = iota // nobody acquired it yet
	Held                  // for long
	HeldBit               // until the next pause
	Expired               // nobody took it since
	Released              // by its owner
)

// Lock is what the model knows of one lock.
type Lock struct {
	Phase    Phase
	Owner    int
	Fence    int64
	Previous int  // who released it last before Owner acquired it; -1+1 = nobody
	Earlier  uint // who released it before that, as bits
	Done     bool // there is a completed record of the key
}

func (l *Lock) held() bool { return l.Phase == Held || l.Phase == HeldBit }

// Next is the model of idem.Locker.
func Next(s State, step Step) []difftest.Branch[State] {
	if step.Do == Pause {
		for i := range s {
			if s[i].Phase == HeldBit {
				s[i].Phase = Expired
			}
		}
		return []difftest.Branch[State]{difftest.Leads("", s)}
	}
	var out []difftest.Branch[State]
	for _, b := range s[step.Key].next(step) {
		out = append(out, difftest.Branch[State]{
			Told: b.Told, Fenced: b.Fenced, Fence: b.Fence,
			Then: func(fence int64) State {
				after := s
				after[step.Key] = b.Then(fence)
				return after
			},
		})
	}
	return out
}

// next is what may happen to one lock.
func (l Lock) next(s Step) []difftest.Branch[Lock] {
	switch s.Do {
	case Complete:
		l.Done = true
		return some(difftest.Leads(difftest.OK, l))
	case Acquire:
		return some(l.acquire(s))
	case Renew:
		return some(l.renew(s))
	}
	return l.release(s)
}

func some[T any](b ...difftest.Branch[T]) []difftest.Branch[T] { return b }

func phase(brief bool) Phase {
	if brief {
		return HeldBit
	}
	return Held
}

// acquire makes the lock the asker's, unless another holds it or it is needless.
func (l Lock) acquire(s Step) difftest.Branch[Lock] {
	same := l
	switch {
	case l.held() && l.Owner == s.Owner: // the same answer (C16)
		return difftest.Branch[Lock]{
			Told: acquired(s.Check), Fenced: true, Fence: difftest.Fence{Is: l.Fence}, Then: func(int64) Lock { return same },
		}
	case s.Check && l.Done: // L3
		return difftest.Leads(needless(&Result), l)
	case l.held():
		return difftest.Leads(busy(s.Check), l)
	}
	above := l.Fence
	if l.Previous > 0 {
		l.Earlier |= 1 << (l.Previous - 1)
		l.Previous = 0
	}
	if l.Phase == Released {
		l.Previous = l.Owner + 1
	}
	l.Phase, l.Owner = phase(s.Brief), s.Owner
	return difftest.Branch[Lock]{
		Told: acquired(s.Check), Fenced: true, Fence: difftest.Fence{Above: above},
		Then: func(fence int64) Lock { l.Fence = fence; return l },
	}
}

// renew never re-creates, and compares owner and fence.
func (l Lock) renew(s Step) difftest.Branch[Lock] {
	if !l.held() || l.Owner != s.Owner || s.Off != 0 || s.AnyFence {
		return difftest.Leads(difftest.LockLost, l)
	}
	l.Phase = phase(s.Brief)
	return difftest.Leads(difftest.OK, l)
}

// release frees the lock of its owner. Who released it before may say so again (C16):
// certainly the last one before the present owner, perhaps an earlier one, and it is
// open whether a wrong fence of his is noticed.
func (l Lock) release(s Step) []difftest.Branch[Lock] {
	ok, lost := difftest.Leads(difftest.OK, l), difftest.Leads(difftest.LockLost, l)
	exact := s.Off == 0 || s.AnyFence
	if l.Phase != Never && l.Owner == s.Owner && exact {
		switch l.Phase {
		case Expired:
			return some(lost)
		case Released:
			return some(ok)
		}
		l.Phase = Released
		return some(difftest.Leads(difftest.OK, l))
	}
	switch {
	case l.Previous == s.Owner+1 && exact:
		return some(ok)
	case l.Previous == s.Owner+1, l.Earlier&(1<<s.Owner) != 0:
		return some(ok, lost)
	}
	return some(lost)
}

// Result is what Complete stores.
var Result = idem.Outcome{Kind: idem.Succeeded, Codec: "json", Data: []byte("{}")}

func acquired(checked bool) string { return idem.LockAcquired.String() + checkedWord(checked) + leased }
func busy(checked bool) string     { return idem.LockBusy.String() + checkedWord(checked) + leased }
func needless(o *idem.Outcome) string {
	return idem.LockNeedless.String() + checkedWord(true) + " " + difftest.Outcome(o)
}

// leased says that an answer told how long the lock is still held.
const leased = " leased"

func checkedWord(checked bool) string {
	if checked {
		return " checked"
	}
	return ""
}
