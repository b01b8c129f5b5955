package main

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"

	"github.com/idemgen/idemgen/examples/orders/internal/api"
	"github.com/idemgen/idemgen/examples/orders/internal/bank"
	"github.com/idemgen/idemgen/examples/orders/internal/crash"
	"github.com/idemgen/idemgen/examples/orders/internal/database"
	"github.com/idemgen/idemgen/examples/orders/internal/unguarded"
	"github.com/idemgen/idemgen/examples/orders/order"
	"github.com/idemgen/idemgen/examples/orders/service"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// serve is the order service.
func serve(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	fs := flag.NewFlagSet("orders serve", flag.ContinueOnError)
	fs.SetOutput(stderr)
	file := fs.String("db", "orders.db", "SQLite file")
	bankURL := fs.String("bank", "http://127.0.0.1:8081", "where the bank is")
	bare := fs.Bool("unguarded", false, "serve the service without its wrappers")
	accounts := accountList{}
	fs.Var(accounts, "account", "open an account: `owner=cents` (may be repeated)")
	var at place
	fs.StringVar(&at.addr, "addr", "127.0.0.1:8080", "address to listen on")
	fs.BoolVar(&at.inherit, "inherit", false, "use the descriptors that a storm hands down")
	if err := fs.Parse(args); err != nil {
		return err
	}
	db, err := database.Open(*file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	ln, trap, err := at.listen()
	if err != nil {
		return err
	}
	ctx, stop := at.until(ctx)
	defer stop()
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: at.logLevel()}))
	orders, err := assemble(ctx, db, *bankURL, *bare, trap, log)
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	if err := accounts.open(ctx, db); err != nil {
		return errors.Join(err, ln.Close())
	}
	if !at.inherit {
		_, _ = fmt.Fprintf(stdout, "orders: listening on http://%s, database %s, bank %s\n", ln.Addr(), *file, *bankURL)
	}
	return serveHTTP(ctx, ln, trap.Handler(api.New(orders)))
}

// assemble makes the tables and puts the service together: the plain one inside, the generated wrapper around it. Old records are pruned until the context ends.
func assemble(ctx context.Context, db *sql.DB, bankURL string, bare bool, trap *crash.Trap, log *slog.Logger) (api.Orders, error) {
	if err := order.Migrate(ctx, db); err != nil {
		return nil, err
	}
	plain := service.New(db, bank.NewClient(bankURL, trap.Transport(http.DefaultTransport)))
	if bare {
		return unguarded.New(plain, db, trap), nil
	}
	store := sqlstore.New(db, idem.SQLite)
	if err := store.Migrate(ctx); err != nil {
		return nil, err
	}
	go prune(ctx, store, log)
	engine := idem.New(idem.GlobalScope, idem.WithObserver(api.Observer(idem.NewSlogObserver(log))))
	return service.NewIdempotentService(plain, engine, store, crash.Tx[*sql.Tx](trap, store)), nil
}
