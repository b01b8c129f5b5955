package httpidem_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/httpidem"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// TestLaw_H1_ReplayEqualsTheFirst: status, body bytes and the listed headers come
// again; credentials and hop-by-hop headers never do.
func TestLaw_H1_ReplayEqualsTheFirst(t *testing.T) {
	s := newSite(t, httpidem.Route{Headers: []string{"x-receipt", "Set-Cookie", "connection", "Authorization"}}, func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "application/octet-stream")
		h.Set("Location", "/orders/7")
		h.Set("ETag", `"v1"`)
		h.Set("Content-Language", "zh")
		h["X-Receipt"] = []string{"1", "2"}
		h.Set("X-Other", "no")
		h.Set("Set-Cookie", "session=secret")
		h.Set("Authorization", "Bearer secret")
		w.WriteHeader(http.StatusCreated)
		w.Write([]byte{0, 255, 1, '\n'})
		h.Set("Location", "/too/late")
	})
	first, second := s.post("k", "{}"), s.post("k", "{}")
	s.want(first, 201, "\x00\xff\x01\n", false)
	s.want(second, 201, "\x00\xff\x01\n", true)
	for _, name := range []string{"Content-Type", "Location", "Etag", "Content-Language", "Content-Length"} {
		if a, b := first.Header.Get(name), second.Header.Get(name); a != b || a == "" {
			t.Errorf("%s: %q, then %q", name, a, b)
		}
	}
	if got := second.Header["X-Receipt"]; len(got) != 2 || got[1] != "2" {
		t.Errorf("X-Receipt is %q", got)
	}
	for _, name := range []string{"Set-Cookie", "Authorization", "X-Other"} {
		if second.Header.Get(name) != "" || first.Header.Get(name) == "" {
			t.Errorf("%s: %q, then %q", name, first.Header.Get(name), second.Header.Get(name))
		}
	}
	s.times(1)
}

// TestLaw_H1_Compressed: a gzip response replays so that a client can decode it.
func TestLaw_H1_Compressed(t *testing.T) {
	s := newSite(t, httpidem.Route{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "text/plain")
		z := gzip.NewWriter(w)
		io.WriteString(z, strings.Repeat("paid ", 1000))
		z.Close()
	})
	for range 2 {
		a := s.post("k", "", "Accept-Encoding", "gzip") // set by hand: the client doesn't decode
		z, err := gzip.NewReader(strings.NewReader(a.body))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(z)
		if err != nil || string(text) != strings.Repeat("paid ", 1000) || a.Header.Get("Content-Encoding") != "gzip" {
			t.Errorf("%d bytes, %v, %q", len(text), err, a.Header.Get("Content-Encoding"))
		}
	}
	s.times(1)
}

// TestLaw_H1_CompressorInFront: what stands in front of the gate sets its headers for a
// replay anew, by what the retry asks for; they are not stored as the handler's.
func TestLaw_H1_CompressorInFront(t *testing.T) {
	gate := httpidem.New(idem.New(idem.GlobalScope), memstore.New(), httpidem.Route{})
	guarded := gate.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Language", "de")
		io.WriteString(w, strings.Repeat("paid ", 1000))
	}))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Language", "en") // of a middleware, for all
		if r.Header.Get("Accept-Encoding") != "gzip" {
			guarded.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		defer z.Close()
		guarded.ServeHTTP(zipped{w, z}, r)
	}))
	defer s.Close()
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	for i, accepts := range []string{"gzip", "identity", "gzip"} {
		r, _ := http.NewRequest(http.MethodPost, s.URL, nil)
		r.Header.Set("Idempotency-Key", "k")
		r.Header.Set("Accept-Encoding", accepts)
		res, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body := io.Reader(res.Body)
		if coded := res.Header.Get("Content-Encoding"); (coded == "gzip") != (accepts == "gzip") {
			t.Errorf("%s: Content-Encoding %q", accepts, coded)
		} else if coded == "gzip" {
			if body, err = gzip.NewReader(body); err != nil {
				t.Fatal(err)
			}
		}
		text, err := io.ReadAll(body)
		if err != nil || string(text) != strings.Repeat("paid ", 1000) || res.Header.Get("Content-Language") != "de" || (res.Header.Get(httpidem.ReplayedHeader) != "") != (i > 0) {
			t.Errorf("%s: %d bytes, %v, %v", accepts, len(text), err, res.Header)
		}
		res.Body.Close()
	}
}

// zipped is a writer whose body is compressed.
type zipped struct {
	http.ResponseWriter
	z *gzip.Writer
}

func (w zipped) Write(p []byte) (int, error) { return w.z.Write(p) }
func (w zipped) WriteHeader(status int) {
	w.Header().Del("Content-Length")
	w.ResponseWriter.WriteHeader(status)
}

// TestWrongRoutesAreTold: by Err beforehand, and by each answer, whether it has a key or
// not.
func TestWrongRoutesAreTold(t *testing.T) {
	for name, route := range map[string]httpidem.Route{
		"header": {Header: "a b"}, "lease": {Lease: -1}, "wait": {Wait: -1}, "ttl": {TTL: -5}, "body": {MaxBody: -1}, "result": {MaxResult: -1},
	} {
		if err := httpidem.New(idem.New(idem.GlobalScope), memstore.New(), route).Err(); !errors.Is(err, idem.ErrInvalidOp) {
			t.Errorf("%s: %v", name, err)
		}
		s := newSite(t, route, func(http.ResponseWriter, *http.Request) {})
		for _, key := range []string{"", "k"} {
			s.want(s.post(key, ""), 500, "invalid_op", false)
		}
		s.times(0)
	}
}

// TestLaw_H1_SniffedType: a type that the server finds out is found out again.
func TestLaw_H1_SniffedType(t *testing.T) {
	s := newSite(t, httpidem.Route{}, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<html><body>ok") })
	first, second := s.post("k", ""), s.post("k", "")
	if a, b := first.Header.Get("Content-Type"), second.Header.Get("Content-Type"); a != b || !strings.HasPrefix(a, "text/html") {
		t.Errorf("%q, then %q", a, b)
	}
}

// TestLaw_H1_NoBody: empty responses, and those that may have none, are replayed as
// what they were (C10).
func TestLaw_H1_NoBody(t *testing.T) {
	for _, status := range []int{200, 204, 304} {
		s := newSite(t, httpidem.Route{}, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			if _, err := io.WriteString(w, "x"); (err == nil) != (status == 200) {
				t.Errorf("%d: %v", status, err)
			}
		})
		s.want(s.post("k", ""), status, "", false)
		s.want(s.post("k", ""), status, "", true)
		s.times(1)
	}
	s := newSite(t, httpidem.Route{}, func(http.ResponseWriter, *http.Request) {})
	s.want(s.post("k", ""), 200, "", false)
	s.want(s.post("k", ""), 200, "", true)
	s.times(1)
}

// TestLaw_H1_EarlyHints: informational responses go out at once and are not the response.
func TestLaw_H1_EarlyHints(t *testing.T) {
	s := newSite(t, httpidem.Route{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "</a.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		w.WriteHeader(http.StatusAccepted)
		io.WriteString(w, "later")
	})
	s.want(s.post("k", ""), 202, "later", false)
	s.want(s.post("k", ""), 202, "later", true)
}

// TestLaw_H1_StoreHoldsNoCredentials: a dump of the store has no header, cookie or body
// that was not to be kept.
func TestLaw_H1_StoreHoldsNoCredentials(t *testing.T) {
	kept := &recording{RecordStore: newStore(t)}
	gated := newSiteOn(t, idem.New(idem.GlobalScope), kept, httpidem.Route{}, func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: "COOKIE-SECRET"})
		w.Header().Set("X-Api-Key", "HEADER-SECRET")
		io.WriteString(w, "done")
	})
	gated.want(gated.post("k", "BODY-SECRET", "Authorization", "Bearer REQUEST-SECRET", "Cookie", "a=REQUEST-SECRET"), 200, "done", false)
	if len(kept.data) == 0 || bytes.Contains(kept.data, []byte("SECRET")) {
		t.Errorf("stored: %q", kept.data)
	}
}
