package api

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/idemgen/idemgen/examples/payment/order"
	"github.com/idemgen/idemgen/examples/payment/service"
	"github.com/idemgen/idemgen/runtime/httpidem"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// problem is the body of a reply that is not a success (RFC 9457).
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Code   string `json:"code"` // stable, for programs
}

// problems are what errors of the service's own mean to a client.
func problems() map[error]problem {
	return map[error]problem{
		service.ErrBadRequest:  {Title: "The request is not complete", Status: http.StatusBadRequest, Code: "bad_request"},
		service.ErrWrongAmount: {Title: "The amount is not the order's", Status: http.StatusUnprocessableEntity, Code: "wrong_amount"},
		order.ErrNotFound:      {Title: "There is no such order", Status: http.StatusNotFound, Code: "not_found"},
	}
}

// writeProblem says what an error means to a client: by the table of outcomes of the idem runtime, or by this package's own.
func writeProblem(w http.ResponseWriter, err error) {
	if idem.StatusOf(err).Err() != nil {
		httpidem.Problem(w, err)
		return
	}
	for own, p := range problems() {
		if errors.Is(err, own) {
			write(w, p)
			return
		}
	}
	if index, is := sqlstore.UniqueViolation(err); is && (index == order.NumberIndex || index == "orders.customer, orders.number") {
		write(w, problem{Title: "There is an order with this number and another amount", Status: http.StatusConflict, Code: "number_taken"})
		return
	}
	httpidem.Problem(w, err)
}

func write(w http.ResponseWriter, p problem) {
	p.Type = "urn:idemgen:problem:" + p.Code
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the client is gone: nothing to do about it
}
