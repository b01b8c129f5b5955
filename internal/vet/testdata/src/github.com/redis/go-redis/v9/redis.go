// Package redis stands for go-redis.
package redis

import (
	"context"
	"time"
)

type BoolCmd struct{}

func (*BoolCmd) Result() (bool, error) { return false, nil }

type IntCmd struct{}

func (*IntCmd) Err() error { return nil }

type Client struct{}

func (*Client) SetNX(ctx context.Context, key string, value any, expiration time.Duration) *BoolCmd {
	return nil
}
func (*Client) Expire(ctx context.Context, key string, expiration time.Duration) *BoolCmd { return nil }
func (*Client) Del(ctx context.Context, keys ...string) *IntCmd                           { return nil }
func (*Client) Eval(ctx context.Context, script string, keys []string, args ...any) *IntCmd {
	return nil
}
