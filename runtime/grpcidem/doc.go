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
// types of responses must be linked in, as generated code does.
package grpcidem
