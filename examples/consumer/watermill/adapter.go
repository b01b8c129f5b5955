// Package watermill puts a guarded consumer behind a watermill router, whichever broker that stands in front of.
//
// The flow: the router calls [Consumer.Handler], which has the message handled once and says what became of it in watermill's terms, of which there are two: nil acknowledges, an error asks for a redelivery. The delay is waited for here,
// because a message that is refused comes again at once; a dead letter is published to a topic of its own and then acknowledged. Watermill doesn't count deliveries, so that Policy.Attempts has nothing to go by.
package watermill

import (
	"context"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"

	"github.com/idemgen/idemgen/examples/consumer/delivery"
	"github.com/idemgen/idemgen/runtime/idem"
)

// Metadata of a dead letter.
const (
	MetaCode   = "idem-code"   // of idem's table of outcomes
	MetaReason = "idem-reason" // the error's text
)

// firstDelivery stands for every delivery: which one it is, nobody knows.
const firstDelivery = 1

// Consumer handles messages of a watermill router.
type Consumer struct {
	Handle    delivery.Handle // a method of the generated wrapper
	Policy    delivery.Policy
	Dead      message.Publisher
	DeadTopic string
}

// Handler is a message.NoPublishHandlerFunc.
func (c *Consumer) Handler(m *message.Message) error {
	ctx := m.Context()
	a := c.Policy.Review(idem.AnswerOf(c.Policy.Of(m.Payload, firstDelivery).Handle(ctx, c.Handle)), firstDelivery)
	switch a.Do {
	case idem.Ack:
		return nil
	case idem.DeadLetter:
		dead := message.NewMessage(m.UUID, m.Payload)
		dead.Metadata.Set(MetaCode, idem.StatusOf(a.Err).Code)
		dead.Metadata.Set(MetaReason, a.Err.Error())
		return c.Dead.Publish(c.DeadTopic, dead) // not stored: it comes again
	}
	wait(ctx, a.Delay)
	return a.Err
}

// wait waits, or until the context ends.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
