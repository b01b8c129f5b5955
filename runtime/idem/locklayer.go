package idem

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// LockOp describes the lock layer of one operation: a constant of the generated
// code, read only and safe for concurrent use.
type LockOp struct {
	// TTL is how long the lock is held without a renewal; 0 = DefaultLease.
	TTL time.Duration
	// Wait bounds how long a caller waits for another's lock; 0 = not at all.
	Wait time.Duration
	// Tx tells that the method runs in a transaction, which is rolled back when the
	// lock is lost before its commit: what was committed stands.
	Tx bool
}

// Locked says what is locked, and where the check is found.
type Locked struct {
	Store Locker
	Op    *LockOp
	// Call has the key of the lock; it may be the guarded call itself.
	Call Call
	// Records has the record of the guarded call, which is the check where there is
	// no other; nil when there is none.
	Records Looker
	// Tx is the store that begins the transaction of a method without a record; nil
	// when Records does, or when there is none.
	Tx Looker
}

// Lock runs a method under a distributed lock with double check: check, lock, check
// again, run, unlock (L3). The check is the method's own, which tells whether it
// found the answer, or with nil the record of the once inside. Where the store keeps
// records beside its locks, and lock and record have one key, both checks and the
// acquisition are one step. A heartbeat renews the lock while the method runs; its
// context ends with the cause ErrLockLost when the lock is lost, and a transaction
// of a guarded call inside is rolled back (L1). LockFence has the fence for the
// guard of the write, without which a lock is efficiency and no safety.
//
// Errors, beside those of check and run: what was wrong with the calls, ErrLockHeld,
// ErrLockLost beside the real result, ErrStoreUnavailable, ErrInsideTransaction in an
// open transaction of Records or Tx, and for the record those of Once.
func Lock[R any](ctx context.Context, l Locked, call Call, check func(context.Context) (R, bool, error), run func(context.Context) (R, error)) (R, error) {
	return lock(ctx, acquisition[R]{l: &l, call: &call, check: check}, run)
}

// LockOr is Lock whose check is the record of the once inside, with the look-up of that
// once, which answers where the record has no result to give (C9).
func LockOr[R any](ctx context.Context, l Locked, call Call, lookup, run func(context.Context) (R, error)) (R, error) {
	return lock(ctx, acquisition[R]{l: &l, call: &call, lookup: lookup}, run)
}

func lock[R any](ctx context.Context, a acquisition[R], run func(context.Context) (R, error)) (R, error) {
	var zero R
	l, call, check := a.l, a.call, a.check
	if err := errors.Join(l.Call.made(), call.named()); err != nil {
		return zero, err
	}
	if l.Op.Tx && (insideOf(ctx, l.Records) || insideOf(ctx, l.Tx)) {
		return zero, fmt.Errorf("%w: %s: its lock would be freed before the transaction ends", ErrInsideTransaction, call.op.Name)
	}
	a.request = LockRequest{Key: l.Call.key, Owner: NewOwner(), TTL: l.Op.TTL, Check: check == nil && l.Records != nil && l.Call.key.Hash == call.key.Hash}
	if a.request.TTL == 0 {
		a.request.TTL = DefaultLease
	}
	if !a.request.Check {
		if res, found, err := a.look(ctx); found || err != nil {
			return res, err
		}
	}
	asked := time.Now()
	found, err := a.acquire(ctx, &asked)
	if err != nil {
		return zero, err
	}
	if found.Status == LockNeedless {
		f := Found{Status: Done, Record: found.Record}
		if err := call.admit(ctx, &f); err != nil {
			return zero, err
		}
		return replay(ctx, call, &found.Record.Outcome, a.lookup)
	}
	call.engine.prune(ctx, l.Store)
	h := hold(ctx, l, &a.request, found.Fence, asked)
	defer h.release()
	if !found.Checked {
		if res, found, err := a.look(h.ctx); found || err != nil {
			return res, err
		}
	}
	res, err := run(h.ctx)
	return res, h.ended(err)
}

// acquisition is one way to a lock.
type acquisition[R any] struct {
	l       *Locked
	call    *Call
	check   func(context.Context) (R, bool, error)
	lookup  func(context.Context) (R, error) // of the once inside; nil for none
	request LockRequest
}

// look is one of the two checks.
func (a *acquisition[R]) look(ctx context.Context) (R, bool, error) {
	var zero R
	switch {
	case a.check != nil:
		return a.check(ctx)
	case a.l.Records == nil:
		return zero, false, nil
	}
	found, err := a.l.Records.Lookup(ctx, a.call.key)
	if err != nil {
		return zero, false, fmt.Errorf("idem: %s: check: %w", a.call.op.Name, err)
	}
	if found.Status != Done {
		return zero, false, nil // the once inside decides
	}
	if err := a.call.admit(ctx, &found); err != nil {
		return zero, true, err
	}
	res, err := replay(ctx, a.call, &found.Record.Outcome, a.lookup)
	return res, true, err
}

// acquire asks for the lock, and waits as long as the operation allows.
func (a *acquisition[R]) acquire(ctx context.Context, asked *time.Time) (LockFound, error) {
	until := asked.Add(a.l.Op.Wait)
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		*asked = time.Now()
		found, err := a.l.Store.Acquire(ctx, a.request)
		switch {
		case err != nil:
			a.abandon(ctx, err)
			a.call.observe(ctx, Event{Kind: EventUnavailable, Err: err})
			return found, fmt.Errorf("idem: %s: lock: %w", a.call.op.Name, err)
		case found.Status == LockAcquired, found.Status == LockNeedless:
			return found, nil
		case found.Status != LockBusy:
			return found, fmt.Errorf("idem: %s: the locker answered with status %v", a.call.op.Name, found.Status)
		}
		left := time.Until(until)
		if left <= 0 {
			return found, a.held(&found, nil)
		}
		if err := sleep(ctx, min(left, jitter(pause), max(found.Left, time.Millisecond))); err != nil {
			return found, a.held(&found, err)
		}
	}
}

// held is the error of a lock that another holds.
func (a *acquisition[R]) held(f *LockFound, cause error) error {
	err := error(&LockHeldError{Op: a.call.op.Name, RetryAfter: min(max(f.Left, time.Millisecond), maxRetryAfter)})
	if cause != nil {
		err = fmt.Errorf("%w: %w", err, cause)
	}
	return err
}

// LockHeldError is a lock that another holds. It unwraps to ErrLockHeld.
type LockHeldError struct {
	Op string
	// RetryAfter is when another try makes sense, at most a second.
	RetryAfter time.Duration
}

// Error names the operation.
func (e *LockHeldError) Error() string { return ErrLockHeld.Error() + ": " + e.Op }

// Unwrap returns ErrLockHeld.
func (e *LockHeldError) Unwrap() error { return ErrLockHeld }

// abandon frees, in the background, a lock that may have been acquired although the
// reply never came (L5).
func (a *acquisition[R]) abandon(ctx context.Context, err error) {
	if ctx.Err() == nil && !errors.Is(err, ErrStoreUnavailable) {
		return
	}
	store, h := a.l.Store, Hold{Key: a.request.Key, Owner: a.request.Owner}
	ctx, cancel := a.call.engine.detached(ctx)
	go func() {
		defer cancel()
		_ = store.Release(ctx, h) // what fails here ends with the TTL
	}()
}

// lockKey finds the innermost lock in a context.
type lockKey struct{}

// LockFence is the fence of the innermost lock that the context is under; 0 under
// none. A guard that is given it refuses the write of a holder that was overtaken (L2).
func LockFence(ctx context.Context) int64 {
	if h, _ := ctx.Value(lockKey{}).(*heldLock); h != nil {
		return h.hold.Fence
	}
	return 0
}

// lockLost tells whether a lock that the context is under is lost: the transaction
// inside is not to be committed then (L1).
func lockLost(ctx context.Context) error {
	for h, _ := ctx.Value(lockKey{}).(*heldLock); h != nil; h = h.outer {
		if h.isLost() {
			return fmt.Errorf("%w: %s", ErrLockLost, h.call.op.Name)
		}
	}
	return nil
}

// heldLock is a lock that this call holds.
type heldLock struct {
	store  Locker
	call   Call
	hold   Hold
	ttl    time.Duration
	parent context.Context
	ctx    context.Context
	cancel context.CancelCauseFunc
	outer  *heldLock
	// committed: a method that returned no error has committed (LockOp.Tx).
	committed bool

	mu      sync.Mutex
	done    bool
	lost    bool
	timer   *time.Timer
	expires time.Time // by our clock, at the earliest
	raised  raised    // by the observer of a heartbeat
}

// hold starts the heartbeat of a lock that was asked for at a time.
func hold(ctx context.Context, l *Locked, r *LockRequest, fence int64, asked time.Time) *heldLock {
	h := &heldLock{
		store: l.Store, call: l.Call, hold: Hold{Key: r.Key, Owner: r.Owner, Fence: fence}, ttl: r.TTL,
		parent: ctx, expires: asked.Add(r.TTL), committed: l.Op.Tx,
	}
	h.outer, _ = ctx.Value(lockKey{}).(*heldLock)
	h.ctx, h.cancel = context.WithCancelCause(context.WithValue(ctx, lockKey{}, h))
	h.mu.Lock()
	h.timer = time.AfterFunc(h.ttl/3, h.beat)
	h.mu.Unlock()
	return h
}

// beat renews once and sets the timer for the next time. One failed renewal is
// survived.
func (h *heldLock) beat() {
	h.mu.Lock()
	if h.done {
		h.mu.Unlock()
		return
	}
	ctx, cancel := context.WithDeadline(context.WithoutCancel(h.parent), h.expires)
	h.mu.Unlock()
	defer cancel()
	asked := time.Now()
	err := h.store.Renew(ctx, h.hold, h.ttl)

	h.mu.Lock()
	if h.done {
		h.mu.Unlock()
		return
	}
	kind := EventRenewFailed
	switch left := time.Until(h.expires); {
	case err == nil:
		h.expires = asked.Add(h.ttl)
		h.timer.Reset(h.ttl / 3)
		kind = 0
	case left <= 0 || errors.Is(err, ErrLockLost):
		h.lost = true
		kind = EventLockLost
	default:
		h.timer.Reset(min(left, max(h.ttl/9, time.Millisecond)))
	}
	h.mu.Unlock()
	if kind == EventLockLost {
		h.cancel(ErrLockLost)
	}
	if kind != 0 {
		h.raised.observe(h.parent, &h.call, Event{Kind: kind, Err: err})
	}
}

func (h *heldLock) isLost() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.lost || !h.done && time.Until(h.expires) <= 0
}

// ended puts ErrLockLost beside what the method returned while it had the lock no
// more. It is there already where a transaction was rolled back for it.
func (h *heldLock) ended(err error) error {
	switch {
	case !h.isLost(), errors.Is(err, ErrLockLost), err == nil && h.committed:
		return err
	case err == nil:
		return fmt.Errorf("%w: %s", ErrLockLost, h.call.op.Name)
	}
	return fmt.Errorf("%w: %s: %w", ErrLockLost, h.call.op.Name, err)
}

// release frees the lock on every exit, on a context that the caller's cancellation
// does not reach. Another's lock is never freed (L1).
func (h *heldLock) release() {
	h.mu.Lock()
	h.done = true
	h.timer.Stop()
	lost := h.lost
	h.mu.Unlock()
	defer h.raised.raise()
	defer h.cancel(nil)
	if lost {
		return
	}
	ctx, cancel := h.call.engine.detached(h.parent)
	defer cancel()
	if err := h.store.Release(ctx, h.hold); err != nil {
		h.call.observe(h.parent, Event{Kind: EventReleaseFailed, Err: err})
	}
}
