package service

import (
	"context"

	"github.com/idemgen/idemgen/runtime/idem"
)

// ReconcileBank decides a notification that is held because its owner vanished, by asking the bank. When the bank was told, its confirmation becomes the stored result; when it was not, the next NotifyBank calls it.
// Its error is idem.ErrNotHeld when nothing is held for the order, and wraps ErrNoAnswer when the bank can't be asked.
//
// Call it only when the vanished owner is truly gone: one that merely stalls, and wakes after this, would still reach the bank.
func (s *IdempotentService) ReconcileBank(ctx context.Context, orderID string) error {
	told, err := s.bank.Find(ctx, orderID)
	if err != nil {
		return err
	}
	call := s.NotifyBankCall(ctx, orderID)
	if told == nil {
		return idem.ResolveRerun(ctx, s.records, call)
	}
	return idem.Resolve(ctx, s.records, call, told)
}
