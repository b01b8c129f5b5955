package redisstore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/faultproxy"
	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/redis/go-redis/v9"
)

// replay is one operation whose reply gets lost: it is done, and done again with the
// same owner, and both must have answered alike.
type replay struct {
	name string
	// prepare returns the operation; it returns its answer, comparable.
	prepare func(t *testing.T, p *proxied) (match string, do func() (any, error))
	// check looks at what is there afterwards.
	check func(t *testing.T, p *proxied, answer any)
}

// replays has a row for each operation that changes something.
var replays = []replay{
	{"claim", func(_ *testing.T, p *proxied) (string, func() (any, error)) {
		c := claimOf(key(1))
		return p.records, func() (any, error) {
			f, err := p.Claim(context.Background(), c)
			return f.Status, err
		}
	}, func(t *testing.T, p *proxied, answer any) {
		if answer != idem.Fresh {
			t.Errorf("the claim is %v", answer)
		}
		if f, err := p.Claim(context.Background(), claimOf(key(1))); err != nil || f.Status != idem.Running {
			t.Errorf("the next one is %v, %v", f.Status, err)
		}
	}},
	{"complete", func(t *testing.T, p *proxied) (string, func() (any, error)) {
		h := take(t, p, claimOf(key(1)))
		return p.records, func() (any, error) {
			return nil, p.Complete(context.Background(), h, idem.Outcome{Kind: idem.Succeeded, Codec: "c", Data: []byte("1")}, time.Hour)
		}
	}, func(t *testing.T, p *proxied, _ any) {
		if f, err := p.Lookup(context.Background(), key(1)); err != nil || f.Status != idem.Done || string(f.Record.Outcome.Data) != "1" {
			t.Errorf("%+v, %v", f, err)
		}
	}},
	{"release", func(t *testing.T, p *proxied) (string, func() (any, error)) {
		h := take(t, p, claimOf(key(1)))
		return p.records, func() (any, error) { return nil, p.Release(context.Background(), h) }
	}, func(t *testing.T, p *proxied, _ any) { take(t, p, claimOf(key(1))) }},
	{"issue", func(_ *testing.T, p *proxied) (string, func() (any, error)) {
		g := idem.TokenGrant{Tokens: []idem.TokenID{idem.HashToken("a"), idem.HashToken("b")}, TTL: time.Minute, Keep: time.Hour}
		return p.tokens, func() (any, error) { return nil, p.Tokens().Issue(context.Background(), g) }
	}, func(t *testing.T, p *proxied, _ any) {
		consume(t, p.Tokens(), consumptionOf(idem.HashToken("a")))
		consume(t, p.Tokens(), consumptionOf(idem.HashToken("b")))
	}},
	{"consume", func(t *testing.T, p *proxied) (string, func() (any, error)) {
		ids := issue(t, p.Tokens(), 1)
		c := consumptionOf(ids[0])
		return p.tokens, func() (any, error) {
			f, err := p.Tokens().Consume(context.Background(), c)
			return f.Status, err
		}
	}, func(t *testing.T, _ *proxied, answer any) {
		if answer != idem.TokenConsumed {
			t.Errorf("the token is %v", answer)
		}
	}},
	{"finish", settled(idem.TokenStore.Finish), nil},
	{"restore", settled(idem.TokenStore.Restore), nil},
	{"burn", settled(idem.TokenStore.Burn), nil},
	{"acquire", func(_ *testing.T, p *proxied) (string, func() (any, error)) {
		r := lockOf(key(1))
		return p.locks, func() (any, error) {
			f, err := p.Locks().Acquire(context.Background(), r)
			return f.Status, err
		}
	}, func(t *testing.T, p *proxied, answer any) {
		if answer != idem.LockAcquired {
			t.Errorf("the lock is %v", answer)
		}
		if f, err := p.Locks().Acquire(context.Background(), lockOf(key(1))); err != nil || f.Status != idem.LockBusy {
			t.Errorf("the next one is %v, %v", f.Status, err)
		}
	}},
	{"release a lock", func(t *testing.T, p *proxied) (string, func() (any, error)) {
		h := acquire(t, p.Locks(), lockOf(key(1)))
		return p.locks, func() (any, error) { return nil, p.Locks().Release(context.Background(), h) }
	}, func(t *testing.T, p *proxied, _ any) { acquire(t, p.Locks(), lockOf(key(1))) }},
}

// settled prepares a settling of a consumed token.
func settled(how func(idem.TokenStore, context.Context, idem.TokenHold) error) func(*testing.T, *proxied) (string, func() (any, error)) {
	return func(t *testing.T, p *proxied) (string, func() (any, error)) {
		h := consume(t, p.Tokens(), consumptionOf(issue(t, p.Tokens(), 1)[0]))
		return p.tokens, func() (any, error) { return nil, how(p.Tokens(), context.Background(), h) }
	}
}

// TestLaw_C16_LostReplyIsRepeatedByTheClient: go-redis sends again by itself.
func TestLaw_C16_LostReplyIsRepeatedByTheClient(t *testing.T) {
	for _, r := range replays {
		t.Run(r.name, func(t *testing.T) {
			p := behindProxy(t, servers.Redis(t))
			match, do := r.prepare(t, p)
			lost := p.proxy.DropReply(match, 1)
			answer, err := do()
			if err != nil {
				t.Fatal(err)
			}
			if !lost.Fired() || lost.Seen() < 2 {
				t.Fatalf("fired: %v, sent %d times", lost.Fired(), lost.Seen())
			}
			if r.check != nil {
				r.check(t, p, answer)
			}
		})
	}
}

// TestLaw_C16_LostReplyIsRepeatedByTheCaller: a client that doesn't retry reports an
// outage, and the caller repeats with the same owner.
func TestLaw_C16_LostReplyIsRepeatedByTheCaller(t *testing.T) {
	for _, r := range replays {
		t.Run(r.name, func(t *testing.T) {
			p := behindProxy(t, servers.Redis(t), noRetries)
			match, do := r.prepare(t, p)
			lost := p.proxy.DropReply(match, 1)
			if _, err := do(); !errors.Is(err, idem.ErrStoreUnavailable) {
				t.Fatalf("without its reply: %v", err)
			}
			if !lost.Fired() {
				t.Fatal("no reply was lost")
			}
			answer, err := do()
			if err != nil {
				t.Fatal(err)
			}
			if r.check != nil {
				r.check(t, p, answer)
			}
		})
	}
}

// TestLaw_L5_LostAcquireIsCleanedUpByItsOwner: the fence is unknown then.
func TestLaw_L5_LostAcquireIsCleanedUpByItsOwner(t *testing.T) {
	p := behindProxy(t, servers.Redis(t), noRetries)
	r := lockOf(key(1))
	lost := p.proxy.DropReply(p.locks, 1)
	if _, err := p.Locks().Acquire(context.Background(), r); !errors.Is(err, idem.ErrStoreUnavailable) || !lost.Fired() {
		t.Fatalf("acquire: %v, fired: %v", err, lost.Fired())
	}
	if f, err := p.Locks().Acquire(context.Background(), lockOf(key(1))); err != nil || f.Status != idem.LockBusy {
		t.Fatalf("the lost acquisition holds: %v, %v", f.Status, err)
	}
	ok(t, p.Locks().Release(context.Background(), idem.Hold{Key: r.Key, Owner: r.Owner}))
	acquire(t, p.Locks(), lockOf(key(1)))
}

// TestLaw_L1_RetriedReleaseLeavesTheNewerLock: the reply of a release is lost, the
// lock is taken again, the release is sent again.
func TestLaw_L1_RetriedReleaseLeavesTheNewerLock(t *testing.T) {
	p := behindProxy(t, servers.Redis(t), noRetries)
	first := acquire(t, p.Locks(), lockOf(key(1)))
	p.proxy.DropReply(p.locks, 1)
	if err := p.Locks().Release(context.Background(), first); !errors.Is(err, idem.ErrStoreUnavailable) {
		t.Fatal(err)
	}
	second := acquire(t, p.Locks(), lockOf(key(1)))
	ok(t, p.Locks().Release(context.Background(), first))
	if f, err := p.Locks().Acquire(context.Background(), lockOf(key(1))); err != nil || f.Status != idem.LockBusy {
		t.Fatalf("%v, %v", f.Status, err)
	}
	ok(t, p.Locks().Release(context.Background(), second))
}

// TestLaw_C15_OutagesAreTold: whatever the network does, a guarded call that gets no
// answer doesn't run.
func TestLaw_C15_OutagesAreTold(t *testing.T) {
	faults := map[string]func(*faultproxy.Proxy){
		"refused": func(p *faultproxy.Proxy) { p.SetRefuse(true); p.Cut() },
		"silent":  func(p *faultproxy.Proxy) { p.SetBlackhole(true) },
		"closed":  func(p *faultproxy.Proxy) { _ = p.Close() },
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			p := behindProxy(t, servers.Redis(t), noRetries, func(o *redis.Options) { o.ReadTimeout = 100 * time.Millisecond })
			fault(p.proxy)
			call := idem.New(idem.GlobalScope).Call(context.Background(), &op, idem.Int(1))
			_, err := idem.Once(context.Background(), p, call, func(context.Context) (int, error) {
				t.Error("the method ran")
				return 1, nil
			})
			if !errors.Is(err, idem.ErrStoreUnavailable) {
				t.Errorf("once: %v", err)
			}
			if _, err := p.Tokens().Consume(context.Background(), consumptionOf(idem.HashToken("x"))); !errors.Is(err, idem.ErrStoreUnavailable) {
				t.Errorf("consume: %v", err)
			}
			if _, err := p.Locks().Acquire(context.Background(), lockOf(key(1))); !errors.Is(err, idem.ErrStoreUnavailable) {
				t.Errorf("acquire: %v", err)
			}
		})
	}
}

// TestLaw_C7_EndOfTheContextIsTheReason: a caller that gave up is no outage.
func TestLaw_C7_EndOfTheContextIsTheReason(t *testing.T) {
	p := behindProxy(t, servers.Redis(t), func(o *redis.Options) { o.ContextTimeoutEnabled = true })
	p.proxy.SetBlackhole(true)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := p.Claim(ctx, claimOf(key(1)))
	if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, idem.ErrStoreUnavailable) {
		t.Error(err)
	}
}

// TestLaw_C15_ServerThatCantWorkIsUnavailable: replies of a server that is there but
// can't do its work are outages, others are not.
func TestLaw_C15_ServerThatCantWorkIsUnavailable(t *testing.T) {
	s := servers.NewRedis(t)
	store := open(t, single(t, s.URL(), noRetries))
	set := func(name, value string) {
		t.Helper()
		if _, err := s.Do("CONFIG", "SET", name, value); err != nil {
			t.Fatal(err)
		}
	}
	take(t, store, claimOf(key(1)))
	set("maxmemory", "1") // OOM
	if _, err := store.Claim(context.Background(), claimOf(key(2))); !errors.Is(err, idem.ErrStoreUnavailable) {
		t.Errorf("out of memory: %v", err)
	}
	set("maxmemory", "0")
	set("min-replicas-to-write", "1") // NOREPLICAS
	if _, err := store.Claim(context.Background(), claimOf(key(2))); !errors.Is(err, idem.ErrStoreUnavailable) {
		t.Errorf("no replicas: %v", err)
	}
	set("min-replicas-to-write", "0")
	take(t, store, claimOf(key(2)))
	if _, err := s.Do("ACL", "SETUSER", "default", "-evalsha"); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Claim(context.Background(), claimOf(key(3))); err == nil || errors.Is(err, idem.ErrStoreUnavailable) {
		t.Errorf("not allowed: %v", err)
	}
}
