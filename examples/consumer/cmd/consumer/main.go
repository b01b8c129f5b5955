// Consumer handles payment events from NATS JetStream, each once per consumer, whatever comes twice, out of order or after a crash.
//
//	consumer [flags] open ACCOUNT
//	consumer [flags] publish ID ACCOUNT CENTS
//	consumer [flags] run
//	consumer [flags] books
//	consumer [flags] dead
//	consumer [flags] storm
//
// Without a flag it works on the SQLite file payments.db and on a server on this machine; the storm has a file and streams of its own.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/idemgen/idemgen/examples/consumer/internal/database"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// options are the flags of all commands.
type options struct {
	nats, stream string
	source       database.Source
	outbox       string
	slow         time.Duration
	ackWait      time.Duration
	unguarded    bool
	quiet        bool
	processes    int
	kills        int
}

var (
	errFailed = errors.New("failed") // an ending that has said already what was wrong
	errUsage  = errors.New("usage: consumer [flags] open | publish | run | books | dead | storm …; consumer -h for the flags")
)

// run is the program: 0 fine, 1 the storm ended as it must not, 2 usage or failure.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var o options
	fs := flag.NewFlagSet("consumer", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&o.nats, "nats", nats.DefaultURL, "`URL` of a server with JetStream")
	fs.StringVar(&o.stream, "stream", "PAYMENTS", "`name` of the stream of events")
	fs.StringVar(&o.source.SQLite, "sqlite", "payments.db", "`file` of the database")
	fs.StringVar(&o.source.Postgres, "postgres", "", "`DSN` of a Postgres database in its place: postgres://user@host/name")
	fs.StringVar(&o.outbox, "outbox", "receipts.txt", "`file` to which receipts go")
	fs.DurationVar(&o.slow, "slow", 0, "how long one receipt in a few takes")
	fs.DurationVar(&o.ackWait, "ackwait", 30*time.Second, "after which the broker delivers again what nobody has answered for")
	fs.BoolVar(&o.unguarded, "unguarded", false, "run the handlers without their wrapper; the storm must find the fault")
	fs.BoolVar(&o.quiet, "quiet", false, "don't tell of messages that were not acknowledged")
	fs.IntVar(&o.processes, "processes", 3, "of the storm at a time")
	fs.IntVar(&o.kills, "kills", 6, "processes that the storm kills")
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	err := command(ctx, &o, fs.Args(), stdout, stderr)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errFailed):
		return 1
	}
	_, _ = fmt.Fprintln(stderr, "consumer:", err)
	return 2
}

// commands are the commands, with how many operands each takes.
var commands = []struct {
	name     string
	operands int
	run      func(ctx context.Context, s *session, args []string) error
}{
	{"open", 1, open},
	{"publish", 3, publish},
	{"run", 0, consume},
	{"books", 0, books},
	{"dead", 0, dead},
	{"storm", 0, runStorm},
}

func command(ctx context.Context, o *options, args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		return errUsage
	}
	for _, c := range commands {
		if c.name != args[0] {
			continue
		}
		if len(args)-1 != c.operands {
			return errUsage
		}
		s, err := newSession(ctx, o, args[0], stdout, stderr)
		if err != nil {
			return err
		}
		return errors.Join(c.run(ctx, s, args[1:]), s.close(context.WithoutCancel(ctx)))
	}
	return errUsage
}
