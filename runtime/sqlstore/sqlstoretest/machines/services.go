package machines

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Shop fires events of Order from guarded methods, with all that they ask for.
type Shop struct {
	Tenant int64
	// Paid counts the runs of Pay.
	Paid int
}

// PayRequest is a call of Pay.
type PayRequest struct {
	Order   *OrderRef
	Amount  int64
	Version int64
}

// OrderRef names an order.
type OrderRef struct{ ID string }

// ErrCard is a payment that the bank refused.
var ErrCard = errors.New("card refused")

// Pay pays an order once per key.
//
//idem:once key=key match=none
//idem:fire Order.Pay key=req.Order.ID args=tenant:s.Tenant,version:req.Version,amount:req.Amount,fence:fence,now:at,paidAt:at
func (s *Shop) Pay(ctx context.Context, tx *sql.Tx, key string, req *PayRequest, at time.Time, fence int64) (string, error) {
	s.Paid++
	if req.Amount == 13 {
		return "", ErrCard
	}
	return "receipt of " + req.Order.ID, nil
}

// Move moves an order to a state; parameters of the same names go to the guard.
//
//idem:fire Order.Move key=id
func (s *Shop) Move(ctx context.Context, tx *sql.Tx, id string, to Order, tenant, fence int64, now time.Time) error {
	return nil
}
