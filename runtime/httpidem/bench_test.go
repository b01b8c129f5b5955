package httpidem_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/idemgen/idemgen/runtime/httpidem"
	"github.com/idemgen/idemgen/runtime/idem"
)

// request is a POST with a key and an empty body, which may be served again and again.
func request() *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/pay", nil)
	r.Header.Set("Idempotency-Key", "k")
	return r
}

func paid(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	io.WriteString(w, "paid")
}

// TestReplayAllocations: a replay costs few allocations over the bare handler.
func TestReplayAllocations(t *testing.T) {
	gate := httpidem.New(idem.New(idem.GlobalScope), newStore(t), httpidem.Route{})
	serve := func(h http.Handler) float64 {
		r := request()
		w := nothing{http.Header{}}
		h.ServeHTTP(w, r)
		return testing.AllocsPerRun(100, func() {
			clear(w.header)
			h.ServeHTTP(w, r)
		})
	}
	bare, replay := serve(http.HandlerFunc(paid)), serve(gate.Wrap(http.HandlerFunc(paid)))
	if replay > bare+4 {
		t.Errorf("a replay allocates %v times, the bare handler %v times", replay, bare)
	}
}

func BenchmarkReplay(b *testing.B) {
	gate := httpidem.New(idem.New(idem.GlobalScope), newStore(nil), httpidem.Route{})
	for name, h := range map[string]http.Handler{"bare": http.HandlerFunc(paid), "replay": gate.Wrap(http.HandlerFunc(paid))} {
		b.Run(name, func(b *testing.B) {
			r, w := request(), nothing{http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				clear(w.header)
				h.ServeHTTP(w, r)
			}
		})
	}
}
