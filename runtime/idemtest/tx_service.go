package idemtest

import (
	"context"
	"sync/atomic"

	"github.com/idemgen/idemgen/runtime/idem"
)

// service is a guarded method on one of the subject's stores, as generated code
// has it. Its result is the amount that it was called with.
type service[T any] struct {
	*txs[T]
	store  idem.TxStore[T]
	engine *idem.Engine
	op     idem.Op
	runs   atomic.Int64
	during func(ctx context.Context, tx T) error // inside the method
}

// service makes one. Services of a subtest share their operation.
func (s *txs[T]) service(store idem.TxStore[T], op idem.Op) *service[T] {
	op.Name = "idemtest/" + s.run
	return &service[T]{txs: s, store: store, engine: idem.New(idem.GlobalScope), op: op}
}

// pay calls the guarded method.
func (v *service[T]) pay(ctx context.Context, name string, amount int) (int, error) {
	call := v.engine.Call(ctx, &v.op, idem.String(name)).Match(idem.String(name), idem.Int(amount))
	return idem.OnceTx(ctx, v.store, call, func(ctx context.Context, tx T) (int, error) {
		v.runs.Add(1)
		if err := v.write(ctx, tx, name); err != nil {
			return 0, err
		}
		if v.during != nil {
			if err := v.during(ctx, tx); err != nil {
				return 0, err
			}
		}
		return amount, nil
	})
}

// paying starts a guarded call of Store that holds its key until end is called,
// and fails with fail if that is not nil.
func (s *txs[T]) paying(name string, amount int, fail error) (end func()) {
	s.Helper()
	v := s.service(s.Store, idem.Op{})
	return s.open(name, fail, func(hold func()) error {
		v.during = func(context.Context, T) error { hold(); return fail }
		_, err := v.pay(s.ctx, name, amount)
		return err
	})
}
