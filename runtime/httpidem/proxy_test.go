package httpidem_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/httpidem"
	"github.com/idemgen/idemgen/runtime/idem"
)

// proxied is a back end behind a reverse proxy behind a gate.
func proxied(t *testing.T, route httpidem.Route, backend http.HandlerFunc) (*site, *atomic.Int64) {
	ran := new(atomic.Int64)
	b := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ran.Add(1)
		backend(w, r)
	}))
	t.Cleanup(b.Close)
	target, err := url.Parse(b.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }, ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
		w.WriteHeader(http.StatusBadGateway)
	}}
	front := httptest.NewServer(httpidem.New(idem.New(idem.GlobalScope), newStore(t), route).Wrap(proxy))
	t.Cleanup(front.Close)
	return &site{T: t, Server: front}, ran
}

// vanish cuts the connection of a response.
func vanish(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		conn.Close()
	}
}

// TestLaw_H2_BackEndVanishes before it answered, or in the middle: the outcome is
// unknown, and a retry does not reach it.
func TestLaw_H2_BackEndVanishes(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"before": func(w http.ResponseWriter, r *http.Request) { vanish(w) },
		"in the middle": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, "paid, and")
			w.(http.Flusher).Flush()
			vanish(w)
		},
		"in a stream": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "data: 1\n\n")
			w.(http.Flusher).Flush()
			time.Sleep(20 * time.Millisecond)
			vanish(w)
		},
	} {
		s, ran := proxied(t, httpidem.Route{Lease: 40 * time.Millisecond}, h)
		if a, err := s.try("POST", "/pay", "k", "x"); err == nil && a.StatusCode != 502 {
			t.Errorf("%s: %v", name, a)
		}
		time.Sleep(60 * time.Millisecond)
		s.want(s.post("k", "x"), 409, "outcome_unknown", false)
		if ran.Load() != 1 {
			t.Errorf("%s: ran %d times", name, ran.Load())
		}
	}
}

// TestLaw_H1_ThroughAProxy: events come as they are sent and again as a whole; what the
// client sends in pieces arrives with its trailers; markers do not pass.
func TestLaw_H1_ThroughAProxy(t *testing.T) {
	seen := make(chan struct{}, 3)
	s, ran := proxied(t, httpidem.Route{}, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 3 {
			fmt.Fprintf(w, "data: %d %s %s%s\n\n", i, body, r.Trailer.Get("X-Sum"), r.Trailer.Get("Idempotency-Replayed"))
			w.(http.Flusher).Flush()
			<-seen
		}
	})
	for _, replayed := range []bool{false, true} {
		r, _ := http.NewRequest("POST", s.URL+"/events", io.MultiReader(strings.NewReader("a"), strings.NewReader("b")))
		r.Header.Set("Idempotency-Key", "k")
		r.Header.Set("Expect", "100-continue")
		r.Trailer = http.Header{"X-Sum": {"7"}, "Idempotency-Replayed": {"true"}}
		res, err := s.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(res.Body)
		for i := range 3 {
			line, err := lines.ReadString('\n')
			if want := fmt.Sprintf("data: %d ab 7\n", i); line != want || err != nil {
				t.Errorf("replayed %v: got %q %v, want %q", replayed, line, err, want)
			}
			lines.ReadString('\n')
			seen <- struct{}{}
		}
		io.Copy(io.Discard, res.Body) // its end comes when it is stored
		res.Body.Close()
		if got := res.Header.Get(httpidem.ReplayedHeader) == "true"; got != replayed {
			t.Errorf("replayed: %v", got)
		}
		for len(seen) > 0 && replayed {
			<-seen
		}
	}
	if ran.Load() != 1 {
		t.Errorf("ran %d times", ran.Load())
	}
}

// TestLaw_H2_UpgradesPass: a connection that changes its protocol works through a gate
// and a proxy, with a safe method unguarded, with another once.
func TestLaw_H2_UpgradesPass(t *testing.T) {
	s, ran := proxied(t, httpidem.Route{}, func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		rw.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		rw.Flush()
		line, _ := rw.ReadString('\n')
		rw.WriteString("heard " + line)
		rw.Flush()
	})
	upgrade := func(method string) (int, string) {
		conn, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "%s /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\nIdempotency-Key: k\r\nContent-Length: 0\r\n\r\n", method)
		in := bufio.NewReader(conn)
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		if res.StatusCode != http.StatusSwitchingProtocols {
			body, _ := io.ReadAll(res.Body)
			return res.StatusCode, string(body)
		}
		fmt.Fprintf(conn, "hello\n")
		line, _ := in.ReadString('\n')
		return res.StatusCode, line
	}
	for _, method := range []string{"GET", "GET", "POST"} {
		if status, line := upgrade(method); status != 101 || line != "heard hello\n" {
			t.Errorf("%s: %d %q", method, status, line)
		}
	}
	eventually(t, "it is done", func() bool {
		status, body := upgrade("POST")
		return status == 409 && strings.Contains(body, "result_too_large")
	})
	if ran.Load() != 3 {
		t.Errorf("ran %d times", ran.Load())
	}
}

// TestLaw_H3_TooLargeOnHTTP2 ends the request, not the connection that others use.
func TestLaw_H3_TooLargeOnHTTP2(t *testing.T) {
	s := newSite(t, httpidem.Route{MaxBody: 5}, echo)
	var conns []string
	for range 2 {
		r, _ := http.NewRequest("POST", s.URL, strings.NewReader("much too large"))
		r.Header.Set("Idempotency-Key", "k")
		r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) {
			conns = append(conns, c.Conn.LocalAddr().String())
		}}))
		a, err := s.do(r)
		if err != nil {
			t.Fatal(err)
		}
		if s.want(a, 413, "body_too_large", false); a.ProtoMajor != 2 {
			t.Error(a.Proto)
		}
		time.Sleep(20 * time.Millisecond) // a farewell of the server would arrive
	}
	if len(conns) != 2 || conns[0] != conns[1] {
		t.Errorf("connections %v", conns)
	}
}
