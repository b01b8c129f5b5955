package httpidem

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Defaults of a Route's zero fields.
const (
	DefaultHeader    = "Idempotency-Key"
	DefaultTTL       = 300 * time.Second
	DefaultMaxBody   = 1 << 20 // bytes
	DefaultMaxResult = 1 << 20 // bytes
)

// ReplayedHeader is set to "true" on a replayed response. What a client sends under
// this name is ignored and not handed on (H4).
const ReplayedHeader = "Idempotency-Replayed"

// Route says how requests are guarded. The zero value is a good one: every method
// but GET, HEAD, OPTIONS, TRACE and CONNECT, by the header Idempotency-Key where a
// client sends one. A Route is read when New gets it and not changed.
type Route struct {
	// Name is the operation, unique in a program (K3); "" = "http". Method and path
	// are part of every key besides (H5).
	Name string
	// Header has the key; "" = DefaultHeader. A value is 1 to 255 visible ASCII
	// bytes, bare or as a string of RFC 9651 in quotes: "abc" and abc are one key.
	Header string
	// Required refuses a request without a key with 400; by default it passes
	// through unguarded.
	Required bool
	// Methods are guarded, in upper or lower case; nil = all but the safe ones.
	Methods []string
	// Principal is whom a key belongs to, beside the engine's scope: an account or a
	// session, as the request proves it. Its hash becomes part of the key; "" is
	// idem.ErrMissingScope (H5). It may read the body. Nil: the engine's scope alone.
	// The host is no part of a key: where it tells tenants apart, it belongs in here.
	Principal func(*http.Request) string
	// Fingerprint are the parts of a request that a retry must repeat; nil = query,
	// body and Range. It may read the body of r too. A function that returns nothing switches the comparison off.
	Fingerprint func(r *http.Request, body []byte) []idem.Part
	// TTL is the retention of a stored response; 0 = DefaultTTL, idem.Never = for ever.
	TTL time.Duration
	// Lease is how long a claim lives without a renewal; 0 = idem.DefaultLease.
	Lease time.Duration
	// Wait bounds how long a duplicate waits for the first request, at most as long
	// as its own client does; 0 = it is answered at once by 409 with Retry-After.
	Wait time.Duration
	// Orphan is what a retry meets when the outcome is unknown; 0 = idem.OrphanHold.
	Orphan idem.Orphan
	// MaxBody is the largest body of a guarded request, in bytes; 0 =
	// DefaultMaxBody. A larger one is 413, and the handler does not run.
	MaxBody int64
	// MaxResult is the largest response that is stored, in bytes of its body; 0 =
	// DefaultMaxResult.
	MaxResult int64
	// Headers are stored with a response, beside those of DefaultHeaders. Set-Cookie,
	// credentials and hop-by-hop headers never are (H1).
	Headers []string
	// Status says what a status does to the claim; nil = DefaultStatus, with 4xx
	// that carry Retry-After released. What a handler says by Settle goes before.
	Status func(code int) idem.Settling
	// FailOpen runs the handler unguarded when the store can't be reached (C15).
	FailOpen bool
	// Log gets one line per guarded request, without its body and its response; nil
	// = none.
	Log *slog.Logger
	// Error writes the answer where there is no response to give; nil = Problem.
	Error func(w http.ResponseWriter, r *http.Request, err error)
}

// Gate guards handlers by a Route. It is safe for concurrent use.
type Gate struct {
	engine  *idem.Engine
	store   idem.RecordStore
	route   Route
	op      idem.Op
	methods map[string]bool
	wrong   error           // with the route
	keep    map[string]bool // canonical names of stored headers
}

// New makes a gate on a store of records. What is wrong with the route's header, times
// and limits is idem.ErrInvalidOp in each answer, also to requests without a key; Err
// tells it beforehand.
func New(engine *idem.Engine, store idem.RecordStore, route Route) *Gate {
	g := &Gate{engine: engine, store: store, route: route, methods: map[string]bool{}, keep: storedHeaders(route.Headers)}
	r := &g.route
	setDefault(&r.Name, "http")
	setDefault(&r.Header, DefaultHeader)
	setDefault(&r.TTL, DefaultTTL)
	setDefault(&r.Orphan, idem.OrphanHold)
	setDefault(&r.MaxBody, DefaultMaxBody)
	setDefault(&r.MaxResult, DefaultMaxResult)
	if r.MaxBody < 0 || r.MaxResult < 0 {
		g.wrong = fmt.Errorf("%w: %s: a limit below zero", idem.ErrInvalidOp, r.Name)
	}
	if r.Error == nil {
		r.Error = func(w http.ResponseWriter, _ *http.Request, err error) { Problem(w, err) }
	}
	for _, m := range r.Methods {
		g.methods[strings.ToUpper(m)] = true
	}
	g.op = idem.Op{
		Name: r.Name, Key: []string{"the method", "the path", r.Header, "the principal"},
		TTL: r.TTL, Lease: r.Lease, Wait: r.Wait, Orphan: r.Orphan, FailOpen: r.FailOpen,
	}
	switch {
	case g.wrong != nil:
	case !isToken(r.Header):
		g.wrong = fmt.Errorf("%w: %s: %q is no name of a header", idem.ErrInvalidOp, r.Name, r.Header)
	default:
		g.wrong = g.op.Validate(true)
	}
	return g
}

// Err is what is wrong with the route, idem.ErrInvalidOp; nil for nothing.
func (g *Gate) Err() error { return g.wrong }

// isToken tells a name of a header.
func isToken(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r))
	}) < 0
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// guards tells whether a method is guarded. The safe ones never are (H3).
func (g *Gate) guards(method string) bool {
	switch method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, http.MethodConnect:
		return false
	}
	return len(g.methods) == 0 || g.methods[method]
}

// Wrap guards a handler.
func (g *Gate) Wrap(next http.Handler) http.Handler {
	serve := timed(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { g.Serve(w, r, serve) })
}

// Middleware is Wrap of a new gate, as routers take it.
func Middleware(engine *idem.Engine, store idem.RecordStore, route Route) func(http.Handler) http.Handler {
	return New(engine, store, route).Wrap
}
