// Package admin resolves held keys: somebody has asked the back end what became of a request, and says so.
//
// It takes the request as a retry would send it, with the same method, path, host, key and principal, and one header more:
//
//	Gateway-Resolve: rerun   it had no effect: the next retry reaches the back end
//	Gateway-Resolve: 201     it had: retries get this status, with this request's body and what it says of it (Content-Type, Location, ETag …)
package admin

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/idemgen/idemgen/runtime/httpidem"
)

// header says how a key is resolved.
const header = "Gateway-Resolve"

// maxBody is the largest response that can be given, in bytes.
const maxBody = 1 << 20

// Handler resolves keys of a gate. It asks for no password. It is safe for concurrent use.
func Handler(gate *httpidem.Gate, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		how := r.Header.Get(header)
		err := resolve(gate, w, r, how)
		log.InfoContext(r.Context(), "resolve", "method", r.Method, "path", r.URL.Path, "how", how, "error", err)
		switch {
		case err == nil:
			w.WriteHeader(http.StatusNoContent)
		case errors.Is(err, errHow):
			http.Error(w, err.Error(), http.StatusBadRequest)
		default:
			httpidem.Problem(w, err)
		}
	})
}

var errHow = errors.New(header + " is neither rerun nor a status from 200 to 599")

func resolve(gate *httpidem.Gate, w http.ResponseWriter, r *http.Request, how string) error {
	if how == "rerun" {
		return gate.ResolveRerun(r.Context(), r)
	}
	status, err := strconv.Atoi(how)
	if err != nil || status < 200 || status > 599 {
		return errHow
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return err
	}
	return gate.Resolve(r.Context(), r, httpidem.Response{Status: status, Header: r.Header, Body: body})
}
