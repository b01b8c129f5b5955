package main

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/examples/payment/internal/layers"
	"github.com/idemgen/idemgen/examples/payment/internal/shop"
)

// open opens a shop behind a real server; the test's end closes both.
func open(t *testing.T, o shop.Options) (*shop.Shop, *client) {
	t.Helper()
	s, err := shop.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(s)
	t.Cleanup(func() {
		srv.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, &client{t, srv.URL, "ann"}
}

// client is a program with a session.
type client struct {
	t       *testing.T
	url     string
	session string
}

// as is the same place, asked by another session.
func (c *client) as(session string) *client { return &client{c.t, c.url, session} }

// answer is a response.
type answer struct {
	status int
	header http.Header
	body   string
}

// field is one of the body's; "" where it is none.
func (a answer) field(name string) string {
	var body map[string]any
	if json.Unmarshal([]byte(a.body), &body) != nil {
		return ""
	}
	text, _ := body[name].(string)
	return text
}

// trace is what the layers did.
func (a answer) trace() string { return a.header.Get(layers.Header) }

// do sends a request; it may be called from any goroutine.
func (c *client) do(method, path, body string, header map[string]string) answer {
	req, err := http.NewRequest(method, c.url+path, strings.NewReader(body))
	if err != nil {
		c.t.Error(err)
		return answer{}
	}
	if c.session != "" {
		req.Header.Set("Authorization", "Bearer "+c.session)
	}
	for name, value := range maps.All(header) {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Error(err)
		return answer{}
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Error(err)
	}
	return answer{resp.StatusCode, resp.Header, string(data)}
}

// order opens an order of 42.00 and returns its id.
func (c *client) order(number string) string {
	c.t.Helper()
	a := c.do("POST", "/orders", `{"number":"`+number+`","amount":4200}`, nil)
	if a.status != http.StatusCreated || a.field("id") == "" {
		c.t.Fatalf("order: %d %s", a.status, a.body)
	}
	return a.field("id")
}

// token gets a token.
func (c *client) token() string {
	c.t.Helper()
	a := c.do("POST", "/tokens", "", nil)
	var got struct{ Tokens []string }
	if err := json.Unmarshal([]byte(a.body), &got); err != nil || len(got.Tokens) != 1 || a.status != http.StatusCreated {
		c.t.Fatalf("token: %d %s (%v)", a.status, a.body, err)
	}
	return got.Tokens[0]
}

// pay pays 42.00.
func (c *client) pay(orderID, key, token string) answer {
	header := map[string]string{"X-Idempotent-Token": token}
	if key != "" {
		header["Idempotency-Key"] = key
	}
	return c.do("POST", "/orders/"+orderID+"/pay", `{"amount":4200}`, header)
}

// wantPayments checks how many payments the ledger has.
func wantPayments(t *testing.T, s *shop.Shop, want int) {
	t.Helper()
	if n, err := s.Payments(t.Context()); n != want || err != nil {
		t.Errorf("%d payments, want %d (%v)", n, want, err)
	}
}
