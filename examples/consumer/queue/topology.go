// Package queue consumes events from NATS JetStream.
//
// The flow: [Declare] makes two streams, one of events and one of dead letters; [Topology.Publish] publishes; a [Consumer] is a durable consumer of JetStream, whose Run fetches messages, has each handled once by a generated wrapper, and
// settles each by the answer (settle.go). What is not settled within AckWait is delivered again, to whichever process asks next: that is where duplicates come from, beside producers that publish twice.
package queue

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/idemgen/idemgen/examples/consumer/payment"
)

// Topology names the streams. A stream and its subject have one name.
type Topology struct {
	JetStream jetstream.JetStream
	Events    string // stream and subject of events: "PAYMENTS"
	Dead      string // stream of dead letters, "PAYMENTS_DEAD"; the consumer is the second token of their subjects
}

// NewTopology names the streams after one of them.
func NewTopology(js jetstream.JetStream, name string) Topology {
	return Topology{JetStream: js, Events: name, Dead: name + "_DEAD"}
}

// Declare makes the streams, or sets them as they should be.
func (t Topology) Declare(ctx context.Context) error {
	for _, s := range []jetstream.StreamConfig{
		{Name: t.Events, Subjects: []string{t.Events}, MaxAge: payment.Retention},
		{Name: t.Dead, Subjects: []string{t.Dead + ".*"}, MaxAge: payment.Retention},
	} {
		if _, err := t.JetStream.CreateOrUpdateStream(ctx, s); err != nil {
			return fmt.Errorf("queue: declare %s: %w", s.Name, err)
		}
	}
	return nil
}

// Delete removes the streams with all they hold.
func (t Topology) Delete(ctx context.Context) error {
	for _, name := range []string{t.Events, t.Dead} {
		if err := t.JetStream.DeleteStream(ctx, name); err != nil {
			return fmt.Errorf("queue: delete %s: %w", name, err)
		}
	}
	return nil
}

// Publish publishes an event. It sends no Nats-Msg-Id: JetStream would drop a second copy within two minutes, which takes the edge off a busy producer and is no promise to rely on.
func (t Topology) Publish(ctx context.Context, e *payment.Event) error {
	body, err := e.Encode()
	if err != nil {
		return err
	}
	return t.PublishRaw(ctx, body)
}

// PublishRaw publishes a body as it is.
func (t Topology) PublishRaw(ctx context.Context, body []byte) error {
	if _, err := t.JetStream.Publish(ctx, t.Events, body); err != nil {
		return fmt.Errorf("queue: publish: %w", err)
	}
	return nil
}
