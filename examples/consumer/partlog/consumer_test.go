package partlog_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/examples/consumer/delivery"
	"github.com/idemgen/idemgen/examples/consumer/internal/office"
	"github.com/idemgen/idemgen/examples/consumer/partlog"
	"github.com/idemgen/idemgen/examples/consumer/payment"
)

const (
	partitions  = 3
	commitEvery = 5
)

// group is one group of consumers over a log.
func group(name string, log *partlog.Log, handle delivery.Handle) *partlog.Consumer {
	return &partlog.Consumer{
		Log: log, Group: name, Handle: handle, CommitEvery: commitEvery,
		Policy: delivery.Policy{Attempts: 3, Pause: 5 * time.Millisecond},
		Dead: func(_ context.Context, m partlog.Message, reason error) error {
			return fmt.Errorf("nobody expects %s to die: %w", m.Body, reason)
		},
	}
}

func appendEvent(t *testing.T, log *partlog.Log, key string, e *payment.Event) {
	t.Helper()
	body, err := e.Encode()
	if err != nil {
		t.Fatal(err)
	}
	log.Append(key, body)
}

const (
	events  = 60
	crashes = 4 // of each consumer on each partition
	longest = 8 // messages in the life of a consumer that crashes
)

// crashing runs a partition to its end. Its first consumers die after a random number of messages: the last one is handled, and nothing that a living consumer would do after that is done.
func crashing(t *testing.T, c *partlog.Consumer, partition int) {
	for range crashes {
		mortal, life := *c, 1+rand.IntN(longest)
		mortal.Handle = func(ctx context.Context, e *payment.Event) error {
			err := c.Handle(ctx, e)
			if life--; life == 0 {
				runtime.Goexit()
			}
			return err
		}
		died := make(chan struct{})
		go func() {
			defer close(died)
			t.Errorf("it ends before its time: %v", mortal.Run(t.Context(), partition))
		}()
		<-died
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	last := *c
	last.CommitEvery = 1
	done := make(chan error, 1)
	go func() { done <- last.Run(ctx, partition) }()
	office.Eventually(t, "all is committed", func() bool { return c.Log.Committed(c.Group, partition) == c.Log.End(partition) })
	stop()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// storm handles events in all partitions while consumers crash.
func storm(t *testing.T, handles map[string]delivery.Handle) {
	t.Helper()
	log := partlog.NewLog(partitions)
	for n := range events {
		appendEvent(t, log, fmt.Sprint(n), office.Event(n))
		appendEvent(t, log, fmt.Sprint(n+1), office.Event(n)) // the producer tries again, and the copy ends up elsewhere
	}
	var wg sync.WaitGroup
	for p := range partitions {
		if end := log.End(p); end < (crashes-1)*commitEvery+longest {
			t.Fatalf("partition %d is too short for its crashes: %d", p, end)
		}
		for name, handle := range handles {
			wg.Go(func() { crashing(t, group(name, log, handle), p) })
		}
	}
	wg.Wait()
}

// After each crash a consumer begins at the last committed offset; what it sees again it does not do again.
func TestCrashesAndDuplicates(t *testing.T) {
	o := office.Open(t)
	storm(t, map[string]delivery.Handle{"ledger": o.Book, "points": o.Reward})
	if b, r := o.Booked(), o.Rewarded(); b != events || r != events {
		t.Errorf("%d booked, %d rewarded of %d", b, r, events)
	}
}

// Without the wrapper the same log does things twice.
func TestCrashesAndDuplicatesUnguarded(t *testing.T) {
	o := office.Open(t)
	storm(t, map[string]delivery.Handle{"ledger": o.Unguarded(o.Plain.Book), "points": o.Unguarded(o.Plain.Reward)})
	if b, r := o.Booked(), o.Rewarded(); b < 2*events || r < 2*events {
		t.Errorf("%d booked, %d rewarded of %d: the test does not bite", b, r, events)
	}
}

// A message that fails holds its partition back, and nothing behind it is committed past it (M2); one that nobody can handle is put aside, and the partition goes on.
func TestLaw_M2_NackHoldsThePartition(t *testing.T) {
	o := office.Open(t)
	log := partlog.NewLog(1)
	appendEvent(t, log, "", &payment.Event{ID: "early", Account: "bob", Amount: 100}) // before bob's account
	appendEvent(t, log, "", office.Event(1))
	c := group("ledger", log, o.Book)
	c.CommitEvery, c.Policy.Attempts = 1, 0
	var dead []string
	c.Dead = func(_ context.Context, m partlog.Message, _ error) error {
		dead = append(dead, string(m.Body))
		if len(dead) == 1 {
			return errors.New("the dead letters are full")
		}
		return nil
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- c.Run(ctx, 0) }()
	time.Sleep(100 * time.Millisecond)
	if n, at := o.Booked(), log.Committed("ledger", 0); n != 0 || at != 0 {
		t.Errorf("%d booked, committed %d", n, at)
	}
	o.OpenAccount("bob")
	appendEvent(t, log, "", &payment.Event{Account: "ann", Amount: 1}) // no id
	appendEvent(t, log, "", office.Event(2))
	office.Eventually(t, "all is committed", func() bool { return log.Committed("ledger", 0) == log.End(0) })
	stop()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if n := o.Booked(); n != 3 || len(dead) != 2 {
		t.Errorf("%d booked, put aside %q", n, dead)
	}
}

func TestCommitGoesForward(t *testing.T) {
	log := partlog.NewLog(1)
	log.Append("", nil)
	if err := log.Commit("g", 0, 1); err != nil {
		t.Error(err)
	}
	for _, offset := range []int64{0, 2} {
		if err := log.Commit("g", 0, offset); !errors.Is(err, partlog.ErrOffset) {
			t.Errorf("%d: %v", offset, err)
		}
	}
}
