// Package service is the order service: one method per thing a customer, a warehouse or the bank may ask for, each written as if it were called once.
//
// The flow: a method that writes takes the transaction it writes in. [IdempotentService], generated into idem_gen.go, begins and commits that transaction, and claims the call's key and moves the order's state in it
// before the method runs; so a call that comes twice, at once or after a crash, happens once. [Service.NotifyBank] takes no transaction: it talks to the bank, which no rollback reaches, and runs under a lease instead.
package service

//go:generate go tool idemgen

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"

	"github.com/idemgen/idemgen/examples/orders/order"
)

// Errors of the service, beside those of package order.
var (
	// ErrWrongAmount: the amount paid isn't what the order costs.
	ErrWrongAmount = errors.New("service: wrong amount")
	// ErrBadRequest: the request lacks something.
	ErrBadRequest = errors.New("service: bad request")
	// ErrBankRefused: the bank answered, and the answer was no. Nothing happened there, so the notification may be tried again.
	ErrBankRefused = errors.New("service: the bank refused")
	// ErrNoAnswer: the bank gave no answer that could be understood. Whether it acted is unknown.
	ErrNoAnswer = errors.New("service: no answer from the bank")
)

// Service is the unguarded order service. Calling its methods twice does their work twice: use it through IdempotentService. Safe for concurrent use.
type Service struct {
	db     *sql.DB
	orders order.Repository
	bank   Bank
}

// New makes the service from the database and the bank it talks to.
func New(db *sql.DB, bank Bank) *Service {
	return &Service{db: db, bank: bank}
}

// Get reads an order. It writes nothing, so nothing guards it: the wrapper passes it through.
func (s *Service) Get(ctx context.Context, orderID string) (*order.Order, error) {
	return s.orders.Get(ctx, s.db, orderID)
}

// newID makes an identifier that is unique with at least 128 random bits.
func newID(kind string) string { return kind + "-" + rand.Text() }
