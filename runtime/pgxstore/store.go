package pgxstore

import (
	"context"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/internal/sqlpipe"
	"github.com/idemgen/idemgen/runtime/sqlstore"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Store keeps idempotency records in Postgres through a pool of pgx, in lease
// mode (idem.RecordStore) and in transaction mode (idem.TxStore[pgx.Tx]). It is
// safe for concurrent use. Make one Store per database and share it: the
// transactions in the air that it knows of are its own.
type Store struct {
	*txStore
	*sqlstore.Records
}

type txStore = sqlstore.TxStore[pgx.Tx]

var (
	_ idem.RecordStore     = (*Store)(nil)
	_ idem.TxStore[pgx.Tx] = (*Store)(nil)
)

// New makes a store on pool, which stays the caller's to close. The tables must
// exist: see Migrate and sqlstore.Schema. It panics for transaction options that
// can't write.
func New(pool *pgxpool.Pool, opts ...Option) *Store {
	c := configure(opts)
	if c.tx.AccessMode == pgx.ReadOnly {
		panic("idem: pgxstore: read-only transactions can't claim")
	}
	b := &beginner{config: c, pool: pool}
	remembered := "idem.pgxstore/" + c.table
	auto := DB(pool)
	return &Store{
		Records: sqlstore.NewRecords(auto, idem.Postgres, c.sql...),
		txStore: sqlstore.NewPiped(idem.Postgres, sqlpipe.Driver[pgx.Tx]{
			Begin:     b.eager,
			BeginLate: b.late,
			Use:       func(_ context.Context, tx pgx.Tx) idem.DB { return DB(tx) },
			Whole:     func(t pgx.Tx) sqlpipe.Part { return whole{&t.(*tx).whole} },
			Point:     func(t pgx.Tx) sqlpipe.Part { return point{&part{of: saved{t, remembered}}, t} },
			Auto:      auto,
		}, c.sql...),
	}
}

// Lookup tells what stands committed under a key.
func (s *Store) Lookup(ctx context.Context, k idem.Key) (idem.Found, error) {
	return s.Records.Lookup(ctx, k)
}

// Prune deletes at most limit records that have expired, through an index, and
// returns how many (C13). A limit of 0 or less deletes nothing.
func (s *Store) Prune(ctx context.Context, limit int) (int, error) {
	return s.Records.Prune(ctx, limit)
}
