package shop

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/redisstore"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// stores are those of the two outer layers.
type stores struct {
	responses idem.RecordStore
	tokens    idem.TokenStore
}

// openStores opens them: in Redis under a prefix where there is one, else responses in memory and tokens in the database.
func (s *Shop) openStores(ctx context.Context, prefix string) (stores, error) {
	if s.redis == nil {
		return stores{memstore.New(), sqlstore.NewTokens(s.db, s.dialect)}, nil
	}
	var opts []redisstore.Option
	if prefix != "" {
		opts = append(opts, redisstore.WithPrefix(prefix))
	}
	store, err := redisstore.New(ctx, s.redis, opts...)
	if err != nil {
		return stores{}, fmt.Errorf("shop: redis: %w", err)
	}
	return stores{store, store.Tokens()}, nil
}

func openRedis(address string) (*redis.Client, error) {
	o, err := redis.ParseURL(address)
	if err != nil {
		return nil, fmt.Errorf("shop: redis: %w", err)
	}
	o.ContextTimeoutEnabled = true
	return redis.NewClient(o), nil
}

const (
	pruneEvery = time.Minute
	pruneLimit = 1000 // at a time
)

// prune deletes what need not be remembered any more, a bounded number at a time, until the context ends. Memory and Redis do so by themselves.
func (s *Shop) prune(ctx context.Context) {
	tick := time.NewTicker(pruneEvery)
	defer tick.Stop()
	tokens := sqlstore.NewTokens(s.db, s.dialect)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for name, prune := range map[string]func(context.Context, int) (int, error){"records": s.store.Prune, "tokens": tokens.Prune} {
			if _, err := prune(ctx, pruneLimit); err != nil && ctx.Err() == nil {
				s.log.Warn("prune", "what", name, "error", err)
			}
		}
	}
}
