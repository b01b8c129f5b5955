package idem

import (
	"fmt"
	"time"
)

// Never is the retention of a record that does not expire (ttl=never).
const Never time.Duration = -1

// Defaults of an Op's zero fields.
const (
	DefaultTTL   = 24 * time.Hour
	DefaultLease = 30 * time.Second
)

// Orphan says what the next call meets when an owner vanished with the outcome
// unknown (C17). It is stored in the record.
type Orphan uint8

// Orphan policies. The numbers are stored.
const (
	OrphanNone  Orphan = iota // transaction mode: there are no orphans
	OrphanRerun               // the next call takes over after the lease
	OrphanHold                // ErrOutcomeUnknown until Resolve is called
)

// ErrorAction says what an error of the method does to its claim (C12).
type ErrorAction uint8

// Error actions. The zero value is ReleaseError.
const (
	ReleaseError ErrorAction = iota // the claim is released, a retry runs the method
	StoreError                      // the error is the outcome: stored and replayed
	UnknownError                    // the claim stays and the orphan policy decides
)

// ErrorRule is one element of errors=: what Err, found by errors.Is, does.
type ErrorRule struct {
	Name string // stable name of the sentinel, stored in the record
	Err  error
	Do   ErrorAction
}

// Sentinel is a named error that a replayed error unwraps to. Names are stored:
// renaming one makes older records replay with their text only.
type Sentinel struct {
	Name string
	Err  error
}

// Op describes one guarded operation: a constant of the generated code, read
// only and safe for concurrent use.
type Op struct {
	// Name is the operation, unique in a program (K3).
	Name string
	// Key holds the key expressions as written, for error messages.
	Key []string
	// TTL is the retention of completed records; 0 = DefaultTTL, Never = for ever.
	TTL time.Duration
	// Lease is how long a claim lives without renewal (lease mode); 0 = DefaultLease.
	Lease time.Duration
	// Wait bounds how long a duplicate waits for a running first call; 0 = not at all.
	Wait time.Duration
	// Orphan is required in lease mode and OrphanNone in transaction mode.
	Orphan Orphan
	// Errors are tried in order before the defaults of C12.
	Errors []ErrorRule
	// Sentinels are errors that a stored error may unwrap to on replay.
	Sentinels []Sentinel
	// MaxResult is the largest encoded result that is kept, in bytes; 0 = the engine's.
	MaxResult int64
	// NoResult: the result is not stored; a duplicate gets look-up's answer or zero values.
	NoResult bool
	// Codec encodes the result; nil = the engine's.
	Codec Codec
	// FailOpen runs the method when the store can't be reached (onoutage=open, lease mode).
	FailOpen bool
}

// retention returns TTL with its default.
func (o *Op) retention() time.Duration {
	if o.TTL == 0 {
		return DefaultTTL
	}
	return o.TTL
}

// lease returns Lease with its default.
func (o *Op) lease() time.Duration {
	if o.Lease == 0 {
		return DefaultLease
	}
	return o.Lease
}

// Validate tells what is wrong with an Op that is claimed by lease, or in a transaction:
// ErrInvalidOp, as every call of it would. Nil for nothing.
func (o *Op) Validate(byLease bool) error { return o.check(byLease) }

// check refuses an Op that no generator would have written (C2, C17). It costs
// a few comparisons.
func (o *Op) check(leaseMode bool) error {
	const least = time.Millisecond
	switch {
	case o.Name == "":
		return fmt.Errorf("%w: no name", ErrInvalidOp)
	case o.TTL != 0 && o.TTL != Never && o.TTL < least:
		return fmt.Errorf("%w: %s: retention %v", ErrInvalidOp, o.Name, o.TTL)
	case o.Wait < 0:
		return fmt.Errorf("%w: %s: wait %v", ErrInvalidOp, o.Name, o.Wait)
	case leaseMode && o.Lease != 0 && o.Lease < least:
		return fmt.Errorf("%w: %s: lease %v", ErrInvalidOp, o.Name, o.Lease)
	case leaseMode && o.Orphan != OrphanRerun && o.Orphan != OrphanHold:
		return fmt.Errorf("%w: %s: lease mode needs an orphan policy", ErrInvalidOp, o.Name)
	case !leaseMode && o.Orphan != OrphanNone:
		return fmt.Errorf("%w: %s: an orphan policy in transaction mode", ErrInvalidOp, o.Name)
	}
	return nil
}
