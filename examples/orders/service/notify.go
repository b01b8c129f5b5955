package service

import (
	"context"
)

// Bank is the bank as the service sees it.
type Bank interface {
	// Notify tells the bank of a payment in cents. It is not idempotent: told twice, the bank books twice.
	// Its error wraps ErrBankRefused when the bank certainly did nothing, and ErrNoAnswer when nobody here can say.
	Notify(ctx context.Context, orderID string, amount int64) (*Confirmation, error)
	// Find asks whether the bank was told of an order. It returns nil when it was not.
	Find(ctx context.Context, orderID string) (*Confirmation, error)
}

// Confirmation is the bank's answer.
type Confirmation struct {
	Number string `json:"number"`
}

// NotifyBank tells the bank that an order was paid.
//
// The bank can't be rolled back, so the call runs under a lease. When the process dies in the middle nobody here knows whether the bank was reached; calling again might book twice, so the key is held (orphan=hold)
// until [IdempotentService.ReconcileBank] has asked the bank.
//
//idem:once key=orderID orphan=hold lease=2s errors=release:ErrBankRefused,unknown:ErrNoAnswer
func (s *Service) NotifyBank(ctx context.Context, orderID string) (*Confirmation, error) {
	o, err := s.orders.Get(ctx, s.db, orderID)
	if err != nil {
		return nil, err
	}
	return s.bank.Notify(ctx, orderID, o.Amount)
}
