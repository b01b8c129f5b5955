// Package shop puts the payment service together: stores, layers, HTTP.
//
// The flow: [Open] opens the database and, where one is named, Redis, makes the tables, and builds around the plain service what was generated for it:
//
//	session → watch → gate (api) → token → record → state machine → Pay → unique index (service)
//
// [Shop.Set] switches a layer, and [Shop.Lose] loses its data: for the page and the storm.
package shop

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/redis/go-redis/v9"

	"github.com/idemgen/idemgen/examples/payment/internal/layers"
	"github.com/idemgen/idemgen/examples/payment/order"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// Shop is the running service. Safe for concurrent use.
type Shop struct {
	options  Options
	log      *slog.Logger
	db       *sql.DB
	dialect  idem.Dialect
	redis    *redis.Client // nil = none
	store    *sqlstore.Store
	orders   order.Repository
	switches *layers.Switches
	front    atomic.Pointer[http.Handler]
	stop     context.CancelFunc

	mu     sync.Mutex // of what is below, and of changes to layers
	behind stores
}

// Open opens the shop. Its tables are made where they are missing. The caller closes it.
func Open(ctx context.Context, o Options) (_ *Shop, err error) {
	s := &Shop{options: o, log: o.Log, switches: new(layers.Switches), stop: func() {}}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if s.db, s.dialect, err = o.Database.Open(); err != nil {
		return nil, err
	}
	if o.Redis != "" {
		if s.redis, err = openRedis(o.Redis); err != nil {
			return nil, err
		}
	}
	s.orders, s.store = order.NewRepository(s.dialect), sqlstore.New(s.db, s.dialect)
	if err := order.Migrate(ctx, s.db, s.dialect); err != nil {
		return nil, err
	}
	if err := sqlstore.Migrate(ctx, sqlstore.DB(s.db), s.dialect, sqlstore.WithParts(sqlstore.PartRecords|sqlstore.PartTokens)); err != nil {
		return nil, fmt.Errorf("shop: migrate: %w", err)
	}
	if err := s.Set(ctx, layers.Index, true); err != nil && !errors.Is(err, ErrDoubles) {
		return nil, err
	}
	if s.behind, err = s.openStores(ctx, o.Prefix); err != nil {
		return nil, err
	}
	s.build()
	pruning, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	go s.prune(pruning)
	return s, nil
}

// ServeHTTP serves the shop.
func (s *Shop) ServeHTTP(w http.ResponseWriter, r *http.Request) { (*s.front.Load()).ServeHTTP(w, r) }

// Close ends what Open began. Requests that run still will fail.
func (s *Shop) Close() error {
	s.stop()
	var errs []error
	if s.redis != nil {
		errs = append(errs, s.redis.Close())
	}
	if s.db != nil {
		errs = append(errs, s.db.Close())
	}
	return errors.Join(errs...)
}

// Payments counts the payments that were taken.
func (s *Shop) Payments(ctx context.Context) (int, error) { return s.orders.Count(ctx, s.db) }
