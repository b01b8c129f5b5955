package idem

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// FireOnce is FireEvent with a key of its own: update, history and record commit
// together or not at all, and a call with the key of an earlier one gets what that
// did, whatever has become of the row since (T1). An event that does not apply
// leaves no record, and is told as by FireEvent. What the operation says of its
// result and codec does not count.
//
// On Postgres, outside a transaction of the store and on an EventStore, it is one
// statement; a duplicate takes one look-up more. Where that can't decide, another
// call being in between, a transaction does: it locks the row first and claims
// second, as the statement does, so that the two don't deadlock. Other databases
// claim first, like every guarded call. In a transaction that the context carries
// it joins (T9).
//
// Errors, beside those of FireEvent, are those of OnceTx.
func FireOnce[T any](ctx context.Context, store TxStore[T], call Call, m *Machine, e *EventInfo, key any, args ...any) (Fired, error) {
	o := fireOnce[T]{
		firing: firing{dialect: store.Dialect(), machine: m, event: e, to: -1, key: key, args: args},
		store:  store, call: call, codec: firedCodec{m},
	}
	switch err := call.ready(false); {
	case err != nil:
		return Fired{}, err
	case e.Dynamic:
		return Fired{}, fmt.Errorf("%w: %s: the event needs a target", ErrInvalidOp, o.name())
	}
	op := *call.op
	op.Codec, op.NoResult = o.codec, false
	o.call.op = &op

	cur := joined(ctx, store)
	switch events, can := store.(EventStore); {
	case o.dialect != Postgres:
		return OnceTx(ctx, store, o.call, o.fire)
	case cur != nil:
		if err := o.lock(ctx, cur.tx); err != nil {
			return Fired{}, err
		}
		return OnceTx(ctx, store, o.call, o.fire)
	case can && len(e.Once.Parts) > 0 && o.codec.size() <= o.call.maxResult():
		if fired, decided, err := o.oneStatement(ctx, events); decided {
			return fired, err
		}
	}
	return o.transaction(ctx)
}

// fireOnce is one call of FireOnce.
type fireOnce[T any] struct {
	firing
	store TxStore[T]
	call  Call
	codec firedCodec
}

// fire is the body of the transaction.
func (o *fireOnce[T]) fire(ctx context.Context, tx T) (Fired, error) {
	return o.run(ctx, o.store.Use(ctx, tx))
}

// lock locks the row. One that is not there is for the update to tell.
func (o *fireOnce[T]) lock(ctx context.Context, tx T) error {
	query, args, err := o.statement(ctx, &o.machine.Lock)
	if err != nil {
		return err
	}
	var one int64
	_, err = queryRow(ctx, o.store.Use(ctx, tx), query, args, &one)
	return err
}

// oneStatement runs the form of an EventStore. It tells whether that decided.
func (o *fireOnce[T]) oneStatement(ctx context.Context, events EventStore) (fired Fired, decided bool, err error) {
	var numbers []int
	for _, n := range o.event.Once.Args {
		if n != ArgLive && n != ArgRecord {
			numbers = append(numbers, n)
		}
	}
	args, err := o.bind(withCall(ctx, &o.call.key), make([]any, 0, len(numbers)), numbers)
	if err != nil {
		return Fired{}, true, err
	}
	started := time.Now()
	got, err := events.FireOnce(ctx, OnceCall{
		Claim: o.call.claim(), SQL: &o.event.Once, Args: args,
		Versioned: o.machine.Version, Codec: firedName, Result: firedSQL,
	})
	switch {
	case err != nil:
		kind := EventReleased // the statement was refused, and nothing of it stays
		switch {
		case ctx.Err() != nil:
			kind = EventUnknown
		case errors.Is(err, ErrStoreUnavailable):
			kind = EventUnavailable
		}
		o.call.observe(ctx, Event{Kind: kind, Err: err})
		return Fired{}, true, err
	case got.Status == OnceApplied:
		o.call.engine.prune(ctx, o.store)
		if fired, err = o.fired(got.Edge, got.Version); err == nil {
			o.call.observe(ctx, Event{Kind: EventExecuted, Elapsed: time.Since(started)})
		}
		return fired, true, err
	case got.Status == OnceNothing:
		return o.nothing(ctx)
	}
	return Fired{}, false, nil
}

// nothing says why the statement changed no row: there is a record, or the event
// does not apply. What is only so because another call is at it decides nothing.
func (o *fireOnce[T]) nothing(ctx context.Context) (Fired, bool, error) {
	switch found, err := o.store.Lookup(ctx, o.call.key); {
	case err != nil:
		return Fired{}, true, err
	case found.Status == Done:
		fired, err := o.replay(ctx, &found)
		return fired, true, err
	case found.Status != Absent:
		return Fired{}, false, nil
	}
	_, err := Tx(ctx, o.call.engine, o.store, func(ctx context.Context, tx T) (None, error) {
		return None{}, o.whyNot(ctx, o.store.Use(ctx, tx))
	})
	if errors.Is(err, ErrTransitionConflict) {
		return Fired{}, false, nil
	}
	o.call.observe(ctx, Event{Kind: EventReleased, Err: err})
	return Fired{}, true, err
}

// transaction is the form of several statements. After a COMMIT without a reply
// the record tells whether it happened (T8).
func (o *fireOnce[T]) transaction(ctx context.Context) (Fired, error) {
	engine := o.call.engine
	try := retrying{left: engine.retries}
	for {
		fired, err := Tx(ctx, engine, o.store, func(ctx context.Context, tx T) (Fired, error) {
			if err := o.lock(ctx, tx); err != nil {
				return Fired{}, err
			}
			return OnceTx(ctx, o.store, o.call, o.fire)
		})
		if !errors.Is(err, ErrCommitUnknown) {
			return fired, err
		}
		o.call.observe(ctx, Event{Kind: EventCommitUnknown, Err: err})
		found, lookErr := o.lookOwn(ctx)
		switch {
		case lookErr != nil:
			return Fired{}, fmt.Errorf("%w (look-up: %w)", err, lookErr)
		case found.Status == Done:
			o.call.observe(ctx, Event{Kind: EventCommitFound})
			return o.replay(ctx, &found)
		case !try.again(ctx, engine, Event{Op: o.call.op.Name, Key: o.call.key, Err: err}):
			return Fired{}, fmt.Errorf("%w: %s: not committed: %v", ErrStoreUnavailable, o.call.op.Name, err)
		}
	}
}

// lookOwn asks what is committed under the key, on a context of its own.
func (o *fireOnce[T]) lookOwn(ctx context.Context) (Found, error) {
	ctx, cancel := o.call.engine.detached(ctx)
	defer cancel()
	return o.store.Lookup(ctx, o.call.key)
}

// replay gives a duplicate what the first call did.
func (o *fireOnce[T]) replay(ctx context.Context, found *Found) (Fired, error) {
	once := onceTx[T, Fired]{store: o.store, call: &o.call}
	return once.replay(ctx, found)
}
