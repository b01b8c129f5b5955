package queue_test

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/idemgen/idemgen/examples/consumer/delivery"
	"github.com/idemgen/idemgen/examples/consumer/internal/office"
	"github.com/idemgen/idemgen/examples/consumer/payment"
	"github.com/idemgen/idemgen/examples/consumer/queue"
	"github.com/idemgen/idemgen/internal/servers"
)

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

// desk is an office that gets its events from JetStream.
type desk struct {
	*office.Office
	*testing.T
	topology queue.Topology
	stops    []func()
}

// open makes streams for one test on the shared server.
func open(t *testing.T) *desk {
	t.Helper()
	return openOn(t, servers.NATS(t))
}

func openOn(t *testing.T, s *servers.NATSServer) *desk {
	t.Helper()
	nc, err := nats.Connect(s.URL(), nats.ReconnectWait(20*time.Millisecond), nats.MaxReconnects(-1))
	if err != nil {
		t.Fatal(err)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{Office: office.Open(t), T: t, topology: queue.NewTopology(js, servers.Unique(t))}
	if err := d.topology.Declare(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		d.stop()
		if err := d.topology.Delete(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
		nc.Close()
	})
	return d
}

// consumer is a consumer with short waits, so that redelivery comes soon.
func (d *desk) consumer(name string, handle delivery.Handle) *queue.Consumer {
	return &queue.Consumer{
		Topology: d.topology, Name: name, Handle: handle, AckWait: 5 * time.Second, Workers: 2,
		Policy: delivery.Policy{Attempts: 4, Pause: 20 * time.Millisecond},
		Failed: func(err error) { d.Log(err) },
	}
}

// start runs consumers until stop.
func (d *desk) start(consumers ...*queue.Consumer) {
	d.Helper()
	ctx, cancel := context.WithCancel(d.Context())
	var wg sync.WaitGroup
	for _, c := range consumers {
		if _, err := c.Declare(ctx); err != nil { // so that they are there when a test asks for them
			cancel()
			d.Fatal(err)
		}
		wg.Go(func() {
			if err := c.Run(ctx); err != nil {
				d.Error(err)
			}
		})
	}
	d.stops = append(d.stops, func() { cancel(); wg.Wait() })
}

func (d *desk) stop() {
	for _, stop := range d.stops {
		stop()
	}
	d.stops = nil
}

func (d *desk) publish(events ...*payment.Event) {
	d.Helper()
	for _, e := range events {
		if err := d.topology.Publish(d.Context(), e); err != nil {
			d.Fatal(err)
		}
	}
}

// settled waits until the broker has nothing left for a consumer.
func (d *desk) settled(name string) {
	d.Helper()
	office.Eventually(d.T, name+" has settled everything", func() bool {
		info := d.info(name)
		return info.NumPending == 0 && info.NumAckPending == 0
	})
}

func (d *desk) info(name string) *jetstream.ConsumerInfo {
	d.Helper()
	c, err := d.topology.JetStream.Consumer(d.Context(), d.topology.Events, name)
	if err != nil {
		d.Fatal(err)
	}
	info, err := c.Info(d.Context())
	if err != nil {
		d.Fatal(err)
	}
	return info
}

// dead are the dead letters of a consumer.
func (d *desk) dead(name string) []jetstream.Msg {
	d.Helper()
	c, err := d.topology.JetStream.OrderedConsumer(d.Context(), d.topology.Dead, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{d.topology.Dead + "." + name},
	})
	if err != nil {
		d.Fatal(err)
	}
	batch, err := c.FetchNoWait(1000)
	if err != nil {
		d.Fatal(err)
	}
	var letters []jetstream.Msg
	for m := range batch.Messages() {
		letters = append(letters, m)
	}
	return letters
}
