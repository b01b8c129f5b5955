package idem

import (
	"errors"
	"time"
)

// Sentinels of guarded calls. StatusOf tells what each means to a caller.
var (
	ErrMissingKey   = errors.New("idem: missing key")
	ErrMissingScope = errors.New("idem: missing scope")
	// ErrInProgress: another call for this key is running; *InProgressError says when to try again.
	ErrInProgress = errors.New("idem: in progress")
	// ErrKeyReused: the key was used with another payload.
	ErrKeyReused = errors.New("idem: key reused with another payload")
	// ErrLeaseLost: the claim is not this owner's any more.
	ErrLeaseLost = errors.New("idem: lease lost")
	// ErrOutcomeUnknown: the first owner vanished and the record is held until Resolve.
	ErrOutcomeUnknown = errors.New("idem: outcome unknown")
	// ErrResultTooLarge: done, but the result was too large to keep.
	ErrResultTooLarge = errors.New("idem: done, but the result was too large to keep")
	// ErrResultUnreadable: done, but the stored result can't be decoded.
	ErrResultUnreadable = errors.New("idem: done, but the stored result is unreadable")
	// ErrStoreUnavailable: the store can't be reached; the method did not run.
	ErrStoreUnavailable = errors.New("idem: store unavailable")
	// ErrRetryTransaction: the transaction hit a deadlock, a serialization
	// failure or a busy database; run it again from its beginning.
	ErrRetryTransaction = errors.New("idem: transaction must be retried")
	// ErrCommitUnknown: the reply of COMMIT was lost and the store could not be
	// asked. Calling again with the same key is safe.
	ErrCommitUnknown = errors.New("idem: commit outcome unknown")
	// ErrConflict: the row has another version than expected.
	ErrConflict = errors.New("idem: version conflict")
	// ErrNotHeld: Resolve found no held record.
	ErrNotHeld = errors.New("idem: record is not held")
	// ErrInvalidOp: an Op that the generator would have refused.
	ErrInvalidOp = errors.New("idem: invalid operation")
	// ErrUnhashable: a value that has no canonical form; *ValueError says where.
	ErrUnhashable = errors.New("idem: value has no canonical form")
	// ErrNoTransaction: AfterCommit outside a transaction that a wrapper began.
	ErrNoTransaction = errors.New("idem: no transaction of a wrapper in the context")
	// ErrInsideTransaction: a call in lease mode, or under a token or a lock, inside an
	// open transaction of its store. Its claim would wait for a connection that the
	// transaction holds, and what it settles would not share the transaction's fate.
	ErrInsideTransaction = errors.New("idem: can't run inside a transaction of the same store")
)

// Sentinels of state machines; *TransitionError is found by all but the last.
var (
	ErrTransition          = errors.New("idem: transition not applied")
	ErrDuplicateTransition = errors.New("idem: duplicate transition")
	ErrSuperseded          = errors.New("idem: superseded transition")
	ErrIllegalTransition   = errors.New("idem: illegal transition")
	ErrGuardFailed         = errors.New("idem: guard failed")
	ErrNotFound            = errors.New("idem: not found")
	ErrTransitionConflict  = errors.New("idem: transition conflict")
	// ErrUnknownState: NULL or a value that no state has (*UnknownStateError).
	ErrUnknownState = errors.New("idem: unknown state")
)

// Sentinels of tokens and locks.
var (
	ErrTokenMissing  = errors.New("idem: missing token")
	ErrTokenUsed     = errors.New("idem: token used")
	ErrTokenExpired  = errors.New("idem: token expired")
	ErrTokenUnknown  = errors.New("idem: token unknown")
	ErrTokenMismatch = errors.New("idem: token bound to another presenter")
	ErrLockHeld      = errors.New("idem: lock held")
	ErrLockLost      = errors.New("idem: lock lost")
)

// KeyError is a key part that is empty or missing (K4). It unwraps to
// ErrMissingKey, or to the error that making the part gave.
type KeyError struct {
	Op   string
	Part string // the expression as written
	Err  error
}

// Error names operation and part.
func (e *KeyError) Error() string { return e.Err.Error() + ": " + e.Part + " of " + e.Op }

// Unwrap returns Err.
func (e *KeyError) Unwrap() error { return e.Err }

// InProgressError is a call that met a running one. It unwraps to ErrInProgress.
type InProgressError struct {
	Op string
	// RetryAfter is when another try makes sense: the rest of the owner's lease,
	// at most a second.
	RetryAfter time.Duration
}

// Error names the operation.
func (e *InProgressError) Error() string { return ErrInProgress.Error() + ": " + e.Op }

// Unwrap returns ErrInProgress.
func (e *InProgressError) Unwrap() error { return ErrInProgress }

// ReplayedError is a stored error, replayed. It unwraps to the sentinels that
// the first error had, as far as operation and engine know them.
type ReplayedError struct {
	Text  string // of the first error
	errs  []error
	final bool // the first error was marked by Final
}

// Error returns the text of the first error.
func (e *ReplayedError) Error() string { return e.Text }

// Unwrap returns the sentinels.
func (e *ReplayedError) Unwrap() []error { return e.errs }

// Final marks an error as the call's outcome: it is stored and replayed (C12).
// Final(nil) is nil. Of several marks that are joined it decides, of nested ones the
// outermost. In transaction mode the transaction is rolled back first.
func Final(err error) error {
	if err == nil {
		return nil
	}
	return &markedError{err: err, final: true}
}

// Retryable marks an error after which a retry must run the method: the claim
// is released, whatever the error wraps (C12). Retryable(nil) is nil.
func Retryable(err error) error {
	if err == nil {
		return nil
	}
	return &markedError{err: err}
}

type markedError struct {
	err   error
	final bool
}

func (e *markedError) Error() string { return e.err.Error() }
func (e *markedError) Unwrap() error { return e.err }

// AlreadyApplied tells that an event was applied before: Duplicate or Superseded (S2).
func AlreadyApplied(err error) bool {
	return errors.Is(err, ErrDuplicateTransition) || errors.Is(err, ErrSuperseded)
}
