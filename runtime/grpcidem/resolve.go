package grpcidem

import (
	"context"
	"fmt"

	"github.com/idemgen/idemgen/runtime/idem"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// Resolve decides a call whose outcome is unknown (C17): its duplicates get res, as if
// the handler had returned it. ctx is that of the call as a retry makes it: its incoming
// metadata has the key (metadata.NewIncomingContext), and it has what Rule.Principal and
// the engine's scope read. Errors: what is wrong with the key or with res,
// idem.ErrNotHeld, idem.ErrStoreUnavailable.
func (g *Gate) Resolve(ctx context.Context, method string, res proto.Message) error {
	out, err := encodeMessage(res)
	if err != nil {
		return fmt.Errorf("idem: %s: resolve: %w", method, err)
	}
	return g.resolve(ctx, method, idem.Resolution{Outcome: out})
}

// ResolveError is Resolve by an error that the handler had returned. A status OK is an
// error of its own.
func (g *Gate) ResolveError(ctx context.Context, method string, st *status.Status) error {
	if st.Code() == codes.OK {
		return fmt.Errorf("idem: %s: resolve: an error with code OK", method)
	}
	out, err := encodeStatus(st)
	if err != nil {
		return fmt.Errorf("idem: %s: resolve: %w", method, err)
	}
	return g.resolve(ctx, method, idem.Resolution{Outcome: out})
}

// ResolveRerun frees a call whose outcome is unknown, for it had no effect: the next one
// runs the handler. ctx and errors are those of Resolve.
func (g *Gate) ResolveRerun(ctx context.Context, method string) error {
	return g.resolve(ctx, method, idem.Resolution{Rerun: true})
}

func (g *Gate) resolve(ctx context.Context, method string, res idem.Resolution) error {
	if g.wrong != nil {
		return g.wrong
	}
	rule := g.rule(method)
	if rule == nil {
		return fmt.Errorf("%w: no rule guards %s", idem.ErrInvalidOp, method)
	}
	if int64(len(res.Outcome.Data)) > rule.MaxResult {
		return fmt.Errorf("%w: %s: resolve: %d bytes", idem.ErrResultTooLarge, rule.Name, len(res.Outcome.Data))
	}
	key, err := keyOf(ctx, true)
	if err != nil {
		return err
	}
	call := rule.keyed(withMetadata(ctx), g.engine, method, key)
	if err := call.Err(); err != nil {
		return err
	}
	if !res.Rerun {
		res.Retention = rule.TTL
	}
	return g.store.Resolve(ctx, call.Key(), res)
}
