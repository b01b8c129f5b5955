package idem_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// TestLaw_M1_MarkedAfterSuccess: a delivery whose first one succeeded is
// acknowledged without being handled; one whose first is running is not.
func TestLaw_M1_MarkedAfterSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		handle := func(ctx context.Context) error {
			return idem.Message(ctx, w.store, w.call("m"), func(context.Context) error {
				w.ran++
				a := idem.AnswerOf(idem.Message(ctx, w.store, w.call("m"), func(context.Context) error { w.ran++; return nil }))
				if a.Do != idem.Nack || a.Delay <= 0 || !errors.Is(a.Err, idem.ErrInProgress) {
					t.Errorf("in progress: %+v", a)
				}
				return nil
			})
		}
		for range 2 {
			if a := idem.AnswerOf(handle(context.Background())); a != (idem.Answer{Do: idem.Ack}) {
				t.Errorf("%+v", a)
			}
		}
		equal(t, "runs", w.ran, 1)
	})
}

// TestLaw_M2_FailedDeliveriesRunAgain, by lease and in a transaction.
func TestLaw_M2_FailedDeliveriesRunAgain(t *testing.T) {
	w := newWorld(t)
	store := newMemTx()
	txOp := w.op
	txOp.Lease, txOp.Orphan = 0, idem.OrphanNone
	for _, handle := range []func(error) error{
		func(err error) error {
			return idem.Message(context.Background(), w.store, w.call("m"), func(context.Context) error { w.ran++; return err })
		},
		func(err error) error {
			return idem.MessageTx(context.Background(), store, w.engine.Call(context.Background(), &txOp, idem.String("m")), func(_ context.Context, t *tx) error {
				w.ran++
				t.rows["m"]++
				return err
			})
		},
	} {
		w.ran = 0
		a := idem.AnswerOf(handle(errBiz))
		if a.Do != idem.Nack || a.Delay != idem.DefaultDelay {
			t.Errorf("%+v", a)
		}
		for range 2 {
			ok(t, handle(nil))
		}
		equal(t, "runs", w.ran, 2)
	}
	equal(t, "rows", store.row("m"), 1)
}

// TestAnswerOf follows the outcome table.
func TestAnswerOf(t *testing.T) {
	for _, c := range []struct {
		err   error
		do    idem.QueueAnswer
		delay time.Duration
	}{
		{nil, idem.Ack, 0},
		{idem.ErrDuplicateTransition, idem.Ack, 0},
		{idem.ErrResultTooLarge, idem.Ack, 0},
		{&idem.KeyError{Err: idem.ErrMissingKey}, idem.DeadLetter, 0},
		{idem.ErrKeyReused, idem.DeadLetter, 0},
		{idem.ErrOutcomeUnknown, idem.DeadLetter, 0},
		{&idem.InProgressError{RetryAfter: 300 * time.Millisecond}, idem.Nack, 300 * time.Millisecond},
		{fmt.Errorf("x: %w", &idem.LockHeldError{RetryAfter: 20 * time.Millisecond}), idem.Nack, 20 * time.Millisecond},
		{idem.ErrStoreUnavailable, idem.Nack, idem.DefaultDelay},
		{errBiz, idem.Nack, idem.DefaultDelay},
		{fmt.Errorf("x: %w", idem.Final(errBiz)), idem.DeadLetter, 0},
		{idem.Retryable(errBiz), idem.Nack, idem.DefaultDelay},
		{&idem.ReplayedError{Text: "x"}, idem.DeadLetter, 0},
	} {
		if a := idem.AnswerOf(c.err); a.Do != c.do || a.Delay != c.delay || a.Err != c.err {
			t.Errorf("%v: %+v", c.err, a)
		}
	}
}

// TestEach answers item by item, and for the rest when the context ends.
func TestEach(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	got := idem.Each(ctx, []int{1, 2, 3, 4}, func(_ context.Context, n int) error {
		switch n {
		case 2:
			return idem.ErrMissingKey
		case 3:
			cancel()
		}
		return nil
	})
	var do []idem.QueueAnswer
	for _, a := range got {
		do = append(do, a.Do)
	}
	equal(t, "answers", fmt.Sprint(do), "[ack dead_letter ack nack]")
	is(t, got[3].Err, context.Canceled)
}
