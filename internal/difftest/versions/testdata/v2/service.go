// Package shop is the second version of a service.
package shop

import (
	"context"
	"database/sql"
	"fmt"
)

// Version is the version of the program.
const Version = 2

// PayRequest asks for a payment. Coupon is new.
type PayRequest struct {
	Coupon string `json:"coupon"`
	Order  string `json:"order"`
	Amount int64  `json:"amount"`
}

// Receipt is the result of a payment. Points is new.
type Receipt struct {
	Points *Points `json:"points"`
	Amount int64   `json:"amount"`
	Number string  `json:"number"`
}

// Points are what a customer earns.
type Points struct {
	Earned int64 `json:"earned"`
}

// Price is the result of a quote; it was a number and is a text now.
type Price struct {
	Price string `json:"price"`
}

// Refund is new.
//
//idem:once key=req.Order
func (s *Service) Refund(ctx context.Context, tx *sql.Tx, req PayRequest) (*Receipt, error) {
	number, err := s.effect(ctx, tx, "refund", req.Order)
	return &Receipt{Number: number, Amount: -req.Amount}, err
}

// Quote names a price.
//
//idem:once key=req.Order lookup=Quoted
func (s *Service) Quote(ctx context.Context, tx *sql.Tx, req PayRequest) (*Price, error) {
	_, err := s.effect(ctx, tx, "quote", req.Order)
	return &Price{Price: fmt.Sprint(req.Amount, " cents")}, err
}

// Quoted finds the price that was named.
func (s *Service) Quoted(ctx context.Context, tx *sql.Tx, req PayRequest) (*Price, error) {
	if err := s.find(ctx, tx, "quote", req.Order); err != nil {
		return nil, err
	}
	return &Price{Price: fmt.Sprint(req.Amount, " cents")}, nil
}

// Notify tells somebody, under a lease.
//
//idem:once key=req.Order orphan=hold lease=30s
func (s *Service) Notify(ctx context.Context, req PayRequest) (*Receipt, error) {
	number, err := s.effect(ctx, s.db, "notify", req.Order)
	return &Receipt{Number: number, Amount: req.Amount, Points: &Points{req.Amount / 10}}, err
}

// Pay takes money in a transaction.
//
//idem:once key=req.Order
func (s *Service) Pay(ctx context.Context, tx *sql.Tx, req PayRequest) (*Receipt, error) {
	number, err := s.effect(ctx, tx, "pay", req.Order)
	return &Receipt{Number: number, Amount: req.Amount, Points: &Points{req.Amount / 10}}, err
}
