package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// BeginFunc makes one attempt at a transaction around body: it commits when
// body returns nil, and rolls back and returns an error when body returns one
// or panics. It returns nil only if the commit succeeded: a COMMIT that the
// server answers with ROLLBACK, as Postgres does without an error after a
// statement failed, has not (T5).
type BeginFunc[T any] func(ctx context.Context, body func(ctx context.Context, tx T) error) error

// errReplay ends a transaction that has nothing to commit. Only beginner's
// transactions see it; other libraries are not handed an error for a replay,
// since some count errors.
var errReplay = errors.New("idem: nothing to commit")

// pool begins transactions as *sql.DB does.
type pool interface {
	BeginTx(ctx context.Context, opts *sql.TxOptions) (*sql.Tx, error)
}

// beginner is the BeginFunc of database/sql. The transaction's own context is
// detached from the caller's: database/sql would else roll back under a body
// that is still running. The caller's context bounds the wait for a connection
// and for BEGIN; after the body, COMMIT and ROLLBACK have the settle timeout.
func beginner(db pool, opts *sql.TxOptions, settle time.Duration) BeginFunc[*sql.Tx] {
	return func(ctx context.Context, body func(ctx context.Context, tx *sql.Tx) error) error {
		own, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		stop := context.AfterFunc(ctx, cancel)
		tx, err := db.BeginTx(own, opts)
		if !stop() && err == nil {
			err = errors.Join(ended(ctx), tx.Rollback())
		}
		if err != nil {
			return err
		}
		open := true
		defer func() {
			if open { // an error, a panic or runtime.Goexit
				defer time.AfterFunc(settle, cancel).Stop()
				_ = tx.Rollback() // what can't be rolled back has lost its connection
			}
		}()
		if err := body(ctx, tx); err != nil {
			return err
		}
		open = false
		defer time.AfterFunc(settle, cancel).Stop()
		return tx.Commit()
	}
}
