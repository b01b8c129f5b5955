package storm

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/idemgen/idemgen/examples/wallet/service"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// callers is how many calls a process makes at once.
const callers = 8

// call is one intention of the plan; it returns the call's answer.
type call func(ctx context.Context) error

// Work makes every call of the plan once, and repeats those that got no answer. It is what the storm's processes do.
func Work(ctx context.Context, db *sql.DB, d idem.Dialect, seed uint64, unguarded bool) error {
	p := newPlan(seed)
	store := sqlstore.New(db, d)
	target := guardedTarget(store)
	if unguarded {
		target = unguardedTarget(store, d)
	}
	var calls []call
	for _, t := range p.transfers {
		calls = append(calls, func(ctx context.Context) error { return target.transfer(ctx, t) })
	}
	for _, w := range p.withdrawals {
		calls = append(calls, func(ctx context.Context) error { return target.withdraw(ctx, w) })
	}
	rand.Shuffle(len(calls), func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })

	queue := make(chan call)
	failed := make(chan error, callers)
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for c := range queue {
				if err := answered(ctx, c); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	var err error
	for _, c := range calls {
		select {
		case queue <- c:
			continue
		case err = <-failed:
		}
		break
	}
	close(queue)
	wg.Wait()
	close(failed)
	return errors.Join(err, <-failed)
}

// answered repeats a call until it has an answer: done, or refused for want of money.
func answered(ctx context.Context, c call) error {
	for {
		err := c(ctx)
		switch {
		case err == nil, errors.Is(err, service.ErrInsufficientFunds):
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !idem.StatusOf(err).RetryAfter && !errors.Is(err, idem.ErrConflict) && !errors.Is(err, idem.ErrRetryTransaction):
			return fmt.Errorf("storm: %w", err)
		}
		time.Sleep(time.Duration(1+rand.IntN(10)) * time.Millisecond)
	}
}

// target is what the storm calls.
type target struct {
	transfer func(context.Context, *service.Transfer) error
	withdraw func(context.Context, *service.Withdrawal) error
}

// guardedTarget is the bank.
func guardedTarget(store *sqlstore.Store) target {
	b := service.NewBank(idem.New(idem.GlobalScope), store)
	return target{
		transfer: func(ctx context.Context, t *service.Transfer) error {
			_, err := b.Transfer(ctx, t)
			return err
		},
		withdraw: func(ctx context.Context, w *service.Withdrawal) error {
			_, err := b.Withdraw(ctx, w)
			return err
		},
	}
}

// unguardedTarget is the service without its wrapper: versions still guard the rows, but nothing knows that a call was made before.
func unguardedTarget(store *sqlstore.Store, d idem.Dialect) target {
	s := service.New(d)
	run := func(ctx context.Context, body func(ctx context.Context, tx *sql.Tx) (*service.Receipt, error)) error {
		_, err := idem.RetryOnConflict(ctx, store, idem.Retry{Attempts: 100}, body)
		return err
	}
	return target{
		transfer: func(ctx context.Context, t *service.Transfer) error {
			return run(ctx, func(ctx context.Context, tx *sql.Tx) (*service.Receipt, error) { return s.Transfer(ctx, tx, t) }) //nolint:idemgen // meant to be unguarded
		},
		withdraw: func(ctx context.Context, w *service.Withdrawal) error {
			return run(ctx, func(ctx context.Context, tx *sql.Tx) (*service.Receipt, error) { return s.Withdraw(ctx, tx, w) }) //nolint:idemgen // meant to be unguarded
		},
	}
}
