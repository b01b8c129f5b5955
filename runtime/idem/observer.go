package idem

import (
	"context"
	"time"
)

// Observer hears what guarded calls do. It is called on the caller's goroutine,
// on a heartbeat's for EventRenewFailed and EventLeaseLost, on one of its own for
// EventPruned, must be quick and is safe for concurrent use. It is called when what it
// hears of is settled: a panic of its own passes through, but loses no outcome and no
// hook (C5, T5). That on a heartbeat is raised when the call settles (ObserverPanic);
// that of EventPruned, which has no caller, is logged by slog.Default.
type Observer interface {
	Observe(ctx context.Context, e Event)
}

// Event is one thing that happened. It carries no result and no token.
type Event struct {
	Kind EventKind
	Op   string // operation; "" for a transaction without one
	Key  Key    // zero for a transaction without an operation
	// Err is what went wrong, or the error of the method, or nil.
	Err error
	// Attempt counts from 1 in EventTxRetry.
	Attempt int
	// Elapsed is how long the method ran, in EventExecuted, EventFailed,
	// EventReleased, EventUnknown and EventCompleteFailed.
	Elapsed time.Duration
	// Pruned is how many entries were removed in EventPruned.
	Pruned int
}

// EventKind is one of a closed set.
type EventKind uint8

// Event kinds. The zero value is none of them.
const (
	EventExecuted       EventKind = iota + 1 // the method succeeded and its result is stored
	EventFailed                              // the method's error is stored as the outcome
	EventReleased                            // the method failed and its claim is released or rolled back
	EventUnknown                             // the method's outcome is unknown, its claim stays
	EventReplayed                            // a duplicate got the stored result or error
	EventLookedUp                            // a duplicate was answered by the look-up
	EventInProgress                          // a duplicate met a running call
	EventKeyReused                           // the key came with another payload
	EventOtherVersion                        // fingerprints of two versions were not compared
	EventHeld                                // a call met a held record
	EventOversize                            // the result was too large to keep
	EventUnreadable                          // a result could not be encoded or decoded
	EventRenewFailed                         // one renewal failed, the lease still stands
	EventLeaseLost                           // the claim is not this call's any more
	EventCompleteFailed                      // the method ran, but its outcome could not be stored
	EventReleaseFailed                       // the claim could not be released
	EventUnavailable                         // the store failed and nothing took effect
	EventFailedOpen                          // the store can't be reached and the method ran unguarded
	EventTxRetry                             // the transaction is run again
	EventCommitUnknown                       // the reply of COMMIT was lost
	EventCommitFound                         // and the commit had succeeded
	EventTokenUnsettled                      // a used token could not be finished, given back or burned
	EventLockLost                            // the lock is not this call's any more
	EventPruned                              // a store was pruned by the way; without an operation
	eventKinds
)

// String returns the kind in snake case; it is stable.
func (k EventKind) String() string {
	if k < eventKinds {
		return eventNames[k]
	}
	return eventNames[0]
}

var eventNames = [eventKinds]string{
	"invalid", "executed", "failed", "released", "unknown", "replayed", "looked_up", "in_progress",
	"key_reused", "other_version", "held", "oversize", "unreadable", "renew_failed", "lease_lost",
	"complete_failed", "release_failed", "unavailable", "failed_open", "tx_retry", "commit_unknown", "commit_found",
	"token_unsettled", "lock_lost", "pruned",
}

// observe tells the engine's observer, if there is one; not of the zero Event. An
// observer may panic: what must happen stands before it or is deferred.
func (c *Call) observe(ctx context.Context, e Event) {
	if c.engine.observer == nil || e.Kind == 0 {
		return
	}
	e.Op, e.Key = c.op.Name, c.key
	c.engine.observer.Observe(ctx, e)
}
