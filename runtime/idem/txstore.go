package idem

import "context"

// TxStore keeps idempotency records in the business database, in the business
// transaction. T is the transaction's type (*sql.Tx, pgx.Tx, *gorm.DB, or
// struct{} when it travels in the context). Implementations are pointers: a
// transaction is remembered in the context under its store (T9). They are safe
// for concurrent use.
//
// Errors, besides those of RecordStore: deadlocks, serialization failures and
// busy errors wrap ErrRetryTransaction (T3); a COMMIT whose reply was lost wraps
// ErrCommitUnknown (T8); a COMMIT that failed or was answered by ROLLBACK is an
// error (T5). An error of the body is returned so that errors.Is and errors.As
// find it.
type TxStore[T any] interface {
	// InTx makes one attempt at the whole transaction: begin, claim, run body if
	// the claim is Fresh, store its outcome, commit. For any other status body
	// does not run and the transaction ends without a trace. When body fails,
	// panics or calls runtime.Goexit everything is rolled back, on a context
	// that the caller's cancellation does not reach.
	InTx(ctx context.Context, c Claim, body func(ctx context.Context, tx T) (Outcome, error)) (Found, error)
	// Join does the same inside a transaction of the caller's, under a savepoint:
	// no begin, no commit; on an error nothing of claim, guard or body stays, and
	// the transaction is still usable (T2).
	Join(ctx context.Context, tx T, c Claim, body func(ctx context.Context, tx T) (Outcome, error)) (Found, error)
	// Begin makes one attempt at a plain transaction around body.
	Begin(ctx context.Context, body func(ctx context.Context, tx T) error) error
	// Keep stores an outcome for a claim in a transaction of its own, after the
	// claim's transaction was rolled back (C12). Fresh: stored, or already
	// stored by the same owner. Otherwise a winner's record stands there and is
	// returned.
	Keep(ctx context.Context, c Claim, o Outcome) (Found, error)
	// Lookup tells what stands committed under a key: Running, Done, Held or Absent.
	Lookup(ctx context.Context, k Key) (Found, error)
	// Use adapts a transaction to the tiny interface that guards need.
	Use(ctx context.Context, tx T) DB
	// Dialect is the SQL dialect of the database.
	Dialect() Dialect
}

// DB is all that a guard needs of a connection or transaction.
type DB interface {
	Exec(ctx context.Context, query string, args ...any) (Result, error)
	Query(ctx context.Context, query string, args ...any) (Rows, error)
}

// Result is the answer to Exec; database/sql's Result is one.
type Result interface {
	RowsAffected() (int64, error)
	LastInsertId() (int64, error)
}

// Rows is the answer to Query; *sql.Rows is one.
type Rows interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
	Close() error
}

// Dialect is one of the SQL dialects that generated guards speak.
type Dialect uint8

// Dialects. The zero value is none of them.
const (
	SQLite   Dialect = iota + 1
	Postgres         // PostgreSQL 12 or later
	MySQL            // MySQL 8 and MariaDB 10.5 or later
)

// String returns the dialect's name in lower case.
func (d Dialect) String() string {
	if int(d) < len(dialectNames) {
		return dialectNames[d]
	}
	return dialectNames[0]
}

var dialectNames = [...]string{"invalid", "sqlite", "postgres", "mysql"}

// SQL is one statement in every dialect.
type SQL struct {
	SQLite   string
	Postgres string
	MySQL    string
}

// For returns the statement of a dialect, "" for an unknown one.
func (s *SQL) For(d Dialect) string {
	switch d {
	case SQLite:
		return s.SQLite
	case Postgres:
		return s.Postgres
	case MySQL:
		return s.MySQL
	}
	return ""
}
