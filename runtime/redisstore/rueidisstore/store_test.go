package rueidisstore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/faultproxy"
	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/redisstore/rueidisstore"
	"github.com/redis/rueidis"
)

// onAll runs a suite on every topology, side by side.
func onAll(t *testing.T, suite func(t *testing.T, client rueidis.Client)) {
	for _, top := range topologies {
		t.Run(top.name, func(t *testing.T) {
			t.Parallel()
			suite(t, connect(t, top.options(t)))
		})
	}
}

func TestRecordConformance(t *testing.T) {
	onAll(t, func(t *testing.T, client rueidis.Client) {
		idemtest.TestRecordStore(t, func(t *testing.T) idem.RecordStore { return open(t, client) })
	})
}

func TestTokenConformance(t *testing.T) {
	onAll(t, func(t *testing.T, client rueidis.Client) {
		idemtest.TestTokenStore(t, func(t *testing.T) idem.TokenStore { return open(t, client).Tokens() })
	})
}

func TestLockerConformance(t *testing.T) {
	onAll(t, func(t *testing.T, client rueidis.Client) {
		idemtest.TestLocker(t, func(t *testing.T) (idem.Locker, idem.RecordStore) {
			store := open(t, client)
			return store.Locks(), store
		})
	})
}

// proxied is a store behind a proxy.
func proxied(t *testing.T) (*rueidisstore.Store, *faultproxy.Proxy) {
	t.Helper()
	s := servers.Redis(t)
	proxy, err := faultproxy.New(s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proxy.Close() })
	return open(t, connect(t, single(t, s.At(proxy.Addr())))), proxy
}

// TestCost_RoundTrips: a fresh call two, a duplicate one, many tokens one, a lock with
// its check and release two.
func TestCost_RoundTrips(t *testing.T) {
	store, proxy := proxied(t)
	ctx := context.Background()
	once := func(i int) {
		if _, err := idem.Once(ctx, store, call(i), func(context.Context) (int, error) { return i, nil }); err != nil {
			t.Error(err)
		}
	}
	issue := func(int) {
		g := idem.TokenGrant{TTL: time.Minute, Keep: time.Hour}
		for range 100 {
			g.Tokens = append(g.Tokens, idem.NewToken().ID())
		}
		if err := store.Tokens().Issue(ctx, g); err != nil {
			t.Error(err)
		}
	}
	lock := func(i int) {
		r := idem.LockRequest{Key: call(i).Key(), Owner: idem.NewOwner(), TTL: time.Minute, Check: true}
		f, err := store.Locks().Acquire(ctx, r)
		if err != nil || f.Status != idem.LockAcquired {
			t.Errorf("acquire: %v, %v", f.Status, err)
		}
		if err := store.Locks().Release(ctx, idem.Hold{Key: r.Key, Owner: r.Owner, Fence: f.Fence}); err != nil {
			t.Error(err)
		}
	}
	steps := []struct {
		name string
		want int
		do   func(int)
		key  int
	}{
		{"fresh", 2, once, 1},
		{"duplicate", 1, once, 1},
		{"issue 100", 1, issue, 0},
		{"lock, check, unlock", 2, lock, 2},
	}
	for _, s := range steps { // teaches the server the scripts
		s.do(s.key)
	}
	proxy.SetDelay(5*time.Millisecond, 0) // what is sent at once arrives at once
	for _, s := range steps {
		got := 0
		for try := range 5 { // on a busy machine what is sent at once may leave in two parts
			if try > 0 && s.name == "duplicate" {
				break // of the one key
			}
			proxy.Reset()
			s.do(s.key + 10 + 100*try)
			if got = proxy.Total().RoundTrips; got == s.want {
				break
			}
		}
		if got != s.want {
			t.Errorf("%s: %d round trips, want %d", s.name, got, s.want)
		}
	}
}

// TestLaw_C16_LostRepliesAreRepeated: every reply in turn gets lost, and a fresh call
// still runs once and is stored; so do tokens.
func TestLaw_C16_LostRepliesAreRepeated(t *testing.T) {
	store, proxy := proxied(t)
	ctx := context.Background()
	for reply := 1; reply <= 2; reply++ {
		lost := proxy.DropReply("r:{", reply)
		for range 2 {
			runs := 0
			got, err := idem.Once(ctx, store, call(reply), func(context.Context) (int, error) { runs++; return 7, nil })
			if err != nil || got != 7 || runs > 1 {
				t.Errorf("reply %d: %v, %v, ran %d times", reply, got, err, runs)
			}
		}
		if !lost.Fired() {
			t.Errorf("reply %d was not lost", reply)
		}
	}
	g := idem.TokenGrant{Tokens: []idem.TokenID{idem.NewToken().ID(), idem.NewToken().ID()}, TTL: time.Minute, Keep: time.Hour}
	lost := proxy.DropReply("t:{", 1)
	if err := store.Tokens().Issue(ctx, g); err != nil || !lost.Fired() {
		t.Fatal(err, lost.Fired())
	}
	lost = proxy.DropReply("t:{", 1)
	f, err := store.Tokens().Consume(ctx, idem.Consumption{Token: g.Tokens[1], Owner: idem.NewOwner(), Lease: time.Minute})
	if err != nil || f.Status != idem.TokenConsumed || !lost.Fired() {
		t.Fatal(f.Status, err, lost.Fired())
	}
}

// TestLaw_C15_OutagesAreTold: also when the context has no deadline.
func TestLaw_C15_OutagesAreTold(t *testing.T) {
	store, proxy := proxied(t)
	_ = proxy.Close()
	_, err := idem.Once(context.Background(), store, call(1), func(context.Context) (int, error) {
		t.Error("the method ran")
		return 1, nil
	})
	if !errors.Is(err, idem.ErrStoreUnavailable) {
		t.Error(err)
	}
	if err := store.Tokens().Issue(context.Background(), idem.TokenGrant{Tokens: make([]idem.TokenID, 2), TTL: time.Minute}); !errors.Is(err, idem.ErrStoreUnavailable) {
		t.Error(err)
	}
}

// TestLaw_L5_ScriptsSurviveFlush: for one request and for a pipeline.
func TestLaw_L5_ScriptsSurviveFlush(t *testing.T) {
	s := servers.NewRedis(t)
	store := open(t, connect(t, single(t, s)))
	for i := range 3 {
		if _, err := s.Do("SCRIPT", "FLUSH"); err != nil {
			t.Fatal(err)
		}
		g := idem.TokenGrant{Tokens: []idem.TokenID{idem.NewToken().ID(), idem.NewToken().ID()}, TTL: time.Minute, Keep: time.Hour}
		if err := store.Tokens().Issue(context.Background(), g); err != nil {
			t.Fatal(err)
		}
		if got, err := idem.Once(context.Background(), store, call(i), func(context.Context) (int, error) { return i, nil }); err != nil || got != i {
			t.Fatal(got, err)
		}
	}
}

// TestNew_RefusesAServerThatMayEvict, and one that tells nothing.
func TestNew_RefusesAServerThatMayEvict(t *testing.T) {
	s := servers.NewRedis(t, servers.Setting("maxmemory-policy", "allkeys-lru"))
	client := connect(t, single(t, s))
	ctx := context.Background()
	if _, err := rueidisstore.New(ctx, client); !errors.Is(err, rueidisstore.ErrMayEvict) {
		t.Errorf("refused with %v", err)
	}
	var warned error
	if _, err := rueidisstore.New(ctx, client, rueidisstore.WithWarnings(func(err error) { warned = err })); err != nil || !errors.Is(warned, rueidisstore.ErrMayEvict) {
		t.Errorf("warned of %v, %v", warned, err)
	}
	acl := func(rule string) {
		if _, err := s.Do("ACL", "SETUSER", "default", rule); err != nil {
			t.Fatal(err)
		}
	}
	acl("-info") // CONFIG GET answers instead
	if _, err := rueidisstore.New(ctx, client); !errors.Is(err, rueidisstore.ErrMayEvict) {
		t.Errorf("refused with %v", err)
	}
	acl("-config")
	if _, err := rueidisstore.New(ctx, client); !errors.Is(err, rueidisstore.ErrPolicyUnknown) {
		t.Errorf("refused with %v", err)
	}
	if _, err := rueidisstore.New(ctx, client, rueidisstore.WithoutCheck()); err != nil {
		t.Error(err)
	}
	if _, err := rueidisstore.New(ctx, client, rueidisstore.WithPrefix("{")); err == nil {
		t.Error("a prefix with a brace")
	}
}
