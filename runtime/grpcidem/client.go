package grpcidem

import (
	"context"

	"github.com/idemgen/idemgen/runtime/idem"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

// keyKey finds the key of a call in a context.
type keyKey struct{}

// WithKey sets the key of the calls made with a context. A retry of the caller's own
// must use the same one.
func WithKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, keyKey{}, key)
}

// UnaryClient is a client's interceptor: it sends the key of WithKey, or one made
// anew where the context has none, which covers the retries that gRPC makes by itself
// but none that the caller makes by calling again. Put it before interceptors that
// retry. A key in the outgoing metadata is left alone. Errors of guarded calls come
// back so that errors.Is knows them (FromStatus).
func UnaryClient() grpc.UnaryClientInterceptor {
	return func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if md, _ := metadata.FromOutgoingContext(ctx); len(md.Get(KeyName)) == 0 {
			key, _ := ctx.Value(keyKey{}).(string)
			if key == "" {
				key = idem.NewOwner().String()
			}
			ctx = metadata.AppendToOutgoingContext(ctx, KeyName, key)
		}
		return FromStatus(invoke(ctx, method, req, reply, cc, opts...))
	}
}
