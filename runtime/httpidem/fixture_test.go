package httpidem_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/httpidem"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// site is a real server with a guarded handler.
type site struct {
	*testing.T
	*httptest.Server
	store *memstore.Store
	ran   atomic.Int64
}

// syncBuffer is a buffer for a logger.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// newSite serves h behind a gate.
func newSite(t *testing.T, route httpidem.Route, h http.HandlerFunc) *site {
	return newSiteOn(t, idem.New(idem.GlobalScope), nil, route, h)
}

// newSiteOn serves h behind a gate on a store; nil is a memory store.
func newSiteOn(t *testing.T, engine *idem.Engine, store idem.RecordStore, route httpidem.Route, h http.HandlerFunc) *site {
	s := &site{T: t}
	s.store = memstore.New()
	if store == nil {
		store = s.store
	}
	gate := httpidem.New(engine, store, route)
	s.Server = httptest.NewUnstartedServer(gate.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.ran.Add(1)
		h(w, r)
	})))
	s.Server.EnableHTTP2 = true
	s.Server.StartTLS()
	t.Cleanup(s.Server.Close)
	return s
}

// answer is a response with its body.
type answer struct {
	*http.Response
	body string
}

func (a answer) String() string {
	return fmt.Sprintf("%d %q %s", a.StatusCode, a.body, a.Header.Get(httpidem.ReplayedHeader))
}

// send sends a request; headers are name, value pairs.
func (s *site) send(method, path, key, body string, headers ...string) answer {
	s.Helper()
	a, err := s.try(method, path, key, body, headers...)
	if err != nil {
		s.Fatal(err)
	}
	return a
}

func (s *site) try(method, path, key, body string, headers ...string) (answer, error) {
	r, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	if key != "" {
		r.Header.Set(httpidem.DefaultHeader, key)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return s.do(r)
}

func (s *site) do(r *http.Request) (answer, error) {
	res, err := s.Client().Do(r)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	return answer{res, string(data)}, err
}

func (s *site) post(key, body string, headers ...string) answer {
	s.Helper()
	return s.send(http.MethodPost, "/pay", key, body, headers...)
}

// want compares status, body and whether it is a replay.
func (s *site) want(a answer, status int, body string, replayed bool) {
	s.Helper()
	mark := map[bool]string{true: "true"}[replayed]
	if a.StatusCode != status || !strings.Contains(a.body, body) || a.Header.Get(httpidem.ReplayedHeader) != mark {
		s.Errorf("got %v, want %d %q replayed %v", a, status, body, replayed)
	}
}

// times checks how often the handler ran.
func (s *site) times(n int64) {
	s.Helper()
	if got := s.ran.Load(); got != n {
		s.Errorf("the handler ran %d times, want %d", got, n)
	}
}

// down is a store that can't be reached.
type down struct{ idem.RecordStore }

func (down) Claim(context.Context, idem.Claim) (idem.Found, error) {
	return idem.Found{}, fmt.Errorf("%w: connection refused", idem.ErrStoreUnavailable)
}

// failing is a store that can't be reached when a call is done.
type failing struct{ idem.RecordStore }

func (failing) Complete(context.Context, idem.Hold, idem.Outcome, time.Duration) error {
	return idem.ErrStoreUnavailable
}

// lost is a store in which another owner took over.
type lost struct{ idem.RecordStore }

func (lost) Renew(context.Context, idem.Hold, time.Duration) error { return idem.ErrLeaseLost }

func newStore(*testing.T) *memstore.Store { return memstore.New() }

// serve serves a handler as it is.
func serve(t *testing.T, h http.Handler) *site {
	s := &site{T: t, Server: httptest.NewTLSServer(h)}
	t.Cleanup(s.Server.Close)
	return s
}

// logger writes lines of text.
func logger(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }

// eventually waits until something is so.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 500 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("never: %s", what)
}
