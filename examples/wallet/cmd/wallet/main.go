// Wallet moves money between accounts, once per call, whatever comes twice, at once or after a crash.
//
//	wallet [flags] open ID HOLDER CENTS [FLOOR]
//	wallet [flags] transfer CALL FROM TO CENTS
//	wallet [flags] withdraw CALL ACCOUNT CENTS
//	wallet [flags] accounts
//	wallet [flags] storm
//
// Without a flag it works on the SQLite file wallet.db; the storm has a file of its own.
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

	"github.com/idemgen/idemgen/examples/wallet/internal/database"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// options are the flags of all commands.
type options struct {
	source    database.Source
	seed      uint64
	processes int
	kills     int
	unguarded bool
}

var (
	errFailed = errors.New("failed") // an ending that has said already what was wrong
	errUsage  = errors.New("usage: wallet [flags] open | transfer | withdraw | accounts | storm …; wallet -h for the flags")
)

// run is the program: 0 fine, 1 the storm ended as it must not, 2 usage or failure.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var o options
	fs := flag.NewFlagSet("wallet", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&o.source.SQLite, "sqlite", "", "`file` of the database; wallet.db without any of the three flags")
	fs.StringVar(&o.source.Postgres, "postgres", "", "`DSN` of a Postgres database: postgres://user@host/name")
	fs.StringVar(&o.source.MariaDB, "mariadb", "", "`DSN` of a MariaDB or MySQL database: user@tcp(host:3306)/name")
	fs.Uint64Var(&o.seed, "seed", 1, "of the storm's plan")
	fs.IntVar(&o.processes, "processes", 3, "of the storm at a time")
	fs.IntVar(&o.kills, "kills", 6, "processes that the storm kills")
	fs.BoolVar(&o.unguarded, "unguarded", false, "storm the service without its wrapper; the fault must be found")
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
	_, _ = fmt.Fprintln(stderr, "wallet:", err)
	return 2
}

// commands are the commands, with how many operands each takes.
var commands = []struct {
	name     string
	min, max int
	run      func(ctx context.Context, s *session, args []string) error
}{
	{"open", 3, 4, open},
	{"transfer", 4, 4, transfer},
	{"withdraw", 3, 3, withdraw},
	{"accounts", 0, 0, accounts},
	{"storm", 0, 0, runStorm},
	{"work", 0, 0, work}, // what the storm's processes do
}

func command(ctx context.Context, o *options, args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		return errUsage
	}
	for _, c := range commands {
		if c.name != args[0] {
			continue
		}
		if n := len(args) - 1; n < c.min || n > c.max {
			return errUsage
		}
		s, err := newSession(o, args[0], stdout, stderr)
		if err != nil {
			return err
		}
		return errors.Join(c.run(ctx, s, args[1:]), s.close())
	}
	return errUsage
}
