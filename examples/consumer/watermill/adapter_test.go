package watermill_test

import (
	"context"
	"errors"
	"testing"
	"time"

	wm "github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/pubsub/gochannel"

	"github.com/idemgen/idemgen/examples/consumer/delivery"
	"github.com/idemgen/idemgen/examples/consumer/internal/office"
	"github.com/idemgen/idemgen/examples/consumer/payment"
	"github.com/idemgen/idemgen/examples/consumer/watermill"
)

// A router of watermill with a guarded consumer for ledger and receipts: copies are handled once each, what failed is handled when it comes again, and what has no id is put aside.
func TestRouter(t *testing.T) {
	o := office.Open(t)
	o.Mail.Before = func(_ context.Context, attempt int) error {
		if attempt <= 2 {
			return errors.New("the mail server is away")
		}
		return nil
	}
	channel := gochannel.NewGoChannel(gochannel.Config{Persistent: true}, wm.NopLogger{})
	router, err := message.NewRouter(message.RouterConfig{}, wm.NopLogger{})
	if err != nil {
		t.Fatal(err)
	}
	for name, handle := range map[string]delivery.Handle{"ledger": o.Book, "receipts": o.Send} {
		c := &watermill.Consumer{Handle: handle, Policy: delivery.Policy{Pause: 5 * time.Millisecond}, Dead: channel, DeadTopic: "dead." + name}
		router.AddConsumerHandler(name, "payments", channel, c.Handler)
	}
	done := make(chan error)
	go func() { done <- router.Run(t.Context()) }()
	defer func() {
		if err := errors.Join(router.Close(), <-done, channel.Close()); err != nil {
			t.Error(err)
		}
	}()
	<-router.Running()

	publish := func(e *payment.Event) {
		t.Helper()
		body, err := e.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := channel.Publish("payments", message.NewMessage(wm.NewUUID(), body)); err != nil {
			t.Fatal(err)
		}
	}
	publish(office.Event(0))
	office.Eventually(t, "what failed came again", func() bool { return len(o.Mail.Mailed()) == 1 })
	const events = 10
	for _, e := range append(copies(events), &payment.Event{Account: "ann", Amount: 100}) {
		publish(e)
	}
	for _, name := range []string{"ledger", "receipts"} {
		letters, err := channel.Subscribe(t.Context(), "dead."+name)
		if err != nil {
			t.Fatal(err)
		}
		select {
		case m := <-letters:
			if code := m.Metadata.Get(watermill.MetaCode); code != "missing_key" {
				t.Errorf("%s: %s: %s", name, code, m.Metadata.Get(watermill.MetaReason))
			}
			m.Ack()
		case <-time.After(20 * time.Second):
			t.Fatalf("%s has no dead letter", name)
		}
	}
	office.Eventually(t, "everything is handled", func() bool { return o.Booked() >= events && len(o.Mail.Mailed()) >= events })
	time.Sleep(50 * time.Millisecond) // for what comes too often
	if b, m, tried := o.Booked(), len(o.Mail.Mailed()), o.Mail.Tried(); b != events || m != events || tried != events+2 {
		t.Errorf("%d booked, %d mailed of %d, in %d attempts", b, m, events, tried)
	}
}

// copies makes events, each of them three times, out of order.
func copies(events int) []*payment.Event {
	var list []*payment.Event
	for n := range events {
		list = append(list, office.Event(n), office.Event((n*7)%events), office.Event(events-1-n))
	}
	return list
}
