package redisscript

import "context"

// Request is one script with its keys, which share a cluster slot, and arguments.
type Request struct {
	Script *Script
	Keys   []string
	Args   []string
}

// Client is what the scripts need of a client library. Implementations are safe for
// concurrent use. Errors that the server replied are wrapped in a ReplyError.
type Client interface {
	// Eval sends a request in one round trip: its script by hash (EVALSHA), or whole
	// as text (EVAL). It goes to the primary that has the keys.
	Eval(ctx context.Context, r *Request, whole bool) (string, error)
	// EvalAll sends several requests, whose keys may be in different slots, in one
	// pipeline to each node. It returns one error for each, nil for those that
	// succeeded.
	EvalAll(ctx context.Context, rs []Request, whole bool) []error
	// Primaries calls f with a way to send commands to each primary, one after the
	// other, and returns the first error of f, or its own.
	Primaries(ctx context.Context, f func(send Send) error) error
}

// Send sends one command to one node. The reply is flat: its strings in order.
type Send func(args ...string) ([]string, error)

// ReplyError is an error that the server replied.
type ReplyError struct{ Err error }

// Error is the reply.
func (e *ReplyError) Error() string { return e.Err.Error() }

// Unwrap returns the client library's error.
func (e *ReplyError) Unwrap() error { return e.Err }
