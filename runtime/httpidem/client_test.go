package httpidem_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/httpidem"
	"github.com/idemgen/idemgen/runtime/idem"
)

// leave sends a request and goes away when gone is closed.
func (s *site) leave(gone <-chan struct{}, key, body string) <-chan error {
	ctx, cancel := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/pay", strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Idempotency-Key", key)
	done := make(chan error, 1)
	go func() {
		<-gone
		cancel()
	}()
	go func() {
		_, err := s.do(r)
		done <- err
	}()
	return done
}

// hanging is a store that answers a claim when the context of the claim ends.
type hanging struct {
	idem.RecordStore
	asked, ended chan struct{}
}

func (h *hanging) Claim(ctx context.Context, c idem.Claim) (idem.Found, error) {
	close(h.asked)
	<-ctx.Done()
	close(h.ended)
	return idem.Found{}, context.Cause(ctx)
}

// TestLaw_C7_HungClaimEndsWithTheClient: nobody waits for a store on behalf of a
// client that has gone, and the handler does not run for it.
func TestLaw_C7_HungClaimEndsWithTheClient(t *testing.T) {
	store := &hanging{newStore(t), make(chan struct{}), make(chan struct{})}
	s := newSiteOn(t, idem.New(idem.GlobalScope), store, httpidem.Route{FailOpen: true}, echo)
	done := s.leave(store.asked, "k", "x")
	select {
	case <-store.ended:
	case <-time.After(5 * time.Second):
		t.Fatal("the claim still hangs")
	}
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	s.times(0)
}

// late is a store whose claims succeed only after the client has gone.
type late struct {
	idem.RecordStore
	asked, claimed chan struct{}
	first          atomic.Bool
}

func (l *late) Claim(ctx context.Context, c idem.Claim) (idem.Found, error) {
	if l.first.CompareAndSwap(false, true) {
		close(l.asked)
		<-ctx.Done()
		defer close(l.claimed)
	}
	return l.RecordStore.Claim(context.WithoutCancel(ctx), c)
}

// TestLaw_C7_ClaimedForNobody: a claim that arrives when its client has gone is given
// back, not run; the retry runs.
func TestLaw_C7_ClaimedForNobody(t *testing.T) {
	store := &late{RecordStore: newStore(t), asked: make(chan struct{}), claimed: make(chan struct{})}
	s := newSiteOn(t, idem.New(idem.GlobalScope), store, httpidem.Route{Wait: 5 * time.Second}, echo)
	<-s.leave(store.asked, "k", "x")
	<-store.claimed
	s.want(s.post("k", "x"), 200, "x", false)
	s.times(1)
}

// TestLaw_C7_WaitersGoWithTheirClient: one that has gone neither runs nor touches the
// call that it waited for.
func TestLaw_C7_WaitersGoWithTheirClient(t *testing.T) {
	started, finish := make(chan struct{}), make(chan struct{})
	var log syncBuffer
	s := newSite(t, httpidem.Route{Wait: time.Minute, Log: logger(&log)}, func(w http.ResponseWriter, r *http.Request) {
		close(started)
		<-finish
		w.WriteHeader(http.StatusServiceUnavailable) // a waiter would run now
	})
	first := make(chan answer, 1)
	go func() { first <- s.post("k", "x") }()
	<-started
	gone := make(chan struct{})
	waiter := s.leave(gone, "k", "x")
	time.Sleep(50 * time.Millisecond)
	close(gone)
	if err := <-waiter; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	eventually(t, "the waiter is told", func() bool { return strings.Contains(log.String(), "outcome=request_ended") })
	close(finish)
	s.want(<-first, 503, "", false)
	s.times(1)
}

// TestLaw_H2_ClientGoneInTheStream: a handler that streams to a client that has gone is
// not disturbed while its response can be kept; the retry gets all of it.
func TestLaw_H2_ClientGoneInTheStream(t *testing.T) {
	started, gone := make(chan struct{}), make(chan struct{})
	s := newSite(t, httpidem.Route{Wait: 5 * time.Second}, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "first ")
		w.(http.Flusher).Flush()
		close(started)
		<-gone
		for range 200 {
			if _, err := io.WriteString(w, "."); err != nil {
				t.Error(err)
				return
			}
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
				return
			}
		}
		io.WriteString(w, " last")
	})
	err := <-s.leave(started, "k", "x")
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	time.Sleep(20 * time.Millisecond)
	close(gone)
	s.want(s.post("k", "x"), 200, "first "+strings.Repeat(".", 200)+" last", true)
	s.times(1)
}

// TestLaw_H2_EndlessStreamsEnd: a stream to a client that has gone, too long to be kept,
// hears of it, by its writes and by its flushes, and is done.
func TestLaw_H2_EndlessStreamsEnd(t *testing.T) {
	for _, by := range []string{"write", "flush"} {
		started, over := make(chan struct{}), make(chan struct{})
		s := newSite(t, httpidem.Route{MaxResult: 1000}, func(w http.ResponseWriter, r *http.Request) {
			defer close(over)
			io.WriteString(w, "data: 0\n\n")
			w.(http.Flusher).Flush()
			close(started)
			for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Microsecond) {
				_, wrote := io.WriteString(w, "data: more\n\n")
				flushed := http.NewResponseController(w).Flush()
				if err := map[string]error{"write": wrote, "flush": flushed}[by]; err != nil {
					return
				}
			}
			t.Errorf("the stream goes on: %s", by)
		})
		<-s.leave(started, "k", "x")
		<-over
		eventually(t, "it is done", func() bool { return strings.Contains(s.post("k", "x").body, "result_too_large") })
		s.times(1)
	}
}

// TestLaw_H3_BodiesThatBreakOff are refused before anything is claimed: the retry runs.
func TestLaw_H3_BodiesThatBreakOff(t *testing.T) {
	var ran atomic.Int64
	var log syncBuffer
	gate := httpidem.New(idem.New(idem.GlobalScope), newStore(t), httpidem.Route{Log: logger(&log)})
	server := httptest.NewServer(gate.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { ran.Add(1) })))
	defer server.Close()
	for _, head := range []string{"Content-Length: 10\r\n\r\n12345", "Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n", "Transfer-Encoding: chunked\r\n\r\nx\r\n"} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nIdempotency-Key: k\r\n"+head)
		conn.(*net.TCPConn).CloseWrite()
		if res, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || res.StatusCode != 400 {
			t.Errorf("%q: %v %v", head, res, err)
		}
		conn.Close()
	}
	if ran.Load() != 0 || strings.Count(log.String(), "outcome=body_unread") != 3 {
		t.Errorf("ran %d times\n%s", ran.Load(), log.String())
	}
	r, _ := http.NewRequest("POST", server.URL, strings.NewReader("1234567890"))
	r.Header.Set("Idempotency-Key", "k")
	if res, err := server.Client().Do(r); err != nil || res.StatusCode != 200 || ran.Load() != 1 {
		t.Errorf("the retry: %v %v", res, err)
	}
}

// TestLaw_H2_TimeoutOutside: a http.TimeoutHandler in front gives up for the client
// alone; the handler finishes, and the retry gets its response.
func TestLaw_H2_TimeoutOutside(t *testing.T) {
	gate := httpidem.New(idem.New(idem.GlobalScope), newStore(t), httpidem.Route{})
	finish := make(chan struct{})
	var ran atomic.Int64
	h := gate.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ran.Add(1)
		<-finish
		if err := r.Context().Err(); err != nil {
			t.Error(err)
		}
		io.WriteString(w, "paid")
	}))
	s := serve(t, http.TimeoutHandler(h, 50*time.Millisecond, "slow"))
	s.want(s.post("k", ""), 503, "slow", false)
	close(finish)
	eventually(t, "the response is there", func() bool { return s.post("k", "").body == "paid" })
	if ran.Load() != 1 {
		t.Errorf("ran %d times", ran.Load())
	}
}

// TestLaw_H2_TimeoutInside: the 503 of a http.TimeoutHandler inside speaks of a handler
// that still runs; a retry must not run it a second time.
func TestLaw_H2_TimeoutInside(t *testing.T) {
	gate := httpidem.New(idem.New(idem.GlobalScope), newStore(t), httpidem.Route{Lease: 20 * time.Millisecond})
	finish := make(chan struct{})
	var ran atomic.Int64
	s := serve(t, gate.Wrap(http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ran.Add(1)
		<-finish
	}), 30*time.Millisecond, "slow")))
	s.want(s.post("k", ""), 503, "slow", false)
	time.Sleep(40 * time.Millisecond)
	s.want(s.post("k", ""), 409, "outcome_unknown", false)
	close(finish)
	if ran.Load() != 1 {
		t.Errorf("ran %d times", ran.Load())
	}
}
