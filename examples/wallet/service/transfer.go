package service

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/idemgen/idemgen/examples/wallet/account"
	"github.com/idemgen/idemgen/examples/wallet/query"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// Transfer asks for Amount cents to go from one account to another. ID is the caller's own name for it.
type Transfer struct {
	ID       string
	From, To string
	Amount   int64
}

// Withdrawal asks for Amount cents from an account.
type Withdrawal struct {
	ID      string
	Account string
	Amount  int64
}

// Receipt says what an account holds after a call.
type Receipt struct {
	ID      string `json:"id"`
	Balance int64  `json:"balance"` // of the account that the money came from
	Version int64  `json:"version"` // of the same account
}

// Transfer moves the money. Both rows are written in the order of their ids, so that two transfers in opposite directions wait for each other on the first row and never in a circle.
//
//idem:once key=t.ID
func (s *Service) Transfer(ctx context.Context, tx *sql.Tx, t *Transfer) (*Receipt, error) {
	if t.Amount <= 0 || t.From == t.To {
		return nil, fmt.Errorf("%w: %d cents from %s to %s", ErrBadRequest, t.Amount, t.From, t.To)
	}
	from, err := s.get(ctx, tx, t.From)
	if err != nil {
		return nil, err
	}
	to, err := s.get(ctx, tx, t.To)
	if err != nil {
		return nil, err
	}
	r := &Receipt{ID: t.ID, Balance: from.Balance - t.Amount}
	steps := []func() error{
		func() error {
			r.Version, err = s.deduct(ctx, tx, from, t.ID, t.Amount)
			return err
		},
		func() error { return s.credit(ctx, tx, to, t.ID, t.Amount) },
	}
	if to.ID < from.ID {
		steps[0], steps[1] = steps[1], steps[0]
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Withdraw pays the money out.
//
//idem:once key=w.ID
func (s *Service) Withdraw(ctx context.Context, tx *sql.Tx, w *Withdrawal) (*Receipt, error) {
	if w.Amount <= 0 {
		return nil, fmt.Errorf("%w: %d cents from %s", ErrBadRequest, w.Amount, w.Account)
	}
	a, err := s.get(ctx, tx, w.Account)
	if err != nil {
		return nil, err
	}
	version, err := s.deduct(ctx, tx, a, w.ID, w.Amount)
	if err != nil {
		return nil, err
	}
	return &Receipt{ID: w.ID, Balance: a.Balance - w.Amount, Version: version}, nil
}

// deduct takes money from an account as it was read, and writes that down. The database checks the floor in the same statement.
func (s *Service) deduct(ctx context.Context, tx *sql.Tx, a account.Account, callID string, amount int64) (int64, error) {
	version, err := s.guard.Deduct(ctx, sqlstore.DB(tx), a.ID, a.Version, amount)
	if errors.Is(err, idem.ErrGuardFailed) {
		return 0, fmt.Errorf("%w: %s holds %d cents: %w", ErrInsufficientFunds, a.ID, a.Balance, err)
	}
	if err != nil {
		return 0, err
	}
	return version, query.On(s.dialect, tx).AddEntry(ctx, callID, a.ID, -amount)
}

// credit gives money to an account as it was read, and writes that down.
func (s *Service) credit(ctx context.Context, tx *sql.Tx, a account.Account, callID string, amount int64) error {
	if _, err := s.guard.Credit(ctx, sqlstore.DB(tx), a.ID, a.Version, amount); err != nil {
		return err
	}
	return query.On(s.dialect, tx).AddEntry(ctx, callID, a.ID, amount)
}
