package service

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/idemgen/idemgen/examples/payment/order"
)

const maxName = 100 // bytes of a customer's or an order's name, as wide as their columns

// Create opens an order under the number that the customer gave it. The number is a natural key: its unique index alone keeps a second order out, and finds the first.
//
//idem:unique index=uq_orders_number(orders.customer,orders.number) lookup=Opened
func (s *Service) Create(ctx context.Context, tx *sql.Tx, customer, number string, amount int64) (*order.Order, error) {
	if customer == "" || number == "" || max(len(customer), len(number)) > maxName || amount <= 0 {
		return nil, fmt.Errorf("%w: an order needs a customer, a number and an amount", ErrBadRequest)
	}
	o := &order.Order{ID: newID("ord"), Number: number, Customer: customer, Amount: amount, Status: order.Created}
	if err := s.orders.Insert(ctx, tx, o); err != nil {
		return nil, err
	}
	return o, nil
}

// Opened answers a Create whose order is there already; nil where that costs another amount: then it is another order, and the violation stands.
func (s *Service) Opened(ctx context.Context, tx *sql.Tx, customer, number string, amount int64) (*order.Order, error) {
	o, err := s.orders.ByNumber(ctx, tx, customer, number)
	if errors.Is(err, order.ErrNotFound) || err == nil && o.Amount != amount {
		return nil, nil
	}
	return o, err
}
