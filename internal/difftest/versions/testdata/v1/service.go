// Package shop is the first version of a service.
package shop

import (
	"context"
	"database/sql"
)

// Version is the version of the program.
const Version = 1

// PayRequest asks for a payment.
type PayRequest struct {
	Order  string `json:"order"`
	Amount int64  `json:"amount"`
}

// Receipt is the result of a payment.
type Receipt struct {
	Number string `json:"number"`
	Amount int64  `json:"amount"`
}

// Price is the result of a quote.
type Price struct {
	Price int64 `json:"price"`
}

// Pay takes money in a transaction.
//
//idem:once key=req.Order
func (s *Service) Pay(ctx context.Context, tx *sql.Tx, req PayRequest) (*Receipt, error) {
	number, err := s.effect(ctx, tx, "pay", req.Order)
	return &Receipt{Number: number, Amount: req.Amount}, err
}

// Notify tells somebody, under a lease.
//
//idem:once key=req.Order orphan=hold lease=30s
func (s *Service) Notify(ctx context.Context, req PayRequest) (*Receipt, error) {
	number, err := s.effect(ctx, s.db, "notify", req.Order)
	return &Receipt{Number: number, Amount: req.Amount}, err
}

// Quote names a price.
//
//idem:once key=req.Order lookup=Quoted
func (s *Service) Quote(ctx context.Context, tx *sql.Tx, req PayRequest) (*Price, error) {
	_, err := s.effect(ctx, tx, "quote", req.Order)
	return &Price{Price: req.Amount}, err
}

// Quoted finds the price that was named.
func (s *Service) Quoted(ctx context.Context, tx *sql.Tx, req PayRequest) (*Price, error) {
	if err := s.find(ctx, tx, "quote", req.Order); err != nil {
		return nil, err
	}
	return &Price{Price: req.Amount}, nil
}
