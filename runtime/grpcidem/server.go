package grpcidem

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// UnaryServer is a server's interceptor. store keeps the responses of calls that a
// rule guards; the first rule that names a method, or names none, is its. Without
// rules nothing is stored, and store may be nil: then it serves generated wrappers
// inside alone. It is safe for concurrent use; panics of handlers pass through.
func UnaryServer(engine *idem.Engine, store idem.RecordStore, rules ...Rule) grpc.UnaryServerInterceptor {
	s := &server{engine: engine, store: store}
	for _, r := range rules {
		setDefault(&r.Name, "grpc")
		setDefault(&r.TTL, DefaultTTL)
		setDefault(&r.Orphan, idem.OrphanHold)
		setDefault(&r.MaxResult, DefaultMaxResult)
		if r.Code == nil {
			r.Code = DefaultCode
		}
		s.rules = append(s.rules, &guard{Rule: r, op: idem.Op{
			Name: r.Name, Key: []string{"the method", KeyName, "the principal"},
			TTL: r.TTL, Lease: r.Lease, Wait: r.Wait, Orphan: r.Orphan, MaxResult: r.MaxResult, FailOpen: r.FailOpen,
		}})
	}
	return s.intercept
}

type server struct {
	engine *idem.Engine
	store  idem.RecordStore
	rules  []*guard
}

// guard is a rule with its operation.
type guard struct {
	Rule
	op idem.Op
}

func (s *server) intercept(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	ctx = withMetadata(ctx)
	message, isProto := req.(proto.Message)
	g := s.rule(info.FullMethod)
	if g == nil || !isProto {
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
	c := &guarded{server: s, guard: g, call: g.call(ctx, s.engine, info.FullMethod, key, message)}
	res, err := c.serve(ctx, req, next)
	return res, ToStatus(err)
}

// rule finds what guards a method; nil for nothing.
func (s *server) rule(method string) *guard {
	for _, g := range s.rules {
		if g.Methods == nil || slices.Contains(g.Methods, method) {
			return g
		}
	}
	return nil
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
	parts := []idem.Part{idem.String(method), idem.String(key)}
	if g.Principal != nil {
		who := g.Principal(ctx)
		if who == "" {
			return engine.CallIn("", &g.op) // idem.ErrMissingScope
		}
		parts = append(parts, idem.String(who))
	}
	call := engine.Call(ctx, &g.op, parts...)
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

// guarded is one call that has a key.
type guarded struct {
	*server
	*guard
	call idem.Call
}

// serve answers from the record or by the handler.
func (c *guarded) serve(ctx context.Context, req any, next grpc.UnaryHandler) (any, error) {
	// The client may go; what its call began is finished for the retry.
	detached := context.WithoutCancel(ctx)
	lease, record, err := idem.Acquire(detached, c.store, c.call)
	switch {
	case err != nil:
		return nil, err
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
	res, err := next(lease.Context(), req)
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
