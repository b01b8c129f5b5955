package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/idemgen/idemgen/examples/consumer/delivery"
	"github.com/idemgen/idemgen/examples/consumer/handler"
	"github.com/idemgen/idemgen/examples/consumer/internal/database"
	"github.com/idemgen/idemgen/examples/consumer/internal/outbox"
	"github.com/idemgen/idemgen/examples/consumer/payment"
	"github.com/idemgen/idemgen/examples/consumer/queue"
	"github.com/idemgen/idemgen/runtime/idem"
)

// session is one run of a command on its database and broker.
type session struct {
	*options
	db             *database.Database
	nc             *nats.Conn
	topology       queue.Topology
	outbox         *outbox.Outbox
	stdout, stderr io.Writer
	mu             sync.Mutex // of stderr
	temp           string     // folder that close removes, with the streams
}

// newSession opens database and broker; a storm gets a folder and streams of its own, and a short AckWait.
func newSession(ctx context.Context, o *options, command string, stdout, stderr io.Writer) (*session, error) {
	s := &session{options: o, stdout: stdout, stderr: stderr}
	if command == "storm" {
		dir, err := os.MkdirTemp("", "consumer-storm-")
		if err != nil {
			return nil, err
		}
		s.temp = dir
		o.source.SQLite, o.outbox = filepath.Join(dir, "payments.db"), filepath.Join(dir, "receipts.txt")
		o.stream, o.ackWait, o.slow = "STORM_"+rand.Text()[:10], 300*time.Millisecond, 500*time.Millisecond
	}
	s.outbox = &outbox.Outbox{Path: o.outbox, Slow: o.slow}
	err := s.connect(ctx)
	if err != nil {
		return nil, errors.Join(err, s.close(ctx))
	}
	return s, nil
}

func (s *session) connect(ctx context.Context) error {
	nc, err := nats.Connect(s.nats, nats.Name("consumer"), nats.MaxReconnects(-1))
	if err != nil {
		return fmt.Errorf("%s: %w", s.nats, err)
	}
	s.nc = nc
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	topology := queue.NewTopology(js, s.stream)
	if err := topology.Declare(ctx); err != nil {
		return err
	}
	s.topology = topology
	s.db, err = s.source.Open(ctx)
	return err
}

func (s *session) close(ctx context.Context) error {
	var errs []error
	if s.temp != "" {
		if s.topology.JetStream != nil {
			errs = append(errs, s.topology.Delete(ctx))
		}
		errs = append(errs, os.RemoveAll(s.temp))
	}
	if s.db != nil {
		errs = append(errs, s.db.Close())
	}
	if s.nc != nil {
		if s.nc.IsConnected() {
			errs = append(errs, s.nc.Flush()) // answers that are still on their way
		}
		s.nc.Close()
	}
	return errors.Join(errs...)
}

// consumers are the three consumers of a process, each with marks of its own.
func (s *session) consumers() []*queue.Consumer {
	plain := handler.New(s.db.Dialect, s.outbox)
	guarded := handler.NewIdempotentHandler(plain, idem.New(idem.GlobalScope), s.db.Store, s.db.Store)
	book, reward, send := delivery.Handle(guarded.Book), delivery.Handle(guarded.Reward), delivery.Handle(guarded.Send)
	if s.unguarded {
		book, reward, send = s.inTransaction(plain.Book), s.inTransaction(plain.Reward), plain.Send //nolint:idemgen // meant to be unguarded
	}
	consumer := func(name string, handle delivery.Handle, workers, batch int) *queue.Consumer {
		return &queue.Consumer{
			Topology: s.topology, Name: name, Handle: handle, AckWait: s.ackWait, Workers: workers, Batch: batch,
			Policy: delivery.Policy{Attempts: 5, MaxDeliveries: 1000}, Failed: s.failed,
		}
	}
	return []*queue.Consumer{
		consumer("ledger", book, 2, 1),
		consumer("points", reward, 1, 8), // in batches
		consumer("receipts", send, 4, 1),
	}
}

// inTransaction is a method without its wrapper.
func (s *session) inTransaction(method func(context.Context, *sql.Tx, *payment.Event) error) delivery.Handle {
	return func(ctx context.Context, e *payment.Event) error {
		return s.db.Store.Begin(ctx, func(ctx context.Context, tx *sql.Tx) error { return method(ctx, tx, e) })
	}
}

func (s *session) failed(err error) {
	if s.quiet {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = fmt.Fprintln(s.stderr, err)
}
