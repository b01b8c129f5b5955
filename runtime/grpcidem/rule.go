package grpcidem

import (
	"context"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
)

// Defaults of a Rule's zero fields.
const (
	DefaultTTL       = 300 * time.Second
	DefaultMaxResult = 1 << 20 // bytes
)

// Rule says how calls are guarded by the key in their metadata. Method and key are
// part of the storage key. A Rule is read when UnaryServer gets it and not changed.
type Rule struct {
	// Name is the operation, unique in a program (K3); "" = "grpc".
	Name string
	// Methods are guarded, by their full name (/shop.Orders/Pay); nil = all unary ones.
	// Gate.Check tells of names that a server does not have.
	Methods []string
	// Required refuses a call without a key; by default it passes through unguarded.
	Required bool
	// Principal is whom a key belongs to, beside the engine's scope, as the context
	// proves it; its hash becomes part of the key; "" is idem.ErrMissingScope. Nil: the
	// engine's scope alone.
	Principal func(context.Context) string
	// Fingerprint are the parts of a request that a retry must repeat; nil = the whole
	// message. A function that returns nothing switches the comparison off.
	Fingerprint func(method string, req proto.Message) []idem.Part
	// TTL is the retention of a stored response; 0 = DefaultTTL, idem.Never = for ever.
	TTL time.Duration
	// Lease is how long a claim lives without a renewal; 0 = idem.DefaultLease.
	Lease time.Duration
	// Wait bounds how long a duplicate waits for the first call; 0 = it is answered
	// at once by Aborted with RetryInfo.
	Wait time.Duration
	// Orphan is what a retry meets when the outcome is unknown; 0 = idem.OrphanHold.
	Orphan idem.Orphan
	// MaxResult is the largest response that is stored, in bytes; 0 = DefaultMaxResult.
	MaxResult int64
	// Code says what the code of an error does to the claim; nil = DefaultCode.
	Code func(codes.Code) idem.Settling
	// FailOpen runs the handler unguarded when the store can't be reached (C15).
	FailOpen bool
}

// DefaultCode is what a code does to the claim: those by which a handler says that
// it did nothing and another try makes sense release it; those that say nothing of
// what was done leave the outcome unknown; the others are the outcome and are stored.
func DefaultCode(c codes.Code) idem.Settling {
	switch c {
	case codes.Unauthenticated, codes.Unavailable, codes.ResourceExhausted, codes.Aborted:
		return idem.SettleRelease
	case codes.Unknown, codes.Internal, codes.DataLoss, codes.Canceled, codes.DeadlineExceeded:
		return idem.SettleUnknown
	}
	return idem.SettleComplete
}

// setDefault sets a field that is zero.
func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
