// Package pgxstore keeps idempotency records in Postgres through a pool of pgx,
// and lets claim and outcome travel with BEGIN and COMMIT, so that a guarded
// transaction makes no round trip more than the bare one.
//
// The flow of a guarded call in transaction mode (Store.InTx):
//
//	begin, claim       one round trip
//	body               guard and business method, only if the claim is fresh
//	outcome, commit    one round trip
//
// What travels together is decided step by step by the server: the claim is
// answered before the body runs, and an outcome that finds no claim to belong to
// fails, so that the COMMIT behind it is not carried out. A duplicate reads the
// record and rolls back in one round trip.
//
// In a caller's transaction (Store.Join) savepoint and claim, outcome and release
// travel together. In lease mode (Store as idem.RecordStore) each operation is
// one statement in autocommit.
//
// Round trips, of a connection that has prepared its statements:
//
//	the bare transaction, one business statement    3
//	fresh call                                      3
//	duplicate, done or running in another process   2
//	duplicate, running in this process              0
//	failed call                                     3
//	joined call, one business statement             3
//	joined duplicate                                2
//	once event without a body: fresh, duplicate     1, 2
//	lease mode: claim, renew, complete, release     1
//	lease mode: duplicate                           2
//	look-up, kept error, prune                      1
//
// The first call on a new connection makes one more for each trip that has
// something to prepare. pgx's modes without prepared statements (exec, simple
// protocol), which a pooler such as PgBouncer may need, cost the same; the one
// that describes each statement anew (describe exec) makes two trips of each that
// carries the store's statements. Pipelining saves waiting, not work: with a
// database on the same machine and all processors busy there is little to gain.
//
// Use it where the business method takes a pgx.Tx, or where the round trip to the
// database is what a call waits for. A service on database/sql, also with pgx
// behind it, uses package sqlstore. Both keep the same records in the same table
// with the same locks, so that one service may use them side by side, each for
// its own methods, and change from one to the other at any time. A pgx.Tx that
// comes from elsewhere than a pool plugs into sqlstore.NewTx with two functions,
// see the example of DB.
//
// A body gets a pgx.Tx that can do everything but end: that is the store's. Its
// Commit and Rollback say so, and the transaction rolls back.
//
// Durations are Go's; the table holds whole microseconds by the server's clock.
// Errors are those of idem.RecordStore and idem.TxStore, and those of the
// database as *pgconn.PgError inside them.
package pgxstore
