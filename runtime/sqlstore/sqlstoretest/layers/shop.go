package layers

import (
	"context"
	"database/sql"
	"errors"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Status is where an order stands.
//
//idem:statemachine table=orders key=id column=status initial=Created final=Paid
//idem:transition Pay Created -> Paid
type Status string

// States of an order.
const (
	Created Status = "CREATED"
	Paid    Status = "PAID"
)

// Receipt is the answer to a payment.
type Receipt struct{ OrderID string }

// Shop takes payments. Each is a row of the table payments, and nothing in the
// method itself keeps a second one out.
type Shop struct {
	db     *sql.DB
	insert string // of a payment, with one placeholder
	find   string // payments of an order, with one placeholder
}

// NewShop is a shop on a database.
func NewShop(db *sql.DB, d idem.Dialect) *Shop {
	s := &Shop{db: db, insert: "INSERT INTO payments (order_id) VALUES (?)", find: "SELECT order_id FROM payments WHERE order_id = ?"}
	if d == idem.Postgres {
		s.insert, s.find = "INSERT INTO payments (order_id) VALUES ($1)", "SELECT order_id FROM payments WHERE order_id = $1"
	}
	return s
}

// Bare pays without any layer.
func (s *Shop) Bare(ctx context.Context, tx *sql.Tx, orderID string) (*Receipt, error) {
	if _, err := tx.ExecContext(ctx, s.insert, orderID); err != nil {
		return nil, err
	}
	return &Receipt{orderID}, nil
}

// Find is the receipt of an order that was paid, or nil.
func (s *Shop) Find(ctx context.Context, tx *sql.Tx, orderID string) (*Receipt, error) {
	r := new(Receipt)
	switch err := tx.QueryRowContext(ctx, s.find, orderID).Scan(&r.OrderID); {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return r, nil
}

// Seen is Find outside a transaction.
func (s *Shop) Seen(ctx context.Context, orderID string) (*Receipt, bool, error) {
	r := new(Receipt)
	err := s.db.QueryRowContext(ctx, s.find, orderID).Scan(&r.OrderID)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	return r, err == nil, err
}

// T pays under a token.
//
//idem:token lease=2s
func (s *Shop) T(ctx context.Context, tx *sql.Tx, orderID string) (*Receipt, error) {
	return s.Bare(ctx, tx, orderID)
}

// M pays under the state machine.
//
//idem:fire Status.Pay key=orderID lookup=Find
func (s *Shop) M(ctx context.Context, tx *sql.Tx, orderID string) (*Receipt, error) {
	return s.Bare(ctx, tx, orderID)
}

// U pays under the unique index.
//
//idem:unique index=uq_payments_order(payments.order_id) lookup=Find
func (s *Shop) U(ctx context.Context, tx *sql.Tx, orderID string) (*Receipt, error) {
	return s.Bare(ctx, tx, orderID)
}

// TM pays under token and state machine.
//
//idem:token lease=2s
//idem:fire Status.Pay key=orderID lookup=Find
func (s *Shop) TM(ctx context.Context, tx *sql.Tx, orderID string) (*Receipt, error) {
	return s.Bare(ctx, tx, orderID)
}

// TU pays under token and unique index.
//
//idem:token lease=2s
//idem:unique index=uq_payments_order(payments.order_id) lookup=Find
func (s *Shop) TU(ctx context.Context, tx *sql.Tx, orderID string) (*Receipt, error) {
	return s.Bare(ctx, tx, orderID)
}

// MU pays under state machine and unique index.
//
//idem:fire Status.Pay key=orderID lookup=Find
//idem:unique index=uq_payments_order(payments.order_id) lookup=Find
func (s *Shop) MU(ctx context.Context, tx *sql.Tx, orderID string) (*Receipt, error) {
	return s.Bare(ctx, tx, orderID)
}

// TMU pays under token, state machine and unique index.
//
//idem:token lease=2s
//idem:fire Status.Pay key=orderID lookup=Find
//idem:unique index=uq_payments_order(payments.order_id) lookup=Find
func (s *Shop) TMU(ctx context.Context, tx *sql.Tx, orderID string) (*Receipt, error) {
	return s.Bare(ctx, tx, orderID)
}

// O pays under a record.
//
//idem:once key=orderID
func (s *Shop) O(ctx context.Context, tx *sql.Tx, orderID string) (*Receipt, error) {
	return s.Bare(ctx, tx, orderID)
}

// TO pays under token and record.
//
//idem:token lease=2s
//idem:once key=orderID
func (s *Shop) TO(ctx context.Context, tx *sql.Tx, orderID string) (*Receipt, error) {
	return s.Bare(ctx, tx, orderID)
}

// OU pays under record and unique index.
//
//idem:once key=orderID
//idem:unique index=uq_payments_order(payments.order_id) lookup=Find
func (s *Shop) OU(ctx context.Context, tx *sql.Tx, orderID string) (*Receipt, error) {
	return s.Bare(ctx, tx, orderID)
}

// L pays under a lock, which asks whether the order is paid before and after it.
//
//idem:lock key=orderID check=Seen wait=30s
func (s *Shop) L(ctx context.Context, tx *sql.Tx, orderID string) (*Receipt, error) {
	return s.Bare(ctx, tx, orderID)
}
