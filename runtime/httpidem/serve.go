package httpidem

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// ErrBodyTooLarge is a request body over Route.MaxBody; the handler did not run.
var ErrBodyTooLarge = errors.New("idem: request body too large")

// ErrBodyUnread is a request body that could not be read; the handler did not run.
var ErrBodyUnread = errors.New("idem: request body could not be read")

// Serve answers one request: by the handler, once, or by the response that it gave
// before. Panics of the handler pass through (C5).
func (g *Gate) Serve(w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
	if _, sent := r.Header[ReplayedHeader]; sent { // H4
		r = r.WithContext(r.Context())
		r.Header = r.Header.Clone()
		r.Header.Del(ReplayedHeader)
	}
	if !g.guards(r.Method) {
		next(w, r)
		return
	}
	key, err := keyOf(r.Header, g.route.Header)
	if key == "" && err == nil && !g.route.Required {
		next(w, r)
		return
	}
	a := &audit{gate: g, started: time.Now(), method: r.Method, path: r.URL.Path}
	defer a.write(r.Context())
	if err == nil && key == "" {
		err = badKey(g.route.Header, "it is required")
	}
	if err != nil {
		g.refuse(w, r, a, err)
		return
	}
	g.guarded(w, r, next, key, a)
}

// guarded answers a request that has a key.
func (g *Gate) guarded(w http.ResponseWriter, r *http.Request, next http.HandlerFunc, key string, a *audit) {
	body, err := g.body(w, r)
	if err != nil {
		g.refuse(w, r, a, err)
		return
	}
	call := g.call(r, key, body)
	a.key = call.Key()
	// The client may go; what its request began is finished for the retry (H2).
	ctx := context.WithoutCancel(r.Context())
	lease, record, err := idem.Acquire(ctx, g.store, call)
	switch {
	case err != nil:
		g.refuse(w, r, a, err)
	case lease != nil:
		run(g, w, r, next, body, lease, &call, a)
	default:
		g.replay(ctx, w, r, &record.Outcome, &call, a)
	}
}

// call freezes the key and the fingerprint of a request (K1).
func (g *Gate) call(r *http.Request, key string, body []byte) idem.Call {
	parts := []idem.Part{idem.String(r.Method), idem.String(pathOf(r)), idem.String(key)}
	if g.route.Principal != nil {
		principal := g.route.Principal(r)
		if principal == "" {
			return g.engine.CallIn("", &g.op) // idem.ErrMissingScope
		}
		parts = append(parts, idem.String(principal))
	}
	call := g.engine.Call(r.Context(), &g.op, parts...)
	if g.route.Fingerprint != nil {
		match := g.route.Fingerprint(r, body)
		if len(match) == 0 {
			return call
		}
		return call.Match(match...)
	}
	return call.Match(idem.String(r.URL.RawQuery), idem.Bytes(body))
}

// body reads the whole body of a request. The server sends 100 Continue when it is
// read first, and closes the connection when too much comes.
func (g *Gate) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	limit := g.route.MaxBody
	if r.ContentLength > limit {
		return nil, fmt.Errorf("%w: %d bytes, more than %d", ErrBodyTooLarge, r.ContentLength, limit)
	}
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, fmt.Errorf("%w: more than %d bytes", ErrBodyTooLarge, limit)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrBodyUnread, err)
	}
	return body, nil
}

// refuse answers without the handler.
func (g *Gate) refuse(w http.ResponseWriter, r *http.Request, a *audit, err error) {
	a.err = err
	a.status = statusOf(err).HTTP
	g.route.Error(w, r, err)
}
