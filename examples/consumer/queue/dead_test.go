package queue_test

import (
	"context"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/examples/consumer/internal/office"
	"github.com/idemgen/idemgen/examples/consumer/payment"
	"github.com/idemgen/idemgen/examples/consumer/queue"
)

// What no redelivery can mend is put aside with its reason, and does not keep the others of its batch.
func TestDeadLetters(t *testing.T) {
	d := open(t)
	raw := func(body string) {
		if err := d.topology.PublishRaw(t.Context(), []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	d.publish(office.Event(1), &payment.Event{Account: "ann", Amount: 100}) // no id
	raw(`{"id":`)
	d.publish(&payment.Event{ID: "zero", Account: "ann"}, &payment.Event{ID: "bob", Account: "bob", Amount: 100}) // nothing paid; no account, ever
	changed := office.Event(1)
	changed.Amount++
	d.publish(changed, office.Event(2))

	c := d.consumer("ledger", d.Book)
	c.Workers, c.Batch = 1, 16
	d.start(c)
	d.settled("ledger")
	if booked, cents := d.Booked(), d.Balance("ann"); booked != 2 || cents != 101+102 {
		t.Errorf("%d booked, %d cents", booked, cents)
	}
	type letter struct{ code, reason, attempt, body string }
	want := map[string]letter{
		"2": {"missing_key", "msg.ID of", "1", `{"id":"","account":"ann","amount":100}`},
		"3": {"error", "payment: malformed message", "1", `{"id":`},
		"4": {"error", "payment: invalid event", "1", `{"id":"zero","account":"ann","amount":0}`},
		"5": {"error", "after 4 deliveries: handler: no such account: bob", "4", `{"id":"bob","account":"bob","amount":100}`},
		"6": {"key_reused", "another payload", "1", `{"id":"e-1","account":"ann","amount":102}`},
	}
	letters := d.dead("ledger")
	for _, m := range letters {
		h := m.Headers()
		w, known := want[h.Get(queue.HeaderSequence)]
		delete(want, h.Get(queue.HeaderSequence))
		if !known || h.Get(queue.HeaderCode) != w.code || !strings.Contains(h.Get(queue.HeaderReason), w.reason) ||
			h.Get(queue.HeaderAttempt) != w.attempt || h.Get(queue.HeaderConsumer) != "ledger" || string(m.Data()) != w.body {
			t.Errorf("dead letter %v: %s", h, m.Data())
		}
	}
	if len(want) != 0 {
		t.Errorf("not among %d dead letters: %v", len(letters), want)
	}
}

// A consumer that dies after it has stored a dead letter and before it has told the broker stores it once.
func TestDeadLetterIsStoredOnce(t *testing.T) {
	d := open(t)
	d.publish(&payment.Event{Account: "ann", Amount: 100})
	c := d.consumer("ledger", d.Book)
	for range 2 { // the same message as a new consumer of that name sees it: the first one's answer was lost
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- c.Run(ctx) }()
		office.Eventually(t, "put aside", func() bool {
			consumer, err := d.topology.JetStream.Consumer(t.Context(), d.topology.Events, "ledger")
			return err == nil && consumer != nil && d.info("ledger").AckFloor.Stream == 1
		})
		cancel()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if err := d.topology.JetStream.DeleteConsumer(t.Context(), d.topology.Events, "ledger"); err != nil {
			t.Fatal(err)
		}
	}
	if letters := d.dead("ledger"); len(letters) != 1 {
		t.Errorf("%d dead letters", len(letters))
	}
}
