package service

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/idemgen/idemgen/examples/payment/order"
	"github.com/idemgen/idemgen/examples/payment/session"
)

// Receipt says that an order was paid.
type Receipt struct {
	Number  string `json:"number"` // of the payment in the ledger
	OrderID string `json:"orderId"`
	Amount  int64  `json:"amount"` // in cents
}

// Pay takes the price of an order. The token that the caller presents was issued to its session: a stolen one neither works nor is used up.
//
//idem:token bind=presenter(ctx)
//idem:once key=orderID
//idem:fire order.Status.Pay key=orderID lookup=Receipt
//idem:unique index=uq_payments_order(payments.order_id) lookup=Receipt
func (s *Service) Pay(ctx context.Context, tx *sql.Tx, orderID string, amount int64) (*Receipt, error) {
	o, err := s.orders.Get(ctx, tx, orderID)
	if err != nil {
		return nil, err
	}
	if amount != o.Amount {
		return nil, fmt.Errorf("%w: order %s costs %d cents, not %d", ErrWrongAmount, orderID, o.Amount, amount)
	}
	s.paying(ctx)
	p := order.Payment{ID: newID("pay"), OrderID: orderID, Amount: amount}
	if err := s.orders.Pay(ctx, tx, &p); err != nil {
		return nil, err
	}
	return &Receipt{Number: p.ID, OrderID: orderID, Amount: amount}, nil
}

// Receipt reads the receipt of an order; nil where it was not paid. It answers a Pay whose order is paid already, or whose payment is in the ledger.
func (s *Service) Receipt(ctx context.Context, tx *sql.Tx, orderID string) (*Receipt, error) {
	p, err := s.orders.Payment(ctx, tx, orderID)
	if err != nil || p == nil {
		return nil, err
	}
	return &Receipt{Number: p.ID, OrderID: orderID, Amount: p.Amount}, nil
}

// presenter is whom a token must have been issued to.
func presenter(ctx context.Context) string { return session.Of(ctx) }
