// Package api serves payments over HTTP, behind the outermost layer: a gate that answers a request whose id it has seen by the response that the first one got.
//
// The flow: the generated [IdempotentHandler] asks its gates; a request that is new to them reaches [Handler], which decodes it, calls the guarded service, and writes the result or a problem.
package api

//go:generate go tool idemgen

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/idemgen/idemgen/examples/payment/order"
	"github.com/idemgen/idemgen/examples/payment/service"
	"github.com/idemgen/idemgen/examples/payment/session"
)

// Service is what is served: *service.IdempotentService.
type Service interface {
	Create(ctx context.Context, customer, number string, amount int64) (*order.Order, error)
	Pay(ctx context.Context, orderID string, amount int64) (*service.Receipt, error)
	Ledger(ctx context.Context, limit int) ([]order.Entry, error)
}

const (
	callLimit  = 25 * time.Second // of one call of the service
	ledgerSize = 100              // orders
)

// Handler serves payments, each request as if it came once. Safe for concurrent use.
type Handler struct{ service Service }

// New makes the handler; NewIdempotentHandler puts the gates in front of it.
func New(s Service) *Handler { return &Handler{s} }

// sessionOf is whose request id it is: two sessions may choose the same one.
func sessionOf(r *http.Request) string { return session.Of(r.Context()) }

// Create opens an order: POST /orders {"number":"A-1","amount":4200}, in cents.
//
//idem:request wait=10s principal=sessionOf(r)
func (h *Handler) Create(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Number string
		Amount int64
	}
	h.serve(w, r, &req, http.StatusCreated, func(ctx context.Context) (any, error) {
		return h.service.Create(ctx, session.Customer(ctx), req.Number, req.Amount)
	})
}

// Pay pays an order: POST /orders/{id}/pay {"amount":4200}, in cents, with a token in X-Idempotent-Token.
//
//idem:request wait=10s principal=sessionOf(r)
func (h *Handler) Pay(w http.ResponseWriter, r *http.Request) {
	var req struct{ Amount int64 }
	h.serve(w, r, &req, http.StatusOK, func(ctx context.Context) (any, error) {
		return h.service.Pay(ctx, r.PathValue("id"), req.Amount)
	})
}

// Ledger lists the newest orders, each with its payments: GET /orders.
func (h *Handler) Ledger(w http.ResponseWriter, r *http.Request) {
	h.serve(w, r, nil, http.StatusOK, func(ctx context.Context) (any, error) { return h.service.Ledger(ctx, ledgerSize) })
}

// serve decodes the body into req, calls run and writes what came of it.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request, req any, status int, run func(ctx context.Context) (any, error)) {
	if req != nil {
		if err := json.NewDecoder(r.Body).Decode(req); err != nil {
			writeProblem(w, fmt.Errorf("%w: %w", service.ErrBadRequest, err))
			return
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), callLimit)
	defer cancel()
	result, err := run(ctx)
	if err != nil {
		writeProblem(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(result) // the client is gone: its retry gets the stored response
}
