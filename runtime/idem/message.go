package idem

import (
	"context"
	"errors"
	"time"
)

// Answer is what a consumer tells its broker about a delivery.
type Answer struct {
	Do QueueAnswer
	// Delay is how long the broker should wait before it delivers again; 0 = as it
	// likes. It counts for Nack alone.
	Delay time.Duration
	Err   error // why; nil for a message that was handled
}

// DefaultDelay is the Delay where an error says nothing of its own.
const DefaultDelay = time.Second

// AnswerOf is the answer for what a guarded consumer method returned, by the
// outcome table: nil and what was done before are acknowledged, what a redelivery
// can't mend goes to the dead letters, the rest comes again (M1, M2). An error that
// is the message's outcome, marked by Final or stored and replayed, can't be mended.
func AnswerOf(err error) Answer {
	a := Answer{Do: StatusOf(err).Queue, Err: err}
	if a.Do != Nack {
		return a
	}
	if outcome(err) {
		a.Do = DeadLetter
		return a
	}
	a.Delay = DefaultDelay
	var running *InProgressError
	var held *LockHeldError
	switch {
	case errors.As(err, &running):
		a.Delay = running.RetryAfter
	case errors.As(err, &held):
		a.Delay = held.RetryAfter
	}
	return a
}

// outcome tells an error that is stored: the same comes back for every delivery.
func outcome(err error) bool {
	if do, found := marked(err); found {
		return do == StoreError
	}
	var old *ReplayedError
	return errors.As(err, &old)
}

// Message is Once for a consumer method, which has no result to keep: a delivery
// whose first one succeeded is not handled again, one that failed is (M2), and one
// whose first is running is ErrInProgress and must not be acknowledged (M1).
func Message(ctx context.Context, store RecordStore, call Call, run func(context.Context) error) error {
	_, err := Once(ctx, store, call, func(ctx context.Context) (None, error) { return None{}, run(ctx) })
	return err
}

// MessageTx is Message in the transaction that the method writes in: the mark and
// the effect commit together.
func MessageTx[T any](ctx context.Context, store TxStore[T], call Call, run func(ctx context.Context, tx T) error) error {
	_, err := OnceTx(ctx, store, call, func(ctx context.Context, tx T) (None, error) { return None{}, run(ctx, tx) })
	return err
}

// Handled is a message of a batch with the answer for it.
type Handled[M any] struct {
	Message M
	Answer
}

// Each handles the messages of a batch one by one and answers for each, in order: one
// that fails or is refused holds none of the others up. When the context ends the rest
// is Nack without being handled. A panic passes through; what was handled by then is
// replayed when it comes again.
func Each[M any](ctx context.Context, batch []M, handle func(ctx context.Context, m M) error) []Handled[M] {
	handled := make([]Handled[M], len(batch))
	for i, m := range batch {
		handled[i].Message = m
		if err := context.Cause(ctx); err != nil {
			handled[i].Answer = Answer{Do: Nack, Err: err}
			continue
		}
		handled[i].Answer = AnswerOf(handle(ctx, m))
	}
	return handled
}
