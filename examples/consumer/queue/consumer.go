package queue

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/idemgen/idemgen/examples/consumer/delivery"
	"github.com/idemgen/idemgen/runtime/idem"
)

// fetchWait is how long one request for messages stays open at the server.
const fetchWait = time.Second

// Consumer handles the events of a stream under one name, which all processes that share the work have in common.
type Consumer struct {
	Topology Topology
	Name     string          // the durable consumer, the same as consumer= of the handler's method
	Handle   delivery.Handle // a method of the generated wrapper
	Policy   delivery.Policy
	AckWait  time.Duration // after which a message that nobody answered for comes again
	Workers  int           // how many batches are handled at once; at least 1
	// Batch is how many messages a worker fetches at once; at least 1. They are handled one by one, each with its own answer: one that fails doesn't take the others with it. They are settled when all are handled: AckWait has to be long enough for that, or some come again, which costs a look at their marks.
	Batch int
	// Failed is told of messages that could not be settled, of the broker's errors, and of what was not acknowledged; nil: nobody is. It may be called concurrently.
	Failed func(error)
}

// Run handles messages until the context ends, and returns when the messages at hand are settled. Error: the consumer can't be set up at the broker.
func (c *Consumer) Run(ctx context.Context) error {
	durable, err := c.Declare(ctx)
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	for range max(1, c.Workers) {
		wg.Go(func() { c.work(ctx, durable) })
	}
	wg.Wait()
	return nil
}

// Declare makes the durable consumer at the broker. JetStream itself never gives a message up (MaxDeliver -1): it would do so without a word and without a dead letter.
func (c *Consumer) Declare(ctx context.Context) (jetstream.Consumer, error) {
	durable, err := c.Topology.JetStream.CreateOrUpdateConsumer(ctx, c.Topology.Events, jetstream.ConsumerConfig{
		Durable: c.Name, AckPolicy: jetstream.AckExplicitPolicy, AckWait: c.AckWait, MaxDeliver: -1,
	})
	if err != nil {
		return nil, fmt.Errorf("queue: consumer %s: %w", c.Name, err)
	}
	return durable, nil
}

func (c *Consumer) work(ctx context.Context, durable jetstream.Consumer) {
	for ctx.Err() == nil {
		batch, err := c.fetch(ctx, durable)
		if err != nil {
			c.failed(err)
			pause(ctx, fetchWait) // the broker is away
			continue
		}
		c.settleAll(ctx, batch)
	}
}

// fetch gets the messages that are there, up to a batch; when there is none it waits for the first, and returns none when it didn't come in time.
func (c *Consumer) fetch(ctx context.Context, durable jetstream.Consumer) ([]jetstream.Msg, error) {
	if c.Batch > 1 {
		batch, err := collect(durable.FetchNoWait(c.Batch))
		if len(batch) > 0 || err != nil {
			return batch, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, fetchWait)
	defer cancel()
	batch, err := collect(durable.Fetch(1, jetstream.FetchContext(ctx)))
	if ctx.Err() != nil {
		err = nil
	}
	return batch, err
}

func collect(incoming jetstream.MessageBatch, err error) ([]jetstream.Msg, error) {
	if err != nil {
		return nil, fmt.Errorf("queue: fetch: %w", err)
	}
	var batch []jetstream.Msg
	for m := range incoming.Messages() {
		batch = append(batch, m)
	}
	if err := incoming.Error(); err != nil && len(batch) == 0 {
		return nil, fmt.Errorf("queue: fetch: %w", err)
	}
	return batch, nil
}

// message is one of a batch.
type message struct {
	raw  jetstream.Msg
	meta *jetstream.MsgMetadata
	delivery.Delivery
}

// settleAll handles a batch item by item, then settles each by its own answer.
func (c *Consumer) settleAll(ctx context.Context, raw []jetstream.Msg) {
	batch := make([]message, 0, len(raw))
	for _, m := range raw {
		meta, err := m.Metadata()
		if err != nil { // not from JetStream
			c.failed(fmt.Errorf("queue: metadata: %w", err))
			continue
		}
		batch = append(batch, message{m, meta, c.Policy.Of(m.Data(), int(meta.NumDelivered))})
	}
	// A consumer that stops finishes the message at hand: cut off in the middle, its outcome would be unknown. The rest of the batch is given back.
	finishing := context.WithoutCancel(ctx)
	for _, h := range idem.Each(ctx, batch, func(_ context.Context, m message) error { return m.Handle(finishing, c.Handle) }) {
		m := h.Message
		a := c.Policy.Review(h.Answer, int(m.meta.NumDelivered))
		if a.Do != idem.Ack {
			c.failed(fmt.Errorf("queue: %s: message %d, delivery %d: %s: %w", c.Name, m.meta.Sequence.Stream, m.meta.NumDelivered, a.Do, a.Err))
		}
		if err := c.settle(finishing, m.raw, m.meta, a); err != nil {
			c.failed(fmt.Errorf("queue: %s: message %d: settle: %w", c.Name, m.meta.Sequence.Stream, err))
		}
	}
}

func (c *Consumer) failed(err error) {
	if c.Failed != nil {
		c.Failed(err)
	}
}

// pause waits, or until the context ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
