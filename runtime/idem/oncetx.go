package idem

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// OnceTx runs a method exactly once per key in the transaction of a store:
// claim, method and stored result commit together or not at all (T1). It begins,
// commits, rolls back and retries; in a transaction that the context carries it
// joins instead (T9). A duplicate gets the stored outcome.
//
// Errors, beside those of run: what was wrong with the call (ErrMissingKey,
// ErrMissingScope, ErrUnhashable, ErrInvalidOp), ErrInProgress, ErrKeyReused,
// ErrResultTooLarge, ErrResultUnreadable, ErrStoreUnavailable,
// ErrRetryTransaction, ErrCommitUnknown. An error of run rolls everything back; a
// Final one is stored afterwards, and replays (C12); not in a transaction of the
// caller's own (Join), whose end is out of sight.
func OnceTx[T, R any](ctx context.Context, store TxStore[T], call Call, run func(ctx context.Context, tx T) (R, error)) (R, error) {
	return OnceTxOr(ctx, store, call, nil, run)
}

// OnceTxOr is OnceTx with a look-up that answers a duplicate where the record
// has no result to give. It runs in the joined transaction or in one of its own.
func OnceTxOr[T, R any](ctx context.Context, store TxStore[T], call Call, lookup, run func(ctx context.Context, tx T) (R, error)) (R, error) {
	if err := call.ready(false); err != nil {
		var zero R
		return zero, err
	}
	o := onceTx[T, R]{store: store, call: &call, claim: call.claim(), lookup: lookup, run: run}
	if cur := joined(ctx, store); cur != nil {
		return o.join(ctx, cur)
	}
	return o.own(ctx)
}

// onceTx is one guarded call in transaction mode.
type onceTx[T, R any] struct {
	store       TxStore[T]
	call        *Call
	claim       Claim
	lookup, run func(ctx context.Context, tx T) (R, error)
	last        *attempt[R] // the last one whose body ran and is not run again
}

// attempt is what one attempt at the transaction came to.
type attempt[R any] struct {
	scope   *txScope
	res     R
	encoded Event // what became of the result, told when it is stored
	bodyErr error // the method's own error
	started time.Time
}

// body makes the function that the store runs inside the transaction. A store
// may run it more than once: each run starts from nothing, and forgets what an
// earlier one registered.
func (o *onceTx[T, R]) body(a *attempt[R], forget func()) func(context.Context, T) (Outcome, error) {
	return func(ctx context.Context, tx T) (out Outcome, err error) {
		var zero R
		a.res, a.encoded, a.bodyErr, a.started = zero, Event{}, nil, time.Now()
		o.last = a
		forget()
		res, err := o.run(withCall(within(ctx, o.store, tx, a.scope), &o.call.key), tx)
		a.res, a.bodyErr = res, err
		if err != nil {
			return Outcome{}, err
		}
		if err := lockLost(ctx); err != nil { // another may hold it by now (L1)
			a.res, a.bodyErr = zero, err
			return Outcome{}, err
		}
		out, a.encoded = encodeResult(o.call, &res)
		return out, nil
	}
}

// own runs the call in a transaction of its own. What joined calls left for its end
// is done on every exit, a panic too.
func (o *onceTx[T, R]) own(ctx context.Context) (R, error) {
	defer func() { o.finished(ctx) }()
	try := retrying{left: o.call.engine.retries}
	until := time.Now().Add(o.call.op.Wait)
	var unsure *attempt[R] // its COMMIT was not answered
	for pause := firstPause; ; {
		a := &attempt[R]{scope: &txScope{owned: true}}
		found, err := o.attempt(ctx, a)
		switch {
		case err == nil && found.Status == Fresh:
			return o.committed(ctx, a)
		case err == nil && unsure != nil && found.Status == Done && found.Record.Owner == o.claim.Owner:
			return o.committed(ctx, unsure) // it had succeeded after all (T8)
		case err == nil && found.Status == Running && o.waits(ctx, &found, until, pause):
			pause = min(2*pause, longestPause)
			o.claim.Wait = max(0, time.Until(until))
			continue
		case err == nil:
			return o.replay(ctx, &found)
		case errors.Is(err, ErrCommitUnknown) && a.bodyErr == nil: // not the method's word for another commit
			found, lookErr := o.lookOwn(ctx)
			lost := Event{Kind: EventCommitUnknown, Err: err}
			if lookErr == nil && found.Status == Done && found.Record.Owner == o.claim.Owner {
				return o.committed(ctx, a, lost, Event{Kind: EventCommitFound})
			}
			if lookErr != nil || found.Status == Done {
				o.finished(ctx)
			}
			o.call.observe(ctx, lost)
			var zero R
			switch {
			case lookErr != nil:
				return zero, fmt.Errorf("%w (look-up: %w)", err, lookErr)
			case found.Status == Done:
				return o.replay(ctx, &found)
			}
			unsure = a
			if try.again(ctx, o.call.engine, o.event(err)) {
				continue
			}
			return zero, fmt.Errorf("%w: %s: not committed: %v", ErrStoreUnavailable, o.call.op.Name, err)
		case errors.Is(err, ErrRetryTransaction) && !decided(o.call.op, a.bodyErr) && try.again(ctx, o.call.engine, o.event(err)):
			o.last = unsure
			continue
		}
		return o.rolledBack(ctx, a, own(o.call.op, a.bodyErr, err))
	}
}

// finished does what waits for the end of the transaction, once.
func (o *onceTx[T, R]) finished(ctx context.Context) {
	if o.last != nil {
		o.last.scope.finished(ctx)
	}
}

func (o *onceTx[T, R]) event(err error) Event {
	return Event{Op: o.call.op.Name, Key: o.call.key, Err: err}
}

// attempt makes one attempt.
func (o *onceTx[T, R]) attempt(ctx context.Context, a *attempt[R]) (Found, error) {
	defer a.scope.end()
	return o.store.InTx(ctx, o.claim, o.body(a, a.scope.reset))
}

// waits pauses while a winner runs; false when the time is up (C7).
func (o *onceTx[T, R]) waits(ctx context.Context, f *Found, until time.Time, pause time.Duration) bool {
	left := time.Until(until)
	return left > 0 && o.call.print.compare(&f.Record.Fingerprint) != matchOther &&
		sleep(ctx, min(left, jitter(pause))) == nil
}

// lookOwn asks what is committed under the key, on a context of its own (T8).
func (o *onceTx[T, R]) lookOwn(ctx context.Context) (Found, error) {
	ctx, cancel := o.call.engine.detached(ctx)
	defer cancel()
	return o.store.Lookup(ctx, o.call.key)
}

// committed hands out the real result after the commit. Hooks and what joined
// calls left come first, then the observer.
func (o *onceTx[T, R]) committed(ctx context.Context, a *attempt[R], events ...Event) (R, error) {
	o.call.engine.prune(ctx, o.store)
	events = append(events, a.encoded, Event{Kind: EventExecuted, Elapsed: time.Since(a.started)})
	defer func() {
		for _, e := range events {
			o.call.observe(ctx, e)
		}
	}()
	defer a.scope.finished(ctx)
	a.scope.committed(ctx)
	return a.res, nil
}

// replay gives a duplicate the stored outcome.
func (o *onceTx[T, R]) replay(ctx context.Context, f *Found) (R, error) {
	if err := o.call.admit(ctx, f); err != nil {
		var zero R
		return zero, err
	}
	if o.lookup == nil {
		return replay[R](ctx, o.call, &f.Record.Outcome, nil)
	}
	return replay(ctx, o.call, &f.Record.Outcome, func(ctx context.Context) (R, error) {
		if cur := joined(ctx, o.store); cur != nil {
			return o.lookup(ctx, cur.tx)
		}
		return Tx(ctx, o.call.engine, o.store, o.lookup)
	})
}

// rolledBack ends a call whose transaction left nothing. An error of the method
// that is its outcome is stored now; if a winner came first, it is replayed (C12).
func (o *onceTx[T, R]) rolledBack(ctx context.Context, a *attempt[R], err error) (R, error) {
	o.finished(ctx)
	e := Event{Kind: EventReleased, Err: err, Elapsed: time.Since(a.started)}
	if a.bodyErr == nil { // begin, claim or commit failed: there is no result
		var zero R
		a.res, e.Kind, e.Elapsed = zero, EventUnavailable, 0
	} else if o.call.verdict(ctx, a.bodyErr) == StoreError {
		found, keepErr := o.keep(ctx, failure(o.call, a.bodyErr))
		switch {
		case keepErr != nil: // the error is real all the same (C6)
			e = Event{Kind: EventCompleteFailed, Err: keepErr}
		case found.Status == Fresh:
			e.Kind = EventFailed
		default:
			return o.replay(ctx, &found)
		}
	}
	o.call.observe(ctx, e)
	return a.res, err
}

// keep stores an outcome in a transaction of its own.
func (o *onceTx[T, R]) keep(ctx context.Context, out Outcome) (Found, error) {
	ctx, cancel := o.call.engine.detached(ctx)
	defer cancel()
	return o.store.Keep(ctx, o.claim, out)
}

// join runs the call inside an open transaction: no begin, commit or retry. A
// Final of an earlier call in it with the same key is replayed: it is stored when
// the transaction has ended.
func (o *onceTx[T, R]) join(ctx context.Context, cur *openTx[T]) (res R, err error) {
	if found, left := cur.scope.left(o.call.key); left {
		return o.replay(ctx, &found)
	}
	a := &attempt[R]{scope: cur.scope}
	mark := a.scope.mark()
	kept := false
	defer func() {
		if !kept {
			a.scope.rewind(mark) // also when a panic passes through
		}
	}()
	found, err := o.store.Join(ctx, cur.tx, o.claim, o.body(a, func() { a.scope.rewind(mark) }))
	switch {
	case err == nil && found.Status == Fresh:
		kept = true
		o.call.observe(ctx, a.encoded)
		o.call.observe(ctx, Event{Kind: EventExecuted, Elapsed: time.Since(a.started)})
		return a.res, nil
	case err == nil:
		kept = true // nothing ran
		return o.replay(ctx, &found)
	}
	err = own(o.call.op, a.bodyErr, err)
	if a.bodyErr == nil {
		a.res = res // what was not stored is no result
	} else if a.scope.owned && o.call.verdict(ctx, a.bodyErr) == StoreError {
		// Stored when the wrapper's transaction has ended: now it would wait for it.
		out := failure(o.call, a.bodyErr)
		record := Record{Owner: o.claim.Owner, Fingerprint: o.claim.Fingerprint, Outcome: out}
		a.scope.keep(o.call.key, record, func(ctx context.Context) {
			if _, err := o.keep(ctx, out); err != nil {
				o.call.observe(ctx, Event{Kind: EventCompleteFailed, Err: err})
			}
		})
	}
	o.call.observe(ctx, Event{Kind: EventReleased, Err: err})
	return a.res, err
}
