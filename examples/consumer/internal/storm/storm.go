// Package storm attacks the consumers: copies of every event in an order of their own, processes that are killed in the middle of their work, and a broker that soon delivers again what nobody has answered for. What counts in the end is what the ledger, the points and the outbox hold.
//
// The flow of Run: publish the plan; start the processes, each of which runs all consumers; kill some with SIGKILL a random moment after they began, and start others in their place; wait until the broker has nothing left; stop all; compare (report.go).
package storm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/idemgen/idemgen/examples/consumer/handler"
	"github.com/idemgen/idemgen/examples/consumer/internal/database"
	"github.com/idemgen/idemgen/examples/consumer/internal/outbox"
	"github.com/idemgen/idemgen/examples/consumer/payment"
	"github.com/idemgen/idemgen/examples/consumer/queue"
)

// Sizes of the plan.
const (
	events   = 120
	copies   = 3
	accounts = 5
	// letters are the messages among them that nobody can handle: one without an id, one without a meaning.
	letters = 2
)

// Ready is what a process prints when it begins to work.
const Ready = "ready"

// Config says how hard the storm blows.
type Config struct {
	// Command starts a process that declares its consumers, prints Ready and handles messages until SIGTERM.
	Command   []string
	Consumers []*queue.Consumer // those of each process
	Topology  queue.Topology
	DB        *database.Database
	Outbox    *outbox.Outbox
	Processes int // at a time
	Kills     int // processes that are killed in the middle of their work
	Unguarded bool
	Stderr    io.Writer // of all processes
}

// Run makes a storm on streams and a database that hold nothing yet.
func Run(ctx context.Context, cfg Config) (*Report, error) {
	began := time.Now()
	cfg.Stderr = &oneAtATime{w: cfg.Stderr}
	for _, c := range cfg.Consumers {
		if _, err := c.Declare(ctx); err != nil {
			return nil, err
		}
	}
	if err := publish(ctx, cfg); err != nil {
		return nil, err
	}
	if err := blow(ctx, cfg); err != nil {
		return nil, err
	}
	return inspect(ctx, cfg, time.Since(began))
}

// event is the n-th of the plan.
func event(n int) *payment.Event {
	return &payment.Event{ID: fmt.Sprintf("e-%d", n), Account: fmt.Sprintf("a-%d", n%accounts), Amount: int64(100 + n)}
}

// publish opens the accounts and publishes all copies of all events, shuffled.
func publish(ctx context.Context, cfg Config) error {
	for n := range accounts {
		if err := handler.OpenAccount(ctx, cfg.DB.DB, cfg.DB.Dialect, event(n).Account); err != nil {
			return err
		}
	}
	bodies := [][]byte{[]byte("poison")}
	nameless := event(0)
	nameless.ID = ""
	list := []*payment.Event{nameless}
	for n := range events {
		for range copies {
			list = append(list, event(n))
		}
	}
	for _, e := range list {
		body, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("storm: %w", err)
		}
		bodies = append(bodies, body)
	}
	rand.Shuffle(len(bodies), func(i, j int) { bodies[i], bodies[j] = bodies[j], bodies[i] })
	for _, body := range bodies {
		if err := cfg.Topology.PublishRaw(ctx, body); err != nil {
			return err
		}
	}
	return nil
}

// blow runs the processes until everything is settled.
func blow(ctx context.Context, cfg Config) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // kills what still runs
	stop := make(chan struct{})
	ended := make(chan error)
	running, kills := 0, cfg.Kills
	start := func() {
		kill := kills > 0
		kills--
		running++
		go func() { ended <- runProcess(ctx, cfg, kill, stop) }()
	}
	for range cfg.Processes {
		start()
	}
	settled := make(chan error, 1)
	done := ctx.Done()
	var failed error
	stopped := false
	end := func(err error) {
		failed = errors.Join(failed, err)
		if !stopped {
			stopped = true
			close(stop)
		}
	}
	landed := 0
	if cfg.Kills == 0 {
		go func() { settled <- awaitSettled(ctx, cfg) }()
	}
	for running > 0 {
		select {
		case err := <-ended:
			running--
			switch {
			case errors.Is(err, errKilled):
				if landed++; landed == cfg.Kills {
					go func() { settled <- awaitSettled(ctx, cfg) }()
				}
				if !stopped {
					start()
				}
			case err != nil:
				end(err)
			case !stopped:
				end(errors.New("storm: a process ended by itself"))
			}
		case err := <-settled:
			end(err)
		case <-done:
			done = nil
			end(ctx.Err())
		}
	}
	return failed
}

// awaitSettled waits until the broker has nothing left for any consumer.
func awaitSettled(ctx context.Context, cfg Config) error {
	for _, c := range cfg.Consumers {
		durable, err := cfg.Topology.JetStream.Consumer(ctx, cfg.Topology.Events, c.Name)
		if err != nil {
			return fmt.Errorf("storm: %s: %w", c.Name, err)
		}
		for {
			info, err := durable.Info(ctx)
			if err != nil {
				return fmt.Errorf("storm: %s: %w", c.Name, err)
			}
			if info.NumPending == 0 && info.NumAckPending == 0 {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	return nil
}
