package api

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"

	"github.com/idemgen/idemgen/examples/orders/order"
	"github.com/idemgen/idemgen/examples/orders/service"
	"github.com/idemgen/idemgen/runtime/httpidem"
	"github.com/idemgen/idemgen/runtime/idem"
)

// Problem is the body of every reply that is not a success (RFC 9457).
type Problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail,omitempty"` // of the service's own errors: those of the runtime name what is inside
	Code   string `json:"code"`             // stable: one of idem's outcome table, or of the service's own
	Retry  bool   `json:"retry,omitempty"`  // the same call may succeed later
}

// meaning is what an error of the service's own means to a client.
type meaning struct {
	err    error
	status int
	code   string
	title  string
}

// meanings are tried in order where the error is none of the idem runtime's.
func meanings() []meaning {
	return []meaning{
		{service.ErrBadRequest, http.StatusBadRequest, "bad_request", "The request is not complete"},
		{service.ErrWrongAmount, http.StatusUnprocessableEntity, "wrong_amount", "The amount is not the order's"},
		{order.ErrInsufficientFunds, http.StatusConflict, "insufficient_funds", "The account does not hold enough"},
		{order.ErrNotFound, http.StatusNotFound, "not_found", "There is no such order"},
		{service.ErrBankRefused, http.StatusBadGateway, "bank_refused", "The bank refused"},
		{service.ErrNoAnswer, http.StatusGatewayTimeout, "bank_silent", "The bank gave no answer"},
	}
}

// ownProblems begins the type of a problem that is the service's own.
const ownProblems = "urn:orders:problem:"

// problemOf tells what an error means to a client.
func problemOf(err error) Problem {
	s := idem.StatusOf(err)
	p := Problem{Type: httpidem.ProblemType + s.Code, Title: s.Title, Status: s.HTTP, Code: s.Code, Retry: s.Queue == idem.Nack}
	if s.Err() != nil {
		return p
	}
	for _, m := range meanings() {
		if errors.Is(err, m.err) {
			return Problem{Type: ownProblems + m.code, Title: m.title, Status: m.status, Detail: err.Error(), Code: m.code}
		}
	}
	return p
}

// writeProblem writes an error as application/problem+json, with Retry-After where the outcome table says so.
func writeProblem(w http.ResponseWriter, err error) {
	p := problemOf(err)
	w.Header().Set("Content-Type", "application/problem+json")
	if idem.StatusOf(err).RetryAfter {
		w.Header().Set("Retry-After", strconv.Itoa(retryAfter(err)))
	}
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the client is gone: nothing to do about it
}

// retryAfter is when another try makes sense, in whole seconds and at least one.
func retryAfter(err error) int {
	var running *idem.InProgressError
	if !errors.As(err, &running) {
		return 1
	}
	return max(1, int(math.Ceil(running.RetryAfter.Seconds())))
}
