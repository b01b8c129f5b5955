// Package service moves money between accounts.
//
// The flow of a transfer: [Bank] begins a transaction with idem.RetryOnConflict; the generated [IdempotentService] joins it, claims the call's key in it and runs [Service.Transfer], which reads both accounts with sqlc's queries and
// writes them with the generated account.AccountGuard, the smaller id first. Claim, both updates, journal and result commit together. When another transfer wrote one of the accounts in between, the update says so (idem.ErrConflict): all of it is
// rolled back and tried again in a new transaction, which reads what the other wrote.
package service

//go:generate go tool idemgen

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/idemgen/idemgen/examples/wallet/account"
	"github.com/idemgen/idemgen/examples/wallet/query"
	"github.com/idemgen/idemgen/runtime/idem"
)

// Errors of the service. Each rolls the call back and leaves nothing behind.
var (
	// ErrNotFound: there is no such account.
	ErrNotFound = errors.New("service: no such account")
	// ErrInsufficientFunds: the account would fall below its floor.
	ErrInsufficientFunds = errors.New("service: insufficient funds")
	// ErrBadRequest: the request makes no sense.
	ErrBadRequest = errors.New("service: bad request")
)

// Service is the unguarded service: each method is written as if it were called once. Use it through Bank. Safe for concurrent use.
type Service struct {
	dialect idem.Dialect
	guard   account.AccountGuard
}

// New makes the service for a dialect of SQL.
func New(d idem.Dialect) *Service {
	return &Service{dialect: d, guard: account.NewAccountGuard(d)}
}

// get reads an account in the transaction of a call.
func (s *Service) get(ctx context.Context, tx *sql.Tx, id string) (account.Account, error) {
	a, err := query.On(s.dialect, tx).GetAccount(ctx, id)
	if errors.Is(err, sql.ErrNoRows) {
		return a, fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	return a, err
}

// Bank is what callers use: guarded calls that are repeated, in new transactions, until no other call came between. Safe for concurrent use.
type Bank struct {
	store   idem.TxStore[*sql.Tx]
	guarded *IdempotentService
	retry   idem.Retry
}

// NewBank makes the bank over a store of the same database.
func NewBank(e *idem.Engine, store idem.TxStore[*sql.Tx]) *Bank {
	return &Bank{
		store:   store,
		guarded: NewIdempotentService(New(store.Dialect()), e, store),
		retry:   idem.Retry{Attempts: 100, MaxPause: 100 * time.Millisecond},
	}
}

// Transfer moves money from one account to another, once per Transfer.ID: a repeated call gets the receipt of the first.
func (b *Bank) Transfer(ctx context.Context, t *Transfer) (*Receipt, error) {
	return idem.RetryOnConflict(ctx, b.store, b.retry, func(ctx context.Context, tx *sql.Tx) (*Receipt, error) {
		return b.guarded.TransferTx(ctx, tx, t)
	})
}

// Withdraw takes money from an account, once per Withdrawal.ID.
func (b *Bank) Withdraw(ctx context.Context, w *Withdrawal) (*Receipt, error) {
	return idem.RetryOnConflict(ctx, b.store, b.retry, func(ctx context.Context, tx *sql.Tx) (*Receipt, error) {
		return b.guarded.WithdrawTx(ctx, tx, w)
	})
}
