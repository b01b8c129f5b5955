package grpcidem

import (
	"context"

	"google.golang.org/grpc/metadata"
)

// Names of metadata. They are those of HTTP, in lower case.
const (
	KeyName      = "idempotency-key"
	ReplayedName = "idempotency-replayed" // "true" in the header of a replayed response
)

// Domain is the domain of the google.rpc.ErrorInfo that an error of a guarded call
// carries; its reason is the code of the outcome table.
const Domain = "idemgen"

// value is the only value of a name in incoming metadata; "" when it is missing or
// given twice.
func value(ctx context.Context, name string) string {
	values := metadata.ValueFromIncomingContext(ctx, name)
	if len(values) != 1 {
		return ""
	}
	return values[0]
}

// Replayed tells by the header of a response (grpc.Header) whether it was replayed.
func Replayed(header metadata.MD) bool {
	values := header.Get(ReplayedName)
	return len(values) == 1 && values[0] == "true"
}
