package redisstore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/cost"

	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
)

// trips counts the round trips of f. The delay has what a client sends at once, in
// several writes, reach the server at once.
func (p *proxied) trips(f func()) int {
	p.proxy.SetDelay(20*time.Millisecond, 0)
	defer p.proxy.SetDelay(0, 0)
	p.proxy.Reset()
	f()
	return p.proxy.Total().RoundTrips
}

// TestCost_RoundTrips counts what every operation costs on a server that knows the
// scripts. The figures are exact.
func TestCost_RoundTrips(t *testing.T) {
	p := behindProxy(t, servers.Redis(t))
	ctx := context.Background()
	tokens, locks := p.Tokens(), p.Locks()
	var (
		c, lapsed, held = claimOf(key(1)), claimOf(key(2)), claimOf(key(3))
		h               idem.Hold
		ids             []idem.TokenID
		th              idem.TokenHold
		lock            = lockOf(key(1))
		checked         = lockOf(key(4))
		lh              idem.Hold
	)
	lapsed.Lease = time.Millisecond
	held.Lease, held.Orphan = time.Millisecond, idem.OrphanHold
	checked.Check = true
	steps := []struct {
		name string
		want int
		do   func()
	}{
		{cost.FreshClaim, 1, func() { h = take(t, p, c) }},
		{cost.RunningDuplicate, 1, func() { _, err := p.Claim(ctx, claimOf(c.Key)); ok(t, err) }},
		{cost.LookUp, 1, func() { _, err := p.Lookup(ctx, c.Key); ok(t, err) }},
		{cost.Renew, 1, func() { ok(t, p.Renew(ctx, h, time.Minute)) }},
		{cost.Complete, 1, func() {
			ok(t, p.Complete(ctx, h, idem.Outcome{Kind: idem.Succeeded, Codec: "json", Data: []byte("{}")}, time.Hour))
		}},
		{cost.Duplicate, 1, func() {
			if f, err := p.Claim(ctx, claimOf(c.Key)); err != nil || string(f.Record.Outcome.Data) != "{}" {
				t.Errorf("%+v, %v", f, err)
			}
		}},
		{"claim, release", 2, func() { ok(t, p.Release(ctx, take(t, p, lapsed))) }},
		{"claim, take over", 2, func() { take(t, p, lapsed); time.Sleep(5 * time.Millisecond); take(t, p, claimOf(lapsed.Key)) }},
		{"claim, resolve", 2, func() {
			take(t, p, held)
			time.Sleep(5 * time.Millisecond)
			ok(t, p.Resolve(ctx, held.Key, idem.Resolution{Rerun: true}))
		}},
		{"prune", 0, func() { _, err := p.Prune(ctx, 100); ok(t, err) }},
		{cost.Issue, 1, func() { ids = issue(t, tokens, 1) }},
		{cost.Consume, 1, func() { th = consume(t, tokens, consumptionOf(ids[0])) }},
		{cost.ConsumeRefused, 1, func() { _, err := tokens.Consume(ctx, consumptionOf(ids[0])); ok(t, err) }},
		{cost.Restore, 1, func() { ok(t, tokens.Restore(ctx, th)) }},
		{"consume, finish", 2, func() { ok(t, tokens.Finish(ctx, consume(t, tokens, consumptionOf(ids[0])))) }},
		{"issue 100 at once", 1, func() { ids = issue(t, tokens, 100) }},
		{"consume, burn", 2, func() { ok(t, tokens.Burn(ctx, consume(t, tokens, consumptionOf(ids[99])))) }},
		{cost.Acquire, 1, func() { lh = acquire(t, locks, lock) }},
		{cost.AcquireBusy, 1, func() { _, err := locks.Acquire(ctx, lockOf(lock.Key)); ok(t, err) }},
		{"renew a lock", 1, func() { ok(t, locks.Renew(ctx, lh, time.Minute)) }},
		{cost.Unlock, 1, func() { ok(t, locks.Release(ctx, lh)) }},
		{cost.LockAndUnlock, 2, func() { ok(t, locks.Release(ctx, acquire(t, locks, checked))) }},
	}
	for _, step := range steps { // teaches the server the scripts
		step.do()
	}
	c, lapsed.Key, held.Key, lock, checked.Key = claimOf(key(11)), key(12), key(13), lockOf(key(11)), key(14)
	lapsed.Owner, held.Owner, checked.Owner = idem.NewOwner(), idem.NewOwner(), idem.NewOwner()
	for _, step := range steps {
		if differs := cost.Differs(step.name, cost.Redis, step.want); differs != "" {
			t.Error(differs)
		}
		if got := p.trips(step.do); got != step.want {
			t.Errorf("%s: %d round trips, want %d", step.name, got, step.want)
		}
	}
}

// TestCost_GuardedCall: a fresh call claims and completes, a duplicate claims.
func TestCost_GuardedCall(t *testing.T) {
	p := behindProxy(t, servers.Redis(t))
	engine := idem.New(idem.GlobalScope)
	call := func(id int, err error) func() {
		return func() {
			guarded := engine.Call(context.Background(), &op, idem.Int(id)).Match(idem.Int(id))
			_, got := idem.Once(context.Background(), p, guarded, func(context.Context) (string, error) { return "result", err })
			if !errors.Is(got, err) {
				t.Error(got)
			}
		}
	}
	failed := errors.New("failed")
	call(1, nil)()
	call(2, failed)()
	for _, c := range []struct {
		name string
		want int
		do   func()
	}{
		{"fresh", 2, call(3, nil)},
		{"duplicate", 1, call(3, nil)},
		{"failed", 2, call(4, failed)},
	} {
		if got := p.trips(c.do); got != c.want {
			t.Errorf("%s: %d round trips, want %d", c.name, got, c.want)
		}
	}
}

// TestCost_UnknownScript: a server that doesn't know the scripts costs a second trip,
// also for many tokens.
func TestCost_UnknownScript(t *testing.T) {
	s := servers.NewRedis(t)
	p := behindProxy(t, s)
	flush := func() {
		if _, err := s.Do("SCRIPT", "FLUSH"); err != nil {
			t.Fatal(err)
		}
	}
	issue(t, p.Tokens(), 10) // go-redis has connections of their own for pipelines
	flush()
	if got := p.trips(func() { take(t, p, claimOf(key(1))) }); got != 2 {
		t.Errorf("claim: %d round trips", got)
	}
	flush()
	if got := p.trips(func() { issue(t, p.Tokens(), 100) }); got != 2 {
		t.Errorf("issue 100: %d round trips", got)
	}
}
