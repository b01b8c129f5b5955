package httpidem

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/http"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Serve answers one request: by the handler, once, or by the response that it gave
// before. Panics of the handler pass through (C5).
func (g *Gate) Serve(w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
	if clean := unmarked(r); clean != r {
		defer giveBack(r, clean)
		r = clean
	}
	if !g.guards(r.Method) {
		open(w, r, next)
		return
	}
	key, err := keyOf(r.Header, g.route.Header)
	if key == "" && err == nil && !g.route.Required && g.wrong == nil {
		open(w, r, next)
		return
	}
	a := &audit{gate: g, started: time.Now(), method: r.Method, path: r.URL.Path}
	defer a.write(r.Context())
	switch {
	case g.wrong != nil:
		err = g.wrong
	case err != nil:
	case key == "":
		err = badKey(g.route.Header, "it is required")
	}
	if err != nil {
		g.refuse(w, r, a, err)
		return
	}
	g.guarded(w, r, next, key, a)
}

// guarded answers a request that has a key. Until its claim is made the request ends
// with its client: nobody waits for an answer any more, and nothing has begun. From
// then on it doesn't (H2).
func (g *Gate) guarded(w http.ResponseWriter, r *http.Request, next http.HandlerFunc, key string, a *audit) {
	body, err := g.body(w, r)
	if err != nil {
		g.refuse(w, r, a, err)
		return
	}
	call := g.call(r, key, body)
	a.key = call.Key()
	ctx := r.Context()
	if call.Err() == nil && gateOf(w, func(c *recorder) bool { return c.key == a.key }) != nil {
		a.nested = true // the same gate twice on one way is one gate
		inner := withBody(r, headersOf(ctx, r), body)
		next(w, inner)
		giveBack(r, inner)
		return
	}
	lease, record, err := idem.Acquire(ctx, g.store, call)
	switch ended := context.Cause(ctx); {
	case err != nil && ended != nil:
		g.refuse(w, r, a, fmt.Errorf("%w: %w", ErrRequestEnded, err))
	case err != nil:
		g.refuse(w, r, a, err)
	case lease != nil && ended != nil:
		_ = lease.Settle(idem.SettleRelease, idem.Outcome{}) // what fails here ends with the lease
		g.refuse(w, r, a, fmt.Errorf("%w: %w", ErrRequestEnded, ended))
	case lease != nil:
		run(g, w, r, next, body, lease, &call, a)
	default:
		g.replay(ctx, w, r, &record.Outcome, &call, a)
	}
}

// call freezes the key and the fingerprint of a request (K1). Functions of the route
// get a copy of the request with its body: what they read, the handler still finds.
func (g *Gate) call(r *http.Request, key string, body []byte) idem.Call {
	call := g.keyed(r, key, body)
	if g.route.Fingerprint != nil {
		match := g.route.Fingerprint(probe(r, body), body)
		if len(match) == 0 {
			return call
		}
		return call.Match(match...)
	}
	return call.Match(idem.String(r.URL.RawQuery), idem.Bytes(body), idem.String(r.Header.Get("Range")))
}

// keyed is call without the fingerprint.
func (g *Gate) keyed(r *http.Request, key string, body []byte) idem.Call {
	parts := append(make([]idem.Part, 0, 4), idem.String(r.Method), idem.String(pathOf(r)), idem.String(key))
	if g.route.Principal != nil {
		principal := g.route.Principal(probe(r, body))
		if principal == "" {
			return g.engine.CallIn("", &g.op) // idem.ErrMissingScope
		}
		// A session is a secret: its hash is as good, and may stand in a store and a log.
		hash := idem.BindTo(principal)
		parts = append(parts, idem.String(hex.EncodeToString(hash[:])))
	}
	return g.engine.Call(r.Context(), &g.op, parts...)
}

// probe is the request as a function of the route may read it.
func probe(r *http.Request, body []byte) *http.Request {
	if len(body) == 0 {
		return r
	}
	return withBody(r, r.Context(), body)
}

// refuse answers without the handler.
func (g *Gate) refuse(w http.ResponseWriter, r *http.Request, a *audit, err error) {
	a.err = err
	a.status = statusOf(err).HTTP
	if a.status == http.StatusRequestEntityTooLarge && r.ProtoMajor == 1 {
		w.Header().Set("Connection", "close") // the rest of the body is not read
	}
	g.route.Error(w, r, err)
}
