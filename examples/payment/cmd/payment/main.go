// Payment is a payment service behind three layers, and the page on which to try them.
//
//	payment [flags]           serve, on a SQLite file; then open the page in a browser
//	payment -storm [flags]    lose each layer in turn under a storm of clicks, and count the payments
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

	"github.com/idemgen/idemgen/examples/payment/internal/shop"
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
	var o shop.Options
	fs := flag.NewFlagSet("payment", flag.ContinueOnError)
	fs.SetOutput(stderr)
	addr := fs.String("addr", "127.0.0.1:8080", "address to listen on")
	fs.StringVar(&o.Database.SQLite, "sqlite", "", "`file` of the database; payment.db without -postgres and -mariadb, and one of its own for the storm")
	fs.StringVar(&o.Database.Postgres, "postgres", "", "`DSN` of a Postgres database: postgres://user@host/name")
	fs.StringVar(&o.Database.MariaDB, "mariadb", "", "`DSN` of a MariaDB or MySQL database: user@tcp(host:3306)/name")
	fs.StringVar(&o.Redis, "redis", "", "`URL` of a Redis for responses and tokens: redis://host:6379/0 (by default responses are in memory, tokens in the database)")
	fs.DurationVar(&o.TokenTTL, "token-ttl", 0, "how long a token may be used (5m)")
	blow := fs.Bool("storm", false, "storm the service and print the table of layers; it empties the database's orders and payments")
	orders := fs.Int("orders", 20, "of the storm, for each row of its table")
	clicks := fs.Int("clicks", 10, "of the storm, for each order")
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	err := fmt.Errorf("unknown argument %q", fs.Arg(0))
	switch {
	case fs.NArg() > 0:
	case o.TokenTTL < 0 || *orders < 1 || *clicks < 2:
		err = errors.New("want a positive -token-ttl and -orders, and at least 2 -clicks")
	case *blow:
		err = blowStorm(ctx, o, *orders, *clicks, stdout)
	default:
		err = serve(ctx, o, *addr, stdout, stderr)
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errFailed):
		return 1
	}
	_, _ = fmt.Fprintln(stderr, "payment:", err)
	return 2
}
