package service

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/idemgen/idemgen/examples/orders/order"
)

// Receipt says that an order was paid. Amount is in cents.
type Receipt struct {
	Number  string `json:"number"`
	OrderID string `json:"orderId"`
	Amount  int64  `json:"amount"`
}

// Pay takes the order's price from the customer's account.
//
//idem:once key=orderID
//idem:fire order.Status.Pay key=orderID lookup=Receipt
func (s *Service) Pay(ctx context.Context, tx *sql.Tx, orderID string, amount int64) (*Receipt, error) {
	o, err := s.orders.Get(ctx, tx, orderID)
	if err != nil {
		return nil, err
	}
	if amount != o.Amount {
		return nil, fmt.Errorf("%w: order %s costs %d cents, not %d", ErrWrongAmount, orderID, o.Amount, amount)
	}
	if err := s.orders.Debit(ctx, tx, o.Customer, amount); err != nil {
		return nil, err
	}
	r := &Receipt{Number: newID("rcp"), OrderID: orderID, Amount: amount}
	if err := s.orders.Append(ctx, tx, order.Entry{OrderID: orderID, Step: order.StepPay, Amount: -amount, Reference: r.Number}); err != nil {
		return nil, err
	}
	return r, nil
}

// Receipt reads the receipt of an order that was paid. It answers a Pay that comes when its record has long been pruned, but the order is paid.
func (s *Service) Receipt(ctx context.Context, tx *sql.Tx, orderID string) (*Receipt, error) {
	e, err := s.orders.Find(ctx, tx, orderID, order.StepPay)
	if err != nil {
		return nil, err
	}
	return &Receipt{Number: e.Reference, OrderID: orderID, Amount: -e.Amount}, nil
}
