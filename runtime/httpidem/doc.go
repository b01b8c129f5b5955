// Package httpidem guards HTTP handlers: a retry of a request gets the response of
// the first one, byte for byte, and the handler runs once. It is for net/http and
// whatever is built on it (chi, gorilla); gin and echo have adapters in modules of
// their own.
//
// The flow of a guarded request:
//
//	key → body (read whole, bounded) → claim → handler, into a recorder → store → send
//
// The response leaves when it is stored, so that a client that has seen it gets
// the same one again. A handler that flushes, hijacks the connection or writes more
// than Route.MaxResult bytes sends while it runs; what can't be replayed whole is
// remembered as done and answered by 409 (C9), never by an empty response, and the
// handler never runs a second time for it (H2).
//
// The handler's context does not end when the client goes away: what it began is
// finished and stored for the retry (C5). It ends with the cause idem.ErrLeaseLost
// when the claim is lost.
//
// A key says whether two requests are one; a request ID that a gateway makes anew
// for each retry (X-Request-ID) says nothing, and guards nothing.
//
// Weak is the word for this layer: it stands in front of everything else and can
// lose its records with its store. The write behind it needs a guard of its own.
package httpidem
