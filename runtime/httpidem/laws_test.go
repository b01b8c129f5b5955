package httpidem_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/httpidem"
	"github.com/idemgen/idemgen/runtime/idem"
)

// recording keeps what is stored.
type recording struct {
	idem.RecordStore
	mu   sync.Mutex
	data []byte
	keys string // as people read them
}

func (r *recording) Complete(ctx context.Context, h idem.Hold, o idem.Outcome, retention time.Duration) error {
	r.mu.Lock()
	r.data = append(r.data, o.Data...)
	r.keys += h.Key.String() + "\n"
	r.mu.Unlock()
	return r.RecordStore.Complete(ctx, h, o, retention)
}

// echo answers with the body that it got.
func echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	fmt.Fprintf(w, "%s %d", body, r.ContentLength)
}

// TestLaw_H2_StatusDecides: 429 and 503 release, other 5xx leave the outcome
// unknown, the rest is the outcome.
func TestLaw_H2_StatusDecides(t *testing.T) {
	for _, c := range []struct {
		status, then int
		ran          int64
	}{{200, 200, 1}, {302, 302, 1}, {400, 400, 1}, {409, 409, 1}, {422, 422, 1}, {429, 429, 2}, {503, 503, 2}, {500, 409, 1}, {502, 409, 1}, {504, 409, 1}} {
		s := newSite(t, httpidem.Route{Lease: 50 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(c.status) })
		s.Client().CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		s.want(s.post("k", ""), c.status, "", false)
		time.Sleep(80 * time.Millisecond) // a claim that stayed has ended
		again := s.post("k", "")
		if again.StatusCode != c.then {
			t.Errorf("%d: then %v", c.status, again)
		}
		s.times(c.ran)
	}
}

// TestLaw_H2_OrphanDecides: after an unknown outcome a retry runs the handler where
// the policy says so, and the policy of one's own is asked for each status.
func TestLaw_H2_OrphanDecides(t *testing.T) {
	s := newSite(t, httpidem.Route{Lease: 30 * time.Millisecond, Orphan: idem.OrphanRerun, Status: func(code int) idem.Settling {
		if code == 418 {
			return idem.SettleUnknown
		}
		return idem.SettleComplete
	}}, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(418) })
	s.post("k", "")
	s.want(s.post("k", ""), 409, "in_progress", false)
	time.Sleep(50 * time.Millisecond)
	s.want(s.post("k", ""), 418, "", false)
	s.times(2)
}

// TestLaw_H2_PanicIsUnknown: nothing is sent, nothing is stored, the claim stays.
func TestLaw_H2_PanicIsUnknown(t *testing.T) {
	s := newSite(t, httpidem.Route{Lease: 30 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "half")
		if r.URL.RawQuery == "flush" {
			w.(http.Flusher).Flush()
		}
		panic(http.ErrAbortHandler)
	})
	for i, path := range []string{"/a", "/b?flush"} {
		if a, err := s.try(http.MethodPost, path, "k", ""); err == nil {
			t.Errorf("%s: %v", path, a)
		}
		time.Sleep(50 * time.Millisecond)
		s.want(s.send(http.MethodPost, path, "k", ""), 409, "outcome_unknown", false)
		s.times(int64(i + 1))
	}
}

// TestLaw_H2_ClientGone: the handler's context outlives the client, and its
// response is there for the retry.
func TestLaw_H2_ClientGone(t *testing.T) {
	started, gone := make(chan struct{}), make(chan struct{})
	s := newSite(t, httpidem.Route{Wait: 5 * time.Second}, func(w http.ResponseWriter, r *http.Request) {
		close(started)
		<-gone
		select {
		case <-r.Context().Done():
			t.Error("the handler's context ended with the client")
		case <-time.After(30 * time.Millisecond):
		}
		io.WriteString(w, "paid")
	})
	ctx, cancel := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/pay", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Idempotency-Key", "k")
	done := make(chan error)
	go func() { _, err := s.do(r); done <- err }()
	<-started
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(gone)
	s.want(s.post("k", "{}"), 200, "paid", true)
	s.times(1)
}

// TestLaw_H2_StreamsAreNeverReplayedEmpty: a response that was flushed comes again
// whole while it fits; hijacked, oversize and trailed ones are done, and never run
// again.
func TestLaw_H2_StreamsAreNeverReplayedEmpty(t *testing.T) {
	flushed := newSite(t, httpidem.Route{}, func(w http.ResponseWriter, r *http.Request) {
		for i := range 3 {
			fmt.Fprintf(w, "event %d\n", i)
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
		}
	})
	flushed.want(flushed.post("k", ""), 200, "event 0\nevent 1\nevent 2\n", false)
	flushed.want(flushed.post("k", ""), 200, "event 0\nevent 1\nevent 2\n", true)
	flushed.times(1)

	for name, h := range map[string]http.HandlerFunc{
		"oversize": func(w http.ResponseWriter, r *http.Request) {
			for range 10 {
				io.WriteString(w, strings.Repeat("x", 10))
			}
		},
		"oversize at once": func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, strings.Repeat("x", 100)) },
		"announced trailers": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Trailer", "X-Sum")
			io.WriteString(w, "xxxxx")
			w.Header().Set("X-Sum", "5")
		},
		"late trailers": func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "xxxxx")
			w.Header().Set(http.TrailerPrefix+"X-Sum", "5")
		},
	} {
		s := newSite(t, httpidem.Route{MaxResult: 50}, h)
		first := s.post("k", "")
		s.want(first, 200, "xxxxx", false)
		if strings.Contains(name, "oversize") && len(first.body) != 100 || strings.Contains(name, "trailers") && first.Trailer.Get("X-Sum") != "5" {
			t.Errorf("%s: %d bytes, trailers %v", name, len(first.body), first.Trailer)
		}
		s.want(s.post("k", ""), 409, "result_too_large", false)
		s.times(1)
	}
}

// TestLaw_H2_Hijacked: the handler has the connection; a retry does not run it again.
func TestLaw_H2_Hijacked(t *testing.T) {
	s := newSite(t, httpidem.Route{}, func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		rw.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: close\r\n\r\nraw")
		rw.Flush()
	})
	raw := func() string {
		conn, err := tls.Dial("tcp", s.Listener.Addr().String(), s.Client().Transport.(*http.Transport).TLSClientConfig.Clone())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		io.WriteString(conn, "POST /pay HTTP/1.1\r\nHost: x\r\nIdempotency-Key: k\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		data, _ := io.ReadAll(bufio.NewReader(conn))
		return string(data)
	}
	if got := raw(); !strings.HasSuffix(got, "\r\n\r\nraw") {
		t.Errorf("got %q", got)
	}
	got := raw()
	for strings.Contains(got, "in_progress") { // the connection was closed before the handler returned
		got = raw()
	}
	if !strings.Contains(got, "409 Conflict") || !strings.Contains(got, "result_too_large") {
		t.Errorf("then %q", got)
	}
	s.times(1)
}

// TestLaw_H3_KeysAndBodies: what is a key, what passes through, what is too large.
func TestLaw_H3_KeysAndBodies(t *testing.T) {
	s := newSite(t, httpidem.Route{MaxBody: 10}, echo)
	s.want(s.post(`abc`, "x"), 200, "x 1", false)
	s.want(s.post(`"abc"`, "x"), 200, "x 1", true)
	s.want(s.post(` "a\"b" `, "x"), 200, "x 1", false)
	s.want(s.post(`"a\"b"`, "x"), 200, "x 1", true)
	s.want(s.post(strings.Repeat("k", 255), "x"), 200, "x 1", false)
	ran := s.ran.Load()
	for _, bad := range []string{`""`, `"`, `"a`, `a b`, `"a\b"`, `"a"b"`, strings.Repeat("k", 256), "schlüssel", `"abc";v=1`} {
		s.want(s.post(bad, "x"), 400, "missing_key", false)
	}
	s.want(s.post("a", "x", "Idempotency-Key", "b"), 400, "missing_key", false)
	s.times(ran)

	s.want(s.post("", "any"), 200, "any 3", false)
	s.want(s.post("", "any"), 200, "any 3", false)
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodOptions} {
		ran := s.ran.Load()
		for range 2 {
			if a := s.send(method, "/pay", "abc", ""); a.StatusCode != 200 || a.Header.Get("Idempotency-Replayed") != "" {
				t.Errorf("%s: %v", method, a)
			}
		}
		s.times(ran + 2)
	}
	for _, method := range []string{http.MethodPut, http.MethodPatch, http.MethodDelete} {
		s.want(s.send(method, "/m", "abc", "x"), 200, "x", false)
		s.want(s.send(method, "/m", "abc", "x"), 200, "x", true)
	}

	ran = s.ran.Load()
	s.want(s.post("large", strings.Repeat("x", 11)), 413, "body_too_large", false)
	r, _ := http.NewRequest(http.MethodPost, s.URL+"/pay", io.MultiReader(strings.NewReader(strings.Repeat("x", 11)))) // no length
	r.Header.Set("Idempotency-Key", "chunked")
	if a, err := s.do(r); err != nil || a.StatusCode != 413 {
		t.Errorf("%v %v", a, err)
	}
	s.times(ran)
	s.want(s.post("large", strings.Repeat("x", 10)), 200, "xxxxxxxxxx 10", false)

	required := newSite(t, httpidem.Route{Required: true, Header: "X-Key", Methods: []string{"POST"}}, echo)
	required.want(required.post("", "x"), 400, "missing_key", false)
	required.times(0)
	required.want(required.post("", "x", "X-Key", "k"), 200, "x", false)
	required.want(required.send("PUT", "/", "", "x"), 200, "x", false)
}

// TestLaw_H3_Expect: a client that waits for 100 Continue gets it, or the refusal
// before it has sent the body.
func TestLaw_H3_Expect(t *testing.T) {
	s := newSite(t, httpidem.Route{MaxBody: 5}, echo)
	for body, want := range map[string]int{"small": 200, "much too large": 413} {
		r, _ := http.NewRequest(http.MethodPost, s.URL+"/pay", strings.NewReader(body))
		r.Header.Set("Idempotency-Key", "k"+body[:1])
		r.Header.Set("Expect", "100-continue")
		if a, err := s.do(r); err != nil || a.StatusCode != want {
			t.Errorf("%s: %v %v", body, a, err)
		}
	}
	s.times(1)
}

// TestLaw_H4_MarkersOfClientsAreIgnored: nobody but us says replayed.
func TestLaw_H4_MarkersOfClientsAreIgnored(t *testing.T) {
	s := newSite(t, httpidem.Route{}, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%q", r.Header["Idempotency-Replayed"])
	})
	s.want(s.post("k", "", "Idempotency-Replayed", "true"), 200, "[]", false)
	s.want(s.post("", "", "Idempotency-Replayed", "true"), 200, "[]", false)
	s.want(s.send("GET", "/", "", "", "Idempotency-Replayed", "true"), 200, "[]", false)
	s.want(s.post("k", "", "Idempotency-Replayed", "false"), 200, "[]", true)
}

// TestLaw_H5_MethodPathAndPrincipal are part of the key; an empty principal is an
// error where one is due.
func TestLaw_H5_MethodPathAndPrincipal(t *testing.T) {
	s := newSite(t, httpidem.Route{Principal: func(r *http.Request) string { return r.Header.Get("X-User") }}, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Method, " ", r.URL.Path, " ", r.Header.Get("X-User"))
	})
	for _, want := range []string{"POST /pay ann", "POST /refund ann", "PUT /pay ann", "POST /pay bob", "POST /pay/ ann"} {
		f := strings.Fields(want)
		s.want(s.send(f[0], f[1], "k", "", "X-User", f[2]), 200, want, false)
		s.want(s.send(f[0], f[1], "k", "", "X-User", f[2]), 200, want, true)
	}
	s.want(s.post("k", ""), 400, "missing_scope", false)
	s.times(5)

	scoped := newSiteOn(t, idem.New(idem.ScopeFrom(func(context.Context) string { return "" })), nil, httpidem.Route{}, echo)
	scoped.want(scoped.post("k", ""), 400, "missing_scope", false)
	scoped.times(0)
}

// TestLaw_H5_StrippedPrefix: two mounts of one handler share no key.
func TestLaw_H5_StrippedPrefix(t *testing.T) {
	gate := httpidem.New(idem.New(idem.GlobalScope), newStore(t), httpidem.Route{})
	inner := gate.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.RequestURI) }))
	mux := http.NewServeMux()
	mux.Handle("/a/", http.StripPrefix("/a", inner))
	mux.Handle("/b/", http.StripPrefix("/b", inner))
	s := serve(t, mux)
	s.want(s.send("POST", "/a/pay", "k", ""), 200, "/a/pay", false)
	s.want(s.send("POST", "/b/pay", "k", ""), 200, "/b/pay", false)
	s.want(s.send("POST", "/a/pay", "k", ""), 200, "/a/pay", true)
}

// TestLaw_K5_SameKeyOtherPayload is 422 on every path, and the honest retry still
// replays.
func TestLaw_K5_SameKeyOtherPayload(t *testing.T) {
	s := newSite(t, httpidem.Route{}, echo)
	s.want(s.post("k", "a"), 200, "a 1", false)
	s.want(s.post("k", "b"), 422, "key_reused", false)
	s.want(s.send("POST", "/pay?x=1", "k", "a"), 422, "key_reused", false)
	s.want(s.post("k", "a"), 200, "a 1", true)
	s.times(1)

	off := newSite(t, httpidem.Route{Fingerprint: func(*http.Request, []byte) []idem.Part { return nil }}, echo)
	off.want(off.post("k", "a"), 200, "a 1", false)
	off.want(off.post("k", "b"), 200, "a 1", true)
}

// TestLaw_C1_OneOfMany: of 50 equal requests one runs; the others replay or are told
// when to come again.
func TestLaw_C1_OneOfMany(t *testing.T) {
	for _, wait := range []time.Duration{0, 5 * time.Second} {
		s := newSite(t, httpidem.Route{Wait: wait}, func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(50 * time.Millisecond)
			io.WriteString(w, "paid")
		})
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				a, err := s.try("POST", "/pay", "k", "{}")
				switch {
				case err != nil:
					t.Error(err)
				case a.StatusCode == 200 && a.body == "paid":
				case wait == 0 && a.StatusCode == 409 && a.Header.Get("Retry-After") == "1" && a.Header.Get("Content-Type") == "application/problem+json":
				default:
					t.Errorf("got %v", a)
				}
			})
		}
		wg.Wait()
		s.times(1)
	}
}

// TestLaw_C15_Outage: the handler does not run, unless the route opts out.
func TestLaw_C15_Outage(t *testing.T) {
	closed := newSiteOn(t, idem.New(idem.GlobalScope), down{newStore(t)}, httpidem.Route{}, echo)
	a := closed.post("k", "x")
	closed.want(a, 503, "store_unavailable", false)
	if a.Header.Get("Retry-After") == "" || strings.Contains(a.body, "refused") {
		t.Errorf("%v %v", a, a.Header)
	}
	closed.times(0)
	open := newSiteOn(t, idem.New(idem.GlobalScope), down{newStore(t)}, httpidem.Route{FailOpen: true}, echo)
	open.want(open.post("k", "x"), 200, "x", false)
	open.times(1)
}

// TestLaw_C6_StoringFails: the client gets the real response, the claim stays.
func TestLaw_C6_StoringFails(t *testing.T) {
	store := newStore(t)
	s := newSiteOn(t, idem.New(idem.GlobalScope, idem.WithSettleTimeout(100*time.Millisecond)), failing{store}, httpidem.Route{}, echo)
	s.want(s.post("k", "x"), 200, "x 1", false)
	s.want(s.post("k", "x"), 409, "in_progress", false)
	s.times(1)
}

// TestLaw_C4_LeaseLost: what a handler did that lost its claim is not the outcome.
func TestLaw_C4_LeaseLost(t *testing.T) {
	store := newStore(t)
	var cause error
	s := newSiteOn(t, idem.New(idem.GlobalScope), lost{store}, httpidem.Route{Lease: 60 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		cause = context.Cause(r.Context())
		io.WriteString(w, "paid")
	})
	s.want(s.post("k", "x"), 409, "lease_lost", false)
	if !errors.Is(cause, idem.ErrLeaseLost) {
		t.Error(cause)
	}
}

// TestAudit_OneLinePerRequest: what became of it, without bodies and secrets.
func TestAudit_OneLinePerRequest(t *testing.T) {
	var log syncBuffer
	s := newSite(t, httpidem.Route{Log: slog.New(slog.NewTextHandler(&log, nil))}, echo)
	s.post("k", "SECRET")
	s.post("k", "SECRET")
	s.post("k", "other")
	s.post("", "unguarded")
	text := log.String()
	for _, want := range []string{"outcome=executed", "outcome=replayed", "outcome=key_reused", "status=422", "method=POST", "path=/pay"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
	if strings.Count(text, "\n") != 3 || strings.Contains(text, "SECRET") {
		t.Errorf("got\n%s", text)
	}
}

// TestHTTP1 serves a client without HTTP/2, body and all.
func TestHTTP1(t *testing.T) {
	s := newSite(t, httpidem.Route{}, echo)
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	tr := s.Client().Transport.(*http.Transport).Clone()
	tr.ForceAttemptHTTP2 = false
	tr.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
	tr.TLSClientConfig.NextProtos = []string{"http/1.1"}
	s.Client().Transport = tr
	first := s.post("k", "body")
	if first.ProtoMajor != 1 {
		t.Fatal(first.Proto)
	}
	s.want(first, 200, "body 4", false)
	s.want(s.post("k", "body"), 200, "body 4", true)
}
