package queue_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/examples/consumer/internal/office"
	"github.com/idemgen/idemgen/examples/consumer/payment"
	"github.com/idemgen/idemgen/examples/consumer/queue"
	"github.com/idemgen/idemgen/internal/servers"
)

// A handler that fails leaves neither effect nor mark; the redelivery runs, and only its success is the mark.
func TestLaw_M2_FailedHandlerRunsOnTheRedelivery(t *testing.T) {
	d := open(t)
	c := d.consumer("ledger", d.Book)
	c.Policy.Attempts = 0
	e := &payment.Event{ID: "e", Account: "bob", Amount: 500} // comes before bob's account
	d.publish(e)
	d.start(c)
	office.Eventually(t, "it was delivered again and again", func() bool { return d.info("ledger").Delivered.Consumer >= 3 })
	if n := d.Booked(); n != 0 {
		t.Errorf("%d lines of a handler that failed", n)
	}
	if n := d.info("ledger").NumAckPending; n != 1 {
		t.Errorf("%d messages wait for their acknowledgement", n)
	}
	d.OpenAccount("bob")
	d.settled("ledger")
	d.publish(e, e)
	d.settled("ledger")
	if booked, balance := d.Booked(), d.Balance("bob"); booked != 1 || balance != 500 {
		t.Errorf("%d lines, %d cents", booked, balance)
	}
}

// Under a lease, too: what failed runs again, what succeeded doesn't.
func TestLaw_M1_MarkedOnlyAfterSuccess(t *testing.T) {
	d := open(t)
	d.Mail.Before = func(_ context.Context, attempt int) error {
		if attempt < 3 {
			return errors.New("the mail server is away")
		}
		return nil
	}
	e := office.Event(1)
	d.publish(e)
	c := d.consumer("receipts", d.Send)
	c.Policy.Attempts = 0
	d.start(c)
	d.settled("receipts")
	if n := len(d.Mail.Mailed()); n != 1 {
		t.Errorf("acknowledged with %d receipts", n)
	}
	d.publish(e, e, e)
	d.settled("receipts")
	if tried, mailed := d.Mail.Tried(), d.Mail.Mailed(); tried != 3 || !slices.Equal(mailed, []string{"e-1"}) {
		t.Errorf("%d attempts, %v", tried, mailed)
	}
}

// A message that takes longer than AckWait comes again while it is being handled. That copy is neither handled nor acknowledged.
func TestLaw_M1_DuplicateInProgressIsNotAcknowledged(t *testing.T) {
	d := open(t)
	running, finish := make(chan struct{}), make(chan struct{})
	d.Mail.Before = func(context.Context, int) error {
		close(running) // a second run would panic
		<-finish
		return nil
	}
	var slow []*queue.Consumer
	for range 2 { // as two processes would
		c := d.consumer("receipts", d.Send)
		c.AckWait, c.Workers = 200*time.Millisecond, 1
		slow = append(slow, c)
	}
	d.publish(office.Event(1))
	d.start(slow...)
	<-running
	office.Eventually(t, "it was delivered again", func() bool { return d.info("receipts").Delivered.Consumer >= 2 })
	time.Sleep(50 * time.Millisecond) // for its answer
	if n := d.info("receipts").NumAckPending; n != 1 || len(d.Mail.Mailed()) != 0 {
		t.Errorf("%d messages wait for their acknowledgement, mailed %v", n, d.Mail.Mailed())
	}
	close(finish)
	d.settled("receipts")
	if n := len(d.Mail.Mailed()); n != 1 {
		t.Errorf("%d receipts", n)
	}
	if letters := d.dead("receipts"); len(letters) != 0 {
		t.Errorf("%d dead letters", len(letters))
	}
}

// Each consumer handles each event once, whatever the others do, and in whichever order copies come.
func TestConsumersHaveMarksOfTheirOwn(t *testing.T) {
	d := open(t)
	const events = 20
	want := 0
	for n := range events {
		d.publish(office.Event(n), office.Event((n*7)%events), office.Event(events-1-n))
		want += int(office.Event(n).Amount)
	}
	batch := d.consumer("points", d.Reward)
	batch.Batch = 8
	d.start(d.consumer("ledger", d.Book), batch, d.consumer("receipts", d.Send))
	for _, name := range []string{"ledger", "points", "receipts"} {
		d.settled(name)
		if n := d.info(name).Delivered.Consumer; n < 3*events {
			t.Errorf("%s: %d deliveries", name, n)
		}
	}
	if b, r, m, cents := d.Booked(), d.Rewarded(), len(d.Mail.Mailed()), d.Balance("ann"); b != events || r != events || m != events || cents != want {
		t.Errorf("%d booked, %d rewarded, %d mailed, %d cents of %d", b, r, m, cents, want)
	}
}

// The broker is killed in the middle. What it had delivered and got no answer for it delivers again once it is back.
func TestBrokerIsKilled(t *testing.T) {
	server := servers.NewNATS(t)
	d := openOn(t, server)
	const events = 60
	for n := range events {
		d.publish(office.Event(n))
	}
	var handled atomic.Int64
	reached := make(chan struct{})
	c := d.consumer("ledger", func(ctx context.Context, e *payment.Event) error {
		err := d.Book(ctx, e)
		if handled.Add(1) == events/3 {
			close(reached)
		}
		return err
	})
	c.AckWait = 300 * time.Millisecond
	d.start(c)
	<-reached
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond) // answers go nowhere
	if err := server.Restart(); err != nil {
		t.Fatal(err)
	}
	office.Eventually(t, "the rest is handled", func() bool { return d.Booked() >= events })
	d.settled("ledger")
	if n := d.Booked(); n != events {
		t.Errorf("%d lines of %d events", n, events)
	}
	t.Logf("%d events, %d deliveries handled", events, handled.Load())
}
