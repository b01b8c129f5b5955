package queue

import (
	"context"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Headers of a dead letter.
const (
	HeaderCode     = "Idem-Code"     // of idem's table of outcomes: "missing_key", "error" …
	HeaderReason   = "Idem-Reason"   // the error's text, in one line
	HeaderConsumer = "Idem-Consumer" // who could not handle it
	HeaderSequence = "Idem-Sequence" // of the message in the stream of events
	HeaderAttempt  = "Idem-Attempt"  // how often it had been delivered
)

// settle does with a message what the answer says.
//
//	Ack          Ack; a lost one means one more delivery, which is answered by the mark
//	Nack         Nak with the delay: JetStream delivers again then, rather than after AckWait
//	DeadLetter   the message is stored in the stream of dead letters, then Term: JetStream delivers it no more
//
// A consumer that dies between the two steps of a dead letter does the first again; its Nats-Msg-Id lets JetStream drop the second copy. Term without the first step would lose the message, so when it fails the message is to come again.
func (c *Consumer) settle(ctx context.Context, m jetstream.Msg, meta *jetstream.MsgMetadata, a idem.Answer) error {
	switch a.Do {
	case idem.Ack:
		return m.Ack()
	case idem.DeadLetter:
		if err := c.bury(ctx, m, meta, a.Err); err != nil {
			return err
		}
		return m.Term()
	}
	if a.Delay > 0 {
		return m.NakWithDelay(a.Delay)
	}
	return m.Nak()
}

// bury stores a dead letter: the body as it came, and why it is there.
func (c *Consumer) bury(ctx context.Context, m jetstream.Msg, meta *jetstream.MsgMetadata, reason error) error {
	dead := nats.NewMsg(c.Topology.Dead + "." + c.Name)
	dead.Data = m.Data()
	sequence := strconv.FormatUint(meta.Sequence.Stream, 10)
	dead.Header.Set(HeaderCode, idem.StatusOf(reason).Code)
	dead.Header.Set(HeaderReason, oneLine(reason))
	dead.Header.Set(HeaderConsumer, c.Name)
	dead.Header.Set(HeaderSequence, sequence)
	dead.Header.Set(HeaderAttempt, strconv.FormatUint(meta.NumDelivered, 10))
	id := c.Name + "/" + sequence
	if _, err := c.Topology.JetStream.PublishMsg(ctx, dead, jetstream.WithMsgID(id)); err != nil {
		return fmt.Errorf("queue: dead letter %s: %w", id, err)
	}
	return nil
}

// oneLine is the text of an error as a header may hold it: visible ASCII, at most 500 bytes.
func oneLine(err error) string {
	if err == nil {
		return ""
	}
	text := strconv.QuoteToASCII(err.Error())
	text = text[1 : len(text)-1]
	return text[:min(len(text), 500)]
}
