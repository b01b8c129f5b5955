package locks

import (
	"context"
	"time"

	redigo "github.com/gomodule/redigo/redis"
	"github.com/redis/go-redis/v9"
)

func twoCommands(ctx context.Context, c *redis.Client, key string) {
	c.SetNX(ctx, key, "1", 0) // want `SETNX and EXPIRE are two commands`
	c.Expire(ctx, key, time.Minute)
}

func bareDel(ctx context.Context, c *redis.Client, key string) {
	if ok, _ := c.SetNX(ctx, "lock:"+key, "1", time.Minute).Result(); !ok {
		return
	}
	defer c.Del(ctx, "lock:"+key) // want `DEL frees whoever holds "lock:" \+ key by now`
}

func redigoCommands(c redigo.Conn, key string) {
	c.Do("SETNX", key, "1") // want `SETNX and EXPIRE are two commands`
	c.Do("EXPIRE", key, 60)
	c.Do("DEL", key) // want `DEL frees whoever holds key by now`
}

// One command, and an unlock that compares.
func careful(ctx context.Context, c *redis.Client, key, owner string) {
	if ok, _ := c.SetNX(ctx, key, owner, time.Minute).Result(); !ok {
		return
	}
	defer c.Eval(ctx, `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end`, []string{key}, owner)
}

// Another key's expiry and removal are none of the lock's.
func others(ctx context.Context, c *redis.Client, key string) {
	c.SetNX(ctx, key, "1", time.Minute)
	c.Expire(ctx, key, time.Hour)
	c.Del(ctx, "cache:"+key)
}

// A DEL before the lock frees nothing of it.
func before(ctx context.Context, c *redis.Client, key string) {
	c.Del(ctx, key)
	c.SetNX(ctx, key, "1", time.Minute)
}

func known(ctx context.Context, c *redis.Client, key string) {
	c.SetNX(ctx, key, "1", time.Minute)
	c.Del(ctx, key) //nolint:idemgen // nobody else has this key
}
