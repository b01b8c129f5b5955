package service

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/idemgen/idemgen/examples/orders/order"
)

// CreateRequest asks for a new order. Amount is in cents.
type CreateRequest struct {
	BizNo    string `json:"bizNo"`
	Customer string `json:"customer"`
	Amount   int64  `json:"amount"`
}

// Create opens an order under the number that the customer's system gave it.
//
//idem:once key=req.BizNo
func (s *Service) Create(ctx context.Context, tx *sql.Tx, req *CreateRequest) (*order.Order, error) {
	if req.Customer == "" || req.Amount <= 0 {
		return nil, fmt.Errorf("%w: an order needs a customer and an amount", ErrBadRequest)
	}
	o := &order.Order{ID: newID("ord"), BizNo: req.BizNo, Customer: req.Customer, Amount: req.Amount, Status: order.Created}
	if err := s.orders.Insert(ctx, tx, o); err != nil {
		return nil, err
	}
	if err := s.orders.Append(ctx, tx, order.Entry{OrderID: o.ID, Step: order.StepCreate, Reference: o.BizNo}); err != nil {
		return nil, err
	}
	return o, nil
}
