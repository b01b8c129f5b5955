// Package session says who a request is from: a cookie that the page gets, or a bearer token of a program. There is no login here: a session is whoever knows it.
//
// The flow: [Handler] reads the session of a request into its context; [Of] reads it there, for the gate's keys and for the binding of tokens; [Give] makes one for a browser that has none.
package session

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
)

// cookie is the name of the cookie.
const cookie = "payment_session"

type key struct{}

// Of is the session that a context belongs to; "" for none.
func Of(ctx context.Context) string {
	who, _ := ctx.Value(key{}).(string)
	return who
}

// Customer is the name under which the orders of a session are kept: a hash of it, because the session itself is a secret. "" for none.
func Customer(ctx context.Context) string {
	who := Of(ctx)
	if who == "" {
		return ""
	}
	sum := sha256.Sum256([]byte("customer\x00" + who))
	return hex.EncodeToString(sum[:8])
}

// Handler puts the session of each request into its context.
func Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), key{}, read(r))))
	})
}

// read prefers the bearer token: a program says who it is, a browser sends its cookie unasked.
func read(r *http.Request) string {
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return strings.TrimSpace(bearer)
	}
	if c, err := r.Cookie(cookie); err == nil {
		return c.Value
	}
	return ""
}

// Give makes a session for a browser that has none.
func Give(w http.ResponseWriter, r *http.Request) {
	if Of(r.Context()) == "" {
		http.SetCookie(w, &http.Cookie{Name: cookie, Value: rand.Text(), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	}
}
