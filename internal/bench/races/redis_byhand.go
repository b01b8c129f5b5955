package races

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"
)

const (
	lease   = 30 * time.Second
	keep    = 24 * time.Hour
	theirs  = "owner" // what those who write by hand put into a key that they hold
	answer  = "17"    // and into one whose work is done
	session = "session"
	used    = "used"
)

// errNotFresh tells that a key was there already.
var errNotFresh = errors.New("the key is not fresh")

// byHand are the commands of somebody who writes them himself, by one of the clients.
type byHand struct {
	setNXGet func(ctx context.Context, key, value string, ttl time.Duration) (fresh bool, err error)
	setNX    func(ctx context.Context, key, value string, ttl time.Duration) (done bool, err error)
	set      func(ctx context.Context, key, value string, ttl time.Duration) error
	get      func(ctx context.Context, key string) (string, error) // "" where there is none
	getDel   func(ctx context.Context, key string) (string, error)
	unlock   func(ctx context.Context, key, owner string) (int64, error)
}

// unlockScript deletes a key that the owner holds.
const unlockScript = `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`

func byGoRedis(c redis.UniversalClient) byHand {
	script := redis.NewScript(unlockScript)
	text := func(v string, err error) (string, error) {
		if errors.Is(err, redis.Nil) {
			err = nil
		}
		return v, err
	}
	return byHand{
		setNXGet: func(ctx context.Context, key, value string, ttl time.Duration) (bool, error) {
			err := c.SetArgs(ctx, key, value, redis.SetArgs{Mode: "NX", Get: true, TTL: ttl}).Err()
			if errors.Is(err, redis.Nil) {
				return true, nil
			}
			return false, err
		},
		setNX: func(ctx context.Context, key, value string, ttl time.Duration) (bool, error) {
			err := c.SetArgs(ctx, key, value, redis.SetArgs{Mode: "NX", TTL: ttl}).Err()
			if errors.Is(err, redis.Nil) {
				return false, nil
			}
			return err == nil, err
		},
		set: func(ctx context.Context, key, value string, ttl time.Duration) error {
			return c.Set(ctx, key, value, ttl).Err()
		},
		get:    func(ctx context.Context, key string) (string, error) { return text(c.Get(ctx, key).Result()) },
		getDel: func(ctx context.Context, key string) (string, error) { return text(c.GetDel(ctx, key).Result()) },
		unlock: func(ctx context.Context, key, owner string) (int64, error) {
			return script.Run(ctx, c, []string{key}, owner).Int64()
		},
	}
}

func byRueidis(c rueidis.Client) byHand {
	script := rueidis.NewLuaScript(unlockScript)
	text := func(r rueidis.RedisResult) (string, error) {
		v, err := r.ToString()
		if rueidis.IsRedisNil(err) {
			err = nil
		}
		return v, err
	}
	return byHand{
		setNXGet: func(ctx context.Context, key, value string, ttl time.Duration) (bool, error) {
			err := c.Do(ctx, c.B().Set().Key(key).Value(value).Nx().Get().Ex(ttl).Build()).Error()
			if rueidis.IsRedisNil(err) {
				return true, nil
			}
			return false, err
		},
		setNX: func(ctx context.Context, key, value string, ttl time.Duration) (bool, error) {
			err := c.Do(ctx, c.B().Set().Key(key).Value(value).Nx().Ex(ttl).Build()).Error()
			if rueidis.IsRedisNil(err) {
				return false, nil
			}
			return err == nil, err
		},
		set: func(ctx context.Context, key, value string, ttl time.Duration) error {
			return c.Do(ctx, c.B().Set().Key(key).Value(value).Ex(ttl).Build()).Error()
		},
		get: func(ctx context.Context, key string) (string, error) {
			return text(c.Do(ctx, c.B().Get().Key(key).Build()))
		},
		getDel: func(ctx context.Context, key string) (string, error) {
			return text(c.Do(ctx, c.B().Getdel().Key(key).Build()))
		},
		unlock: func(ctx context.Context, key, owner string) (int64, error) {
			return script.Exec(ctx, c, []string{key}, []string{owner}).AsInt64()
		},
	}
}

// holds proves that keys have a value.
func (h byHand) holds(ctx context.Context, ops int, key func(i int) string, value string) error {
	return spread(ops, func(i int) error {
		got, err := h.get(ctx, key(i))
		if err == nil && got != value {
			err = fmt.Errorf("key %d of %d holds %q, not %q", i, ops, got, value)
		}
		return err
	})
}
