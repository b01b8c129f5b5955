package idem

import (
	"context"
	"strings"
)

// actorKey finds the actor in a context.
type actorKey struct{}

// maxActor bounds the actor in a history, in bytes.
const maxActor = 255

// WithActor says who acts, for the history of state machines (S9): a user, a
// service, a job. At most 255 bytes are kept; what is not valid UTF-8, and NUL,
// becomes a question mark. "" is nobody.
func WithActor(ctx context.Context, actor string) context.Context {
	actor = strings.ReplaceAll(strings.ToValidUTF8(actor, "?"), "\x00", "?")
	return context.WithValue(ctx, actorKey{}, string(cut([]byte(actor), maxActor)))
}

// ActorOf is who acts, "" for nobody.
func ActorOf(ctx context.Context) string {
	actor, _ := ctx.Value(actorKey{}).(string)
	return actor
}

// callKey finds the key of the innermost guarded call in a context.
type callKey struct{}

// withCall puts the key of a guarded call into the context of its method.
func withCall(ctx context.Context, k *Key) context.Context {
	return context.WithValue(ctx, callKey{}, k)
}

// callOf is the readable key of the innermost guarded call, "" outside one.
func callOf(ctx context.Context) string {
	if k, _ := ctx.Value(callKey{}).(*Key); k != nil {
		return k.Readable
	}
	return ""
}
