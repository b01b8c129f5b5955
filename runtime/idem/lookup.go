package idem

import "context"

// InTx makes a look-up of a method in transaction mode one for a layer outside its
// transaction: in a transaction of its own, or in that which the context carries.
func InTx[T, R any](e *Engine, store TxStore[T], lookup func(ctx context.Context, tx T) (R, error)) func(context.Context) (R, error) {
	return func(ctx context.Context) (R, error) { return Tx(ctx, e, store, lookup) }
}
