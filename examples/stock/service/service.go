// Package service releases the stock of flash sales, as if it were asked once.
//
// At the stroke of the hour every replica's scheduler, every impatient operator and
// every retry asks for the same release. The flow of [IdempotentService.Release]:
//
//	check → lock → check → [begin] → state machine, with the fence → Release → [commit] → unlock
//
// The lock keeps the crowd from doing the slow work at once, and the check answers
// them. Neither is a promise: a lock can lapse or be forgotten while its holder works.
// The guarded state, which compares the fence, is what keeps the second release out.
package service

//go:generate go tool idemgen

import (
	"context"
	"database/sql"
	"sync/atomic"
	"time"

	"github.com/idemgen/idemgen/examples/stock/sale"
)

// Service is the unguarded service: use it through IdempotentService. Safe for
// concurrent use.
type Service struct {
	db    *sql.DB
	sales sale.Repository
	count time.Duration // how long the warehouse takes to count
	runs  atomic.Int64
}

// New makes a service. Count is how long the warehouse takes to count its items: the
// slow work that nobody wants done twice at a time.
func New(db *sql.DB, sales sale.Repository, count time.Duration) *Service {
	return &Service{db: db, sales: sales, count: count}
}

// Runs is how often the warehouse has counted.
func (s *Service) Runs() int64 { return s.runs.Load() }

// Release puts the items of a sale into the stock.
//
//idem:lock key=saleID check=Released ttl=2s wait=30s
//idem:fire sale.Status.Release key=saleID lookup=Find
func (s *Service) Release(ctx context.Context, tx *sql.Tx, saleID string) (*sale.Release, error) {
	return s.release(ctx, tx, saleID)
}

// ReleaseGuarded is Release without the lock: the state alone keeps doubles out, and
// everybody queues at the database. Without a lock the fence is the caller's.
//
//idem:fire sale.Status.Release key=saleID lookup=Find
func (s *Service) ReleaseGuarded(ctx context.Context, tx *sql.Tx, saleID string, fence int64) (*sale.Release, error) {
	return s.release(ctx, tx, saleID)
}

// ReleaseLocked is Release without the guard: what most code that has a lock does.
//
//idem:lock key=saleID check=Released ttl=2s wait=30s alone
func (s *Service) ReleaseLocked(ctx context.Context, saleID string) (*sale.Release, error) {
	return s.release(ctx, s.db, saleID)
}

// ReleaseBare has nothing.
func (s *Service) ReleaseBare(ctx context.Context, saleID string) (*sale.Release, error) {
	return s.release(ctx, s.db, saleID)
}

// Released tells whether a sale was released, and what was: the check of the lock.
func (s *Service) Released(ctx context.Context, saleID string) (*sale.Release, bool, error) {
	found, err := s.sales.Find(ctx, s.db, saleID)
	return found, found != nil, err
}

// Find is the release of a sale, for a call that comes after it.
func (s *Service) Find(ctx context.Context, tx *sql.Tx, saleID string) (*sale.Release, error) {
	return s.sales.Find(ctx, tx, saleID)
}

// release counts, and puts up for sale what it counted.
func (s *Service) release(ctx context.Context, db querier, saleID string) (*sale.Release, error) {
	s.runs.Add(1)
	items, err := s.sales.Items(ctx, db, saleID)
	if err != nil {
		return nil, err
	}
	select {
	case <-time.After(s.count):
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if err := s.sales.Put(ctx, db, saleID, items); err != nil {
		return nil, err
	}
	return &sale.Release{SaleID: saleID, Items: items}, nil
}

// querier is a *sql.DB or a *sql.Tx.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}
