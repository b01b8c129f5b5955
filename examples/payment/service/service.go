// Package service opens orders and takes payments, each method written as if it were called once.
//
// The flow of a payment through [IdempotentService], generated into idem_gen.go:
//
//	token → [begin] → record → state machine → Pay → unique index → [commit]
//
// in front of which package api has the gate. Each layer stops a duplicate by itself: [Service.Pay] keeps nobody out.
package service

//go:generate go tool idemgen

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"

	"github.com/idemgen/idemgen/examples/payment/order"
)

// Errors of the service, beside those of package order. Each rolls everything back.
var (
	// ErrBadRequest: the request lacks something.
	ErrBadRequest = errors.New("service: bad request")
	// ErrWrongAmount: the amount paid isn't what the order costs.
	ErrWrongAmount = errors.New("service: wrong amount")
)

// Service is the unguarded service: use it through IdempotentService. Safe for concurrent use.
type Service struct {
	db     *sql.DB
	orders order.Repository
	paying func(ctx context.Context)
}

// New makes the service. paying, which may be nil, hears each time that Pay is about to take money.
func New(db *sql.DB, orders order.Repository, paying func(ctx context.Context)) *Service {
	if paying == nil {
		paying = func(context.Context) {}
	}
	return &Service{db: db, orders: orders, paying: paying}
}

// Ledger reads the newest orders and their payments. It writes nothing, so nothing guards it.
func (s *Service) Ledger(ctx context.Context, limit int) ([]order.Entry, error) {
	return s.orders.Ledger(ctx, s.db, limit)
}

// newID makes an identifier that is unique with at least 128 random bits.
func newID(kind string) string { return kind + "-" + rand.Text() }
