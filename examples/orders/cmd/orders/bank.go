package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/idemgen/idemgen/examples/orders/internal/bank"
)

// serveBank is the bank.
func serveBank(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	fs := flag.NewFlagSet("orders bank", flag.ContinueOnError)
	fs.SetOutput(stderr)
	file := fs.String("file", "bank.txt", "ledger: one line per notification")
	latency := fs.Duration("latency", 5*time.Millisecond, "how long the bank takes for each notification")
	var at place
	fs.StringVar(&at.addr, "addr", "127.0.0.1:8081", "address to listen on")
	fs.BoolVar(&at.inherit, "inherit", false, "use the descriptors that a storm hands down")
	if err := fs.Parse(args); err != nil {
		return err
	}
	ledger, err := bank.OpenLedger(*file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ledger.Close()) }()
	ln, _, err := at.listen()
	if err != nil {
		return err
	}
	ctx, stop := at.until(ctx)
	defer stop()
	if !at.inherit {
		_, _ = fmt.Fprintf(stdout, "bank: listening on http://%s, ledger %s\n", ln.Addr(), *file)
	}
	return serveHTTP(ctx, ln, bank.Handler(ledger, *latency))
}
