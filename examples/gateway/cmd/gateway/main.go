// Gateway is a reverse proxy that lets a request with an idempotency key reach its back end once, and gives the retries the first response. The back end knows nothing of it.
//
//	gateway -backend http://127.0.0.1:9000 -store sqlite:gateway.db
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

// run is the program: 0 fine, 2 usage or failure.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if err == nil {
		err = serve(ctx, o, stdout, stderr)
	}
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage): // said already
		return 2
	}
	_, _ = fmt.Fprintln(stderr, "gateway:", err)
	return 2
}
