package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// child tells the test binary to be the gateway.
const child = "GATEWAY_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(child) != "" {
		main()
	}
	os.Exit(m.Run())
}

// gateway is a running gateway, a process of its own.
type gateway struct {
	t          *testing.T
	cmd        *exec.Cmd
	url, admin string
	audit      *lines
}

// lines collects what a process says.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// start starts a gateway before a back end.
func start(t *testing.T, backend string, args ...string) *gateway {
	t.Helper()
	g := &gateway{t: t, audit: new(lines)}
	g.cmd = exec.Command(os.Args[0], append([]string{"-listen", "127.0.0.1:0", "-admin", "127.0.0.1:0", "-backend", backend}, args...)...)
	g.cmd.Env = append(os.Environ(), child+"=1")
	g.cmd.Stderr = g.audit
	out, err := g.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := g.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.kill)
	in := bufio.NewReader(out)
	for _, address := range []*string{&g.url, &g.admin} {
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatalf("%v\n%s", err, g.audit)
		}
		*address = line[strings.Index(line, "http://") : len(line)-1]
	}
	return g
}

// kill ends the gateway at once, whatever it does.
func (g *gateway) kill() {
	_ = g.cmd.Process.Kill()
	_ = g.cmd.Wait()
}

// stop asks it to end.
func (g *gateway) stop() {
	g.t.Helper()
	if err := g.cmd.Process.Signal(os.Interrupt); err != nil {
		g.t.Fatal(err)
	}
	if err := g.cmd.Wait(); err != nil {
		g.t.Errorf("%v\n%s", err, g.audit)
	}
}

// reply is what a request came back with; its status is 0 when the connection broke.
type reply struct {
	status   int
	body     string
	replayed bool
	header   http.Header
}

func (r reply) String() string { return fmt.Sprintf("%d %q replayed %v", r.status, r.body, r.replayed) }

// send posts to a URL; headers are name, value pairs.
func send(url, key, body string, headers ...string) reply {
	var in io.Reader
	if body != "" {
		in = strings.NewReader(body)
	}
	r, err := http.NewRequest(http.MethodPost, url, in)
	if err != nil {
		panic(err)
	}
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return do(r)
}

func do(r *http.Request) reply {
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return reply{body: err.Error()}
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return reply{body: err.Error()}
	}
	return reply{res.StatusCode, string(data), res.Header.Get("Idempotency-Replayed") == "true", res.Header}
}

func (g *gateway) want(r reply, status int, body string, replayed bool) {
	g.t.Helper()
	if r.status != status || !strings.Contains(r.body, body) || r.replayed != replayed {
		g.t.Errorf("got %v, want %d %q replayed %v", r, status, body, replayed)
	}
}

// broke tells whether a request came to no answer. The client's transport may have sent it again on its own; then it heard that the first one is in progress.
func (r reply) broke() bool { return r.status == 0 || strings.Contains(r.body, "in_progress") }

// held waits until a key is held: its owner's lease is over.
func (g *gateway) held(path, key, body string) {
	g.t.Helper()
	var last reply
	for range 200 {
		if last = send(g.url+path, key, body); strings.Contains(last.body, "outcome_unknown") {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	g.t.Fatalf("never held: %v\n%s", last, g.audit)
}

// bank is a back end that does a thing each time it is asked.
type bank struct {
	*httptest.Server
	mu   sync.Mutex
	paid map[string]int    // payments by path
	ids  map[string]string // the last X-Request-ID by path
}

func openBank(t *testing.T) *bank {
	b := &bank{paid: map[string]int{}, ids: map[string]string{}}
	b.Server = httptest.NewServer(b)
	t.Cleanup(b.Close)
	return b
}

// ServeHTTP pays, and then what the first part of the path says.
func (b *bank) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	b.mu.Lock()
	b.paid[r.URL.Path]++
	n := b.paid[r.URL.Path]
	b.ids[r.URL.Path] = r.Header.Get("X-Request-ID")
	b.mu.Unlock()
	cut := func() {
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = conn.Close()
		}
	}
	switch kind, _, _ := strings.Cut(r.URL.Path[1:], "/"); kind {
	case "slow":
		time.Sleep(200 * time.Millisecond)
	case "vanish":
		cut()
		return
	case "half":
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "paid, and")
		_ = http.NewResponseController(w).Flush()
		cut()
		return
	case "stall":
		_, _ = io.WriteString(w, "paid, and")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		return
	case "upgrade":
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		_, _ = rw.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		_ = rw.Flush()
		line, _ := rw.ReadString('\n')
		time.Sleep(700 * time.Millisecond)
		_, _ = rw.WriteString("heard " + line)
		_ = rw.Flush()
		return
	case "busy":
		if n == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
	case "broken":
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Set("Location", "/payments/1")
	w.Header().Set("Set-Cookie", "session=secret")
	w.WriteHeader(http.StatusCreated)
	_, _ = fmt.Fprintf(w, "payment %d: %s", n, body)
}

// times checks how often the bank paid.
func (b *bank) times(t *testing.T, path string, want int) {
	t.Helper()
	if n := b.count(path); n != want {
		t.Errorf("%s: paid %d times, want %d", path, n, want)
	}
}

// count is how often the bank paid.
func (b *bank) count(path string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.paid[path]
}
