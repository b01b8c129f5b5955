package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// What guards run as one transaction on a handle that is not in one yet.

// atomicTries bounds the attempts at one transaction (T3).
const atomicTries = idem.DefaultTxRetries + 1

// beginning is a pool that begins transactions.
type beginning struct {
	adapter
	pool pool
}

var _ idem.Atomic = beginning{}

// Atomically runs body in a transaction of its own, and again in a new one after
// a deadlock, a serialization failure or a busy error.
func (b beginning) Atomically(ctx context.Context, body func(ctx context.Context, db idem.DB) error) error {
	pause := firstPause
	for try := 1; ; try++ {
		err := b.attempt(ctx, body)
		if try == atomicTries || !errors.Is(err, idem.ErrRetryTransaction) {
			return err
		}
		if !sleep(ctx, time.Duration(rand.Int64N(int64(pause)))) {
			return err
		}
		pause = min(2*pause, longestPause)
	}
}

// attempt is one, with errors classed as those of a store's are.
func (b beginning) attempt(ctx context.Context, body func(ctx context.Context, db idem.DB) error) error {
	r := &records{config: configure(nil)}
	var ran bool
	var said error
	err := beginner(b.pool, nil, r.settle)(ctx, func(ctx context.Context, tx *sql.Tx) error {
		ran = true
		said = body(ctx, adapter{tx})
		return said
	})
	switch {
	case said != nil:
		return r.bodyFault(said)
	case err == nil:
		return nil
	case !ran:
		return r.fault(ctx, "begin", err)
	}
	return r.commitFault(err)
}

// pinned is one connection. Whoever holds it may have begun a transaction in
// words, which a second BEGIN would end on MySQL: a savepoint that can be released
// tells. Outside a transaction SQLite makes one of it.
type pinned struct{ beginning }

const pinnedPoint = "SAVEPOINT idem_atomic"

// Atomically runs body under a savepoint, or in a transaction of its own.
func (p pinned) Atomically(ctx context.Context, body func(ctx context.Context, db idem.DB) error) error {
	if !p.inTransaction(ctx) {
		return p.beginning.Atomically(ctx, body)
	}
	point := &namedSavepoint{name: "idem_atomic", db: p.adapter}
	if err := point.set(ctx); err != nil {
		return err
	}
	open := true
	defer func() {
		if open { // an error, a panic or runtime.Goexit
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), configure(nil).settle)
			defer cancel()
			_ = point.rollback(ctx) // what can't be rolled back has lost its connection
		}
	}()
	if err := body(ctx, p.adapter); err != nil {
		return err
	}
	open = false
	return point.release(ctx)
}

func (p pinned) inTransaction(ctx context.Context) bool {
	if _, err := p.Exec(ctx, pinnedPoint); err != nil {
		return false
	}
	_, err := p.Exec(ctx, "RELEASE "+pinnedPoint)
	return err == nil
}

// errOtherPool: a pool that can't be begun on here.
var errOtherPool = errors.New("idem: several statements need a transaction, which this pool begins in a way of its own: pass the *sql.DB in it, or a transaction")

// refusing is a pool whose transactions are not those of database/sql.
type refusing struct{ adapter }

// Atomically refuses.
func (refusing) Atomically(context.Context, func(context.Context, idem.DB) error) error {
	return errOtherPool
}
