package echoidem_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/httpidem"
	"github.com/idemgen/idemgen/runtime/httpidem/echoidem"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
)

// site is a real server with a guarded echo handler.
type site struct {
	*testing.T
	*httptest.Server
	ran      int
	statuses []int // that the middleware in front saw
}

func newSite(t *testing.T, route httpidem.Route, h echo.HandlerFunc) *site {
	s := &site{T: t}
	e := echo.New()
	e.Logger.SetOutput(io.Discard)
	e.Use(middleware.RecoverWithConfig(middleware.RecoverConfig{DisablePrintStack: true}))
	e.Use(func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			err := next(c)
			s.statuses = append(s.statuses, c.Response().Status)
			return err
		}
	})
	gate := httpidem.New(idem.New(idem.GlobalScope), memstore.New(), route)
	e.POST("/pay/:id", func(c echo.Context) error { s.ran++; return h(c) }, echoidem.Middleware(gate))
	s.Server = httptest.NewServer(e)
	t.Cleanup(s.Close)
	return s
}

func (s *site) post(key, body string) (status int, text, replayed string) {
	s.Helper()
	r, err := http.NewRequest(http.MethodPost, s.URL+"/pay/7", strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
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
	return res.StatusCode, strings.TrimSpace(string(data)), res.Header.Get(httpidem.ReplayedHeader)
}

// TestLaw_H1_EchoHandlersReplay in every way that echo writes, errors too.
func TestLaw_H1_EchoHandlersReplay(t *testing.T) {
	for name, c := range map[string]struct {
		handler echo.HandlerFunc
		status  int
		body    string
	}{
		"json": {func(c echo.Context) error {
			var in struct{ Amount int }
			if err := c.Bind(&in); err != nil {
				return err
			}
			return c.JSON(http.StatusCreated, map[string]int{"paid": in.Amount})
		}, 201, `{"paid":5}`},
		"string":     {func(c echo.Context) error { return c.String(200, "paid "+c.Param("id")) }, 200, "paid 7"},
		"no content": {func(c echo.Context) error { return c.NoContent(http.StatusNoContent) }, 204, ""},
		"http error": {func(c echo.Context) error { return echo.NewHTTPError(422, "no") }, 422, `{"message":"no"}`},
		"stream": {func(c echo.Context) error {
			io.WriteString(c.Response(), "a")
			c.Response().Flush()
			_, err := c.Response().Write([]byte("b"))
			return err
		}, 200, "ab"},
	} {
		s := newSite(t, httpidem.Route{}, c.handler)
		for i, mark := range []string{"", "true"} {
			status, body, replayed := s.post("k", `{"amount":5}`)
			if status != c.status || body != c.body || replayed != mark || s.statuses[i] != c.status {
				t.Errorf("%s: %d %q %q, seen %v", name, status, body, replayed, s.statuses)
			}
		}
		if s.ran != 1 {
			t.Errorf("%s ran %d times", name, s.ran)
		}
	}
}

// TestLaw_H2_EchoErrorsAndPanics: what is 500 is unknown.
func TestLaw_H2_EchoErrorsAndPanics(t *testing.T) {
	for name, h := range map[string]echo.HandlerFunc{
		"error": func(echo.Context) error { return errors.New("lost connection") },
		"panic": func(c echo.Context) error { c.String(200, "half"); panic("boom") },
	} {
		s := newSite(t, httpidem.Route{Lease: 20 * time.Millisecond}, h)
		if status, body, _ := s.post("k", ""); status != 500 || strings.Contains(body, "half") {
			t.Errorf("%s: %d %q", name, status, body)
		}
		time.Sleep(40 * time.Millisecond)
		if status, body, _ := s.post("k", ""); status != 409 || !strings.Contains(body, "outcome_unknown") {
			t.Errorf("%s: then %d %q", name, status, body)
		}
		if s.ran != 1 {
			t.Errorf("%s ran %d times", name, s.ran)
		}
	}
}

// TestLaw_H3_EchoRefusals: what is refused does not run.
func TestLaw_H3_EchoRefusals(t *testing.T) {
	s := newSite(t, httpidem.Route{Required: true, MaxBody: 5}, func(c echo.Context) error { return c.NoContent(200) })
	for key, body := range map[string]string{"": "x", "a b": "x", "k": "too long"} {
		if status, text, _ := s.post(key, body); status < 400 || !strings.Contains(text, `"code"`) {
			t.Errorf("%q: %d %q", key, status, text)
		}
	}
	if s.ran != 0 {
		t.Errorf("ran %d times", s.ran)
	}
}

// TestLaw_H2_EchoHandlersThatKnowBetter: what a layer inside says for now releases the
// gate's claim, through echo's writer too.
func TestLaw_H2_EchoHandlersThatKnowBetter(t *testing.T) {
	s := newSite(t, httpidem.Route{}, func(c echo.Context) error {
		httpidem.Problem(c.Response(), idem.ErrRetryTransaction)
		return nil
	})
	for range 2 {
		if status, body, replayed := s.post("k", ""); status != 409 || !strings.Contains(body, "retry_transaction") || replayed != "" {
			t.Errorf("%d %q %q", status, body, replayed)
		}
	}
	if s.ran != 2 {
		t.Errorf("ran %d times", s.ran)
	}
}
