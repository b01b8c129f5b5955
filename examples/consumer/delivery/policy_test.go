package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/idemgen/idemgen/examples/consumer/delivery"
	"github.com/idemgen/idemgen/examples/consumer/payment"
	"github.com/idemgen/idemgen/runtime/idem"
)

func TestReview(t *testing.T) {
	p := delivery.Policy{Attempts: 3, Pause: 20 * time.Millisecond}
	business := errors.New("no account")
	for _, c := range []struct {
		name    string
		err     error
		attempt int
		do      idem.QueueAnswer
		delay   time.Duration
	}{
		{"handled", nil, 9, idem.Ack, 0},
		{"handled before", idem.ErrDuplicateTransition, 9, idem.Ack, 0},
		{"business", business, 1, idem.Nack, 20 * time.Millisecond},
		{"business, the last time", business, 3, idem.DeadLetter, 0},
		{"running", &idem.InProgressError{RetryAfter: time.Second}, 9, idem.Nack, time.Second},
		{"store away", fmt.Errorf("x: %w", idem.ErrStoreUnavailable), 9, idem.Nack, idem.DefaultDelay},
		{"stopping", context.Canceled, 9, idem.Nack, idem.DefaultDelay},
		{"poison", fmt.Errorf("x: %w", payment.ErrInvalid), 1, idem.DeadLetter, 0},
		{"unreadable", payment.ErrMalformed, 1, idem.DeadLetter, 0},
		{"stored", &idem.ReplayedError{Text: "no"}, 1, idem.DeadLetter, 0},
		{"no id", &idem.KeyError{Err: idem.ErrMissingKey}, 1, idem.DeadLetter, 0},
	} {
		a := p.Review(idem.AnswerOf(c.err), c.attempt)
		if a.Do != c.do || a.Delay != c.delay || !errors.Is(a.Err, c.err) {
			t.Errorf("%s: %+v", c.name, a)
		}
	}
}

// A message that ends its consumer each time is put aside without being handled.
func TestDeliveredTooOften(t *testing.T) {
	p := delivery.Policy{MaxDeliveries: 5}
	for attempt := 1; attempt <= 6; attempt++ {
		ran := false
		err := p.Of([]byte(`{"id":"e","account":"ann","amount":1}`), attempt).Handle(t.Context(), func(context.Context, *payment.Event) error {
			ran = true
			return nil
		})
		want := idem.Ack
		if attempt > 5 {
			want = idem.DeadLetter
		}
		if a := p.Review(idem.AnswerOf(err), attempt); ran != (attempt <= 5) || a.Do != want {
			t.Errorf("delivery %d: ran %v, %+v", attempt, ran, a)
		}
	}
}
