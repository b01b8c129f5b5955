package redisstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/faultproxy"
	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/redisstore"
	"github.com/redis/go-redis/v9"
)

// topology is one row of the table of what the laws are tested on.
type topology struct {
	name    string
	connect func(t *testing.T) redis.UniversalClient
}

var topologies = []topology{
	{"Single", func(t *testing.T) redis.UniversalClient { return single(t, servers.Redis(t).URL()) }},
	{"Sentinel", func(t *testing.T) redis.UniversalClient { return sentinel(t, servers.RedisPair(t)) }},
	{"Cluster", func(t *testing.T) redis.UniversalClient { return clusterOf(t, servers.RedisCluster(t)) }},
}

// kept closes a client with the test.
func kept(t *testing.T, c redis.UniversalClient) redis.UniversalClient {
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// single connects to one server, with its options changed as set says.
func single(t *testing.T, url string, set ...func(*redis.Options)) redis.UniversalClient {
	t.Helper()
	opts, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range set {
		f(opts)
	}
	return kept(t, redis.NewClient(opts))
}

// noRetries has go-redis send every command once.
func noRetries(o *redis.Options) { o.MaxRetries = -1 }

// sentinel connects to the primary of a pair.
func sentinel(t *testing.T, p *servers.Pair) redis.UniversalClient {
	return kept(t, redis.NewFailoverClient(&redis.FailoverOptions{MasterName: p.Master, SentinelAddrs: p.Sentinels}))
}

// open makes a store with keys of its own.
func open(t *testing.T, client redis.UniversalClient, opts ...redisstore.Option) *redisstore.Store {
	t.Helper()
	opts = append([]redisstore.Option{redisstore.WithPrefix(servers.Unique(t) + ":")}, opts...)
	store, err := redisstore.New(context.Background(), client, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// proxied is a store behind a proxy. Letters of the prefix's keys tell requests
// apart: its records begin with records, and so on.
type proxied struct {
	*redisstore.Store
	proxy                  *faultproxy.Proxy
	records, tokens, locks string
}

func behindProxy(t *testing.T, s *servers.RedisServer, set ...func(*redis.Options)) *proxied {
	t.Helper()
	proxy, err := faultproxy.New(s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proxy.Close() })
	prefix := servers.Unique(t) + ":"
	store, err := redisstore.New(context.Background(), single(t, s.At(proxy.Addr()).URL(), set...), redisstore.WithPrefix(prefix))
	if err != nil {
		t.Fatal(err)
	}
	return &proxied{store, proxy, prefix + "r:{", prefix + "t:{", prefix + "l:{"}
}

// clusterOf connects to a cluster.
func clusterOf(t *testing.T, c *servers.Cluster) redis.UniversalClient {
	return kept(t, redis.NewClusterClient(&redis.ClusterOptions{Addrs: c.Addrs()}))
}

var op = idem.Op{Name: "redisstore_test", Orphan: idem.OrphanHold, Lease: time.Minute}

// key makes key i.
func key(i int) idem.Key {
	return idem.New(idem.GlobalScope).Call(context.Background(), &op, idem.Int(i)).Key()
}

// claimOf is a claim of a new owner.
func claimOf(k idem.Key) idem.Claim {
	return idem.Claim{Key: k, Owner: idem.NewOwner(), Fingerprint: idem.Fingerprint{0: 1, 32: 7}, Lease: time.Minute, Retention: time.Hour, Orphan: idem.OrphanRerun}
}

// holdOf is what a fresh claim owns.
func holdOf(c idem.Claim, f idem.Found) idem.Hold {
	return idem.Hold{Key: c.Key, Owner: c.Owner, Fence: f.Record.Fence}
}

// take claims and expects to win.
func take(t *testing.T, s idem.RecordStore, c idem.Claim) idem.Hold {
	t.Helper()
	f, err := s.Claim(context.Background(), c)
	if err != nil || f.Status != idem.Fresh {
		t.Fatalf("claim: %v, %v", f.Status, err)
	}
	return holdOf(c, f)
}

// issue issues n tokens.
func issue(t *testing.T, s idem.TokenStore, n int) []idem.TokenID {
	t.Helper()
	g := idem.TokenGrant{TTL: time.Minute, Keep: time.Hour}
	for range n {
		g.Tokens = append(g.Tokens, idem.NewToken().ID())
	}
	ok(t, s.Issue(context.Background(), g))
	return g.Tokens
}

// consumptionOf is a consumption by a new owner.
func consumptionOf(id idem.TokenID) idem.Consumption {
	return idem.Consumption{Token: id, Owner: idem.NewOwner(), Lease: time.Minute, Keep: time.Hour, Key: key(1)}
}

// consume consumes and expects to win.
func consume(t *testing.T, s idem.TokenStore, c idem.Consumption) idem.TokenHold {
	t.Helper()
	f, err := s.Consume(context.Background(), c)
	if err != nil || f.Status != idem.TokenConsumed {
		t.Fatalf("consume: %v, %v", f.Status, err)
	}
	return idem.TokenHold{Token: c.Token, Owner: c.Owner, Fence: f.Fence}
}

// acquire acquires and expects to win.
func acquire(t *testing.T, s idem.Locker, r idem.LockRequest) idem.Hold {
	t.Helper()
	f, err := s.Acquire(context.Background(), r)
	if err != nil || f.Status != idem.LockAcquired {
		t.Fatalf("acquire: %v, %v", f.Status, err)
	}
	return idem.Hold{Key: r.Key, Owner: r.Owner, Fence: f.Fence}
}

func lockOf(k idem.Key) idem.LockRequest {
	return idem.LockRequest{Key: k, Owner: idem.NewOwner(), TTL: time.Minute}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
