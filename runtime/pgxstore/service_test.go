package pgxstore_test

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/jackc/pgx/v5"
)

var errBusiness = errors.New("sold out")

// receipt is what a business method returns.
type receipt struct {
	ID     string
	Amount int64
}

// service is a guarded business method as generated code calls it.
type service struct {
	*fixture
	engine *idem.Engine
	op     idem.Op
	runs   atomic.Int64
	during func(ctx context.Context, tx pgx.Tx) error // what else the method does
}

func (f *fixture) service(op idem.Op) *service {
	op.Name = "Service.Pay"
	return &service{fixture: f, engine: idem.New(idem.GlobalScope), op: op}
}

// pay is the method with its guard.
func (s *service) pay(ctx context.Context, id string, amount int64) (*receipt, error) {
	call := s.engine.Call(ctx, &s.op, idem.String(id)).Match(idem.Int(amount))
	return idem.OnceTx(ctx, s.store, call, func(ctx context.Context, tx pgx.Tx) (*receipt, error) {
		s.runs.Add(1)
		if err := write(ctx, tx, id); err != nil {
			return nil, err
		}
		if s.during != nil {
			if err := s.during(ctx, tx); err != nil {
				return nil, err
			}
		}
		return &receipt{id, amount}, nil
	})
}
