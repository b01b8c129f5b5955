package idem

import "context"

// EventStore is a TxStore that can run a once event in one statement of its own:
// the guarded update, the record, the history. FireOnce asks for it; a store
// without it, and one that answers OnceUndecided, takes the transaction form.
type EventStore interface {
	// FireOnce runs the statement outside any transaction. It is only called on
	// Postgres. Errors are those of RecordStore, and the driver's own.
	FireOnce(ctx context.Context, c OnceCall) (OnceFired, error)
}

// OnceCall is what an EventStore is asked.
type OnceCall struct {
	Claim Claim
	SQL   *OnceSQL
	Args  []any // of SQL
	// Versioned tells that the statement returns the new version, too.
	Versioned bool
	// Codec and Result are what the record keeps: Result is an expression of
	// Postgres over idem_u that makes the bytes.
	Codec, Result string
}

// OnceStatus is an EventStore's answer.
type OnceStatus uint8

// Once statuses. The zero value is none of them.
const (
	// OnceApplied: the row was changed, and the record is stored.
	OnceApplied OnceStatus = iota + 1
	// OnceNothing: no row was changed: there is a live record, or the event does
	// not apply.
	OnceNothing
	// OnceUndecided: another call came in between, an expired record is in the
	// way, or the reply was lost: a transaction decides.
	OnceUndecided
)

// OnceFired is what an EventStore did.
type OnceFired struct {
	Status  OnceStatus
	Edge    int64  // number of the edge, from 1, when applied
	Version *int64 // the row's new version, nil for none
}
