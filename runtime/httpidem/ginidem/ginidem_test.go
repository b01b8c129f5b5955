package ginidem_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/idemgen/idemgen/runtime/httpidem"
	"github.com/idemgen/idemgen/runtime/httpidem/ginidem"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// site is a real server with a guarded gin handler.
type site struct {
	*testing.T
	*httptest.Server
	ran      int
	statuses []int // that the middleware in front saw
}

func newSite(t *testing.T, route httpidem.Route, h gin.HandlerFunc) *site {
	gin.SetMode(gin.ReleaseMode)
	s := &site{T: t}
	router := gin.New()
	router.Use(gin.CustomRecoveryWithWriter(io.Discard, func(c *gin.Context, _ any) { c.AbortWithStatus(http.StatusInternalServerError) }))
	router.Use(func(c *gin.Context) { c.Next(); s.statuses = append(s.statuses, c.Writer.Status()) })
	gate := httpidem.New(idem.New(idem.GlobalScope), memstore.New(), route)
	router.POST("/pay/:id", ginidem.Middleware(gate), func(c *gin.Context) { s.ran++; h(c) })
	s.Server = httptest.NewServer(router)
	t.Cleanup(s.Close)
	return s
}

func (s *site) post(key, body string) (status int, text, replayed string, header http.Header) {
	s.Helper()
	r, err := http.NewRequest(http.MethodPost, s.URL+"/pay/7", strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	res, err := s.Client().Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		s.Fatal(err)
	}
	return res.StatusCode, string(data), res.Header.Get(httpidem.ReplayedHeader), res.Header
}

// TestLaw_H1_GinHandlersReplay in every way that gin writes.
func TestLaw_H1_GinHandlersReplay(t *testing.T) {
	for name, c := range map[string]struct {
		handler gin.HandlerFunc
		status  int
		body    string
	}{
		"json": {func(c *gin.Context) {
			var in struct{ Amount int }
			if err := c.BindJSON(&in); err != nil {
				return
			}
			c.Header("Location", "/r/"+c.Param("id"))
			c.JSON(http.StatusCreated, gin.H{"paid": in.Amount})
		}, 201, `{"paid":5}`},
		"string":      {func(c *gin.Context) { c.String(200, "paid %s", c.Param("id")) }, 200, "paid 7"},
		"status only": {func(c *gin.Context) { c.Status(http.StatusNoContent) }, 204, ""},
		"nothing":     {func(c *gin.Context) {}, 200, ""},
		"abort":       {func(c *gin.Context) { c.AbortWithStatusJSON(422, gin.H{"error": "no"}) }, 422, `{"error":"no"}`},
		"stream":      {func(c *gin.Context) { c.Writer.WriteString("a"); c.Writer.Flush(); c.Writer.Write([]byte("b")) }, 200, "ab"},
		"redirect":    {func(c *gin.Context) { c.Redirect(http.StatusSeeOther, "/r/7") }, 303, ""},
	} {
		s := newSite(t, httpidem.Route{}, c.handler)
		s.Client().CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		for i, mark := range []string{"", "true"} {
			status, body, replayed, _ := s.post("k", `{"amount":5}`)
			if status != c.status || body != c.body || replayed != mark || s.statuses[i] != c.status {
				t.Errorf("%s: %d %q %q, seen %v", name, status, body, replayed, s.statuses)
			}
		}
		if s.ran != 1 {
			t.Errorf("%s ran %d times", name, s.ran)
		}
	}
}

// TestLaw_H2_GinRecovery: a panic is unknown, and gin's recovery in front answers.
func TestLaw_H2_GinRecovery(t *testing.T) {
	s := newSite(t, httpidem.Route{Lease: 20 * time.Millisecond}, func(c *gin.Context) { c.String(200, "half"); panic("boom") })
	if status, body, _, _ := s.post("k", ""); status != 500 || strings.Contains(body, "half") {
		t.Errorf("%d %q", status, body)
	}
	time.Sleep(40 * time.Millisecond)
	if status, body, _, _ := s.post("k", ""); status != 409 || !strings.Contains(body, "outcome_unknown") {
		t.Errorf("%d %q", status, body)
	}
	if s.ran != 1 {
		t.Errorf("ran %d times", s.ran)
	}
}

// TestLaw_H3_GinRefusals: what is refused aborts the chain.
func TestLaw_H3_GinRefusals(t *testing.T) {
	s := newSite(t, httpidem.Route{Required: true, MaxBody: 5}, func(c *gin.Context) { c.Status(200) })
	for key, body := range map[string]string{"": "x", "a b": "x", "k": "too long"} {
		if status, _, _, h := s.post(key, body); status < 400 || h.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%q: %d %v", key, status, h)
		}
	}
	if s.ran != 0 {
		t.Errorf("ran %d times", s.ran)
	}
}

// TestLaw_H2_GinHandlersThatKnowBetter: what a layer inside says for now releases the
// gate's claim, through gin's writer too.
func TestLaw_H2_GinHandlersThatKnowBetter(t *testing.T) {
	s := newSite(t, httpidem.Route{}, func(c *gin.Context) { httpidem.Problem(c.Writer, idem.ErrRetryTransaction) })
	for range 2 {
		if status, body, replayed, _ := s.post("k", ""); status != 409 || !strings.Contains(body, "retry_transaction") || replayed != "" {
			t.Errorf("%d %q %q", status, body, replayed)
		}
	}
	if s.ran != 2 {
		t.Errorf("ran %d times", s.ran)
	}
}

// TestLaw_H1_GinPathsWithoutARoute: a gate before all routes changes no answer of gin's
// own, and no status that a middleware in front has set.
func TestLaw_H1_GinPathsWithoutARoute(t *testing.T) {
	router := gin.New()
	router.HandleMethodNotAllowed = true
	router.Use(func(c *gin.Context) {
		if c.Request.URL.Path == "/early" {
			c.Status(http.StatusAccepted)
		}
	})
	router.Use(ginidem.Middleware(httpidem.New(idem.New(idem.GlobalScope), memstore.New(), httpidem.Route{})))
	router.POST("/early", func(*gin.Context) {})
	router.GET("/get", func(*gin.Context) {})
	router.POST("/gone", func(c *gin.Context) { c.Status(http.StatusNotFound) })
	s := &site{T: t, Server: httptest.NewServer(router)}
	defer s.Close()
	for path, want := range map[string]string{"/nope": "404 404 page not found", "/get": "405 405 method not allowed", "/early": "202 ", "/gone": "404 "} {
		for i, key := range []string{"", "k", "k"} {
			r, _ := http.NewRequest(http.MethodPost, s.URL+path, nil)
			if key != "" {
				r.Header.Set("Idempotency-Key", key)
			}
			res, err := s.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(res.Body)
			res.Body.Close()
			if got := strconv.Itoa(res.StatusCode) + " " + string(body); got != want || (res.Header.Get(httpidem.ReplayedHeader) == "true") != (i == 2) {
				t.Errorf("%s %q: %s %v, want %s", path, key, got, res.Header, want)
			}
		}
	}
}

// TestLaw_H2_GinStreamsToItsEnd: a client that goes stops no stream that is recorded for
// its retry; one that is recorded no more, it stops.
func TestLaw_H2_GinStreamsToItsEnd(t *testing.T) {
	var sent atomic.Int64
	ended := make(chan struct{}, 2)
	s := newSite(t, httpidem.Route{MaxResult: 64}, func(c *gin.Context) {
		endless := c.Param("id") == "endless"
		n := 0
		c.Stream(func(w io.Writer) bool {
			n++
			sent.Add(1)
			_, _ = io.WriteString(w, "chunk\n")
			time.Sleep(10 * time.Millisecond)
			return endless || n < 5
		})
		ended <- struct{}{}
	})
	leave := func(path string) {
		ctx, cancel := context.WithCancel(t.Context())
		r, _ := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+path, nil)
		r.Header.Set("Idempotency-Key", "k")
		res, err := s.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = res.Body.Read(make([]byte, 6))
		cancel()
		res.Body.Close()
		<-ended
	}
	leave("/pay/7")
	if status, body, replayed, _ := s.post("k", ""); status != 200 || body != strings.Repeat("chunk\n", 5) || replayed != "true" {
		t.Errorf("%d %q %q", status, body, replayed)
	}
	leave("/pay/endless")
}
