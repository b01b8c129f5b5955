package idem

import "context"

// Atomic is a DB that is not in a transaction yet and can begin one, as a pool of
// connections can. Guards ask it to where they need several statements; a DB that
// is not Atomic is taken for a transaction.
type Atomic interface {
	DB
	// Atomically runs body in a transaction: it commits when body returns nil, and
	// rolls back and returns the error of body as it is when it returns one. It may
	// run body again in a new transaction after a deadlock, a serialization failure
	// or a busy error (T3); ErrRetryTransaction when that did not help,
	// ErrCommitUnknown when the reply of COMMIT was lost.
	Atomically(ctx context.Context, body func(ctx context.Context, db DB) error) error
}

// atomically runs several statements as one transaction.
func atomically(ctx context.Context, db DB, body func(ctx context.Context, db DB) error) error {
	if a, can := db.(Atomic); can {
		return a.Atomically(ctx, body)
	}
	return body(ctx, db)
}
