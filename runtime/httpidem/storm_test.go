package httpidem_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/httpidem"
	"github.com/idemgen/idemgen/runtime/idem"
)

// effects counts what handlers did, by key.
type effects struct {
	mu sync.Mutex
	by map[string]int
}

// ServeHTTP does the thing, slowly, in one of the ways that handlers write. Some of its
// tries fail before they did anything, and say so.
func (e *effects) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	time.Sleep(rand.N(4 * time.Millisecond))
	if rand.N(4) == 0 {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	e.mu.Lock()
	e.by[string(body)]++
	n := e.by[string(body)]
	e.mu.Unlock()
	text := fmt.Sprintf("%s done %d", body, n)
	if rand.N(2) == 0 {
		w.Header().Set("Content-Length", fmt.Sprint(len(text)))
	}
	io.WriteString(w, text[:3])
	if rand.N(2) == 0 {
		_ = http.NewResponseController(w).Flush()
	}
	time.Sleep(rand.N(4 * time.Millisecond))
	io.WriteString(w, text[3:])
}

// TestLaw_C5_Storm: impatient clients, several at once on each key, over HTTP/1.1 and
// HTTP/2: every intention has one effect, and every whole answer to it is the same.
func TestLaw_C5_Storm(t *testing.T) {
	const intentions = 15
	for _, route := range []httpidem.Route{{}, {Wait: time.Second}} {
		for _, h2 := range []bool{false, true} {
			e := &effects{by: map[string]int{}}
			gate := httpidem.New(idem.New(idem.GlobalScope), newStore(t), route)
			server := httptest.NewUnstartedServer(gate.Wrap(e))
			if server.EnableHTTP2 = h2; h2 {
				server.StartTLS()
			} else {
				server.Start() // a cut connection costs no handshake
			}
			s := &site{T: t, Server: server}
			var wg sync.WaitGroup
			for i := range intentions {
				name := fmt.Sprintf("intention %d", i)
				for range 3 {
					wg.Go(func() {
						patience := 10 * time.Millisecond // more with each try: a slow machine gets through too
						for s.attempt(name, rand.N(patience)) != name+" done 1" {
							patience += patience / 2
							time.Sleep(2 * time.Millisecond)
						}
					})
				}
			}
			wg.Wait()
			server.Close()
			for name, n := range e.by {
				if n != 1 {
					t.Errorf("%s: %d effects", name, n)
				}
			}
			if len(e.by) != intentions {
				t.Errorf("%d intentions have effects", len(e.by))
			}
		}
	}
}

// attempt tries once with a patience, and returns the body of a 200.
func (s *site) attempt(name string, patience time.Duration) string {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/do", strings.NewReader(name))
	if err != nil {
		s.Error(err)
		return name + " done 1"
	}
	r.Header.Set("Idempotency-Key", strings.ReplaceAll(name, " ", "-"))
	switch a, err := s.do(r); {
	case err != nil:
		return ""
	case a.StatusCode == 200:
		if a.body != name+" done 1" {
			s.Errorf("%s: got %v", name, a)
			return name + " done 1"
		}
		return a.body
	case a.StatusCode != 503 && (a.StatusCode != 409 || !strings.Contains(a.body, "in_progress")):
		s.Errorf("%s: got %v", name, a)
		return name + " done 1"
	}
	return ""
}
