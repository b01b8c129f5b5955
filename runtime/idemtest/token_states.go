package idemtest

import (
	"context"
	"errors"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

func (s *tokens) toldApart() {
	expired := s.issue(idem.TokenGrant{TTL: short, Keep: time.Hour})
	finished, burned, running := s.grant(), s.grant(), s.grant()
	bound := s.issue(idem.TokenGrant{Binding: idem.Binding{1}, TTL: long, Keep: time.Hour})
	s.finish(s.take(s.ask(finished)))
	s.burn(s.take(s.ask(burned)))
	s.take(s.ask(running))
	time.Sleep(pause)
	for _, c := range []struct {
		id   idem.TokenID
		want idem.TokenStatus
	}{
		{expired, idem.TokenExpired},
		{finished, idem.TokenFinished},
		{burned, idem.TokenBurned},
		{running, idem.TokenRunning},
		{bound, idem.TokenMismatch},
		{idem.NewToken().ID(), idem.TokenUnknown},
		{idem.HashToken(""), idem.TokenUnknown},
	} {
		for range 2 {
			s.consume(s.ask(c.id), c.want)
		}
	}
	if f := s.consume(s.ask(running), idem.TokenRunning); f.LeaseLeft <= 0 || f.LeaseLeft > long {
		s.Fatalf("lease left %v of %v", f.LeaseLeft, long)
	}
}

// wrongPresenter: a token that another session stole neither works, nor is burnt,
// nor tells anything, in any state.
func (s *tokens) wrongPresenter() {
	bound := s.issue(idem.TokenGrant{Binding: idem.Binding{31: 1}, TTL: long, Keep: time.Hour})
	owner := s.ask(bound)
	owner.Binding = idem.Binding{31: 1}
	steal := func() {
		s.Helper()
		for _, b := range []idem.Binding{{}, {31: 2}, {0: 1, 31: 1}} {
			thief := s.ask(bound)
			thief.Binding, thief.Retake = b, true
			if f := s.consume(thief, idem.TokenMismatch); f != (idem.TokenFound{Status: idem.TokenMismatch}) {
				s.Fatalf("a wrong presenter hears %+v", f)
			}
			s.isStale(idem.TokenHold{Token: bound, Owner: thief.Owner})
		}
	}
	steal()
	h := s.take(owner)
	steal()
	s.finish(h)
	steal()
	s.consume(owner, idem.TokenFinished)

	unbound := s.ask(s.grant())
	unbound.Binding = idem.Binding{1}
	s.consume(unbound, idem.TokenMismatch)
}

// brief is a TTL within which a token can be consumed on a busy machine; it has
// passed after afterBrief.
const (
	brief      = 4 * short
	afterBrief = brief + pause - short
)

func (s *tokens) tombstone() {
	g := idem.TokenGrant{TTL: brief, Keep: time.Hour}
	finished, burned, restored, running := s.issue(g), s.issue(g), s.issue(g), s.issue(g)
	s.finish(s.take(s.ask(finished)))
	s.burn(s.take(s.ask(burned)))
	s.restore(s.take(s.ask(restored)))
	s.take(s.ask(running))
	time.Sleep(afterBrief)
	s.consume(s.ask(finished), idem.TokenFinished) // used, not expired
	s.consume(s.ask(burned), idem.TokenBurned)
	s.consume(s.ask(restored), idem.TokenExpired)
	s.consume(s.ask(running), idem.TokenRunning)
}

func (s *tokens) forgotten() {
	g := idem.TokenGrant{TTL: brief, Keep: time.Millisecond}
	used, unused, always := s.issue(g), s.issue(g), s.issue(idem.TokenGrant{TTL: brief, Keep: idem.Never})
	c := s.ask(used)
	c.Lease, c.Keep = time.Millisecond, time.Millisecond
	h := s.take(c)
	s.finish(h)
	time.Sleep(afterBrief)
	s.consume(s.ask(used), idem.TokenUnknown)
	s.consume(s.ask(unused), idem.TokenUnknown)
	s.consume(s.ask(always), idem.TokenExpired)
	s.isStale(h)
}

func (s *tokens) remembered() {
	g := idem.TokenGrant{TTL: brief, Keep: time.Millisecond}
	want := map[idem.TokenID]idem.TokenStatus{}
	for _, keep := range []time.Duration{time.Hour, idem.Never} {
		for _, c := range []struct {
			settle func(idem.TokenHold)
			want   idem.TokenStatus
		}{
			{s.finish, idem.TokenFinished},
			{s.burn, idem.TokenBurned},
			{s.restore, idem.TokenExpired},
			{func(idem.TokenHold) {}, idem.TokenHeld},
		} {
			ask := s.ask(s.issue(g))
			ask.Lease, ask.Keep = time.Millisecond, keep
			c.settle(s.take(ask))
			want[ask.Token] = c.want
		}
	}
	time.Sleep(afterBrief)
	for id, status := range want {
		s.consume(s.ask(id), status)
	}
}

func (s *tokens) finished() {
	h := s.take(s.ask(s.grant()))
	s.finish(h)
	ctx := context.Background()
	wants(s.T, "restore of a finished token", s.store.Restore(ctx, h), idem.ErrLeaseLost)
	wants(s.T, "burn of a finished token", s.store.Burn(ctx, h), idem.ErrLeaseLost)
	again := s.ask(h.Token)
	again.Retake = true
	s.consume(again, idem.TokenFinished)
	s.finish(h)
}

func (s *tokens) burned() {
	h := s.take(s.ask(s.grant()))
	s.burn(h)
	ctx := context.Background()
	wants(s.T, "restore of a burned token", s.store.Restore(ctx, h), idem.ErrLeaseLost)
	wants(s.T, "finish of a burned token", s.store.Finish(ctx, h), idem.ErrLeaseLost)
	again := s.ask(h.Token)
	again.Retake = true
	s.consume(again, idem.TokenBurned)
	s.burn(h)
}

func (s *tokens) restoredExpiry() {
	id := s.issue(idem.TokenGrant{TTL: 3 * pause, Keep: time.Hour})
	first := s.take(s.ask(id))
	s.restore(first)
	other := s.ask(id) // another key is no misuse: nothing has happened for the first
	other.Key.Hash[0]++
	second := s.take(other)
	if second.Fence <= first.Fence {
		s.Fatalf("fence %d after %d", second.Fence, first.Fence)
	}
	time.Sleep(pause)
	s.restore(second)
	s.restore(s.take(s.ask(id)))
	time.Sleep(3 * pause)
	s.consume(s.ask(id), idem.TokenExpired)
}

func (s *tokens) tellsWhatFor() {
	for i, settle := range []func(idem.TokenHold){func(idem.TokenHold) {}, s.finish, s.burn} {
		want := []idem.TokenStatus{idem.TokenRunning, idem.TokenFinished, idem.TokenBurned}[i]
		c := s.ask(s.grant())
		h := s.take(c)
		settle(h)
		f := s.consume(s.ask(c.Token), want)
		if f.Owner != c.Owner || f.Fence != h.Fence || f.KeyHash != c.Key.Hash || f.Fingerprint != c.Fingerprint {
			s.Fatalf("%v: %+v, was consumed as %+v", want, f, c)
		}
	}
	none := s.ask(s.grant())
	none.Fingerprint = idem.Fingerprint{}
	s.finish(s.take(none))
	if f := s.consume(s.ask(none.Token), idem.TokenFinished); f.Fingerprint != none.Fingerprint {
		s.Fatalf("no fingerprint came back as %x", f.Fingerprint)
	}
}

func (s *tokens) issueAgain() {
	ctx := context.Background()
	g := idem.TokenGrant{Binding: idem.Binding{1}, TTL: long, Keep: time.Hour}
	for range 5 {
		g.Tokens = append(g.Tokens, idem.NewToken().ID())
	}
	s.done(s.store.Issue(ctx, g))
	ask := func(i int) idem.Consumption {
		c := s.ask(g.Tokens[i])
		c.Binding = g.Binding
		return c
	}
	s.finish(s.take(ask(0)))
	s.burn(s.take(ask(1)))
	running := s.take(ask(2))
	again := g
	again.Binding, again.TTL = idem.Binding{2}, time.Millisecond
	s.done(s.store.Issue(ctx, again))
	time.Sleep(short)
	s.consume(ask(0), idem.TokenFinished)
	s.consume(ask(1), idem.TokenBurned)
	s.consume(ask(2), idem.TokenRunning)
	s.finish(running)
	s.take(ask(3))
	s.take(ask(4))
	s.done(s.store.Issue(ctx, idem.TokenGrant{TTL: long})) // none at all
}

func (s *tokens) longTimes() {
	for _, d := range []time.Duration{idem.Never, 100 * 365 * 24 * time.Hour, 1<<63 - 1} {
		g := idem.TokenGrant{TTL: long, Keep: d}
		if d > 0 {
			g.TTL = d
		}
		c := s.ask(s.issue(g))
		c.Keep = d
		if d > 0 {
			c.Lease = d
		}
		h := s.take(c)
		s.consume(s.ask(c.Token), idem.TokenRunning)
		s.restore(h)
		s.finish(s.take(c))
		s.consume(c, idem.TokenFinished)
	}
}

func (s *tokens) endedContext() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	id := idem.NewToken().ID()
	if err := s.store.Issue(ctx, idem.TokenGrant{Tokens: []idem.TokenID{id}, TTL: long, Keep: time.Hour}); !errors.Is(err, context.Canceled) {
		s.Fatalf("issue on an ended context: %v", err)
	}
	s.consume(s.ask(id), idem.TokenUnknown)
	id = s.grant()
	if _, err := s.store.Consume(ctx, s.ask(id)); !errors.Is(err, context.Canceled) {
		s.Fatalf("consume on an ended context: %v", err)
	}
	h := s.take(s.ask(id))
	if err := s.store.Finish(ctx, h); err == nil {
		s.Fatal("finish on an ended context succeeded")
	}
	s.restore(h)
}
