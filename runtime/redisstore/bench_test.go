package redisstore_test

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/redisstore"
	"github.com/redis/go-redis/v9"
)

// benchCallers is how many callers share the two processors of the baseline.
const benchCallers = 64

// benchmark runs one operation by many callers; n is different each time.
func benchmark(b *testing.B, do func(n int64) error) {
	b.ReportAllocs()
	b.SetParallelism(benchCallers / 2)
	var n atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := do(n.Add(1)); err != nil {
				b.Error(err)
			}
		}
	})
}

// BenchmarkRedis compares operations with the bare commands that would do less: a
// SET NX, and two of them for what takes two trips.
func BenchmarkRedis(b *testing.B) {
	opts, err := redis.ParseURL(servers.Redis(b).URL())
	if err != nil {
		b.Fatal(err)
	}
	client := redis.NewClient(opts)
	defer client.Close()
	prefix := servers.Unique(b)
	store, err := redisstore.New(context.Background(), client, redisstore.WithPrefix(prefix))
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	engine := idem.New(idem.GlobalScope)
	keyOf := func(n int64) idem.Key { return engine.Call(ctx, &op, idem.Int(n)).Key() }
	set := func(n int64) error {
		return client.SetNX(ctx, prefix+strconv.FormatInt(n, 10), "v", time.Minute).Err()
	}
	b.Run("bare SET NX", func(b *testing.B) { benchmark(b, set) })
	b.Run("claim", func(b *testing.B) {
		benchmark(b, func(n int64) error {
			_, err := store.Claim(ctx, claimOf(keyOf(n)))
			return err
		})
	})
	b.Run("bare SET NX twice", func(b *testing.B) {
		benchmark(b, func(n int64) error {
			if err := set(n); err != nil {
				return err
			}
			return set(n)
		})
	})
	b.Run("once", func(b *testing.B) {
		benchmark(b, func(n int64) error {
			_, err := idem.Once(ctx, store, engine.Call(ctx, &op, idem.Int(-n)), func(context.Context) (int64, error) { return n, nil })
			return err
		})
	})
	b.Run("lock and unlock", func(b *testing.B) {
		benchmark(b, func(n int64) error {
			r := lockOf(keyOf(n))
			f, err := store.Locks().Acquire(ctx, r)
			if err != nil {
				return err
			}
			return store.Locks().Release(ctx, idem.Hold{Key: r.Key, Owner: r.Owner, Fence: f.Fence})
		})
	})
	b.Run("issue and consume", func(b *testing.B) {
		benchmark(b, func(int64) error {
			id := idem.NewToken().ID()
			if err := store.Tokens().Issue(ctx, idem.TokenGrant{Tokens: []idem.TokenID{id}, TTL: time.Minute, Keep: time.Minute}); err != nil {
				return err
			}
			_, err := store.Tokens().Consume(ctx, consumptionOf(id))
			return err
		})
	})
}
