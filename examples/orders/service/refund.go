package service

import (
	"context"
	"database/sql"

	"github.com/idemgen/idemgen/examples/orders/order"
)

// Ticket is a refund that was asked for and is being looked at.
type Ticket struct {
	Number  string `json:"number"`
	OrderID string `json:"orderId"`
	Reason  string `json:"reason"`
}

// Refund asks for the money of an order that was paid and not shipped.
//
//idem:once key=orderID
//idem:fire order.Status.Refund key=orderID
func (s *Service) Refund(ctx context.Context, tx *sql.Tx, orderID, reason string) (*Ticket, error) {
	t := &Ticket{Number: newID("tkt"), OrderID: orderID, Reason: reason}
	if err := s.orders.Append(ctx, tx, order.Entry{OrderID: orderID, Step: order.StepRefund, Reference: t.Number}); err != nil {
		return nil, err
	}
	return t, nil
}

// Refunded gives the money back.
//
//idem:once key=orderID
//idem:fire order.Status.Settle key=orderID
func (s *Service) Refunded(ctx context.Context, tx *sql.Tx, orderID string) error {
	o, err := s.orders.Get(ctx, tx, orderID)
	if err != nil {
		return err
	}
	if err := s.orders.Credit(ctx, tx, o.Customer, o.Amount); err != nil {
		return err
	}
	return s.orders.Append(ctx, tx, order.Entry{OrderID: orderID, Step: order.StepRefunded, Amount: o.Amount})
}
