// Package grpcidem guards unary gRPC methods: a retry of a call gets the response
// of the first one, and the handler runs once.
//
// On a server, UnaryServer does three things: it makes the metadata of a call
// known to generated wrappers inside (idem.Header), turns their errors into gRPC
// codes by the outcome table, and, where a Rule says so, guards the whole call by the
// key that the client sent: key → claim → handler → store → response. On a client,
// UnaryClient sends the key, which stays the same over the retries of a call, and
// turns codes back into errors that errors.Is knows.
//
// Responses are stored as google.protobuf.Any, errors as google.rpc.Status: the
// types of responses must be linked in, as generated code does. What a handler sets of
// header and trailer metadata is not stored: a replay has only the marker.
//
// A client that goes, or whose deadline ends, ends its call while that waits for another;
// a handler that has begun is not stopped: it sees neither deadline nor cancellation.
// Streams are not guarded.
//
// A held call (its outcome is unknown) is decided by Gate.Resolve, ResolveError or
// ResolveRerun.
package grpcidem
