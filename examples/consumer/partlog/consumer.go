package partlog

import (
	"context"
	"time"

	"github.com/idemgen/idemgen/examples/consumer/delivery"
	"github.com/idemgen/idemgen/runtime/idem"
)

// Consumer handles the partitions of a log for its group.
type Consumer struct {
	Log         *Log
	Group       string          // the same as consumer= of the handler's method
	Handle      delivery.Handle // a method of the generated wrapper
	Policy      delivery.Policy
	CommitEvery int // commits when so many messages are done; at least 1
	// Dead takes a dead letter; an error leaves the message where it is, to be tried again.
	Dead func(ctx context.Context, m Message, reason error) error
}

// Run handles one partition, from the committed offset on, until the context ends. Error: the context's, or ErrOffset when another consumer of the group has been given the partition meanwhile and is ahead.
//
// The three answers in a log: Ack goes on; DeadLetter puts the message aside and goes on; Nack tries the same message again after the delay, because going on would be to acknowledge it with the next commit. So one message that
// nobody can handle stops its partition, until Policy.Attempts makes a dead letter of it.
func (c *Consumer) Run(ctx context.Context, partition int) error {
	next := c.Log.Committed(c.Group, partition)
	for done := 0; ; {
		m, err := c.Log.Read(ctx, partition, next)
		if err != nil {
			return err
		}
		if err := c.settle(ctx, m); err != nil {
			return err
		}
		next++
		if done++; done >= c.CommitEvery {
			done = 0
			if err := c.Log.Commit(c.Group, partition, next); err != nil {
				return err
			}
		}
	}
}

// settle returns when a message is done, for better or worse.
func (c *Consumer) settle(ctx context.Context, m Message) error {
	for attempt := 1; ; attempt++ {
		err := c.Policy.Of(m.Body, attempt).Handle(ctx, c.Handle)
		a := c.Policy.Review(idem.AnswerOf(err), attempt)
		switch a.Do {
		case idem.Ack:
			return nil
		case idem.DeadLetter:
			if c.Dead(ctx, m, a.Err) == nil {
				return nil
			}
			a.Delay = idem.DefaultDelay
		}
		if err := wait(ctx, a.Delay); err != nil {
			return err
		}
	}
}

// wait waits, or until the context ends.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
