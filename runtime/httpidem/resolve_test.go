package httpidem_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/httpidem"
	"github.com/idemgen/idemgen/runtime/idem"
)

// TestLaw_C17_HeldRequestsAreResolved to a response, or to another run; by nobody who
// is not their principal, and not before they are held.
func TestLaw_C17_HeldRequestsAreResolved(t *testing.T) {
	gate := httpidem.New(idem.New(idem.GlobalScope), newStore(t), httpidem.Route{
		Lease: 150 * time.Millisecond, MaxResult: 10, Principal: func(r *http.Request) string { return r.Header.Get("X-User") },
	})
	ran := 0
	s := serve(t, gate.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ran++; ran < 3 {
			w.WriteHeader(http.StatusBadGateway)
		}
	})))
	retry := func(path, user, key string) *http.Request {
		r := httptest.NewRequest("POST", path, nil)
		r.Header.Set("X-User", user)
		r.Header.Set("Idempotency-Key", key)
		return r
	}
	paid := httpidem.Response{Status: 201, Header: http.Header{"Location": {"/7"}, "Set-Cookie": {"no"}}, Body: []byte("paid")}
	is := func(err, want error) {
		t.Helper()
		if !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	for _, path := range []string{"/a", "/b"} {
		s.want(s.send("POST", path, "k", "x", "X-User", "ann"), 502, "", false)
	}
	is(gate.Resolve(t.Context(), retry("/a", "ann", "k"), paid), idem.ErrNotHeld) // its owner may live
	time.Sleep(200 * time.Millisecond)
	is(gate.Resolve(t.Context(), retry("/a", "bob", "k"), paid), idem.ErrNotHeld)
	is(gate.Resolve(t.Context(), retry("/a", "", "k"), paid), idem.ErrMissingScope)
	is(gate.Resolve(t.Context(), retry("/a", "ann", ""), paid), idem.ErrMissingKey)
	is(gate.Resolve(t.Context(), httptest.NewRequest("POST", "/a", nil), paid), idem.ErrMissingKey)
	is(gate.Resolve(t.Context(), retry("/a", "ann", "k"), httpidem.Response{Status: 200, Body: make([]byte, 11)}), idem.ErrResultTooLarge)
	for _, bad := range []httpidem.Response{{}, {Status: 101}, {Status: 204, Body: []byte("x")}} {
		if gate.Resolve(t.Context(), retry("/a", "ann", "k"), bad) == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
	is(gate.Resolve(t.Context(), retry("/a", "ann", "k"), paid), nil)
	is(gate.ResolveRerun(t.Context(), retry("/b", "ann", "k")), nil)
	a := s.send("POST", "/a", "k", "x", "X-User", "ann")
	s.want(a, 201, "paid", true)
	if a.Header.Get("Location") != "/7" || a.Header.Get("Set-Cookie") != "" {
		t.Error(a.Header)
	}
	s.want(s.send("POST", "/a", "k", "other", "X-User", "ann"), 422, "key_reused", false)
	s.want(s.send("POST", "/b", "k", "x", "X-User", "ann"), 200, "", false)
	s.want(s.send("POST", "/b", "k", "x", "X-User", "ann"), 200, "", true)
	if ran != 3 {
		t.Errorf("ran %d times", ran)
	}
}
