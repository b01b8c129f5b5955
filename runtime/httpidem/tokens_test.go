package httpidem_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/httpidem"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// consume tells what becomes of a token that somebody presents.
func consume(t *testing.T, tokens idem.TokenStore, token, who string) idem.TokenStatus {
	t.Helper()
	c := idem.Consumption{Token: idem.HashToken(token), Owner: idem.NewOwner(), Lease: time.Minute, Keep: time.Hour}
	if who != "" {
		c.Binding = idem.BindTo(who)
	}
	found, err := tokens.Consume(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return found.Status
}

// TestTokenEndpoint_Issues: 201, JSON, no-store, and tokens that work once.
func TestTokenEndpoint_Issues(t *testing.T) {
	tokens := memstore.NewTokens()
	s := serve(t, &httpidem.TokenEndpoint{Tokens: tokens, TTL: 2 * time.Minute, Max: 20})
	a := s.send("POST", "/tokens?count=20", "", "")
	var got struct {
		Tokens    []string `json:"tokens"`
		ExpiresIn int      `json:"expires_in"`
	}
	if err := json.Unmarshal([]byte(a.body), &got); err != nil {
		t.Fatal(err, a)
	}
	if a.StatusCode != 201 || a.Header.Get("Content-Type") != "application/json" || a.Header.Get("Cache-Control") != "no-store" ||
		len(got.Tokens) != 20 || got.ExpiresIn != 120 {
		t.Errorf("got %v %v", a, a.Header)
	}
	seen := map[string]bool{}
	for _, token := range got.Tokens {
		if seen[token] || consume(t, tokens, token, "") != idem.TokenConsumed || consume(t, tokens, token, "") != idem.TokenRunning {
			t.Errorf("%s", token)
		}
		seen[token] = true
	}
}

// TestLaw_X2_StolenTokens: a token that another session presents neither works nor
// is burnt.
func TestLaw_X2_StolenTokens(t *testing.T) {
	tokens := memstore.NewTokens()
	s := serve(t, &httpidem.TokenEndpoint{Tokens: tokens, Bind: func(r *http.Request) string { return r.Header.Get("X-Session") }})
	var got struct{ Tokens []string }
	if err := json.Unmarshal([]byte(s.send("POST", "/", "", "", "X-Session", "ann").body), &got); err != nil {
		t.Fatal(err)
	}
	for _, thief := range []string{"bob", ""} {
		if st := consume(t, tokens, got.Tokens[0], thief); st != idem.TokenMismatch {
			t.Errorf("%q: %v", thief, st)
		}
	}
	if st := consume(t, tokens, got.Tokens[0], "ann"); st != idem.TokenConsumed {
		t.Errorf("its owner: %v", st)
	}
	s.want(s.send("POST", "/", "", ""), 400, "missing_scope", false)
}

// TestTokenEndpoint_Refuses: other methods, bad counts, too many.
func TestTokenEndpoint_Refuses(t *testing.T) {
	asked := 0
	s := serve(t, &httpidem.TokenEndpoint{Tokens: memstore.NewTokens(), Max: 3, Allow: func(_ *http.Request, n int) bool {
		asked += n
		return asked <= 4
	}})
	get := s.send("GET", "/", "", "")
	s.want(get, 405, "method_not_allowed", false)
	if get.Header.Get("Allow") != "POST" {
		t.Errorf("Allow: %q", get.Header.Get("Allow"))
	}
	for _, bad := range []string{"0", "-1", "4", "x", "1.0", "99999999999999999999"} {
		s.want(s.send("POST", "/?count="+bad, "", ""), 400, "bad_token_request", false)
	}
	s.want(s.send("POST", "/?count=3", "", ""), 201, "tokens", false)
	a := s.send("POST", "/?count=3", "", "")
	s.want(a, 429, "rate_limited", false)
	if a.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}
