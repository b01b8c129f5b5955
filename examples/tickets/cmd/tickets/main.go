// Tickets plays a day at the approval desk, and tells it.
//
//	tickets -demo                   on a SQLite file in a temporary folder
//	tickets -demo -sqlite FILE
//	tickets -demo -postgres DSN
//	tickets -demo -mariadb DSN
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/idemgen/idemgen/examples/tickets/desk"
	"github.com/idemgen/idemgen/examples/tickets/internal/database"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the program: 0 the day went as it must, 1 it did not, 2 usage.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var source database.Source
	fs := flag.NewFlagSet("tickets", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&source.SQLite, "sqlite", "", "`file` of the database")
	fs.StringVar(&source.Postgres, "postgres", "", "`DSN` of a Postgres database: postgres://user@host/name")
	fs.StringVar(&source.MariaDB, "mariadb", "", "`DSN` of a MariaDB or MySQL database: user@tcp(host:3306)/name")
	demo := fs.Bool("demo", false, "play the day")
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case !*demo || fs.NArg() > 0:
		_, _ = fmt.Fprintln(stderr, "usage: tickets -demo [-sqlite FILE | -postgres DSN | -mariadb DSN]")
		return 2
	}
	if err := play(ctx, source, stdout); err != nil {
		_, _ = fmt.Fprintln(stderr, "tickets:", err)
		return 1
	}
	return 0
}

// play plays the day on a database; without one, on a file that it removes.
func play(ctx context.Context, source database.Source, out io.Writer) (err error) {
	if source == (database.Source{}) {
		dir, err := os.MkdirTemp("", "tickets-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		source.SQLite = filepath.Join(dir, "tickets.db")
	}
	db, dialect, err := source.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, database.Close(db)) }()
	if err := desk.Migrate(ctx, db, dialect); err != nil {
		return err
	}
	store, err := desk.NewStore(db, dialect)
	if err != nil {
		return err
	}
	return newDay(desk.New(db, store, nil), out).tell(ctx)
}
