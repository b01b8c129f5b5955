package idem

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Lease is a claim that this call owns in lease mode. A heartbeat renews it until
// Settle is called, which must happen on every path: calling Settle again, or
// from a deferred function after it was called, does nothing. It is safe for
// concurrent use.
type Lease struct {
	call    Call
	store   RecordStore // nil: the method runs unguarded (C15)
	hold    Hold
	lease   time.Duration
	started time.Time
	parent  context.Context // the caller's
	ctx     context.Context // the method's
	cancel  context.CancelCauseFunc

	mu      sync.Mutex
	settled bool
	lost    bool
	timer   *time.Timer
	renewal chan struct{}      // closed when the renewal under way has ended
	stop    context.CancelFunc // ends the renewal under way
	expires time.Time          // when the lease runs out at the earliest, by our clock
	notes   []Event            // of the settling, told when it is over
	raised  raised             // by the observer of a heartbeat
}

// newLease starts the heartbeat of a fresh claim that was asked for at a time.
func newLease(ctx context.Context, store RecordStore, call *Call, c *Claim, fence int64, asked time.Time) *Lease {
	l := openLease(ctx, call)
	l.store = store
	l.hold = Hold{Key: c.Key, Owner: c.Owner, Fence: fence}
	l.lease = c.Lease
	l.expires = asked.Add(c.Lease)
	l.mu.Lock()
	l.timer = time.AfterFunc(l.interval(), l.beat)
	l.mu.Unlock()
	return l
}

// openLease makes a Lease without a claim.
func openLease(ctx context.Context, call *Call) *Lease {
	l := &Lease{call: *call, parent: ctx, started: time.Now()}
	l.ctx, l.cancel = context.WithCancelCause(ctx)
	return l
}

// Context is the context for the method: it ends with the caller's, and with the
// cause ErrLeaseLost when the lease is lost (C4).
func (l *Lease) Context() context.Context { return l.ctx }

// Detach makes the lease's context outlive the caller's, whose values it keeps: it
// ends when the lease is lost, or settled. It is for callers whose patience counts
// until the claim is theirs and no longer, and is called once, before Context.
func (l *Lease) Detach() context.Context {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(l.parent))
	l.mu.Lock()
	attached, lost := l.cancel, l.lost
	l.ctx, l.cancel = ctx, cancel
	l.mu.Unlock()
	attached(nil)
	if lost {
		cancel(ErrLeaseLost)
	}
	return ctx
}

// Hold names the claim; its zero value when the method runs unguarded.
func (l *Lease) Hold() Hold { return l.hold }

// Lost tells whether the lease is known to be lost.
func (l *Lease) Lost() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost
}

// interval is the time between renewals: two may fail before the lease ends.
func (l *Lease) interval() time.Duration { return l.lease / 3 }

// beat renews once and sets the timer for the next time.
func (l *Lease) beat() {
	l.mu.Lock()
	if l.settled {
		l.mu.Unlock()
		return
	}
	expires := l.expires
	ctx, cancel := context.WithDeadline(context.WithoutCancel(l.parent), expires)
	defer cancel()
	ended := make(chan struct{})
	l.renewal, l.stop = ended, cancel
	l.mu.Unlock()

	asked := time.Now()
	err := l.store.Renew(ctx, l.hold, l.lease)

	l.mu.Lock()
	l.renewal, l.stop = nil, nil
	close(ended)
	if l.settled {
		l.mu.Unlock()
		return
	}
	kind := EventRenewFailed
	switch left := time.Until(expires); {
	case err == nil:
		l.expires = asked.Add(l.lease)
		l.timer.Reset(l.interval())
		kind = 0
	case left <= 0 || errors.Is(err, ErrLeaseLost):
		l.lost = true
		kind = EventLeaseLost
	default: // one failed renewal is survived
		l.timer.Reset(min(left, max(l.interval()/3, time.Millisecond)))
	}
	end := l.cancel
	l.mu.Unlock()
	if kind == EventLeaseLost {
		end(ErrLeaseLost)
	}
	if kind != 0 {
		l.raised.observe(l.parent, &l.call, Event{Kind: kind, Err: err})
	}
}

// Settling is what becomes of a claim when its call ends.
type Settling uint8

// Settlings. The zero value is none of them.
const (
	SettleComplete Settling = iota + 1 // store the outcome
	SettleRelease                      // a retry runs the method
	SettleUnknown                      // the claim stays and the orphan policy decides
)

// Settle ends the claim on a context that the caller's cancellation does not
// reach (C5): it stops the heartbeat and completes, releases or leaves the
// record. A renewal under way is cancelled and costs no time of the settling. The
// observer hears of it when all is done, so that its panic loses nothing; one on a
// heartbeat is raised here, as an *ObserverPanic. Outcome counts for SettleComplete alone. Errors: ErrLeaseLost, when the claim was not
// this call's any more and nothing was changed; otherwise the store's: then the
// claim stays until its lease ends (C6).
func (l *Lease) Settle(how Settling, o Outcome) error {
	l.mu.Lock()
	if l.settled {
		l.mu.Unlock()
		return nil
	}
	l.settled = true
	l.mu.Unlock()
	err := l.settle(how, o)
	for _, e := range l.notes {
		l.call.observe(l.parent, e)
	}
	l.raised.raise()
	return err
}

func (l *Lease) settle(how Settling, o Outcome) error {
	defer l.cancel(nil)
	if l.store == nil {
		return nil
	}
	l.timer.Stop()
	l.endRenewal()
	ctx, cancel := l.call.engine.detached(l.parent)
	defer cancel()
	switch how {
	case SettleComplete:
		return l.complete(ctx, o)
	case SettleRelease:
		err := l.store.Release(ctx, l.hold)
		l.note(EventReleaseFailed, err)
		return err
	}
	return nil
}

// endRenewal cancels the renewal under way and waits until it has ended. One that
// does not heed its context is left behind while the claim is still ours.
func (l *Lease) endRenewal() {
	l.mu.Lock()
	renewal, stop, left := l.renewal, l.stop, time.Until(l.expires)
	l.mu.Unlock()
	if renewal == nil {
		return
	}
	stop()
	patience := time.NewTimer(min(l.call.engine.settle, left/2))
	defer patience.Stop()
	select {
	case <-renewal:
	case <-patience.C:
	}
}

// completeTries is how often a completion is tried; it may be repeated (C16).
const completeTries = 3

// complete stores the outcome, and tries again while there is time: a result
// that is not stored may let the method run twice.
func (l *Lease) complete(ctx context.Context, o Outcome) error {
	retention := l.call.op.retention()
	pause := 50 * time.Millisecond
	for n := 1; ; n++ {
		err := l.store.Complete(ctx, l.hold, o, retention)
		l.note(EventCompleteFailed, err)
		if err == nil || n == completeTries || errors.Is(err, ErrLeaseLost) {
			return err
		}
		if sleep(ctx, pause) != nil {
			return err
		}
		pause *= 4
	}
}

// note keeps an error of the settling for the observer.
func (l *Lease) note(kind EventKind, err error) {
	switch {
	case err == nil:
		return
	case errors.Is(err, ErrLeaseLost):
		l.mu.Lock()
		known := l.lost
		l.lost = true
		l.mu.Unlock()
		if known {
			return
		}
		kind = EventLeaseLost
	}
	l.notes = append(l.notes, Event{Kind: kind, Err: err, Elapsed: time.Since(l.started)})
}

// lostError puts ErrLeaseLost beside the error of the method.
func (l *Lease) lostError(err error) error {
	if err == nil {
		return fmt.Errorf("%w: %s", ErrLeaseLost, l.call.op.Name)
	}
	return fmt.Errorf("%w: %s: %w", ErrLeaseLost, l.call.op.Name, err)
}
