// Package sqlstore keeps idempotency records in an SQL database, through
// database/sql and without importing a driver.
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
// Transactions of other libraries, in their two functions:
//
//	gorm     begin: db.WithContext(ctx).Transaction(func(tx *gorm.DB) error { return body(ctx, tx) })
//	         use:   sqlstore.DB(tx.Statement.ConnPool)
//	sqlx     begin: db.BeginTxx, body, tx.Commit or tx.Rollback
//	         use:   sqlstore.DB(tx)
//	bun      begin: db.RunInTx(ctx, nil, body)
//	         use:   sqlstore.DB(tx.Tx) // bun's own methods would write the values into the text
//	context  T is struct{}; use finds the transaction in its context
package sqlstore
