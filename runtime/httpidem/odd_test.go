package httpidem_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/httpidem"
	"github.com/idemgen/idemgen/runtime/idem"
)

// TestLaw_C9_UnfinishedResponsesAreNotReplayed: a handler that promised more bytes than
// it wrote gave half a response. It is done, and its half never comes as a whole.
func TestLaw_C9_UnfinishedResponsesAreNotReplayed(t *testing.T) {
	for _, flush := range []bool{false, true} {
		s := newSite(t, httpidem.Route{}, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "10")
			io.WriteString(w, "half!")
			if flush {
				w.(http.Flusher).Flush()
			}
		})
		if a, err := s.try(http.MethodPost, "/pay", "k", ""); err == nil {
			t.Errorf("flush %v: the client got a whole response: %v", flush, a)
		}
		s.want(s.post("k", ""), 409, "result_unreadable", false)
		s.times(1)
	}
}

// TestLaw_H1_LengthsSetByHand: one that is exceeded holds, as with a server; one that
// is none counts for nothing; one on a response without a body says nothing.
func TestLaw_H1_LengthsSetByHand(t *testing.T) {
	s := newSite(t, httpidem.Route{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", r.URL.Query().Get("n"))
		io.WriteString(w, "12345")
		if n, err := io.WriteString(w, "6"); r.URL.Query().Get("n") == "5" && (n != 0 || !errors.Is(err, http.ErrContentLength)) {
			t.Errorf("more than declared: %d %v", n, err)
		}
	})
	for path, want := range map[string]string{"/a?n=5": "12345", "/b?n=6": "123456", "/c?n=x": "123456", "/d?n=-1": "123456"} {
		s.want(s.send("POST", path, "k", ""), 200, want, false)
		if a := s.send("POST", path, "k", ""); a.body != want || a.StatusCode != 200 {
			t.Errorf("%s: then %v", path, a)
		}
	}
	gate := httpidem.New(idem.New(idem.GlobalScope), newStore(t), httpidem.Route{})
	none := serve(t, gate.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "7")
		w.WriteHeader(http.StatusNotModified)
	})))
	for _, replayed := range []bool{false, true} {
		none.want(none.post("k", ""), 304, "", replayed)
	}
}

// TestLaw_H2_WhatIsNoStatus panics in the handler, before anything is stored.
func TestLaw_H2_WhatIsNoStatus(t *testing.T) {
	for _, status := range []int{-1, 0, 99, 1000} {
		var got any
		s := newSite(t, httpidem.Route{Lease: 20 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
			defer func() {
				got = recover()
				panic(http.ErrAbortHandler)
			}()
			w.WriteHeader(status)
		})
		if a, err := s.try("POST", "/pay", "k", ""); err == nil || got == nil {
			t.Errorf("%d: %v, panicked with %v", status, a, got)
		}
		time.Sleep(30 * time.Millisecond)
		s.want(s.post("k", ""), 409, "outcome_unknown", false)
	}
}

// TestLaw_H1_TheFirstStatusCounts, as with a server.
func TestLaw_H1_TheFirstStatusCounts(t *testing.T) {
	s := newSite(t, httpidem.Route{}, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusCreated)
		w.WriteHeader(http.StatusInternalServerError)
		io.WriteString(w, "made")
		w.WriteHeader(http.StatusEarlyHints)
	})
	s.want(s.post("k", ""), 201, "made", false)
	s.want(s.post("k", ""), 201, "made", true)
}

// TestLaw_H1_LateWritersChangeNothing: a goroutine that the handler left behind writes
// into neither the response nor the record.
func TestLaw_H1_LateWritersChangeNothing(t *testing.T) {
	left, heard := make(chan struct{}), make(chan error, 4)
	s := newSite(t, httpidem.Route{}, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "paid")
		go func() {
			<-left
			_, err := io.WriteString(w, "twice")
			heard <- err
			heard <- http.NewResponseController(w).Flush()
			_, _, err = http.NewResponseController(w).Hijack()
			heard <- err
			w.WriteHeader(500)
			w.Header().Set("Location", "/late")
			heard <- map[bool]error{true: nil, false: errors.New("refused")}[httpidem.Settle(w, idem.SettleRelease)]
		}()
	})
	s.want(s.post("k", ""), 200, "paid", false)
	close(left)
	for range 4 {
		if err := <-heard; err == nil {
			t.Error("something late was taken")
		}
	}
	if a := s.post("k", ""); a.body != "paid" || a.Header.Get("Location") != "" {
		t.Errorf("then %v", a)
	}
	racing := newSite(t, httpidem.Route{}, func(w http.ResponseWriter, r *http.Request) {
		for range 4 {
			go func() {
				for range 100 {
					io.WriteString(w, "x")
				}
			}()
		}
	})
	first, second := racing.post("k", ""), racing.post("k", "")
	if first.body != second.body {
		t.Errorf("%d bytes, then %d", len(first.body), len(second.body))
	}
}

// TestLaw_H1_SniffedTypeOfStreams: the type that went out with the first bytes comes
// again, although a replay has all bytes at once.
func TestLaw_H1_SniffedTypeOfStreams(t *testing.T) {
	for path, parts := range map[string][]string{
		"/flushed": {"<", "html><body>x"}, "/empty": {"", "<html>"}, "/none": {"<html>"},
		"/over": {strings.Repeat("<html>", 20), "x"}, "/exact": {"%PDF-", "1.4"},
	} {
		s := newSite(t, httpidem.Route{MaxResult: 100}, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/none" {
				w.Header()["Content-Type"] = nil
			}
			for _, part := range parts {
				if part != "" {
					io.WriteString(w, part)
				}
				w.(http.Flusher).Flush()
			}
		})
		bare := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/none" {
				w.Header()["Content-Type"] = nil
			}
			for _, part := range parts {
				if part != "" {
					io.WriteString(w, part)
				}
				w.(http.Flusher).Flush()
			}
		}))
		want := bare.send("POST", path, "", "").Header["Content-Type"]
		for range 2 {
			a := s.send("POST", path, "k", "")
			if got := a.Header["Content-Type"]; a.StatusCode == 200 && fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: %v is of type %v, want %v", path, a, got, want)
			}
		}
	}
}

// TestLaw_H1_PartsOfFiles: a part comes again as that part, and is no answer to a
// request for another one.
func TestLaw_H1_PartsOfFiles(t *testing.T) {
	s := newSite(t, httpidem.Route{}, func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "report.txt", time.Unix(1e9, 0), bytes.NewReader([]byte("0123456789")))
	})
	for _, replayed := range []bool{false, true} {
		a := s.post("k", "", "Range", "bytes=2-4")
		s.want(a, 206, "234", replayed)
		if got := a.Header.Get("Content-Range"); got != "bytes 2-4/10" {
			t.Errorf("replayed %v: Content-Range is %q", replayed, got)
		}
	}
	s.want(s.post("k", "", "Range", "bytes=5-6"), 422, "key_reused", false)
	s.times(1)
}

// TestLaw_H1_OtherSpellingsOfHeaders are stored like the usual one.
func TestLaw_H1_OtherSpellingsOfHeaders(t *testing.T) {
	s := newSite(t, httpidem.Route{}, func(w http.ResponseWriter, r *http.Request) { w.Header()["ETag"] = []string{`"v1"`} })
	for _, replayed := range []bool{false, true} {
		a := s.post("k", "")
		s.want(a, 200, "", replayed)
		if a.Header.Get("Etag") != `"v1"` {
			t.Errorf("replayed %v: %v", replayed, a.Header)
		}
	}
}

// TestLaw_H2_WrittenBeforeHijack goes out before what the handler writes itself.
func TestLaw_H2_WrittenBeforeHijack(t *testing.T) {
	gate := httpidem.New(idem.New(idem.GlobalScope), newStore(t), httpidem.Route{})
	server := httptest.NewServer(gate.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "2")
		w.WriteHeader(http.StatusAccepted)
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		if _, err := io.WriteString(w, "x"); !errors.Is(err, http.ErrHijacked) {
			t.Errorf("write after hijack: %v", err)
		}
		rw.WriteString("cd")
		rw.Flush()
	})))
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nIdempotency-Key: k\r\nContent-Length: 0\r\n\r\n")
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(res.Body); string(body) != "cd" || err != nil || res.StatusCode != http.StatusAccepted {
		t.Errorf("%d %q %v", res.StatusCode, body, err)
	}
}

// TestLaw_C9_OversizeKeepsNoMemory: what won't be stored is not kept while the rest
// goes out.
func TestLaw_C9_OversizeKeepsNoMemory(t *testing.T) {
	const kept = 8 << 20
	var before, after runtime.MemStats
	gate := httpidem.New(idem.New(idem.GlobalScope), newStore(t), httpidem.Route{MaxResult: kept})
	h := gate.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		piece := make([]byte, 64<<10)
		runtime.GC()
		runtime.ReadMemStats(&before)
		for n := 0; n <= kept; n += len(piece) {
			w.Write(piece)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
	}))
	r := httptest.NewRequest("POST", "/", nil)
	r.Header.Set("Idempotency-Key", "k")
	h.ServeHTTP(nothing{http.Header{}}, r)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > kept/4 {
		t.Errorf("%d bytes are kept of a response that is over", grown)
	}
}

// nothing is a writer that keeps nothing.
type nothing struct{ header http.Header }

func (n nothing) Header() http.Header         { return n.header }
func (n nothing) Write(p []byte) (int, error) { return len(p), nil }
func (n nothing) WriteHeader(int)             {}
