package races

import (
	"context"
	"fmt"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"

	"github.com/idemgen/idemgen/internal/bench/run"
	"github.com/idemgen/idemgen/internal/faultproxy"
	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/redisstore"
	"github.com/idemgen/idemgen/runtime/redisstore/rueidisstore"
)

// Names of contestants and races on Redis.
const (
	OursGoRedis = "idemgen, go-redis"
	OursRueidis = "idemgen, rueidis"

	OnceByHand        = "SET NX GET, SET by hand, go-redis"
	OnceByHandRueidis = "SET NX GET, SET by hand, rueidis"
	GetByHand         = "GET by hand, go-redis"
	GetByHandRueidis  = "GET by hand, rueidis"
	TokenByHand       = "SET, GETDEL, SET by hand, go-redis"
	TokenByHandR      = "SET, GETDEL, SET by hand, rueidis"
	LockByHand        = "SET NX, EVALSHA by hand, go-redis"
	LockByHandRueidis = "SET NX, EVALSHA by hand, rueidis"
	Redislock         = "redislock, go-redis"

	RedisFresh     = "once, fresh: claim and result"
	RedisDuplicate = "once, a duplicate"
	RedisToken     = "token: issue, consume, finish"
	RedisLock      = "lock, double check, unlock"
)

// RedisGroup names the section of a Redis with so many masters; 0 = single.
func RedisGroup(masters int) string {
	switch masters {
	case 0:
		return "Runtime: Redis"
	case 1:
		return "Runtime: Redis Cluster of 1 master"
	}
	return fmt.Sprintf("Runtime: Redis Cluster of %d masters", masters)
}

// redisParts are the clients of a Redis, and our stores on them.
type redisParts struct {
	client  redis.UniversalClient
	rueidis rueidis.Client
	ours    *redisstore.Store
	oursR   *rueidisstore.Store
	prefix  string
	pids    []int // of the servers
	runs    int
}

// connectRedis connects to a Redis, single or a cluster.
func connectRedis(t testing.TB, cluster bool, addrs []string, pids []int) *redisParts {
	t.Helper()
	p := &redisParts{prefix: servers.Unique(t) + ":", pids: pids}
	if cluster {
		p.client = redis.NewClusterClient(&redis.ClusterOptions{Addrs: addrs, PoolSize: 64})
	} else {
		p.client = redis.NewClient(&redis.Options{Addr: addrs[0], PoolSize: 64})
	}
	var err error
	if p.rueidis, err = rueidis.NewClient(rueidis.ClientOption{InitAddress: addrs, DisableCache: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.rueidis.Close(); _ = p.client.Close() })
	if p.ours, err = redisstore.New(t.Context(), p.client, redisstore.WithPrefix(p.prefix)); err != nil {
		t.Fatal(err)
	}
	if p.oursR, err = rueidisstore.New(t.Context(), p.rueidis, rueidisstore.WithPrefix(p.prefix)); err != nil {
		t.Fatal(err)
	}
	return p
}

// unique is what tells the keys of one run of a race from those of all others.
func (p *redisParts) unique() string {
	p.runs++
	return fmt.Sprintf("%s%d-", p.prefix, p.runs)
}

// numbers gives a contestant ids that nobody else has.
func (p *redisParts) numbers() int64 {
	p.runs++
	return int64(p.runs) << 32
}

// each gives a contestant keys of its own: key(i).
func (p *redisParts) each(start func(key func(i int) string) run.Running) func(context.Context) (run.Running, error) {
	return func(context.Context) (run.Running, error) {
		prefix := p.unique()
		return start(func(i int) string { return fmt.Sprintf("%s%d", prefix, i) }), nil
	}
}

// Redis are the races on one Redis, whose round trips are counted, or on a cluster of so
// many masters without replicas.
func Redis(t testing.TB, masters int, callers []int) []run.Race {
	t.Helper()
	if masters > 0 {
		c := servers.NewRedisCluster(t, servers.Masters(masters), servers.Setting("appendonly", "no"))
		var pids []int
		for _, s := range c.Nodes {
			pids = append(pids, s.PID())
		}
		return connectRedis(t, true, c.Addrs(), pids).races(RedisGroup(masters), callers)
	}
	server := servers.Redis(t)
	races := connectRedis(t, false, []string{server.Addr()}, []int{server.PID()}).races(RedisGroup(0), callers)
	proxy, err := faultproxy.New(server.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proxy.Close() })
	twins := connectRedis(t, false, []string{proxy.Addr()}, nil).races("", nil)
	for i := range races {
		races[i].Contestants = run.Counted(races[i].Contestants, twins[i].Contestants, wire(proxy))
	}
	return races
}

func wire(p *faultproxy.Proxy) run.Wire {
	return run.Wire{Reset: p.Reset, Total: func() int { return p.Total().RoundTrips }}
}

func (p *redisParts) races(group string, callers []int) []run.Race {
	races := []run.Race{
		{Name: RedisFresh, Unit: "call", Contestants: p.once()},
		{Name: RedisDuplicate, Unit: "call", Contestants: p.duplicates()},
		{Name: RedisToken, Unit: "token", Contestants: p.tokens()},
		{Name: RedisLock, Unit: "lock", Contestants: p.locks(),
			Note: "redislock, redsync and the bare commands know neither fences nor records; ours looks at both in the same two trips."},
	}
	for i := range races {
		races[i].Group, races[i].Callers = group, callers
		metered(&races[i], p.pids)
	}
	return races
}
