// Package sqlstore keeps idempotency records, tokens and locks in an SQL
// database, through database/sql and without importing a driver.
//
// The flow of a guarded call in transaction mode (TxStore.InTx):
//
//	begin
//	claim      one INSERT … ON CONFLICT … RETURNING: fresh, or another's record stands there
//	body       guard and business method, only if the claim is fresh
//	complete   one UPDATE that compares owner and fence
//	commit
//
// All of it commits together or not at all. TxStore.Join does the same inside a
// caller's transaction, between a savepoint and its release. In lease mode
// (Store as idem.RecordStore) claim and complete are single statements of their
// own, with a lease in between.
//
// Databases differ in a table of dialects (dialect.go; postgres.go, mysql.go),
// statements are texts with named parameters that are compiled once per store
// (sqltext.go), and what an error means is a table, too (classify.go,
// violation.go). A transaction kind of another library plugs in with two
// functions (NewTx).
//
// Who is first is decided by the database alone; a loser is told what stands
// there (take.go). Transactions of this process that hold a key are known to
// their store besides (flight.go), so that a duplicate is answered at once, or
// waits as long as its claim says, without a connection. A duplicate in another
// process meets the database:
//
//   - Postgres: the claim tries a lock of the key that the winner's transaction
//     holds, and is told at once that it is taken.
//   - MariaDB: the claim does not wait for the winner's row. MySQL can't be told
//     so by a statement: there it waits, at most innodb_lock_wait_timeout.
//   - SQLite: the file lock, bounded by the driver's busy timeout.
//
// Where it is told at once and the claim wants to wait, it is made again, by
// the core in a new transaction or by Join in the caller's, until it has its
// answer or the time is up. No connection blocks on another one.
//
// Tokens (NewTokens) and locks (NewLocks) are rows of tables beside the records.
// Each step is one statement that commits by itself: whoever changes the row has
// the token or the lock, with a fence that only grows (fenced.go). A lock also
// looks at the record of its key while it is acquired:
//
//	acquire    one INSERT … ON CONFLICT: ours, busy, or needless because the record is completed
//	body       holds no connection
//	release    one UPDATE that compares owner and fence
//
// The tables are versioned, each by itself: Migrate and Schema make all of them,
// or those that WithParts names (schema.go).
//
// # Sessions
//
// A pool hands a session on as the last one left it, and the stores take it as it is:
// levels of isolation, time zones, time-outs and SQL modes may be any. Three things a
// program must not do to a session that stays in the pool: end autocommit (autocommit=0
// or completion_type=CHAIN on MySQL, in a source name either), since a claim, token or
// lock is committed by its statement alone; point the search path at a schema without
// the tables (SET LOCAL ends with the transaction); and free statements that it did not
// prepare (DEALLOCATE ALL, DISCARD ALL).
//
// # Transactions of other libraries
//
// NewTx makes a store from two functions. begin makes one attempt at a
// transaction around a body, use finds in a transaction what runs statements:
//
//	store := sqlstore.NewTx(idem.Postgres, begin, use)
//
// gorm, where T is *gorm.DB:
//
//	begin := func(ctx context.Context, body func(context.Context, *gorm.DB) error) error {
//		return db.WithContext(ctx).Transaction(func(tx *gorm.DB) error { return body(ctx, tx) })
//	}
//	use := func(_ context.Context, tx *gorm.DB) idem.DB { return sqlstore.DB(tx.Statement.ConnPool) }
//
// sqlx, where T is *sqlx.Tx:
//
//	begin := func(ctx context.Context, body func(context.Context, *sqlx.Tx) error) error {
//		tx, err := db.BeginTxx(ctx, nil)
//		if err != nil {
//			return err
//		}
//		defer tx.Rollback() // after a commit it does nothing
//		if err := body(ctx, tx); err != nil {
//			return err
//		}
//		return tx.Commit()
//	}
//	use := func(_ context.Context, tx *sqlx.Tx) idem.DB { return sqlstore.DB(tx) }
//
// bun, where T is bun.Tx. The *sql.Tx inside it takes values as they are; bun's
// own methods would write them into the text:
//
//	begin := func(ctx context.Context, body func(context.Context, bun.Tx) error) error {
//		return db.RunInTx(ctx, nil, body)
//	}
//	use := func(_ context.Context, tx bun.Tx) idem.DB { return sqlstore.DB(tx.Tx) }
//
// ent, where T is the dialect.Tx of the driver that its client was made with:
//
//	begin := func(ctx context.Context, body func(context.Context, dialect.Tx) error) error {
//		tx, err := driver.Tx(ctx)
//		if err != nil {
//			return err
//		}
//		defer tx.Rollback() // after a commit it does nothing
//		if err := body(ctx, tx); err != nil {
//			return err
//		}
//		return tx.Commit()
//	}
//	use := func(_ context.Context, tx dialect.Tx) idem.DB { return sqlstore.DB(tx.(*entsql.Tx)) }
//
// A transaction that travels in the context, where T is struct{}:
//
//	begin := func(ctx context.Context, body func(context.Context, struct{}) error) error {
//		tx, err := db.BeginTx(ctx, nil)
//		if err != nil {
//			return err
//		}
//		defer tx.Rollback() // after a commit it does nothing
//		if err := body(context.WithValue(ctx, txInContext{}, tx), struct{}{}); err != nil {
//			return err
//		}
//		return tx.Commit()
//	}
//	use := func(ctx context.Context, _ struct{}) idem.DB { return sqlstore.DB(ctx.Value(txInContext{}).(*sql.Tx)) }
//
// A unit of work of one's own making that says BEGIN and COMMIT by itself: on
// SQLite it says BEGIN IMMEDIATE, and on Postgres it runs a statement before
// COMMIT (SELECT 1 will do), since a transaction in which a statement has failed
// is rolled back there without an error. pgx has a package of its own, pgxstore,
// which needs fewer round trips.
//
// Give such a store WithAutocommit, where there is a handle for it: Keep and
// Lookup need no transaction then.
package sqlstore
