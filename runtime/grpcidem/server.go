package grpcidem

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// UnaryServer is New(engine, store, rules...).UnaryServer(), for servers that neither
// check nor resolve.
func UnaryServer(engine *idem.Engine, store idem.RecordStore, rules ...Rule) grpc.UnaryServerInterceptor {
	return New(engine, store, rules...).UnaryServer()
}

// UnaryServer is a server's interceptor. It is safe for concurrent use; panics of
// handlers pass through.
func (g *Gate) UnaryServer() grpc.UnaryServerInterceptor { return g.intercept }

func (s *Gate) intercept(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if s.wrong != nil {
		return nil, ToStatus(s.wrong)
	}
	ctx = withMetadata(ctx)
	g := s.rule(info.FullMethod)
	if g == nil {
		res, err := next(ctx, req)
		return res, ToStatus(err)
	}
	key, err := keyOf(ctx, g.Required)
	switch {
	case err != nil:
		return nil, ToStatus(err)
	case key == "":
		res, err := next(ctx, req)
		return res, ToStatus(err)
	}
	message, isProto := req.(proto.Message)
	if !isProto {
		return nil, ToStatus(fmt.Errorf("%w: %s: a request of type %T is no proto.Message, so a retry can't be told from another call", idem.ErrInvalidOp, g.Name, req))
	}
	c := &guarded{Gate: s, guard: g, call: g.call(ctx, s.engine, info.FullMethod, key, message)}
	res, err := c.serve(ctx, req, next)
	return res, ToStatus(err)
}

// withMetadata lets wrappers inside read the call's metadata, without the markers
// that only we set (H4).
func withMetadata(ctx context.Context) context.Context {
	if md, ok := metadata.FromIncomingContext(ctx); ok && len(md.Get(ReplayedName)) > 0 {
		md = md.Copy()
		md.Delete(ReplayedName)
		ctx = metadata.NewIncomingContext(ctx, md)
	}
	incoming := ctx
	return idem.WithHeaders(ctx, func(name string) string { return value(incoming, name) })
}

// keyOf is the key of a call; "" when there is none and none is needed.
func keyOf(ctx context.Context, required bool) (string, error) {
	values := metadata.ValueFromIncomingContext(ctx, KeyName)
	switch {
	case len(values) == 0 && !required:
		return "", nil
	case len(values) == 0:
		return "", fmt.Errorf("%w: metadata %s is required", idem.ErrMissingKey, KeyName)
	case len(values) > 1:
		return "", fmt.Errorf("%w: metadata %s is given %d times", idem.ErrMissingKey, KeyName, len(values))
	case values[0] == "" || len(values[0]) > 255:
		return "", fmt.Errorf("%w: metadata %s has %d bytes, not 1 to 255", idem.ErrMissingKey, KeyName, len(values[0]))
	}
	return values[0], nil
}

// call freezes key and fingerprint (K1).
func (g *guard) call(ctx context.Context, engine *idem.Engine, method, key string, req proto.Message) idem.Call {
	call := g.keyed(ctx, engine, method, key)
	if g.Fingerprint != nil {
		if match := g.Fingerprint(method, req); len(match) > 0 {
			return call.Match(match...)
		}
		return call
	}
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(req)
	if err != nil { // a message that came over the wire goes back
		return call
	}
	return call.Match(idem.Bytes(data))
}

// keyed is call without the fingerprint.
func (g *guard) keyed(ctx context.Context, engine *idem.Engine, method, key string) idem.Call {
	parts := []idem.Part{idem.String(method), idem.String(key)}
	if g.Principal != nil {
		who := g.Principal(ctx)
		if who == "" {
			return engine.CallIn("", &g.op) // idem.ErrMissingScope
		}
		// A session is a secret: its hash is as good, and may stand in a store and a log.
		hash := idem.BindTo(who)
		parts = append(parts, idem.String(hex.EncodeToString(hash[:])))
	}
	return engine.Call(ctx, &g.op, parts...)
}

// guarded is one call that has a key.
type guarded struct {
	*Gate
	*guard
	call idem.Call
}

// serve answers from the record or by the handler. Until its claim is made the call ends
// with its client: nobody waits for an answer any more, and nothing has begun (C7). From
// then on it doesn't: what it began is finished for the retry.
func (c *guarded) serve(ctx context.Context, req any, next grpc.UnaryHandler) (any, error) {
	lease, record, err := idem.Acquire(ctx, c.store, c.call)
	switch ended := context.Cause(ctx); {
	case err != nil && ended != nil:
		return nil, status.FromContextError(ctx.Err()).Err()
	case err != nil:
		return nil, err
	case lease != nil && ended != nil:
		_ = lease.Settle(idem.SettleRelease, idem.Outcome{}) // what fails here ends with the lease
		return nil, status.FromContextError(ctx.Err()).Err()
	case lease != nil:
		return c.run(lease, req, next)
	}
	return c.replay(ctx, &record.Outcome)
}

// run runs the handler under a claim and settles on every path, without recover.
func (c *guarded) run(lease *idem.Lease, req any, next grpc.UnaryHandler) (any, error) {
	settled := false
	defer func() {
		if !settled {
			_ = lease.Settle(idem.SettleUnknown, idem.Outcome{}) // leaves the record alone, nothing can fail
		}
	}()
	started := time.Now()
	res, err := next(lease.Detach(), req)
	how, out, event := c.judge(res, err)
	settled = true
	lost := lease.Settle(how, out)
	if errors.Is(lost, idem.ErrLeaseLost) || lost == nil && lease.Lost() {
		return nil, fmt.Errorf("%w: %s", idem.ErrLeaseLost, c.op.Name)
	}
	if lost == nil { // the observer heard of a completion that failed (C6)
		if event.Kind != 0 {
			c.call.Observe(lease.Context(), event)
		}
		c.call.Observe(lease.Context(), idem.Event{Kind: settleEvents[how], Err: err, Elapsed: time.Since(started)})
	}
	return res, err
}

var settleEvents = [...]idem.EventKind{
	idem.SettleComplete: idem.EventExecuted, idem.SettleRelease: idem.EventReleased, idem.SettleUnknown: idem.EventUnknown,
}

// judge says what becomes of the claim. An error of a guarded call inside is judged
// by the code that the client gets for it.
func (c *guarded) judge(res any, err error) (idem.Settling, idem.Outcome, idem.Event) {
	if err != nil {
		if idem.StatusOf(err).Passing() { // the layer that said it decides about the retry too
			return idem.SettleRelease, idem.Outcome{}, idem.Event{}
		}
		st := status.Convert(ToStatus(err))
		how := c.Code(st.Code())
		if how != idem.SettleComplete {
			return how, idem.Outcome{}, idem.Event{}
		}
		out, event := c.kept(encodeStatus(st))
		return how, out, event
	}
	message, ok := res.(proto.Message)
	if !ok {
		return idem.SettleComplete, idem.Outcome{Kind: idem.Oversize}, idem.Event{Kind: idem.EventUnreadable, Err: fmt.Errorf("%T is no message", res)}
	}
	out, event := c.kept(encodeMessage(message))
	return idem.SettleComplete, out, event
}

// kept is an outcome that is small enough, or remembered as done (C9).
func (c *guarded) kept(out idem.Outcome, err error) (idem.Outcome, idem.Event) {
	switch {
	case err != nil:
		return idem.Outcome{Kind: idem.Oversize}, idem.Event{Kind: idem.EventUnreadable, Err: err}
	case int64(len(out.Data)) > c.MaxResult:
		return idem.Outcome{Kind: idem.Oversize}, idem.Event{Kind: idem.EventOversize, Err: fmt.Errorf("%w: %d bytes", idem.ErrResultTooLarge, len(out.Data))}
	}
	return out, idem.Event{}
}

// replay answers a duplicate.
func (c *guarded) replay(ctx context.Context, o *idem.Outcome) (any, error) {
	res, st, err := decode(o)
	if err != nil {
		c.call.Observe(ctx, idem.Event{Kind: idem.EventReplayed, Err: err})
		return nil, fmt.Errorf("%w: %s", err, c.op.Name)
	}
	c.call.Observe(ctx, idem.Event{Kind: idem.EventReplayed})
	// Without a stream in the context, as in a test of the interceptor alone, there is
	// no header to set.
	_ = grpc.SetHeader(ctx, metadata.Pairs(ReplayedName, "true"))
	if st != nil {
		return nil, st.Err()
	}
	return res, nil
}
