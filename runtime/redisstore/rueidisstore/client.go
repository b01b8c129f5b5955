package rueidisstore

import (
	"context"
	"errors"
	"time"

	"github.com/idemgen/idemgen/runtime/internal/redisscript"
	"github.com/redis/rueidis"
)

// adapter is a rueidis client as the scripts need it.
type adapter struct{ client rueidis.Client }

var _ redisscript.Client = adapter{}

// command makes the command of a request.
func (a adapter) command(r *redisscript.Request, whole bool) rueidis.Completed {
	if whole {
		return a.client.B().Eval().Script(r.Script.Text).Numkeys(int64(len(r.Keys))).Key(r.Keys...).Arg(r.Args...).Build()
	}
	return a.client.B().Evalsha().Sha1(r.Script.SHA).Numkeys(int64(len(r.Keys))).Key(r.Keys...).Arg(r.Args...).Build()
}

// A request that got no reply is sent again, since all may be repeated (C16).
// rueidis would do so itself for commands that are marked, without an end when the
// server is down and the context has none.
const (
	tries      = 4
	firstPause = 8 * time.Millisecond
)

// again tells whether to try once more, after a pause.
func again(ctx context.Context, try int, err error) bool {
	if err == nil || try == tries || errors.Is(err, rueidis.ErrClosing) {
		return false
	}
	if _, replied := rueidis.IsRedisErr(err); replied {
		return false
	}
	t := time.NewTimer(firstPause << (2 * (try - 1)))
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Eval implements redisscript.Client.
func (a adapter) Eval(ctx context.Context, r *redisscript.Request, whole bool) (string, error) {
	for try := 1; ; try++ {
		answer, err := a.client.Do(ctx, a.command(r, whole)).ToString()
		if !again(ctx, try, err) {
			return answer, classed(err)
		}
	}
}

// EvalAll implements redisscript.Client.
func (a adapter) EvalAll(ctx context.Context, rs []redisscript.Request, whole bool) []error {
	for try := 1; ; try++ {
		cmds := make([]rueidis.Completed, len(rs))
		for i := range rs {
			cmds[i] = a.command(&rs[i], whole)
		}
		errs := make([]error, len(rs))
		var unanswered error
		for i, result := range a.client.DoMulti(ctx, cmds...) {
			err := result.Error()
			errs[i] = classed(err)
			if _, replied := rueidis.IsRedisErr(err); err != nil && !replied {
				unanswered = err
			}
		}
		if !again(ctx, try, unanswered) {
			return errs
		}
	}
}

// Primaries implements redisscript.Client. rueidis tells of all nodes alike, so that
// replicas are asked too; one that doesn't answer can't be promoted and is no fault.
func (a adapter) Primaries(ctx context.Context, f func(redisscript.Send) error) error {
	var down error
	asked := 0
	for _, node := range a.client.Nodes() {
		err := f(func(args ...string) ([]string, error) { return send(ctx, node, args) })
		switch {
		case err == nil:
			asked++
		case errors.Is(err, redisscript.ErrMayEvict), errors.Is(err, redisscript.ErrPolicyUnknown), errors.Is(err, redisscript.ErrNumbers):
			return err
		default:
			down = err
		}
	}
	if asked > 0 {
		return nil
	}
	return down
}

// send sends a command and lays its reply flat.
func send(ctx context.Context, node rueidis.Client, words []string) ([]string, error) {
	reply, err := node.Do(ctx, node.B().Arbitrary(words...).Build()).ToMessage()
	if err != nil {
		return nil, classed(err)
	}
	if !reply.IsArray() && !reply.IsMap() {
		text, err := reply.ToString()
		return []string{text}, err
	}
	elements, err := reply.ToArray()
	if err != nil { // a map, as RESP 3 has it
		m, err := reply.AsStrMap()
		if err != nil {
			return nil, err
		}
		var to []string
		for name, value := range m {
			to = append(to, name, value)
		}
		return to, nil
	}
	var to []string
	for i := range elements {
		text, err := elements[i].ToString()
		if err != nil {
			return nil, err
		}
		to = append(to, text)
	}
	return to, nil
}

// classed marks an error that the server replied.
func classed(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := rueidis.IsRedisErr(err); ok {
		return &redisscript.ReplyError{Err: err}
	}
	return err
}
