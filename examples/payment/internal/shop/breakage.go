package shop

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/idemgen/idemgen/examples/payment/internal/layers"
	"github.com/idemgen/idemgen/examples/payment/order"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// ErrDoubles: the ledger has two payments of one order, so that its unique index can't be created.
var ErrDoubles = errors.New("shop: the ledger holds doubles")

// Set switches a layer on or off. The unique index is created or dropped; where it can't be created the error is ErrDoubles, and the layer stays off.
func (s *Shop) Set(ctx context.Context, l layers.Layer, on bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.set(ctx, l, on)
}

func (s *Shop) set(ctx context.Context, l layers.Layer, on bool) error {
	if l == layers.Index {
		if err := order.SetIndex(ctx, s.db, s.dialect, on); err != nil {
			if _, doubles := sqlstore.UniqueViolation(err); !doubles {
				return err
			}
			s.switches.Set(l, false)
			return fmt.Errorf("%w: %w", ErrDoubles, err)
		}
	}
	s.switches.Set(l, on)
	return nil
}

// Lose loses the data of a layer that is and stays on: the responses of the gate, all tokens, all records, the states of all orders; the unique index is dropped.
func (s *Shop) Lose(ctx context.Context, l layers.Layer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch l {
	case layers.Gate, layers.Token:
		return s.loseStore(ctx, l)
	case layers.Record:
		return s.empty(ctx, sqlstore.DefaultTable)
	case layers.State:
		return s.orders.Forget(ctx, s.db, "")
	default:
		return s.set(ctx, l, false)
	}
}

// loseStore puts an empty store in the place of one of the outer layers'. Tokens in the database are deleted there.
func (s *Shop) loseStore(ctx context.Context, l layers.Layer) error {
	if l == layers.Token && s.redis == nil {
		return s.empty(ctx, sqlstore.DefaultTokenTable)
	}
	fresh, err := s.openStores(ctx, "payment-"+rand.Text()+":")
	if err != nil {
		return err
	}
	if l == layers.Gate {
		s.behind.responses = fresh.responses
	} else {
		s.behind.tokens = fresh.tokens
	}
	s.build()
	return nil
}

func (s *Shop) empty(ctx context.Context, table string) error {
	if _, err := s.db.ExecContext(ctx, "DELETE FROM "+table); err != nil {
		return fmt.Errorf("shop: lose %s: %w", table, err)
	}
	return nil
}

// Clear deletes all orders and payments, and what all layers remember of them, and switches all layers on.
func (s *Shop) Clear(ctx context.Context) error {
	if err := order.Clear(ctx, s.db); err != nil {
		return err
	}
	var errs []error
	for _, l := range []layers.Layer{layers.Gate, layers.Token, layers.Record} {
		errs = append(errs, s.Lose(ctx, l))
	}
	for _, l := range layers.All() {
		errs = append(errs, s.Set(ctx, l, true))
	}
	return errors.Join(errs...)
}
