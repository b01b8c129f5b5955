package idem

import (
	"context"
	"time"
)

// LockRequest is what a locker is asked: make the lock of Key ours. Repeated with
// the same Owner while it holds the lock it gets the same answer (C16).
type LockRequest struct {
	Key   Key
	Owner Owner
	// TTL is how long the lock is held without a renewal, at least a millisecond.
	TTL time.Duration
	// Check also looks, in the same step, for a completed record of the same Key,
	// where the locker has records beside its locks. When there is one nothing is
	// acquired, held or not: both checks around the lock are one (L3). A locker
	// without records ignores it; LockFound.Checked tells.
	Check bool
}

// LockStatus is a locker's answer to a request.
type LockStatus uint8

// Lock statuses. The zero value is none of them.
const (
	// LockAcquired: the lock is ours, by this request or by an earlier one of the
	// same owner, whose expiry it doesn't change.
	LockAcquired LockStatus = iota + 1
	// LockBusy: another owner holds it.
	LockBusy
	// LockNeedless: Check found a completed record; nothing was acquired.
	LockNeedless
	lockStatuses
)

// String returns the status in lower case.
func (s LockStatus) String() string {
	if s < lockStatuses {
		return lockStatusNames[s]
	}
	return lockStatusNames[0]
}

var lockStatusNames = [lockStatuses]string{"invalid", "acquired", "busy", "needless"}

// LockFound is what a locker found.
type LockFound struct {
	Status LockStatus
	// Fence of an acquired lock is larger than that of every acquisition of this key
	// before: the larger of the previous one + 1 and the locker's clock in
	// microseconds, so that it grows even when the locker forgot (L2).
	Fence int64
	// Left is how long the lock is still held by the locker's clock: ours, or the
	// other owner's when Busy.
	Left time.Duration
	// Checked tells that Check was done; Record is the completed one when Needless.
	Checked bool
	Record  Record
}

// Locker keeps distributed locks that end by themselves. A lock makes work rare; it
// never makes it safe alone: the holder may be slower than its TTL, so the write
// inside still needs a guard, to which the fence can be given.
//
// Each method is one atomic statement or script and compares the whole owner value
// (L1). Implementations are safe for concurrent use and decide expiry by their own
// clock alone (C8).
//
// Errors: a locker that can't be reached wraps ErrStoreUnavailable; a lock that has
// expired, even when nobody else took it since, or that is another's is ErrLockLost,
// and nothing is changed or freed.
type Locker interface {
	// Acquire makes the lock ours or tells that another holds it. It never blocks on
	// another owner: the core waits.
	Acquire(ctx context.Context, r LockRequest) (LockFound, error)
	// Renew sets the lock to end ttl from now. It never re-creates one.
	Renew(ctx context.Context, h Hold, ttl time.Duration) error
	// Release frees the lock. Repeated with the same hold it succeeds again, also
	// after the next owner acquired the lock, which stays that owner's (C16). Fence 0
	// compares the owner alone: to clean up after an Acquire whose reply was lost (L5).
	Release(ctx context.Context, h Hold) error
}
