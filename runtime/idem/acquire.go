package idem

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// Waiting for a running call: the first pause, and the longest.
const (
	firstPause   = 5 * time.Millisecond
	longestPause = 250 * time.Millisecond
)

// maxRetryAfter bounds InProgressError.RetryAfter: most calls end long before
// their lease does.
const maxRetryAfter = time.Second

// ready returns what is wrong with a call before a store is asked.
func (c *Call) ready(leaseMode bool) error {
	if err := c.made(); err != nil {
		return err
	}
	return c.op.check(leaseMode)
}

// named returns what is wrong with a call, in whichever mode: a record is resolved
// where it stands.
func (c *Call) named() error {
	if err := c.made(); err != nil {
		return err
	}
	return c.op.check(c.op.Orphan != OrphanNone)
}

func (c *Call) made() error {
	switch {
	case c.err != nil:
		return c.err
	case c.engine == nil:
		return fmt.Errorf("%w: the call was not made by an engine", ErrInvalidOp)
	}
	return nil
}

// claim is what the call asks of a store.
func (c *Call) claim() Claim {
	return Claim{
		Key: c.key, Owner: NewOwner(), Fingerprint: c.print,
		Retention: c.op.retention(), Wait: c.op.Wait, Orphan: c.op.Orphan,
	}
}

// Acquire claims the key of a call in lease mode and waits as long as the
// operation allows. A Lease that is not nil is the caller's to Settle on every
// path; otherwise the record is Done and its outcome is to be replayed, or an
// error says why neither: ErrInProgress, ErrKeyReused, ErrOutcomeUnknown,
// ErrStoreUnavailable, or what was wrong with the call. Inside an open transaction
// of the same store it answers ErrInsideTransaction, and claims nothing (T9).
// Functions, HTTP requests and messages share it.
func Acquire(ctx context.Context, store RecordStore, call Call) (*Lease, Record, error) {
	if err := call.ready(true); err != nil {
		return nil, Record{}, err
	}
	if insideOf(ctx, store) {
		return nil, Record{}, fmt.Errorf("%w: %s: give records in lease mode a store on another database handle, or make the call after the commit",
			ErrInsideTransaction, call.op.Name)
	}
	c := call.claim()
	c.Lease, c.Wait = call.op.lease(), 0
	asked := time.Now()
	found, err := store.Claim(ctx, c)
	if err == nil && found.Status == Running && call.op.Wait > 0 {
		if found, asked, err = await(ctx, store, &call, &c, found); err != nil {
			return nil, Record{}, err
		}
	}
	if err != nil {
		return claimFailed(ctx, store, &call, &c, err)
	}
	if found.Status == Fresh {
		call.engine.prune(ctx, store)
		return newLease(ctx, store, &call, &c, found.Record.Fence, asked), Record{}, nil
	}
	if err := call.admit(ctx, &found); err != nil {
		return nil, Record{}, err
	}
	return nil, found.Record, nil
}

// admit decides what a claim that is not fresh means: nil to replay the record.
// The fingerprint comes first, on every path (K5).
func (c *Call) admit(ctx context.Context, f *Found) error {
	switch c.print.compare(&f.Record.Fingerprint) {
	case matchOther:
		c.observe(ctx, Event{Kind: EventKeyReused})
		return fmt.Errorf("%w: %s", ErrKeyReused, c.op.Name)
	case matchVersion:
		c.observe(ctx, Event{Kind: EventOtherVersion})
	}
	switch f.Status {
	case Done:
		return nil
	case Running:
		c.observe(ctx, Event{Kind: EventInProgress})
		return c.inProgress(f)
	case Held:
		c.observe(ctx, Event{Kind: EventHeld})
		return fmt.Errorf("%w: %s: resolve %s", ErrOutcomeUnknown, c.op.Name, c.key)
	}
	return fmt.Errorf("idem: %s: the store answered a claim with status %v", c.op.Name, f.Status)
}

func (c *Call) inProgress(f *Found) error {
	after := f.Record.LeaseLeft
	if after <= 0 || after > maxRetryAfter {
		after = maxRetryAfter
	}
	return &InProgressError{Op: c.op.Name, RetryAfter: after}
}

// await waits while another owner runs. It only looks, and claims when the look
// found the key free (C7). It returns when the claim was asked for.
func await(ctx context.Context, store RecordStore, call *Call, c *Claim, found Found) (Found, time.Time, error) {
	until := time.Now().Add(call.op.Wait)
	for pause := firstPause; found.Status == Running; pause = min(2*pause, longestPause) {
		left := time.Until(until)
		if left <= 0 || call.print.compare(&found.Record.Fingerprint) == matchOther {
			break
		}
		if err := sleep(ctx, min(left, jitter(pause), max(found.Record.LeaseLeft, time.Millisecond))); err != nil {
			call.observe(ctx, Event{Kind: EventInProgress, Err: err})
			return found, time.Time{}, fmt.Errorf("%w: %w", call.inProgress(&found), err)
		}
		look := *c
		look.Look = true
		seen, err := store.Claim(ctx, look)
		asked := time.Now()
		if err == nil && seen.Status == Absent {
			seen, err = store.Claim(ctx, *c)
			if err != nil {
				abandon(ctx, store, call, c, err)
			}
		}
		if err != nil {
			// An owner was seen running: never fail open.
			call.observe(ctx, Event{Kind: EventUnavailable, Err: err})
			return found, time.Time{}, fmt.Errorf("idem: %s: wait: %w", call.op.Name, err)
		}
		if found = seen; found.Status == Fresh {
			return found, asked, nil
		}
	}
	return found, time.Time{}, nil
}

// claimFailed fails closed, or runs unguarded where the operation says so (C15).
func claimFailed(ctx context.Context, store RecordStore, call *Call, c *Claim, err error) (*Lease, Record, error) {
	abandon(ctx, store, call, c, err)
	if call.op.FailOpen && ctx.Err() == nil && errors.Is(err, ErrStoreUnavailable) {
		call.observe(ctx, Event{Kind: EventFailedOpen, Err: err})
		return openLease(ctx, call), Record{}, nil
	}
	call.observe(ctx, Event{Kind: EventUnavailable, Err: err})
	return nil, Record{}, fmt.Errorf("idem: %s: claim: %w", call.op.Name, err)
}

// abandon releases, in the background, a claim that may have succeeded although
// its reply never came: the method will not run under it. Without this a lost
// reply would hold the key of a call that never ran.
func abandon(ctx context.Context, store RecordStore, call *Call, c *Claim, err error) {
	if ctx.Err() == nil && !errors.Is(err, ErrStoreUnavailable) {
		return
	}
	key, owner := c.Key, c.Owner
	ctx, cancel := call.engine.detached(ctx)
	go func() {
		defer cancel()
		f, err := store.Lookup(ctx, key)
		if err == nil && (f.Status == Running || f.Status == Held) && f.Record.Owner == owner {
			// What fails here ends with the lease, as any vanished owner's claim.
			_ = store.Release(ctx, Hold{Key: key, Owner: owner, Fence: f.Record.Fence})
		}
	}()
}

// detached is a context that the caller's cancellation does not reach, with the
// engine's settle time-out (C5).
func (e *Engine) detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), e.settle)
}

// sleep waits for d or for the end of the context, whose cause it returns.
func sleep(ctx context.Context, d time.Duration) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// jitter is a random duration from half of d to d.
func jitter(d time.Duration) time.Duration {
	return d/2 + rand.N(d/2+1)
}
