// Package guarded is what the races measure: annotated code and what is generated of it.
package guarded

//go:generate go tool idemgen

import (
	"context"
	"database/sql"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
)

// Status is where an order stands; its checks race.
//
//idem:statemachine table=bench_orders key=id column=status initial=Created final=Done,Cancelled keytype=int64
//idem:transition Pay Created -> Paid
//idem:transition Ship Paid -> Shipped
//idem:transition Sign Shipped -> Done
//idem:transition Cancel Created,Paid -> Cancelled
type Status int

// States.
const (
	Created Status = iota + 1
	Paid
	Shipped
	Done
	Cancelled
)

// Parcel is where a parcel stands; its once event races, with a history.
//
//idem:statemachine table=bench_parcels key=id column=status initial=Packed final=Sent keytype=int64 history=bench_parcel_history
//idem:transition Send Packed -> Sent once
type Parcel string

// States of a parcel.
const (
	Packed Parcel = "PACKED"
	Sent   Parcel = "SENT"
)

// Receipt is a result of a usual size.
type Receipt struct {
	OrderID string
	Amount  int64
	Payer   string
	Lines   []string
}

// Service has one method per mode.
type Service struct {
	Receipt *Receipt
	Insert  string // of an effect, with two placeholders
	// Runs counts how often a body without a transaction ran; the others leave effects.
	Runs atomic.Int64
}

// Replayed is what a duplicate asks for, from memory.
//
//idem:once key=orderID orphan=rerun
func (s *Service) Replayed(ctx context.Context, orderID string, amount int64) (*Receipt, error) {
	s.Runs.Add(1)
	return s.Receipt, nil
}

// Leased is a fresh call in lease mode.
//
//idem:once key=id orphan=rerun match=none
func (s *Service) Leased(ctx context.Context, id int64) (int64, error) {
	s.Runs.Add(1)
	return id, nil
}

// Consumed handles a message.
//
//idem:message key=id orphan=rerun
func (s *Service) Consumed(ctx context.Context, id string) error {
	s.Runs.Add(1)
	return nil
}

// Pay writes one effect in a transaction.
//
//idem:once key=id match=none
func (s *Service) Pay(ctx context.Context, tx *sql.Tx, id int64) (int64, error) {
	_, err := tx.ExecContext(ctx, s.Insert, id, "paid")
	return id, err
}

// PgxService is Service for pgx.
type PgxService struct{ Insert string }

// Pay writes one effect in a transaction.
//
//idem:once key=id match=none
func (s *PgxService) Pay(ctx context.Context, tx pgx.Tx, id int64) (int64, error) {
	_, err := tx.Exec(ctx, s.Insert, id, "paid")
	return id, err
}
