package httpidem

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Errors of the token endpoint.
var (
	// ErrRateLimited: TokenEndpoint.Allow refused.
	ErrRateLimited = errors.New("idem: too many tokens asked for")
	// ErrTokenRequest: the request for tokens is malformed.
	ErrTokenRequest = errors.New("idem: bad request for tokens")
	// ErrMethod: tokens were asked for by another method than POST.
	ErrMethod = errors.New("idem: tokens are asked for by POST")
)

// Defaults of a TokenEndpoint's zero fields.
const (
	DefaultTokenTTL  = 5 * time.Minute
	DefaultTokenKeep = idem.DefaultTokenKeep
	DefaultMaxTokens = 1
)

// TokenEndpoint issues tokens to clients: POST, answered by 201 with
//
//	{"tokens":["…"],"expires_in":300}
//
// and Cache-Control: no-store. ?count=20 asks for several at once, for a client
// that submits a batch. It is safe for concurrent use.
type TokenEndpoint struct {
	Tokens idem.TokenStore
	// TTL is how long a token may be used; 0 = DefaultTokenTTL.
	TTL time.Duration
	// Keep is how long it is remembered beyond that, so that used and expired can be
	// told from unknown; 0 = DefaultTokenKeep. At least the retention of the once
	// inside (X2).
	Keep time.Duration
	// Bind is whom the token is issued to: a session or an account, as the request
	// proves it. "" is idem.ErrMissingScope. Nil: whoever has a token may use it.
	Bind func(*http.Request) string
	// Allow is asked before anything is issued, with the number of tokens: a rate
	// limit. False is 429. Nil: no limit.
	Allow func(r *http.Request, count int) bool
	// Max is the most tokens per request; 0 = DefaultMaxTokens.
	Max int
}

// issued is the answer.
type issued struct {
	Tokens    []string `json:"tokens"`
	ExpiresIn int64    `json:"expires_in"` // seconds
}

// ServeHTTP issues tokens.
func (e *TokenEndpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		Problem(w, ErrMethod)
		return
	}
	body, err := e.issue(r)
	if err != nil {
		Problem(w, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusCreated)
	w.Write(body)
}

func (e *TokenEndpoint) issue(r *http.Request) ([]byte, error) {
	ttl, keep, most := e.TTL, e.Keep, e.Max
	setDefault(&ttl, DefaultTokenTTL)
	setDefault(&keep, DefaultTokenKeep)
	setDefault(&most, DefaultMaxTokens)
	count := 1
	if text := r.URL.Query().Get("count"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > most {
			return nil, fmt.Errorf("%w: count is not between 1 and %d", ErrTokenRequest, most)
		}
		count = n
	}
	grant := idem.TokenGrant{TTL: ttl, Keep: keep}
	if e.Bind != nil {
		who := e.Bind(r)
		if who == "" {
			return nil, idem.ErrMissingScope
		}
		grant.Binding = idem.BindTo(who)
	}
	if e.Allow != nil && !e.Allow(r, count) {
		return nil, ErrRateLimited
	}
	answer := issued{ExpiresIn: int64(ttl / time.Second)}
	for range count {
		token := idem.NewToken()
		grant.Tokens = append(grant.Tokens, token.ID())
		answer.Tokens = append(answer.Tokens, token.Reveal())
	}
	if err := e.Tokens.Issue(r.Context(), grant); err != nil {
		return nil, err
	}
	return json.Marshal(answer)
}
