package crash

import (
	"context"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Tx stands inside the transactions that a store begins: at Claimed the key is claimed and the business has not run, at Written it has and nothing is committed. A nil Trap returns next itself.
func Tx[T any](t *Trap, next idem.TxStore[T]) idem.TxStore[T] {
	if t == nil {
		return next
	}
	return &txStore[T]{TxStore: next, trap: t}
}

type txStore[T any] struct {
	idem.TxStore[T]
	trap *Trap
}

func (s *txStore[T]) InTx(ctx context.Context, c idem.Claim, body func(ctx context.Context, tx T) (idem.Outcome, error)) (idem.Found, error) {
	return s.TxStore.InTx(ctx, c, func(ctx context.Context, tx T) (idem.Outcome, error) {
		s.trap.At(ctx, Claimed)
		out, err := body(ctx, tx)
		if err == nil {
			s.trap.At(ctx, Written)
		}
		return out, err
	})
}
