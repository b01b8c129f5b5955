// Orders is an order service that can't be made to do a thing twice, and the storm that tries.
//
//	orders [serve] [flags]            serve over HTTP on a SQLite file
//	orders bank [flags]               be the bank that the service talks to
//	orders -storm [-unguarded] [flags] storm the service with duplicates and kills, and count what happened
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
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// errFailed is an ending that has said already what was wrong.
var errFailed = errors.New("failed")

// run is the program: 0 fine, 1 the storm ended as it must not, 2 usage or failure.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	command := serve
	if len(args) > 0 {
		switch args[0] {
		case "serve":
			args = args[1:]
		case "bank":
			command, args = serveBank, args[1:]
		default:
			command = stormOrServe
		}
	}
	err := command(ctx, args, stdout, stderr)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errFailed):
		return 1
	default:
		_, _ = fmt.Fprintln(stderr, "orders:", err)
		return 2
	}
}
