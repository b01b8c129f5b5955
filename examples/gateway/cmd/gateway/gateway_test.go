package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestRetriesGetTheFirstResponse: the back end pays once; a retry gets its response, without the cookie; another principal, host, path or payload is another matter.
func TestRetriesGetTheFirstResponse(t *testing.T) {
	b := openBank(t)
	g := start(t, b.URL)
	first := send(g.url+"/pay", "k", "5", "Authorization", "Bearer ann-SECRET")
	g.want(first, 201, "payment 1: 5", false)
	again := send(g.url+"/pay", `"k"`, "5", "Authorization", "Bearer ann-SECRET", "Idempotency-Replayed", "true")
	g.want(again, 201, "payment 1: 5", true)
	if again.header.Get("Location") != "/payments/1" || again.header.Get("Set-Cookie") != "" || first.header.Get("Set-Cookie") == "" {
		t.Errorf("headers %v, then %v", first.header, again.header)
	}
	b.times(t, "/pay", 1)
	g.want(send(g.url+"/pay", "k", "6", "Authorization", "Bearer ann-SECRET"), 422, "key_reused", false)
	g.want(send(g.url+"/pay", "k", "5", "Authorization", "Bearer bob"), 201, "payment 2: 5", false)
	g.want(send(strings.Replace(g.url, "127.0.0.1", "localhost", 1)+"/pay", "k", "5", "Authorization", "Bearer ann-SECRET"), 201, "payment 3: 5", false)
	g.want(send(g.url+"/refund", "k", "5", "Authorization", "Bearer ann-SECRET"), 201, "payment 1: 5", false)
	g.stop() // a line is written when the response is
	for _, want := range []string{"outcome=executed", "outcome=replayed", "outcome=key_reused", "path=/refund"} {
		if !strings.Contains(g.audit.String(), want) {
			t.Errorf("no line says %s\n%s", want, g.audit)
		}
	}
	if strings.Contains(g.audit.String(), "SECRET") {
		t.Errorf("the log tells a secret\n%s", g.audit)
	}
}

// TestRequestIDsAreNoKeys: a new one for each try says nothing of the intention.
func TestRequestIDsAreNoKeys(t *testing.T) {
	b := openBank(t)
	g := start(t, b.URL)
	for range 2 {
		g.want(send(g.url+"/pay", "", "5"), 201, "", false)
	}
	b.times(t, "/pay", 2)
	made := b.ids["/pay"]
	g.want(send(g.url+"/pay", "", "5"), 201, "", false)
	if other := b.ids["/pay"]; made == "" || other == "" || made == other {
		t.Errorf("the back end saw %q and %q", made, other)
	}
	g.want(send(g.url+"/pay", "", "5", "X-Request-ID", "client-1"), 201, "", false)
	if got := b.ids["/pay"]; got != "client-1" {
		t.Errorf("the client's is %q", got)
	}
	// A client that makes one per intention may use it as a key, where the operator says so.
	byID := start(t, b.URL, "-header", "X-Request-ID", "-required")
	for _, replayed := range []bool{false, true} {
		byID.want(send(byID.url+"/id", "", "5", "X-Request-ID", "client-1"), 201, "payment 1", replayed)
	}
	byID.want(send(byID.url+"/id", "", "5"), 400, "missing_key", false)
}

// TestHundredClientsOneKey: the back end pays once; all others hear the same, or when to come again.
func TestHundredClientsOneKey(t *testing.T) {
	b := openBank(t)
	for _, wait := range []string{"0s", "20s"} {
		g := start(t, b.URL, "-wait", wait)
		path := "/slow/" + wait
		var executed, replayed, told atomic.Int64
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				switch r := send(g.url+path, "k", "5"); {
				case r.status == 201 && r.body == "payment 1: 5" && r.replayed:
					replayed.Add(1)
				case r.status == 201 && r.body == "payment 1: 5":
					executed.Add(1)
				case r.status == 409 && r.header.Get("Retry-After") == "1" && strings.Contains(r.body, "in_progress"):
					told.Add(1)
				default:
					t.Errorf("got %v", r)
				}
			})
		}
		wg.Wait()
		b.times(t, path, 1)
		if executed.Load() != 1 || wait != "0s" && told.Load() != 0 {
			t.Errorf("wait %s: executed %d, replayed %d, told %d", wait, executed.Load(), replayed.Load(), told.Load())
		}
		g.want(send(g.url+path, "k", "5"), 201, "payment 1", true)
	}
}

// TestWhatTheBackEndSays: by 503 it did nothing; a 500 or a cut connection holds the key until somebody resolves it.
func TestWhatTheBackEndSays(t *testing.T) {
	b := openBank(t)
	g := start(t, b.URL, "-lease", "300ms")
	g.want(send(g.url+"/busy", "k", "5"), 503, "", false)
	g.want(send(g.url+"/busy", "k", "5"), 201, "payment 2", false)

	g.want(send(g.url+"/broken", "k", "5"), 500, "", false)
	g.want(send(g.url+"/vanish", "k", "5"), 502, "nobody knows", false)
	if r := send(g.url+"/half", "k", "5"); !r.broke() {
		t.Errorf("half a response came as %v", r)
	}
	for _, path := range []string{"/broken", "/vanish", "/half"} {
		g.held(path, "k", "5")
		b.times(t, path, 1)
	}
	host := strings.TrimPrefix(g.url, "http://")
	g.want(resolve(g, "another.host", "/half", "", "rerun"), 409, "not_held", false)
	g.want(resolve(g, host, "/half", "paid 5", "201"), 204, "", false)
	g.want(send(g.url+"/half", "k", "5"), 201, "paid 5", true)
	g.want(resolve(g, host, "/half", "", "rerun"), 409, "not_held", false)
	g.want(resolve(g, host, "/vanish", "", "rerun"), 204, "", false)
	g.want(send(g.url+"/vanish", "k", "5"), 502, "", false)
	b.times(t, "/vanish", 2)
	b.times(t, "/half", 1)
	g.want(resolve(g, host, "/broken", "", "maybe"), 400, "neither", false)
}

// TestUnreachableBackEnd: nothing was sent, so nothing is held.
func TestUnreachableBackEnd(t *testing.T) {
	b := openBank(t)
	b.Close()
	g := start(t, b.URL)
	for range 2 {
		r := send(g.url+"/pay", "k", "5")
		g.want(r, 503, "nothing was done", false)
		if r.header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
}

// TestSilentBackEnd: a back end that stops in the middle of its response is given up, although its client may have gone long before; a connection that changed its protocol may be silent.
func TestSilentBackEnd(t *testing.T) {
	b := openBank(t)
	g := start(t, b.URL, "-timeout", "600ms", "-lease", "300ms")
	g.want(send(g.url+"/pay", "k", "5"), 201, "", false)
	time.Sleep(500 * time.Millisecond) // the connection is kept, and idle
	g.want(send(g.url+"/slow", "k", "5"), 201, "", false)
	if r := send(g.url+"/stall", "k", "5"); !r.broke() {
		t.Errorf("got %v", r)
	}
	g.held("/stall", "k", "5")
	b.times(t, "/stall", 1)

	conn, err := net.Dial("tcp", strings.TrimPrefix(g.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_, _ = io.WriteString(conn, "GET /upgrade HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
	in := bufio.NewReader(conn)
	if res, err := http.ReadResponse(in, nil); err != nil || res.StatusCode != http.StatusSwitchingProtocols {
		t.Fatal(res, err)
	}
	_, _ = io.WriteString(conn, "hello\n")
	if line, err := in.ReadString('\n'); line != "heard hello\n" || err != nil {
		t.Errorf("got %q %v", line, err)
	}
}

// TestNobodySendsTwice: a transport of net/http takes Idempotency-Key for the leave to repeat a request without a body when its connection breaks. The gateway's does not.
func TestNobodySendsTwice(t *testing.T) {
	b := openBank(t)
	g := start(t, b.URL)
	g.want(send(g.url+"/pay", "k1", ""), 201, "", false) // the connection is kept
	g.want(send(g.url+"/vanish", "k2", ""), 502, "nobody knows", false)
	b.times(t, "/vanish", 1)
}

// TestRestartOnADurableStore: what was answered before is answered again; what a killed gateway left is held, and resolved.
func TestRestartOnADurableStore(t *testing.T) {
	b := openBank(t)
	store := "sqlite:" + filepath.Join(t.TempDir(), "gateway.db")
	g := start(t, b.URL, "-store", store, "-lease", "300ms")
	host := strings.TrimPrefix(g.url, "http://")
	g.want(send(g.url+"/pay", "k", "5"), 201, "payment 1", false)
	cut := make(chan reply)
	go func() { cut <- send(g.url+"/slow", "k", "5") }()
	for b.count("/slow") == 0 {
		time.Sleep(5 * time.Millisecond)
	}
	g.kill()
	if r := <-cut; !r.broke() {
		t.Errorf("a killed gateway answered %v", r)
	}

	again := start(t, b.URL, "-store", store, "-lease", "300ms", "-listen", host)
	again.want(send(again.url+"/pay", "k", "5"), 201, "payment 1", true)
	again.held("/slow", "k", "5")
	again.want(resolve(again, host, "/slow", "it was paid", "201"), 204, "", false)
	again.want(send(again.url+"/slow", "k", "5"), 201, "it was paid", true)
	b.times(t, "/pay", 1)
	b.times(t, "/slow", 1)
	again.stop()
}

// TestBadCommandLines are refused with the reason.
func TestBadCommandLines(t *testing.T) {
	for line, want := range map[string]string{
		"":                               "-backend",
		"-backend ftp://x":               "-backend",
		"-backend http://x -ttl 0":       "-ttl",
		"-backend http://x -release 20":  "-release",
		"-backend http://x -store tape":  "-store",
		"-backend http://x -timeout 0":   "-timeout",
		"-backend http://x -lease -3s":   "-lease",
		"-backend http://x -wait -1s":    "-wait",
		"-backend http://x -max-body -1": "-max-body",
		"-backend http://x -header a:b":  "-header",
		"-backend http://x extra":        "extra",
		"-nonsense":                      "-nonsense",
	} {
		var stderr bytes.Buffer
		if code := run(context.Background(), strings.Fields(line), &stderr, &stderr); code != 2 || !strings.Contains(stderr.String(), want) {
			t.Errorf("%q: %d %s", line, code, stderr.String())
		}
	}
}

// resolve resolves a key as the host that the client asked.
func resolve(g *gateway, host, path, body, how string) reply {
	g.t.Helper()
	r, err := http.NewRequest(http.MethodPost, g.admin+path, strings.NewReader(body))
	if err != nil {
		g.t.Fatal(err)
	}
	r.Host = host
	r.Header.Set("Idempotency-Key", "k")
	r.Header.Set("Gateway-Resolve", how)
	return do(r)
}
