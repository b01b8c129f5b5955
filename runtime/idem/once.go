package idem

import (
	"context"
	"errors"
	"time"
)

// Once runs a method at most once per key at a time, in lease mode, and replays
// its outcome to duplicates. run gets a context that ends when the lease is lost.
//
// Errors, beside those of run: what was wrong with the call (ErrMissingKey,
// ErrMissingScope, ErrUnhashable, ErrInvalidOp), ErrInProgress, ErrKeyReused,
// ErrOutcomeUnknown, ErrResultTooLarge, ErrResultUnreadable, ErrStoreUnavailable,
// ErrInsideTransaction, and ErrLeaseLost beside the real result (C4). When the method succeeded and
// its result could not be stored, the caller gets the result without an error,
// the claim stays, and the observer is told (C6).
func Once[R any](ctx context.Context, store RecordStore, call Call, run func(context.Context) (R, error)) (R, error) {
	return OnceOr(ctx, store, call, nil, run)
}

// OnceOr is Once with a look-up that answers a duplicate where the record has no
// result to give: it was not stored, too large or can't be decoded (C9).
func OnceOr[R any](ctx context.Context, store RecordStore, call Call, lookup, run func(context.Context) (R, error)) (R, error) {
	lease, rec, err := Acquire(ctx, store, call)
	switch {
	case err != nil:
		var zero R
		return zero, err
	case lease != nil:
		return runLease(lease, run)
	}
	return replay(ctx, &call, &rec.Outcome, lookup)
}

// runLease runs the method under its claim and settles on every path, without
// recover: a panic passes through once with its stack, and so does Goexit (C5). A
// method that has returned without an error is done, also when its result makes
// the codec panic (C9). The observer is called when all is settled.
func runLease[R any](l *Lease, run func(context.Context) (R, error)) (res R, err error) {
	judged, done := false, false
	defer func() {
		switch {
		case judged:
		case done:
			_ = l.succeeded(Outcome{Kind: Succeeded, Codec: brokenCodec}, Event{Kind: EventUnreadable, Err: errEncoding})
		default:
			_ = l.failed(nil, settling{how: SettleUnknown, kind: EventUnknown}) // leaves the record alone, nothing can fail
		}
	}()
	res, err = run(withCall(l.ctx, &l.call.key))
	if err == nil {
		done = true
		o, e := encodeResult(&l.call, &res)
		judged = true
		return res, l.succeeded(o, e)
	}
	s := l.judge(err)
	judged = true
	return res, l.failed(err, s)
}

// errEncoding is told of a result whose encoding did not return.
var errEncoding = errors.New("the codec panicked")

// succeeded settles a method that returned no error. The event tells what became
// of its result, if there is something to tell.
func (l *Lease) succeeded(o Outcome, result Event) error {
	elapsed := time.Since(l.started)
	err := l.Settle(SettleComplete, o)
	l.call.observe(l.parent, result)
	switch {
	case errors.Is(err, ErrLeaseLost):
		return l.lostError(nil)
	case err == nil:
		l.call.observe(l.parent, Event{Kind: EventExecuted, Elapsed: elapsed})
	}
	return nil // the observer heard of a failed completion (C6)
}

// settling is what is to become of the claim of a method that failed.
type settling struct {
	how     Settling
	outcome Outcome
	kind    EventKind
}

// judge says what the error of a method does to its claim (C12).
func (l *Lease) judge(err error) settling {
	switch l.call.verdict(l.ctx, err) {
	case StoreError:
		return settling{SettleComplete, failure(&l.call, err), EventFailed}
	case ReleaseError:
		return settling{SettleRelease, Outcome{}, EventReleased}
	}
	return settling{SettleUnknown, Outcome{}, EventUnknown}
}

// failed settles a method that returned an error, and returns it.
func (l *Lease) failed(err error, s settling) error {
	elapsed := time.Since(l.started)
	settled := l.Settle(s.how, s.outcome)
	if err != nil && (l.Lost() || errors.Is(settled, ErrLeaseLost)) {
		return l.lostError(err)
	}
	if settled == nil {
		l.call.observe(l.parent, Event{Kind: s.kind, Err: err, Elapsed: elapsed})
	}
	return err
}
