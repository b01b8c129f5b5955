package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/idemgen/idemgen/examples/orders/internal/storm"
)

// stormOrServe reads the flags of the storm; without -storm and -unguarded they are the server's.
func stormOrServe(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	for _, a := range args {
		switch a {
		case "-storm", "--storm", "-unguarded", "--unguarded", "-h", "-help", "--help":
			return blow(ctx, args, stdout, stderr)
		}
	}
	return serve(ctx, args, stdout, stderr)
}

// blow storms the service and prints what came of it.
func blow(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	fs := flag.NewFlagSet("orders -storm", flag.ContinueOnError)
	fs.SetOutput(stderr)
	cfg := storm.Config{Progress: stderr, Stderr: stderr}
	_ = fs.Bool("storm", true, "storm the service with duplicates and kills")
	fs.BoolVar(&cfg.Unguarded, "unguarded", false, "storm the service without its wrappers: effects must exceed intentions")
	fs.IntVar(&cfg.Orders, "orders", 300, "orders that go through their whole life; every second one is refunded")
	fs.IntVar(&cfg.Duplicates, "duplicates", 30, "calls for each intention, at once")
	fs.IntVar(&cfg.Kills, "kills", 3, "processes to kill per operation and point")
	fs.IntVar(&cfg.Servers, "servers", 3, "server processes over one database")
	fs.IntVar(&cfg.Workers, "workers", 8, "orders in flight at once")
	fs.DurationVar(&cfg.Limit, "limit", 3*time.Minute, "fail when the storm is not over by then")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if min(cfg.Orders, cfg.Duplicates, cfg.Kills, cfg.Servers, cfg.Workers) < 1 {
		return fmt.Errorf("storm: all counts must be positive")
	}
	var err error
	if cfg.Binary, err = os.Executable(); err != nil {
		return err
	}
	report, err := storm.Run(ctx, cfg)
	if err != nil {
		return err
	}
	if err := report.Write(stdout); err != nil {
		return err
	}
	if !report.OK() {
		return errFailed
	}
	return nil
}
