package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/idemgen/idemgen/examples/consumer/handler"
	"github.com/idemgen/idemgen/examples/consumer/internal/storm"
	"github.com/idemgen/idemgen/examples/consumer/payment"
	"github.com/idemgen/idemgen/examples/consumer/queue"
)

func open(ctx context.Context, s *session, args []string) error {
	return handler.OpenAccount(ctx, s.db.DB, s.db.Dialect, args[0])
}

func publish(ctx context.Context, s *session, args []string) error {
	cents, err := strconv.ParseInt(args[2], 10, 64)
	if err != nil {
		return fmt.Errorf("%q is no number of cents", args[2])
	}
	return s.topology.Publish(ctx, &payment.Event{ID: args[0], Account: args[1], Amount: cents})
}

// consume runs all consumers until the context ends.
func consume(ctx context.Context, s *session, _ []string) error {
	consumers := s.consumers()
	for _, c := range consumers {
		if _, err := c.Declare(ctx); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintln(s.stdout, storm.Ready); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, len(consumers))
	var wg sync.WaitGroup
	for i, c := range consumers {
		wg.Go(func() {
			if errs[i] = c.Run(ctx); errs[i] != nil {
				cancel()
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// books prints what the accounts hold and how many receipts went out.
func books(ctx context.Context, s *session, _ []string) error {
	rows, err := s.db.QueryContext(ctx, `SELECT id, balance, (SELECT COUNT(*) FROM ledger WHERE account = id), (SELECT COALESCE(SUM(points), 0) FROM points WHERE account = id) FROM accounts ORDER BY id`)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id string
		var balance, lines, points int64
		if err := rows.Scan(&id, &balance, &lines, &points); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(s.stdout, "%-12s %10d cents of %d payments, %d points\n", id, balance, lines, points); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	sent, err := s.outbox.Sent()
	if err != nil {
		return err
	}
	total := 0
	for _, n := range sent {
		total += n
	}
	_, err = fmt.Fprintf(s.stdout, "%d receipts of %d events\n", total, len(sent))
	return err
}

// dead prints the dead letters.
func dead(ctx context.Context, s *session, _ []string) error {
	reader, err := s.topology.JetStream.OrderedConsumer(ctx, s.topology.Dead, jetstream.OrderedConsumerConfig{})
	if err != nil {
		return err
	}
	const most = 1000
	batch, err := reader.Fetch(most, jetstream.FetchMaxWait(time.Second))
	if err != nil {
		return err
	}
	for m := range batch.Messages() {
		h := m.Headers()
		if _, err := fmt.Fprintf(s.stdout, "%s %s, delivery %s: %s: %s: %s\n", h.Get(queue.HeaderConsumer), h.Get(queue.HeaderSequence),
			h.Get(queue.HeaderAttempt), h.Get(queue.HeaderCode), h.Get(queue.HeaderReason), m.Data()); err != nil {
			return err
		}
	}
	return batch.Error()
}

func runStorm(ctx context.Context, s *session, _ []string) error {
	binary, err := os.Executable()
	if err != nil {
		return err
	}
	args := append([]string{binary, "-quiet", "-nats", s.nats, "-stream", s.stream, "-outbox", s.outbox.Path}, s.source.Args()...)
	args = append(args, "-ackwait", s.ackWait.String(), "-slow", s.slow.String(), "-unguarded="+strconv.FormatBool(s.unguarded), "run")
	r, err := storm.Run(ctx, storm.Config{
		Command: args, Consumers: s.consumers(), Topology: s.topology, DB: s.db, Outbox: s.outbox,
		Processes: s.processes, Kills: s.kills, Unguarded: s.unguarded, Stderr: s.stderr,
	})
	if err != nil {
		return err
	}
	if err := r.Print(s.stdout); err != nil {
		return err
	}
	if !r.OK() {
		return errFailed
	}
	return nil
}
