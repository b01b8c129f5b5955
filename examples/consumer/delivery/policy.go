// Package delivery says what a consumer answers its broker, whichever broker it is.
//
// The flow: an adapter decodes a message ([Of]), handles it by a guarded method ([Delivery.Handle], alone or in a batch by idem.Each), and has the answer reviewed ([Policy.Review]), which knows two things that idem can't: which errors of
// the business no redelivery mends, and how often is enough. Then it does what the answer says in the broker's own terms: acknowledge, ask for a redelivery after a while, or put the message aside.
package delivery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/idemgen/idemgen/examples/consumer/payment"
	"github.com/idemgen/idemgen/runtime/idem"
)

// ErrTooOften: the message was delivered too often to be tried again. What it has in mind is a message that ends the process each time, so that nobody lives to answer it.
var ErrTooOften = errors.New("delivery: delivered too often")

// Handle is a consumer: a method of the generated handler.IdempotentHandler.
type Handle func(ctx context.Context, e *payment.Event) error

// Delivery is one message as it arrived, decoded.
type Delivery struct {
	event *payment.Event
	err   error
}

// Of decodes a message; attempt counts its deliveries from 1.
func (p Policy) Of(body []byte, attempt int) Delivery {
	if p.MaxDeliveries > 0 && attempt > p.MaxDeliveries {
		return Delivery{err: fmt.Errorf("%w: %d times", ErrTooOften, attempt)}
	}
	e, err := payment.Decode(body)
	return Delivery{e, err}
}

// Handle has the message handled. What can't be read is an error.
func (d Delivery) Handle(ctx context.Context, handle Handle) error {
	if d.err != nil {
		return d.err
	}
	return handle(ctx, d.event)
}

// Policy is what the business adds to idem.AnswerOf. The zero value adds nothing but poison.
type Policy struct {
	// Attempts is how many deliveries an error of the business gets before the message goes to the dead letters; 0: no end. Deliveries that met a running one, a held lock or a store that was away are not the message's fault, and don't end it.
	Attempts int
	// MaxDeliveries bounds all deliveries of a message, whatever became of them; 0: no bound. It has to leave room for those that meet a running one.
	MaxDeliveries int
	// Pause is how long the broker waits before it delivers again after an error of the business; 0: idem.DefaultDelay.
	Pause time.Duration
}

// poison are errors that no redelivery mends.
var poison = [...]error{payment.ErrMalformed, payment.ErrInvalid, ErrTooOften}

// Review is the answer for a message that was delivered for the attempt-th time, counted from 1.
func (p Policy) Review(a idem.Answer, attempt int) idem.Answer {
	if a.Do != idem.Nack {
		return a
	}
	for _, err := range poison {
		if errors.Is(a.Err, err) {
			return idem.Answer{Do: idem.DeadLetter, Err: a.Err}
		}
	}
	var replayed *idem.ReplayedError
	switch {
	case errors.As(a.Err, &replayed): // stored: it would be the same for as long as the record is kept
		return idem.Answer{Do: idem.DeadLetter, Err: a.Err}
	case idem.StatusOf(a.Err).Err() != nil: // idem's own word
		return a
	case errors.Is(a.Err, context.Canceled): // the consumer stops
		return a
	case p.Attempts > 0 && attempt >= p.Attempts:
		return idem.Answer{Do: idem.DeadLetter, Err: fmt.Errorf("after %d deliveries: %w", attempt, a.Err)}
	case p.Pause > 0:
		a.Delay = p.Pause
	}
	return a
}
