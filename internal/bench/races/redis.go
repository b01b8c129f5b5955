package races

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"

	"github.com/idemgen/idemgen/internal/bench/races/guarded"
	"github.com/idemgen/idemgen/internal/bench/run"
	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/redisstore"
	"github.com/idemgen/idemgen/runtime/redisstore/rueidisstore"
)

// Names of contestants on Redis.
const (
	OursGoRedis = "idemgen, go-redis"
	OursRueidis = "idemgen, rueidis"
)

// redisParts are the clients of a Redis, and our stores on them.
type redisParts struct {
	client  redis.UniversalClient
	rueidis rueidis.Client
	ours    *redisstore.Store
	oursR   *rueidisstore.Store
	prefix  string
}

// redisOf connects to a Redis, single or a cluster.
func redisOf(t testing.TB, cluster bool) *redisParts {
	t.Helper()
	p := &redisParts{prefix: servers.Unique(t) + ":"}
	addrs := []string{servers.Redis(t).Addr()}
	if cluster {
		addrs = servers.RedisCluster(t).Addrs()
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

// key is one that no other run of a race has.
func (p *redisParts) key(what string, i int) string { return fmt.Sprintf("%s%s%d", p.prefix, what, i) }

// Redis are the races on one Redis, or on a cluster.
func Redis(t testing.TB, cluster bool, callers []int) []run.Race {
	p := redisOf(t, cluster)
	group := "Runtime: Redis"
	if cluster {
		group = "Runtime: Redis Cluster"
	}
	runs := 0
	unique := func(start func(what string) run.Running) func(context.Context) (run.Running, error) {
		return func(context.Context) (run.Running, error) {
			runs++
			return start(fmt.Sprintf("%d-", runs)), nil
		}
	}
	op := func(f func(ctx context.Context, i int) error) run.Running { return run.Running{Op: f} }
	leased := func(records idem.RecordStore) func(context.Context) (run.Running, error) {
		return unique(func(what string) run.Running {
			runs++
			from := int64(runs) << 32
			s := guarded.NewIdempotentService(&guarded.Service{}, idem.New(idem.GlobalScope, idem.WithPruning(0)), records, nilTx{})
			return op(func(ctx context.Context, i int) error {
				got, err := s.Leased(ctx, from+int64(i))
				if err == nil && got != from+int64(i) {
					return fmt.Errorf("got %d", got)
				}
				return err
			})
		})
	}
	again := func(records idem.RecordStore) func(context.Context) (run.Running, error) {
		return unique(func(string) run.Running {
			runs++
			from := int64(runs) << 32
			s := guarded.NewIdempotentService(&guarded.Service{}, idem.New(idem.GlobalScope, idem.WithPruning(0)), records, nilTx{})
			return op(func(ctx context.Context, i int) error {
				_, err := s.Leased(ctx, from)
				if errors.Is(err, idem.ErrInProgress) {
					err = nil
				}
				return err
			})
		})
	}
	return []run.Race{
		{Group: group, Name: "once, fresh: claim and result", Unit: "call", Callers: callers, Contestants: []run.Contestant{
			{Name: "SET NX GET, SET by hand, go-redis", Start: unique(func(what string) run.Running {
				return op(func(ctx context.Context, i int) error {
					key := p.key(what, i)
					if err := p.client.SetArgs(ctx, key, "owner", redis.SetArgs{Mode: "NX", Get: true, TTL: 30 * time.Second}).Err(); err != nil && !errors.Is(err, redis.Nil) {
						return err
					}
					return p.client.Set(ctx, key, "17", 24*time.Hour).Err()
				})
			})},
			{Name: OursGoRedis, Start: leased(p.ours)},
			{Name: "SET NX GET, SET by hand, rueidis", Start: unique(func(what string) run.Running {
				return op(func(ctx context.Context, i int) error {
					key := p.key(what, i)
					err := p.rueidis.Do(ctx, p.rueidis.B().Set().Key(key).Value("owner").Nx().Get().Ex(30*time.Second).Build()).Error()
					if err != nil && !rueidis.IsRedisNil(err) {
						return err
					}
					return p.rueidis.Do(ctx, p.rueidis.B().Set().Key(key).Value("17").Ex(24*time.Hour).Build()).Error()
				})
			})},
			{Name: OursRueidis, Start: leased(p.oursR)},
		}},
		{Group: group, Name: "once, a duplicate", Unit: "call", Callers: callers, Contestants: []run.Contestant{
			{Name: "GET by hand, go-redis", Start: unique(func(what string) run.Running {
				return op(func(ctx context.Context, i int) error {
					err := p.client.Get(ctx, p.key(what, 0)).Err()
					if errors.Is(err, redis.Nil) {
						err = p.client.Set(ctx, p.key(what, 0), "17", time.Hour).Err()
					}
					return err
				})
			})},
			{Name: OursGoRedis, Start: again(p.ours)},
			{Name: OursRueidis, Start: again(p.oursR)},
		}},
		{Group: group, Name: "token: issue, consume, finish", Unit: "token", Callers: callers, Contestants: []run.Contestant{
			{Name: "SET, GETDEL, SET by hand, go-redis", Start: unique(func(what string) run.Running {
				return op(func(ctx context.Context, i int) error {
					key := p.key(what, i)
					return errors.Join(p.client.Set(ctx, key, "session", 5*time.Minute).Err(), p.client.GetDel(ctx, key).Err(), p.client.Set(ctx, key, "used", 24*time.Hour).Err())
				})
			})},
			{Name: OursGoRedis, Start: tokens(p.ours.Tokens())},
			{Name: OursRueidis, Start: tokens(p.oursR.Tokens())},
		}},
		{Group: group, Name: "lock and unlock", Unit: "lock", Callers: callers, Note: "redislock, redsync and the bare commands know neither fences nor records; ours looks at both in the same two trips.", Contestants: []run.Contestant{
			{Name: "redislock, go-redis", Start: unique(func(what string) run.Running {
				locker := redislock.New(p.client)
				return op(func(ctx context.Context, i int) error {
					l, err := locker.Obtain(ctx, p.key(what, i), 30*time.Second, nil)
					if err != nil {
						return err
					}
					return l.Release(ctx)
				})
			})},
			{Name: "redsync, go-redis", Start: unique(func(what string) run.Running {
				rs := redsync.New(goredis.NewPool(p.client))
				return op(func(ctx context.Context, i int) error {
					m := rs.NewMutex(p.key(what, i), redsync.WithExpiry(30*time.Second))
					if err := m.LockContext(ctx); err != nil {
						return err
					}
					ok, err := m.UnlockContext(ctx)
					if err == nil && !ok {
						err = errors.New("not unlocked")
					}
					return err
				})
			})},
			{Name: "SET NX, EVALSHA by hand, go-redis", Start: unique(func(what string) run.Running {
				unlock := redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`)
				return op(func(ctx context.Context, i int) error {
					key := p.key(what, i)
					if ok, err := p.client.SetNX(ctx, key, "owner", 30*time.Second).Result(); err != nil || !ok {
						return fmt.Errorf("%v, %w", ok, err)
					}
					return unlock.Run(ctx, p.client, []string{key}, "owner").Err()
				})
			})},
			{Name: OursGoRedis, Start: locks(p.ours.Locks())},
			{Name: OursRueidis, Start: locks(p.oursR.Locks())},
		}},
	}
}

// tokens issues, consumes and finishes.
func tokens(s idem.TokenStore) func(context.Context) (run.Running, error) {
	return func(context.Context) (run.Running, error) {
		return run.Running{Op: func(ctx context.Context, _ int) error {
			id := idem.NewToken().ID()
			if err := s.Issue(ctx, idem.TokenGrant{Tokens: []idem.TokenID{id}, TTL: 5 * time.Minute}); err != nil {
				return err
			}
			c := idem.Consumption{Token: id, Owner: idem.NewOwner(), Lease: 30 * time.Second, Keep: 24 * time.Hour}
			found, err := s.Consume(ctx, c)
			if err != nil || found.Status != idem.TokenConsumed {
				return fmt.Errorf("%v, %w", found.Status, err)
			}
			return s.Finish(ctx, idem.TokenHold{Token: id, Owner: c.Owner, Fence: found.Fence})
		}}, nil
	}
}

// locks acquires, with a look at the record, and releases.
func locks(l idem.Locker) func(context.Context) (run.Running, error) {
	return func(ctx context.Context) (run.Running, error) {
		engine, lock := idem.New(idem.GlobalScope), &idem.Op{Name: "lock", Orphan: idem.OrphanRerun}
		from := int64(idem.NewOwner()[0])<<40 | time.Now().UnixNano()<<20
		return run.Running{Op: func(ctx context.Context, i int) error {
			r := idem.LockRequest{Key: engine.Call(ctx, lock, idem.Int(from+int64(i))).Key(), Owner: idem.NewOwner(), TTL: 30 * time.Second, Check: true}
			found, err := l.Acquire(ctx, r)
			if err != nil || found.Status != idem.LockAcquired {
				return fmt.Errorf("%v, %w", found.Status, err)
			}
			return l.Release(ctx, idem.Hold{Key: r.Key, Owner: r.Owner, Fence: found.Fence})
		}}, nil
	}
}
