package idemtest

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// consumers is how many race for one token.
const consumers = 100

// oneWinner lets many consume a token and expects one to win; the others hear that
// it is in use, not that it has expired.
func (s *tokens) oneWinner(id idem.TokenID, retake bool) idem.TokenHold {
	s.Helper()
	var won, running atomic.Int64
	holds := make(chan idem.TokenHold, consumers)
	race(consumers, func(int) {
		c := s.ask(id)
		c.Retake = retake
		f, err := s.store.Consume(context.Background(), c)
		switch {
		case err != nil:
			s.Errorf("consume: %v", err)
		case f.Status == idem.TokenConsumed:
			won.Add(1)
			holds <- idem.TokenHold{Token: id, Owner: c.Owner, Fence: f.Fence}
		case f.Status == idem.TokenRunning:
			running.Add(1)
		default:
			s.Errorf("consume: %v", f.Status)
		}
	})
	if won.Load() != 1 || running.Load() != consumers-1 {
		s.Fatalf("%d consumed and %d running of %d consumers", won.Load(), running.Load(), consumers)
	}
	return <-holds
}

func (s *tokens) oneOfMany() {
	id := s.grant()
	s.finish(s.oneWinner(id, false))
	s.consume(s.ask(id), idem.TokenFinished)
}

func (s *tokens) oneAfterRestore() {
	id := s.grant()
	s.restore(s.take(s.ask(id)))
	s.oneWinner(id, false)
}

// vanish consumes a token and lets the lease run out.
func (s *tokens) vanish() (idem.Consumption, idem.TokenHold) {
	s.Helper()
	c := s.ask(s.grant())
	c.Lease = short
	h := s.take(c)
	time.Sleep(pause)
	return c, h
}

func (s *tokens) vanished() {
	c, h := s.vanish()
	for range 2 {
		f := s.consume(s.ask(c.Token), idem.TokenHeld)
		if f.Owner != c.Owner || f.Fence != h.Fence || f.KeyHash != c.Key.Hash || f.LeaseLeft > 0 {
			s.Fatalf("a held token tells %+v", f)
		}
	}
	s.finish(h)
	s.consume(s.ask(c.Token), idem.TokenFinished)
}

func (s *tokens) retaken() {
	c, old := s.vanish()
	next := s.ask(c.Token)
	next.Retake = true
	now := s.take(next)
	if now.Fence <= old.Fence {
		s.Fatalf("fence %d after %d", now.Fence, old.Fence)
	}
	s.isStale(old)
	s.consume(s.ask(c.Token), idem.TokenRunning)
	s.consume(c, idem.TokenRunning)
	s.finish(now)
	s.isStale(old)
}

func (s *tokens) retakenRace() {
	c, _ := s.vanish()
	s.oneWinner(c.Token, true)
}

func (s *tokens) lapsedOwner() {
	for _, settle := range []func(idem.TokenHold){s.finish, s.burn, s.restore} {
		_, h := s.vanish()
		settle(h)
	}
}

// vanishedExpired: what was consumed in time is used, not expired, and is not
// consumed anew past its expiry.
func (s *tokens) vanishedExpired() {
	c := s.ask(s.issue(idem.TokenGrant{TTL: brief, Keep: time.Hour}))
	c.Lease = short
	s.take(c)
	time.Sleep(afterBrief)
	next := s.ask(c.Token)
	next.Retake = true
	if f := s.consume(next, idem.TokenHeld); f.KeyHash != c.Key.Hash {
		s.Fatalf("a held token tells %+v", f)
	}
}

func (s *tokens) otherPayload() {
	c, h := s.vanish()
	key, payload := s.ask(c.Token), s.ask(c.Token)
	key.Key.Hash[31]++
	payload.Fingerprint[32]++
	for _, other := range []idem.Consumption{key, payload} {
		other.Retake = true
		if f := s.consume(other, idem.TokenHeld); f.KeyHash != c.Key.Hash || f.Fingerprint != c.Fingerprint || f.Fence != h.Fence {
			s.Fatalf("found %+v, was consumed as %+v", f, c)
		}
	}
	version := s.ask(c.Token)
	version.Fingerprint, version.Retake = idem.Fingerprint{0: 2, 32: 9}, true
	s.finish(s.take(version)) // fingerprints of two versions can't be compared
}

func (s *tokens) staleOwner() {
	h := s.take(s.ask(s.grant()))
	for _, wrong := range []idem.TokenHold{
		{Token: h.Token, Owner: h.Owner, Fence: h.Fence - 1},
		{Token: h.Token, Owner: h.Owner, Fence: h.Fence + 1},
		{Token: h.Token, Owner: idem.NewOwner(), Fence: h.Fence},
		{Token: h.Token, Owner: idem.NewOwner()},
		{Token: h.Token},
		{Token: idem.NewToken().ID(), Owner: h.Owner, Fence: h.Fence},
	} {
		s.isStale(wrong)
	}
	s.consume(s.ask(h.Token), idem.TokenRunning)
	s.finish(h)

	issued := s.grant()
	s.isStale(idem.TokenHold{Token: issued, Owner: idem.NewOwner()})
	s.isStale(idem.TokenHold{Token: issued})
	s.take(s.ask(issued))
}

func (s *tokens) sameOwner() {
	for _, settle := range []func(idem.TokenHold){s.finish, s.burn, s.restore} {
		c := s.ask(s.grant())
		h := s.take(c)
		for range 3 {
			if again := s.take(c); again != h {
				s.Fatalf("the same owner got %+v, then %+v", h, again)
			}
		}
		for range 3 {
			settle(h)
		}
	}
}

func (s *tokens) unknownFence() {
	for _, settle := range []func(idem.TokenHold){s.finish, s.burn, s.restore} {
		c := s.ask(s.grant())
		h := s.take(c)
		h.Fence = 0
		settle(h)
		settle(h)
	}
}
