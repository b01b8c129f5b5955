// Package api serves the order service over HTTP: JSON in, JSON out, problems as application/problem+json.
//
// The flow: [New] routes; each route decodes a request, calls one method of [Orders], and writes its result, marked as a replay when it is one, or a problem. What an error means to a client is read from the table of
// outcomes of the idem runtime; the service's own errors have a table here.
package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/idemgen/idemgen/examples/orders/order"
	"github.com/idemgen/idemgen/examples/orders/service"
)

// Orders is what is served. *service.IdempotentService is one.
type Orders interface {
	Get(ctx context.Context, orderID string) (*order.Order, error)
	Create(ctx context.Context, req *service.CreateRequest) (*order.Order, error)
	Pay(ctx context.Context, orderID string, amount int64) (*service.Receipt, error)
	NotifyBank(ctx context.Context, orderID string) (*service.Confirmation, error)
	Ship(ctx context.Context, orderID, carrier string) (*service.Parcel, error)
	Sign(ctx context.Context, orderID, by string) error
	Refund(ctx context.Context, orderID, reason string) (*service.Ticket, error)
	Refunded(ctx context.Context, orderID string) error
}

// Reconciler settles notifications whose owner vanished. *service.IdempotentService is one.
type Reconciler interface {
	ReconcileBank(ctx context.Context, orderID string) error
}

const (
	// callLimit bounds one call of the service.
	callLimit = 25 * time.Second
	maxBody   = 64 << 10 // bytes
)

// New serves orders. Where orders is a Reconciler too, so is that.
func New(orders Orders) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /orders/{id}", route(http.StatusOK, func(ctx context.Context, id string, _ nothing) (any, error) {
		return orders.Get(ctx, id)
	}))
	mux.Handle("POST /orders", route(http.StatusCreated, func(ctx context.Context, _ string, req service.CreateRequest) (any, error) {
		return orders.Create(ctx, &req)
	}))
	mux.Handle("POST /orders/{id}/pay", route(http.StatusOK, func(ctx context.Context, id string, req payment) (any, error) {
		return orders.Pay(ctx, id, req.Amount)
	}))
	mux.Handle("POST /orders/{id}/notify-bank", route(http.StatusOK, func(ctx context.Context, id string, _ nothing) (any, error) {
		return orders.NotifyBank(ctx, id)
	}))
	mux.Handle("POST /orders/{id}/ship", route(http.StatusOK, func(ctx context.Context, id string, req shipment) (any, error) {
		return orders.Ship(ctx, id, req.Carrier)
	}))
	mux.Handle("POST /orders/{id}/sign", route(http.StatusOK, func(ctx context.Context, id string, req signature) (any, error) {
		return nothing{}, orders.Sign(ctx, id, req.By)
	}))
	mux.Handle("POST /orders/{id}/refund", route(http.StatusOK, func(ctx context.Context, id string, req refund) (any, error) {
		return orders.Refund(ctx, id, req.Reason)
	}))
	mux.Handle("POST /orders/{id}/refunded", route(http.StatusOK, func(ctx context.Context, id string, _ nothing) (any, error) {
		return nothing{}, orders.Refunded(ctx, id)
	}))
	if r, ok := orders.(Reconciler); ok {
		mux.Handle("POST /orders/{id}/notify-bank/reconcile", route(http.StatusOK, func(ctx context.Context, id string, _ nothing) (any, error) {
			return nothing{}, r.ReconcileBank(ctx, id)
		}))
	}
	return mux
}

// The bodies of requests. Amount is in cents.
type (
	payment   struct{ Amount int64 }
	shipment  struct{ Carrier string }
	signature struct{ By string }
	refund    struct{ Reason string }
	nothing   struct{}
)

// route decodes the body, calls run and writes what came of it. A client that hangs up does not stop the call: it would leave an outcome that nobody knows.
func route[Req any](status int, run func(ctx context.Context, id string, req Req) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req Req
		if r.Method != http.MethodGet {
			if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&req); err != nil {
				writeProblem(w, fmt.Errorf("%w: %w", service.ErrBadRequest, err))
				return
			}
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), callLimit)
		defer cancel()
		ctx, again := watch(ctx)
		result, err := run(ctx, r.PathValue("id"), req)
		if err != nil {
			writeProblem(w, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if again() {
			w.Header().Set(ReplayedHeader, "true")
		}
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(result) // the client is gone: its retry gets the stored result
	})
}
