package redisstore

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/idemgen/idemgen/runtime/internal/redisscript"
	"github.com/redis/go-redis/v9"
)

// adapter is a go-redis client as the scripts need it.
type adapter struct{ client redis.UniversalClient }

var _ redisscript.Client = adapter{}

// command makes the command of a request. The answer is read as a string, which
// costs a fraction of what go-redis spends on an answer of unknown type; arguments go
// by pointer, which saves an allocation each.
func command(ctx context.Context, r *redisscript.Request, whole bool) *redis.StringCmd {
	args := make([]any, 0, 3+len(r.Keys)+len(r.Args))
	if whole {
		args = append(args, "eval", &r.Script.Text)
	} else {
		args = append(args, "evalsha", &r.Script.SHA)
	}
	args = append(args, numbers[len(r.Keys)])
	for i := range r.Keys {
		args = append(args, &r.Keys[i])
	}
	for i := range r.Args {
		args = append(args, &r.Args[i])
	}
	return redis.NewStringCmd(ctx, args...)
}

// numbers are how many keys a request has at most.
var numbers = [...]string{"0", "1", "2"}

// Eval implements redisscript.Client.
func (a adapter) Eval(ctx context.Context, r *redisscript.Request, whole bool) (string, error) {
	cmd := command(ctx, r, whole)
	if err := a.client.Process(ctx, cmd); err != nil {
		return "", classed(err)
	}
	return cmd.Val(), nil
}

// EvalAll implements redisscript.Client.
func (a adapter) EvalAll(ctx context.Context, rs []redisscript.Request, whole bool) []error {
	errs := make([]error, len(rs))
	cmds := make([]*redis.StringCmd, len(rs))
	pipe := a.client.Pipeline()
	for i := range rs {
		cmds[i] = command(ctx, &rs[i], whole)
		_ = pipe.Process(ctx, cmds[i]) // only queues
	}
	_, err := pipe.Exec(ctx)
	for i, cmd := range cmds {
		errs[i] = classed(cmd.Err())
	}
	if err != nil && errors.Join(errs...) == nil {
		errs[0] = classed(err) // of the pipeline, and of none of its commands
	}
	return errs
}

// Primaries implements redisscript.Client.
func (a adapter) Primaries(ctx context.Context, f func(redisscript.Send) error) error {
	var mu sync.Mutex
	one := func(ctx context.Context, c redis.UniversalClient) error {
		mu.Lock()
		defer mu.Unlock()
		return f(func(args ...string) ([]string, error) { return send(ctx, c, args) })
	}
	each := func(ctx context.Context, c *redis.Client) error { return one(ctx, c) }
	switch c := a.client.(type) {
	case *redis.ClusterClient:
		return c.ForEachMaster(ctx, each)
	case *redis.Ring:
		return c.ForEachShard(ctx, each)
	}
	return one(ctx, a.client)
}

// send sends a command and lays its reply flat.
func send(ctx context.Context, c redis.UniversalClient, words []string) ([]string, error) {
	args := make([]any, len(words))
	for i, word := range words {
		args[i] = word
	}
	reply, err := c.Do(ctx, args...).Result()
	if err != nil {
		return nil, classed(err)
	}
	return flat(nil, reply), nil
}

func flat(to []string, reply any) []string {
	switch v := reply.(type) {
	case []any:
		for _, element := range v {
			to = flat(to, element)
		}
	case map[any]any:
		for name, value := range v {
			to = flat(flat(to, name), value)
		}
	default:
		to = append(to, fmt.Sprint(v))
	}
	return to
}

// classed marks an error that the server replied.
func classed(err error) error {
	var reply redis.Error
	if err != nil && errors.As(err, &reply) {
		return &redisscript.ReplyError{Err: err}
	}
	return err
}
