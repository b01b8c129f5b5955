package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/idemgen/idemgen/examples/stock/sale"
	"github.com/idemgen/idemgen/examples/stock/service"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/redisstore"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// world is the service over its database and its locks.
type world struct {
	o       options
	db      *sql.DB
	redis   redis.UniversalClient // nil: the locks are in the database
	sales   sale.Repository
	locks   *forgetful
	plain   *service.Service
	service *service.IdempotentService
}

// open makes a world with empty tables.
func open(ctx context.Context, o options) (*world, error) {
	db, dialect, err := o.database.Open()
	if err != nil {
		return nil, err
	}
	w := &world{o: o, db: db, sales: sale.Repository{Dialect: dialect}, locks: &forgetful{}}
	if o.redis != "" {
		opts, err := redis.ParseURL(o.redis)
		if err != nil {
			return nil, errors.Join(err, w.close())
		}
		opts.ContextTimeoutEnabled = true
		w.redis = redis.NewClient(opts)
	} else {
		w.locks.set(sqlstore.NewLocks(db, dialect))
	}
	if err := sqlstore.Migrate(ctx, sqlstore.DB(db), dialect); err != nil {
		return nil, errors.Join(err, w.close())
	}
	store := sqlstore.New(db, dialect)
	w.plain = service.New(db, w.sales, o.count)
	w.service = service.NewIdempotentService(w.plain, idem.New(idem.GlobalScope), store, w.locks)
	if err := w.empty(ctx); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

func (w *world) close() error {
	if w.redis != nil {
		return errors.Join(w.redis.Close(), w.db.Close())
	}
	return w.db.Close()
}

// empty forgets all sales, releases and locks.
func (w *world) empty(ctx context.Context) error {
	return errors.Join(w.sales.Migrate(ctx, w.db), w.forget(ctx))
}

// forget loses all locks, as a failover of Redis does.
func (w *world) forget(ctx context.Context) error {
	if w.redis == nil {
		_, err := w.db.ExecContext(ctx, "DELETE FROM "+sqlstore.DefaultLockTable)
		return err
	}
	store, err := redisstore.New(ctx, w.redis, redisstore.WithPrefix("stock-"+rand.Text()+":")) // what was there ends by itself
	if err != nil {
		return fmt.Errorf("redis: %w", err)
	}
	w.locks.set(store.Locks())
	return nil
}

// forgetful is a locker whose locks can be forgotten.
type forgetful struct {
	mu  sync.Mutex
	now idem.Locker
}

func (f *forgetful) set(l idem.Locker) {
	f.mu.Lock()
	f.now = l
	f.mu.Unlock()
}

func (f *forgetful) get() idem.Locker {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

func (f *forgetful) Acquire(ctx context.Context, r idem.LockRequest) (idem.LockFound, error) {
	return f.get().Acquire(ctx, r)
}

func (f *forgetful) Renew(ctx context.Context, h idem.Hold, ttl time.Duration) error {
	return f.get().Renew(ctx, h, ttl)
}

func (f *forgetful) Release(ctx context.Context, h idem.Hold) error { return f.get().Release(ctx, h) }

// again tells an error after which a scheduler comes again: somebody else is at it, or
// the lock was lost.
func again(err error) bool {
	for _, passing := range []error{idem.ErrLockHeld, idem.ErrLockLost, idem.ErrGuardFailed, idem.ErrRetryTransaction, idem.ErrTransitionConflict} {
		if errors.Is(err, passing) {
			return true
		}
	}
	return false
}
