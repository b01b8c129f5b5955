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
// Until the claim is made a request ends with its client: a store that hangs and a
// wait for the first request hold nobody up for a client that has gone, and nothing
// runs for it (C7). From then on the handler's context does not end when the client
// goes away: what it began is finished and stored for the retry (C5). It ends with the
// cause idem.ErrLeaseLost when the claim is lost. A stream to a client that has gone is
// not disturbed while it can be kept; beyond Route.MaxResult its writes fail.
//
// A handler that knows better than its status what it did says so by Settle. Who
// answers errors of generated wrappers by Problem need not: what is only so for now
// releases the gate's claim. When nobody knows, the key is held until somebody has
// found out and calls Gate.Resolve or Gate.ResolveRerun (C17).
//
// A http.TimeoutHandler belongs in front of a gate. Wrapped by it, its 503 leaves the
// outcome unknown, for its handler still runs; where a router stands between, a
// Route.Status has to say that 503 is idem.SettleUnknown. A handler that sends the
// request on by net/http must know that a http.Transport sends a request without a
// body again, on its own, when it carries Idempotency-Key and its connection breaks:
// give it a body that is empty, not none (examples/gateway does).
//
// A key says whether two requests are one; a request ID that a gateway makes anew
// for each retry (X-Request-ID) says nothing, and guards nothing.
//
// Weak is the word for this layer: it stands in front of everything else and can
// lose its records with its store. The write behind it needs a guard of its own.
package httpidem
