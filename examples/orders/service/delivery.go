package service

import (
	"context"
	"database/sql"

	"github.com/idemgen/idemgen/examples/orders/order"
)

// Parcel is an order on its way.
type Parcel struct {
	Tracking string `json:"tracking"`
	OrderID  string `json:"orderId"`
	Carrier  string `json:"carrier"`
}

// Ship hands a paid order to a carrier.
//
//idem:once key=orderID
//idem:fire order.Status.Ship key=orderID
func (s *Service) Ship(ctx context.Context, tx *sql.Tx, orderID, carrier string) (*Parcel, error) {
	p := &Parcel{Tracking: newID("trk"), OrderID: orderID, Carrier: carrier}
	if err := s.orders.Append(ctx, tx, order.Entry{OrderID: orderID, Step: order.StepShip, Reference: p.Tracking}); err != nil {
		return nil, err
	}
	return p, nil
}

// Sign notes that somebody took the parcel; the order is complete.
//
//idem:once key=orderID
//idem:fire order.Status.Sign key=orderID
func (s *Service) Sign(ctx context.Context, tx *sql.Tx, orderID, by string) error {
	return s.orders.Append(ctx, tx, order.Entry{OrderID: orderID, Step: order.StepSign, Reference: by})
}
