package transactions

import (
	"context"
	"encoding/hex"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Body is the body of a guarded call; effect is what it can do.
type Body func(ctx context.Context, effect func(context.Context, idem.Key) error) (idem.Outcome, error)

// Store is a store in transaction mode whose kind of transaction is out of sight.
type Store interface {
	InTx(ctx context.Context, c idem.Claim, body Body) (idem.Found, error)
	// Outer runs do in a transaction that join joins calls to; an error rolls it back.
	Outer(ctx context.Context, do func(join func(idem.Claim, Body) (idem.Found, error)) error) error
	Keep(ctx context.Context, c idem.Claim, o idem.Outcome) (idem.Found, error)
	Lookup(ctx context.Context, k idem.Key) (idem.Found, error)
	// Effects counts the effects on a key that were committed.
	Effects(ctx context.Context, k idem.Key) (int, error)
}

// EffectsTable makes the table of effects, in any dialect.
const EffectsTable = `CREATE TABLE effects (id VARCHAR(64) NOT NULL)`

var (
	insertEffect = idem.SQL{
		SQLite:   `INSERT INTO effects (id) VALUES (?)`,
		Postgres: `INSERT INTO effects (id) VALUES ($1)`,
		MySQL:    `INSERT INTO effects (id) VALUES (?)`,
	}
	countEffects = idem.SQL{
		SQLite:   `SELECT COUNT(*) FROM effects WHERE id = ?`,
		Postgres: `SELECT COUNT(*) FROM effects WHERE id = $1`,
		MySQL:    `SELECT COUNT(*) FROM effects WHERE id = ?`,
	}
)

// Of makes a Store of one for any kind of transaction. The table of effects must be
// there.
func Of[T any](s idem.TxStore[T]) Store { return of[T]{s} }

type of[T any] struct{ idem.TxStore[T] }

func id(k idem.Key) string { return hex.EncodeToString(k.Hash[:]) }

// with hands a body the effect in its transaction.
func (s of[T]) with(body Body) func(ctx context.Context, tx T) (idem.Outcome, error) {
	return func(ctx context.Context, tx T) (idem.Outcome, error) {
		return body(ctx, func(ctx context.Context, k idem.Key) error {
			_, err := s.Use(ctx, tx).Exec(ctx, insertEffect.For(s.Dialect()), id(k))
			return err
		})
	}
}

func (s of[T]) InTx(ctx context.Context, c idem.Claim, body Body) (idem.Found, error) {
	return s.TxStore.InTx(ctx, c, s.with(body))
}

func (s of[T]) Outer(ctx context.Context, do func(join func(idem.Claim, Body) (idem.Found, error)) error) error {
	return s.Begin(ctx, func(ctx context.Context, tx T) error {
		return do(func(c idem.Claim, body Body) (idem.Found, error) { return s.Join(ctx, tx, c, s.with(body)) })
	})
}

func (s of[T]) Effects(ctx context.Context, k idem.Key) (n int, err error) {
	err = s.Begin(ctx, func(ctx context.Context, tx T) error {
		rows, err := s.Use(ctx, tx).Query(ctx, countEffects.For(s.Dialect()), id(k))
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			if err := rows.Scan(&n); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	return n, err
}
