package sqlstore

import (
	"context"
	"database/sql"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Store keeps idempotency records in a database, in lease mode
// (idem.RecordStore) and in transaction mode (idem.TxStore[*sql.Tx]). It is
// safe for concurrent use. Make one Store per database and share it: the
// transactions in the air that it knows of are its own.
type Store struct {
	*sqlTx
	*Records
	db *sql.DB
}

type sqlTx = TxStore[*sql.Tx]

var (
	_ idem.RecordStore      = (*Store)(nil)
	_ idem.TxStore[*sql.Tx] = (*Store)(nil)
)

// New makes a store on db, which stays the caller's to close. The tables must
// exist: see Migrate and Schema. It panics for a dialect that this version
// can't serve.
//
// On SQLite, open the database with a busy timeout in the DSN, so that writers
// queue instead of failing at once.
func New(db *sql.DB, d idem.Dialect, opts ...Option) *Store {
	r := newRecords(d, opts)
	stmts := &prepared{db: db}
	begin, inTx := beginner(db, r.txOptions, r.settle), []string{r.sql.claimTx.text, r.sql.lookupTx.text, r.sql.complete.text}
	if r.unprepared {
		stmts, inTx = &prepared{db: db, off: true}, nil
	}
	r.auto = preparedDB{stmts}
	return &Store{
		db:      db,
		Records: &Records{r},
		sqlTx: &sqlTx{
			records: r,
			begin: func(ctx context.Context, body func(ctx context.Context, tx *sql.Tx) error) error {
				if err := stmts.fill(ctx, inTx); err != nil {
					return err
				}
				stmts.learn(ctx)
				return begin(ctx, body)
			},
			use:    func(_ context.Context, tx *sql.Tx) idem.DB { return preparedTx{tx, stmts} },
			replay: errReplay,
		},
	}
}

// Migrate makes or updates the store's tables; see the function Migrate.
func (s *Store) Migrate(ctx context.Context) error {
	return s.records.migrate(ctx, DB(s.db))
}

// Lookup tells what stands committed under a key.
func (s *Store) Lookup(ctx context.Context, k idem.Key) (idem.Found, error) {
	return s.Records.Lookup(ctx, k)
}

// Prune deletes at most limit records that have expired, through an index, and
// returns how many (C13). A limit of 0 or less deletes nothing.
func (s *Store) Prune(ctx context.Context, limit int) (n int, err error) {
	level := s.records.dialect.pruneIn
	if level == nil {
		return s.Records.Prune(ctx, limit)
	}
	err = s.records.repeat(ctx, func() error {
		n, err = s.pruneIn(ctx, level, limit)
		return err
	})
	return n, err
}

// pruneIn prunes in a transaction of a level of its own.
func (s *Store) pruneIn(ctx context.Context, level *sql.TxOptions, limit int) (int, error) {
	tx, err := s.db.BeginTx(ctx, level)
	if err != nil {
		return 0, s.records.fault(ctx, "prune", err)
	}
	defer tx.Rollback()
	n, err := s.records.prune(ctx, DB(tx), limit)
	if err != nil {
		return 0, err
	}
	if err := tx.Commit(); err != nil {
		return 0, s.records.fault(ctx, "prune", err)
	}
	return n, nil
}
