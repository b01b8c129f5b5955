package redisstore_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/redisstore"
	"github.com/redis/go-redis/v9"
)

// TestNew_RefusesAServerThatMayEvict: on a single server and on a cluster of which
// one node is set otherwise.
func TestNew_RefusesAServerThatMayEvict(t *testing.T) {
	s := servers.NewRedis(t, servers.Setting("maxmemory-policy", "allkeys-lru"))
	client := single(t, s.URL())
	if _, err := redisstore.New(context.Background(), client); !errors.Is(err, redisstore.ErrMayEvict) || !strings.Contains(err.Error(), "allkeys-lru") {
		t.Errorf("refused with %v", err)
	}
	var warned []error
	store, err := redisstore.New(context.Background(), client, redisstore.WithWarnings(func(err error) { warned = append(warned, err) }))
	if err != nil || len(warned) != 1 || !errors.Is(warned[0], redisstore.ErrMayEvict) {
		t.Fatalf("warned of %v, %v", warned, err)
	}
	take(t, store, claimOf(key(1)))
	if _, err := redisstore.New(context.Background(), client, redisstore.WithoutCheck()); err != nil {
		t.Error(err)
	}

	c := servers.RedisCluster(t)
	set := func(policy string) {
		if _, err := c.Nodes[2].Do("CONFIG", "SET", "maxmemory-policy", policy); err != nil {
			t.Fatal(err)
		}
	}
	set("volatile-ttl")
	defer set("noeviction")
	if _, err := redisstore.New(context.Background(), clusterOf(t, c)); !errors.Is(err, redisstore.ErrMayEvict) {
		t.Errorf("one node of a cluster may evict: %v", err)
	}
}

// TestNew_SaysWhenTheServerDoesNotTell: CONFIG is often forbidden, INFO seldom.
func TestNew_SaysWhenTheServerDoesNotTell(t *testing.T) {
	s := servers.NewRedis(t)
	acl := func(rules ...string) {
		if _, err := s.Do(append([]string{"ACL", "SETUSER", "guest", "on", "nopass", "allkeys", "+@all"}, rules...)...); err != nil {
			t.Fatal(err)
		}
	}
	guest := func(o *redis.Options) { o.Username, o.Password = "guest", "any" }
	for _, forbidden := range [][]string{{"-config"}, {"-info"}} {
		acl(forbidden...)
		if _, err := redisstore.New(context.Background(), single(t, s.URL(), guest)); err != nil {
			t.Errorf("%v: %v", forbidden, err)
		}
	}
	acl("-config", "-info")
	client := single(t, s.URL(), guest)
	if _, err := redisstore.New(context.Background(), client); !errors.Is(err, redisstore.ErrPolicyUnknown) {
		t.Errorf("neither: %v", err)
	}
	var warned error
	if _, err := redisstore.New(context.Background(), client, redisstore.WithWarnings(func(err error) { warned = err })); err != nil || !errors.Is(warned, redisstore.ErrPolicyUnknown) {
		t.Errorf("warned of %v, %v", warned, err)
	}
}

func TestNew_RefusesWhatCantWork(t *testing.T) {
	client := single(t, servers.Redis(t).URL())
	for _, prefix := range []string{"{", "}", "a{b}:"} {
		if _, err := redisstore.New(context.Background(), client, redisstore.WithPrefix(prefix)); err == nil {
			t.Errorf("prefix %q", prefix)
		}
	}
	nowhere := single(t, "redis://127.0.0.1:1/0", noRetries)
	if _, err := redisstore.New(context.Background(), nowhere); !errors.Is(err, idem.ErrStoreUnavailable) {
		t.Errorf("nobody there: %v", err)
	}
}

// dump returns keys and values that a store has on a server.
func dump(t *testing.T, s *servers.RedisServer) (keys []string, all string) {
	t.Helper()
	keys, err := s.Do("KEYS", "*")
	ok(t, err)
	slices.Sort(keys)
	for _, k := range keys {
		v, err := s.Do("GET", k)
		ok(t, err)
		all += k + v[0]
	}
	return keys, all
}

// TestLaw_X4_DumpHasNoToken: what Redis keeps can't be used as a token.
func TestLaw_X4_DumpHasNoToken(t *testing.T) {
	s := servers.NewRedis(t)
	store := open(t, single(t, s.URL()))
	token := idem.NewToken()
	if len(token.Reveal()) < 26 { // of 32 letters and digits each
		t.Errorf("%d characters", len(token.Reveal()))
	}
	session := "session of the presenter"
	g := idem.TokenGrant{Tokens: []idem.TokenID{token.ID()}, Binding: idem.Binding(idem.HashToken(session)), TTL: op.Lease, Keep: op.Lease}
	ok(t, store.Tokens().Issue(context.Background(), g))
	hidden := func() {
		t.Helper()
		if _, all := dump(t, s); all == "" || strings.Contains(all, token.Reveal()) || strings.Contains(all, session) {
			t.Errorf("the dump is %q", all)
		}
	}
	hidden()
	c := consumptionOf(token.ID())
	c.Binding = g.Binding
	h := consume(t, store.Tokens(), c)
	hidden()
	ok(t, store.Tokens().Finish(context.Background(), h))
	hidden()
}

// TestLaw_C13_NothingIsLeftForEver: every value has an expiry, but for what is held
// or kept for ever.
func TestLaw_C13_NothingIsLeftForEver(t *testing.T) {
	s := servers.NewRedis(t)
	store := open(t, single(t, s.URL()))
	ctx := context.Background()
	done := take(t, store, claimOf(key(1)))
	ok(t, store.Renew(ctx, done, op.Lease))
	ok(t, store.Complete(ctx, done, idem.Outcome{Kind: idem.Succeeded}, op.Lease))
	ok(t, store.Renew(ctx, take(t, store, claimOf(key(2))), op.Lease))
	ids := issue(t, store.Tokens(), 5)
	for i, settle := range []func(context.Context, idem.TokenHold) error{store.Tokens().Finish, store.Tokens().Restore, store.Tokens().Burn} {
		ok(t, settle(ctx, consume(t, store.Tokens(), consumptionOf(ids[i]))))
	}
	consume(t, store.Tokens(), consumptionOf(ids[3]))
	lock := acquire(t, store.Locks(), lockOf(key(1)))
	ok(t, store.Locks().Renew(ctx, lock, op.Lease))
	ok(t, store.Locks().Release(ctx, lock))
	acquire(t, store.Locks(), lockOf(key(2)))
	keys, _ := dump(t, s)
	if len(keys) != 2+5+2 {
		t.Fatalf("keys %q", keys)
	}
	ttl := func(k string) string {
		left, err := s.Do("PTTL", k)
		ok(t, err)
		return left[0]
	}
	for _, k := range keys {
		if left := ttl(k); strings.HasPrefix(left, "-") {
			t.Errorf("%s has expiry %s", k, left)
		}
	}
	held := claimOf(key(3))
	held.Orphan = idem.OrphanHold
	h := take(t, store, held)
	ok(t, store.Renew(ctx, h, op.Lease))
	forever := take(t, store, claimOf(key(4)))
	ok(t, store.Complete(ctx, forever, idem.Outcome{Kind: idem.Succeeded}, idem.Never))
	all, _ := dump(t, s)
	for _, k := range all {
		if !slices.Contains(keys, k) && ttl(k) != "-1" {
			t.Errorf("%s has expiry %s", k, ttl(k))
		}
	}
	if len(all) != len(keys)+2 {
		t.Errorf("keys %q", all)
	}
}

// TestLaw_C2_TinyTimesAreNoErrors: Redis takes no expiry of 0.
func TestLaw_C2_TinyTimesAreNoErrors(t *testing.T) {
	store := open(t, single(t, servers.Redis(t).URL()))
	ctx := context.Background()
	for i, d := range []time.Duration{0, 1, 999, 1000, 999_999} {
		c := claimOf(key(i))
		c.Retention = max(d, 1)
		h := take(t, store, c)
		ok(t, store.Renew(ctx, h, idem.DefaultLease))
		if err := store.Complete(ctx, h, idem.Outcome{Kind: idem.Succeeded}, d); err != nil {
			t.Errorf("complete for %v: %v", d, err)
		}
		if err := store.Tokens().Issue(ctx, idem.TokenGrant{Tokens: []idem.TokenID{idem.NewToken().ID()}, TTL: d, Keep: d}); err != nil {
			t.Errorf("issue for %v: %v", d, err)
		}
		consumed := consumptionOf(issue(t, store.Tokens(), 1)[0])
		consumed.Lease, consumed.Keep = d, d
		consume(t, store.Tokens(), consumed)
		lock := lockOf(key(i))
		lock.TTL = d
		acquire(t, store.Locks(), lock)
	}
}

// TestLaw_C1_ForeignValueIsAnError: what stands under a key and is none of ours is
// neither replayed nor overwritten.
func TestLaw_C1_ForeignValueIsAnError(t *testing.T) {
	s := servers.NewRedis(t)
	store := open(t, single(t, s.URL()))
	take(t, store, claimOf(key(1)))
	ids := issue(t, store.Tokens(), 1)
	acquire(t, store.Locks(), lockOf(key(1)))
	keys, _ := dump(t, s)
	for _, k := range keys {
		if _, err := s.Do("SET", k, "2 of a newer layout"); err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	if f, err := store.Claim(ctx, claimOf(key(1))); err == nil {
		t.Errorf("claim: %+v", f)
	}
	if f, err := store.Lookup(ctx, key(1)); err == nil {
		t.Errorf("look up: %+v", f)
	}
	if f, err := store.Tokens().Consume(ctx, consumptionOf(ids[0])); err == nil {
		t.Errorf("consume: %+v", f)
	}
	if f, err := store.Locks().Acquire(ctx, lockOf(key(1))); err == nil {
		t.Errorf("acquire: %+v", f)
	}
	for _, k := range keys {
		if v, err := s.Do("GET", k); err != nil || v[0] != "2 of a newer layout" {
			t.Errorf("%s is %q, %v", k, v, err)
		}
	}
}
