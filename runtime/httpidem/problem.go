package httpidem

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// problem is an answer of RFC 9457.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Code   string `json:"code"` // of the outcome table: stable, for programs
}

// ProblemType begins the type of every problem; the outcome's code ends it.
const ProblemType = "urn:idemgen:problem:"

// Problem writes what an error of a guarded call means to a client, by the outcome
// table: status, application/problem+json with a stable code, and Retry-After where
// another try makes sense. It shows neither the error's text nor a key. A nil error
// writes nothing. Behind a gate, what is only so for now (in progress, a conflict, a
// token that is no good, an outcome that is unknown until somebody resolves it; see
// idem.Status.Passing) releases the gate's claim: the layer that said it decides about
// the retry too.
func Problem(w http.ResponseWriter, err error) {
	if err == nil {
		return
	}
	s := statusOf(err)
	data, _ := json.Marshal(problem{ProblemType + s.Code, s.Title, s.HTTP, s.Code}) // plain strings
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	h.Set("Content-Length", strconv.Itoa(len(data)))
	h.Set("Cache-Control", "no-store")
	if s.RetryAfter {
		h.Set("Retry-After", strconv.FormatInt(retryAfter(err), 10))
	}
	if s.Passing() {
		Settle(w, idem.SettleRelease)
	}
	w.WriteHeader(s.HTTP)
	w.Write(data)
}

// retryAfter is when another try makes sense, in whole seconds and at least one.
func retryAfter(err error) int64 {
	var running *idem.InProgressError
	if errors.As(err, &running) && running.RetryAfter > time.Second {
		return int64((running.RetryAfter + time.Second - 1) / time.Second)
	}
	return 1
}

// own are the outcomes that only HTTP knows, beside those of idem.Statuses.
var own = [...]struct {
	err    error
	status idem.Status
}{
	{ErrBodyTooLarge, idem.Status{Code: "body_too_large", HTTP: http.StatusRequestEntityTooLarge, Title: "The body is too large to be guarded"}},
	{ErrBodyUnread, idem.Status{Code: "body_unread", HTTP: http.StatusBadRequest, Title: "The body could not be read"}},
	{ErrRequestEnded, idem.Status{Code: "request_ended", HTTP: http.StatusServiceUnavailable, RetryAfter: true, Title: "The request ended before anything was done"}},
	{ErrRateLimited, idem.Status{Code: "rate_limited", HTTP: http.StatusTooManyRequests, RetryAfter: true, Title: "Too many tokens were asked for"}},
	{ErrMethod, idem.Status{Code: "method_not_allowed", HTTP: http.StatusMethodNotAllowed, Title: "Tokens are asked for by POST"}},
	{ErrTokenRequest, idem.Status{Code: "bad_token_request", HTTP: http.StatusBadRequest, Title: "The request for tokens is not valid"}},
	{ErrBadResponse, idem.Status{Code: "bad_response", HTTP: http.StatusBadRequest, Title: "What is to be replayed is no response"}},
}

// Statuses are the outcomes that only HTTP knows, beside those of idem.Statuses. The
// caller owns the slice.
func Statuses() []idem.Status {
	list := make([]idem.Status, len(own))
	for i, o := range own {
		list[i] = o.status
	}
	return list
}

// statusOf is the row of the outcome table, or of what only HTTP knows.
func statusOf(err error) idem.Status {
	for i := range own {
		if errors.Is(err, own[i].err) {
			return own[i].status
		}
	}
	return idem.StatusOf(err)
}
