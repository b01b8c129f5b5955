// Package unguarded runs the order service as it is often written: a plain transaction around each method, the state set on the way, and nothing that notices a second call.
//
// It is here to be beaten: the storm that finds no fault in the guarded service must find this one's.
package unguarded

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/idemgen/idemgen/examples/orders/internal/crash"
	"github.com/idemgen/idemgen/examples/orders/order"
	"github.com/idemgen/idemgen/examples/orders/service"
)

// Service has the methods of service.IdempotentService without its protection. Safe for concurrent use, in vain.
type Service struct {
	*service.Service
	db   *sql.DB
	trap *crash.Trap
}

// New wraps the service. A nil trap has no crash points.
func New(next *service.Service, db *sql.DB, trap *crash.Trap) *Service {
	return &Service{Service: next, db: db, trap: trap}
}

// Create opens an order.
func (s *Service) Create(ctx context.Context, req *service.CreateRequest) (*order.Order, error) {
	return inTx(ctx, s, func(tx *sql.Tx) (*order.Order, error) {
		return s.Service.Create(ctx, tx, req) //nolint:idemgen // meant to be unguarded
	})
}

// Pay takes the order's price from the customer's account.
func (s *Service) Pay(ctx context.Context, orderID string, amount int64) (*service.Receipt, error) {
	return inTx(ctx, s, func(tx *sql.Tx) (*service.Receipt, error) {
		if err := setStatus(ctx, tx, orderID, order.Paid); err != nil {
			return nil, err
		}
		return s.Service.Pay(ctx, tx, orderID, amount) //nolint:idemgen // meant to be unguarded
	})
}

// Ship hands an order to a carrier.
func (s *Service) Ship(ctx context.Context, orderID, carrier string) (*service.Parcel, error) {
	return inTx(ctx, s, func(tx *sql.Tx) (*service.Parcel, error) {
		if err := setStatus(ctx, tx, orderID, order.Shipped); err != nil {
			return nil, err
		}
		return s.Service.Ship(ctx, tx, orderID, carrier) //nolint:idemgen // meant to be unguarded
	})
}

// Sign notes that somebody took the parcel.
func (s *Service) Sign(ctx context.Context, orderID, by string) error {
	_, err := inTx(ctx, s, func(tx *sql.Tx) (struct{}, error) {
		if err := setStatus(ctx, tx, orderID, order.Completed); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, s.Service.Sign(ctx, tx, orderID, by) //nolint:idemgen // meant to be unguarded
	})
	return err
}

// Refund asks for the money back.
func (s *Service) Refund(ctx context.Context, orderID, reason string) (*service.Ticket, error) {
	return inTx(ctx, s, func(tx *sql.Tx) (*service.Ticket, error) {
		if err := setStatus(ctx, tx, orderID, order.Refunding); err != nil {
			return nil, err
		}
		return s.Service.Refund(ctx, tx, orderID, reason) //nolint:idemgen // meant to be unguarded
	})
}

// Refunded gives the money back.
func (s *Service) Refunded(ctx context.Context, orderID string) error {
	_, err := inTx(ctx, s, func(tx *sql.Tx) (struct{}, error) {
		if err := setStatus(ctx, tx, orderID, order.Refunded); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, s.Service.Refunded(ctx, tx, orderID) //nolint:idemgen // meant to be unguarded
	})
	return err
}

// inTx runs body in a transaction of its own, with the crash points that the guarded service has.
func inTx[R any](ctx context.Context, s *Service, body func(tx *sql.Tx) (R, error)) (R, error) {
	var none R
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return none, fmt.Errorf("unguarded: begin: %w", err)
	}
	s.trap.At(ctx, crash.Claimed)
	result, err := body(tx)
	if err != nil {
		return none, errors.Join(err, tx.Rollback())
	}
	s.trap.At(ctx, crash.Written)
	if err := tx.Commit(); err != nil {
		return none, fmt.Errorf("unguarded: commit: %w", err)
	}
	return result, nil
}

// setStatus writes the state, whatever it was.
func setStatus(ctx context.Context, tx *sql.Tx, orderID string, to order.Status) error {
	if _, err := tx.ExecContext(ctx, `UPDATE orders SET status = ? WHERE id = ?`, to, orderID); err != nil { //nolint:idemgen // meant to be unguarded
		return fmt.Errorf("unguarded: set status of %s: %w", orderID, err)
	}
	return nil
}
