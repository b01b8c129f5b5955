package idemtest

import (
	"context"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// replaced returns the hold of an owner whose lease ran out and the one that
// took over.
func (s *records) replaced(k idem.Key) (old, now idem.Hold) {
	s.Helper()
	c := s.ask(k)
	c.Lease = short
	old = s.fresh(c)
	time.Sleep(pause)
	now = s.fresh(s.ask(k))
	if now.Fence <= old.Fence {
		s.Fatalf("fence %d after %d", now.Fence, old.Fence)
	}
	return old, now
}

func (s *records) staleOwner() {
	ctx := context.Background()
	k := s.key(idem.String("K"))
	old, now := s.replaced(k)
	stale := func() {
		s.Helper()
		before := s.is(k, s.status(k))
		s.wants("renew", s.store.Renew(ctx, old, long), idem.ErrLeaseLost)
		s.wants("complete", s.store.Complete(ctx, old, outcome("old"), time.Hour), idem.ErrLeaseLost)
		s.wants("release", s.store.Release(ctx, old), idem.ErrLeaseLost)
		after := s.is(k, s.status(k))
		if after.Owner != now.Owner || after.Fence != now.Fence || !sameOutcome(before.Outcome, after.Outcome) {
			s.Fatalf("a stale owner changed %+v to %+v", before, after)
		}
	}
	stale()
	s.complete(now, outcome("new"))
	stale()
	if r := s.claim(s.ask(k), idem.Done).Record; !sameOutcome(r.Outcome, outcome("new")) {
		s.Fatalf("the outcome is %q", r.Outcome.Data)
	}
}

// status is the status of a key, whatever it is.
func (s *records) status(k idem.Key) idem.ClaimStatus {
	s.Helper()
	f, err := s.store.Lookup(context.Background(), k)
	if err != nil {
		s.Fatalf("lookup: %v", err)
	}
	return f.Status
}

func (s *records) wrongFence() {
	ctx := context.Background()
	h := s.fresh(s.ask(s.key(idem.String("K"))))
	for _, fence := range []int64{h.Fence - 1, h.Fence + 1} {
		wrong := h
		wrong.Fence = fence
		s.wants("renew", s.store.Renew(ctx, wrong, long), idem.ErrLeaseLost)
		s.wants("complete", s.store.Complete(ctx, wrong, outcome("1"), time.Hour), idem.ErrLeaseLost)
		s.wants("release", s.store.Release(ctx, wrong), idem.ErrLeaseLost)
	}
	wrong := h
	wrong.Owner[15] ^= 1
	s.wants("renew", s.store.Renew(ctx, wrong, long), idem.ErrLeaseLost)
	s.wants("complete", s.store.Complete(ctx, wrong, outcome("1"), time.Hour), idem.ErrLeaseLost)
	s.wants("release", s.store.Release(ctx, wrong), idem.ErrLeaseLost)
	s.is(h.Key, idem.Running)
	s.complete(h, outcome("1"))
}

func (s *records) renewNothing() {
	ctx := context.Background()
	none := idem.Hold{Key: s.key(idem.String("none")), Owner: idem.NewOwner(), Fence: 1}
	s.wants("renew", s.store.Renew(ctx, none, long), idem.ErrLeaseLost)
	s.is(none.Key, idem.Absent)

	released := s.fresh(s.ask(s.key(idem.String("released"))))
	if err := s.store.Release(ctx, released); err != nil {
		s.Fatal(err)
	}
	s.wants("renew", s.store.Renew(ctx, released, long), idem.ErrLeaseLost)
	s.is(released.Key, idem.Absent)

	done := s.fresh(s.ask(s.key(idem.String("done"))))
	s.complete(done, outcome("1"))
	s.wants("renew", s.store.Renew(ctx, done, short), idem.ErrLeaseLost)
	time.Sleep(pause)
	s.is(done.Key, idem.Done)
}

func (s *records) renewExtends() {
	c := s.ask(s.key(idem.String("K")))
	c.Lease = short
	h := s.fresh(c)
	if err := s.store.Renew(context.Background(), h, long); err != nil {
		s.Fatal(err)
	}
	time.Sleep(pause)
	s.claim(s.ask(c.Key), idem.Running)
	s.complete(h, outcome("1"))
}

func (s *records) lapsedOwner() {
	for i, orphan := range []idem.Orphan{idem.OrphanRerun, idem.OrphanHold} {
		c := s.ask(s.key(idem.Int(i)))
		c.Lease, c.Orphan = short, orphan
		h := s.fresh(c)
		time.Sleep(pause)
		if err := s.store.Renew(context.Background(), h, short); err != nil {
			s.Fatalf("renew of a lapsed lease that nobody took over: %v", err)
		}
		time.Sleep(pause)
		s.complete(h, outcome("1"))
		s.claim(s.ask(c.Key), idem.Done)
	}
}

func (s *records) release() {
	ctx := context.Background()
	k := s.key(idem.String("K"))
	h := s.fresh(s.ask(k))
	if err := s.store.Release(ctx, h); err != nil {
		s.Fatal(err)
	}
	s.is(k, idem.Absent)
	next := s.fresh(s.ask(k))
	s.complete(next, outcome("1"))
	s.wants("release of a completed record", s.store.Release(ctx, next), idem.ErrLeaseLost)
	s.is(k, idem.Done)
}

func (s *records) prune() {
	ctx := context.Background()
	brief := make([]idem.Key, 10)
	for i := range brief {
		brief[i] = s.key(idem.String("brief"), idem.Int(i))
		if err := s.store.Complete(ctx, s.fresh(s.ask(brief[i])), outcome("1"), short); err != nil {
			s.Fatal(err)
		}
	}
	live := s.fresh(s.ask(s.key(idem.String("live"))))
	done := s.key(idem.String("done"))
	s.complete(s.fresh(s.ask(done)), outcome("1"))
	held := s.ask(s.key(idem.String("held")))
	held.Lease, held.Orphan, held.Retention = short, idem.OrphanHold, short
	s.fresh(held)
	never := s.ask(s.key(idem.String("never")))
	never.Retention = idem.Never
	if err := s.store.Complete(ctx, s.fresh(never), outcome("1"), idem.Never); err != nil {
		s.Fatal(err)
	}
	time.Sleep(pause)
	n, err := s.store.Prune(ctx, 3)
	if err != nil || n > 3 {
		s.Fatalf("prune of at most 3: %d, %v", n, err)
	}
	for range 1000 {
		if n, err = s.store.Prune(ctx, 100); err != nil {
			s.Fatal(err)
		}
		if n == 0 {
			break
		}
	}
	s.is(live.Key, idem.Running)
	s.is(done, idem.Done)
	s.is(held.Key, idem.Held)
	s.is(never.Key, idem.Done)
	for _, k := range brief {
		s.is(k, idem.Absent)
		s.fresh(s.ask(k))
	}
}

func (s *records) sameOwner() {
	ctx := context.Background()
	c := s.ask(s.key(idem.String("K")))
	h := s.fresh(c)
	for range 3 {
		if again := s.fresh(c); again != h {
			s.Fatalf("the same owner got %+v, then %+v", h, again)
		}
	}
	s.claim(s.ask(c.Key), idem.Running)
	for range 3 {
		s.complete(h, outcome("1"))
	}
	s.claim(c, idem.Done)

	c = s.ask(s.key(idem.String("released")))
	h = s.fresh(c)
	for range 3 {
		if err := s.store.Release(ctx, h); err != nil {
			s.Fatalf("release: %v", err)
		}
	}
	s.is(c.Key, idem.Absent)
}

func (s *records) rerun() {
	k := s.key(idem.String("K"))
	_, now := s.replaced(k)
	s.complete(now, outcome("1"))
	s.claim(s.ask(k), idem.Done)
}

// rerunOther: the owner vanished, and the next call with its key carries another
// payload. It must not run: the first one may have had its effect.
func (s *records) rerunOther() {
	k := s.key(idem.String("K"))
	c := s.ask(k)
	c.Lease = short
	s.fresh(c)
	time.Sleep(pause)
	other := s.ask(k)
	other.Fingerprint[32]++
	for range 2 {
		if f := s.claim(other, idem.Running); f.Record.Fingerprint != c.Fingerprint || f.Record.LeaseLeft > 0 {
			s.Fatalf("found %v, lease left %v; want fingerprint %v and no lease", f.Record.Fingerprint, f.Record.LeaseLeft, c.Fingerprint)
		}
	}
	s.is(k, idem.Absent)
	otherVersion := s.ask(k)
	otherVersion.Fingerprint = idem.Fingerprint{0: 2, 32: 9}
	s.complete(s.fresh(otherVersion), outcome("1"))
	s.claim(s.ask(k), idem.Done)
}

func (s *records) rerunRace() {
	k := s.key(idem.String("K"))
	c := s.ask(k)
	c.Lease = short
	s.fresh(c)
	time.Sleep(pause)
	s.oneWinner(k)
}

// vanish leaves a record whose owner vanished under OrphanHold.
func (s *records) vanish(name string) idem.Hold {
	s.Helper()
	c := s.ask(s.key(idem.String(name)))
	c.Lease, c.Orphan = short, idem.OrphanHold
	h := s.fresh(c)
	time.Sleep(pause)
	return h
}

func (s *records) hold() {
	ctx := context.Background()
	h := s.vanish("K")
	// The policy of the record decides, not that of the one who asks.
	f := s.claim(s.ask(h.Key), idem.Held)
	if f.Record.Owner != h.Owner || f.Record.Fingerprint == (idem.Fingerprint{}) || f.Record.Orphan != idem.OrphanHold {
		s.Fatalf("a held record tells %+v", f.Record)
	}
	s.is(h.Key, idem.Held)
	res := idem.Resolution{Outcome: outcome("resolved"), Retention: time.Hour}
	if err := s.store.Resolve(ctx, h.Key, res); err != nil {
		s.Fatalf("resolve: %v", err)
	}
	if r := s.claim(s.ask(h.Key), idem.Done).Record; !sameOutcome(r.Outcome, outcome("resolved")) || r.Fingerprint != f.Record.Fingerprint {
		s.Fatalf("resolved to %+v", r)
	}
	s.wants("complete of the vanished owner", s.store.Complete(ctx, h, outcome("late"), time.Hour), idem.ErrLeaseLost)
	s.wants("release of the vanished owner", s.store.Release(ctx, h), idem.ErrLeaseLost)
	if r := s.is(h.Key, idem.Done); !sameOutcome(r.Outcome, outcome("resolved")) {
		s.Fatalf("the vanished owner changed the outcome to %q", r.Outcome.Data)
	}
}

func (s *records) holdRerun() {
	ctx := context.Background()
	h := s.vanish("K")
	if err := s.store.Resolve(ctx, h.Key, idem.Resolution{Rerun: true}); err != nil {
		s.Fatalf("resolve: %v", err)
	}
	now := s.fresh(s.ask(h.Key))
	s.wants("complete of the vanished owner", s.store.Complete(ctx, h, outcome("late"), time.Hour), idem.ErrLeaseLost)
	s.complete(now, outcome("1"))
}

func (s *records) notHeld() {
	ctx := context.Background()
	for _, res := range []idem.Resolution{{Rerun: true}, {Outcome: outcome("wrong"), Retention: time.Hour}} {
		name := "result"
		if res.Rerun {
			name = "rerun"
		}
		s.wants("resolve of nothing", s.store.Resolve(ctx, s.key(idem.String(name), idem.String("none")), res), idem.ErrNotHeld)
		s.is(s.key(idem.String(name), idem.String("none")), idem.Absent)

		c := s.ask(s.key(idem.String(name), idem.String("running")))
		c.Orphan = idem.OrphanHold
		h := s.fresh(c)
		s.wants("resolve of a live claim", s.store.Resolve(ctx, c.Key, res), idem.ErrNotHeld)
		s.is(c.Key, idem.Running)
		s.complete(h, outcome("1"))
		s.wants("resolve of a completed record", s.store.Resolve(ctx, c.Key, res), idem.ErrNotHeld)
		if r := s.is(c.Key, idem.Done); !sameOutcome(r.Outcome, outcome("1")) {
			s.Fatalf("resolve changed the outcome to %q", r.Outcome.Data)
		}
	}
}
