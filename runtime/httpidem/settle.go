package httpidem

import (
	"net/http"
	"reflect"

	"github.com/idemgen/idemgen/runtime/idem"
)

// DefaultStatus is what a status does to the claim: 401, 429 and 503, by which a handler
// says that it did nothing, release it; any other 5xx leaves the outcome unknown;
// everything else is the outcome, and is stored (H2).
func DefaultStatus(code int) idem.Settling {
	switch {
	case code == http.StatusUnauthorized || code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable:
		return idem.SettleRelease
	case code >= 500:
		return idem.SettleUnknown
	}
	return idem.SettleComplete
}

// Settle says what becomes of the claim of the request that w answers, for a handler
// that knows better than its status: that it did nothing (idem.SettleRelease), that
// nobody knows (idem.SettleUnknown), or that this is the outcome
// (idem.SettleComplete). The last word counts, until the handler returns. It tells
// whether there is a gate to hear it; writers in between need the method Unwrap of
// http.ResponseController.
func Settle(w http.ResponseWriter, how idem.Settling) bool {
	if !settles(how) {
		return false
	}
	c := gateOf(w, func(*recorder) bool { return true })
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.returned {
		return false
	}
	c.said = how
	return true
}

// gateOf is the innermost gate's recorder under w that is wanted; nil = none.
func gateOf(w http.ResponseWriter, wanted func(*recorder) bool) *recorder {
	for {
		if c, is := w.(*recorder); is && wanted(c) {
			return c
		}
		inner, is := w.(interface{ Unwrap() http.ResponseWriter })
		if !is {
			return nil
		}
		w = inner.Unwrap()
	}
}

// settling is what becomes of the claim of a handler that returned: what it said, or
// what its status says. By default a refusal that asks for another try (4xx with
// Retry-After) is no outcome, or that try would hear nothing else.
func (g *Gate) settling(c *recorder) idem.Settling {
	if c.said != 0 {
		return c.said
	}
	if g.route.Status == nil {
		if c.status >= 400 && c.status < 500 && c.sent.Get("Retry-After") != "" {
			return idem.SettleRelease
		}
		return DefaultStatus(c.status)
	}
	if how := g.route.Status(c.status); settles(how) {
		return how
	}
	return idem.SettleUnknown
}

func settles(how idem.Settling) bool {
	return how == idem.SettleComplete || how == idem.SettleRelease || how == idem.SettleUnknown
}

// timed is what a gate runs for a handler: the 503 of a http.TimeoutHandler speaks of
// a handler that still runs, and is no release (H2).
func timed(next http.Handler) http.HandlerFunc {
	if reflect.TypeOf(next) != reflect.TypeOf(http.TimeoutHandler(nil, 0, "")) {
		return next.ServeHTTP
	}
	return func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r)
		if c, is := w.(*recorder); is && c.status == http.StatusServiceUnavailable {
			Settle(w, idem.SettleUnknown)
		}
	}
}
