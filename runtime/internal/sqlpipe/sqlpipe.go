// Package sqlpipe is what sqlstore and a driver that sends several statements
// in one round trip say to each other. sqlstore keeps the order of things and
// their meaning: who may claim, what a loser is told, what an error means. The
// driver decides what travels together:
//
//	begin, claim                a whole transaction (Driver.Whole)
//	read of a loser, rollback
//	outcome, commit
//
//	savepoint, claim            a part of a caller's (Driver.Point)
//	read of a loser, release
//	outcome, release
package sqlpipe

import (
	"context"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Driver is a kind of transactions of type T. All functions are required, and
// are safe for concurrent use on different transactions.
type Driver[T any] struct {
	// Begin makes one attempt at a transaction around body; see sqlstore.BeginFunc.
	Begin func(ctx context.Context, body func(ctx context.Context, tx T) error) error
	// BeginLate does the same for a body that talks to Whole's part first: BEGIN
	// may wait for the first statement there. Its commit carries what was held
	// back for the end.
	BeginLate func(ctx context.Context, body func(ctx context.Context, tx T) error) error
	// Use adapts a transaction for guards.
	Use func(ctx context.Context, tx T) idem.DB
	// Whole is the store's handle on a transaction of BeginLate.
	Whole func(tx T) Part
	// Point is the store's handle on a new part of any transaction, between a
	// savepoint and its release.
	Point func(tx T) Part
	// Auto runs statements outside any transaction.
	Auto idem.DB
}

// Part is a transaction, or the part of one behind a savepoint, whose first
// and last statement travel with those between them. Statements open the part
// if it isn't. It is one goroutine's.
type Part interface {
	idem.DB
	// Open opens the part by itself, unless it is open.
	Open(ctx context.Context) error
	// QueryLast is Query where nothing has been written that is to stay: the end of
	// the part goes with the statement, and the next statement opens it again.
	QueryLast(ctx context.Context, query string, args ...any) (idem.Rows, error)
	// Later holds a statement back for the end of the part. If the database refuses
	// it the part isn't kept, and Keep, or BeginLate, returns what explain makes of
	// its error.
	Later(query string, args []any, explain func(err error) error)
	// Keep ends the part and keeps what was done in it. A whole transaction's is
	// BeginLate's.
	Keep(ctx context.Context) error
	// Undo ends the part, and nothing stays of it. A whole transaction's is
	// BeginLate's. A part that isn't open needs nothing.
	Undo(ctx context.Context) error
}
