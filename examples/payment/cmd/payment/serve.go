package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/idemgen/idemgen/examples/internal/database"
	"github.com/idemgen/idemgen/examples/payment/internal/shop"
)

// serve is the payment service with its page, until the context ends; running requests may finish for a while then.
func serve(ctx context.Context, o shop.Options, addr string, stdout, stderr io.Writer) (err error) {
	o.Log = slog.New(slog.NewTextHandler(stderr, nil))
	if o.Database == (database.Source{}) {
		o.Database.SQLite = "payment.db"
	}
	s, err := shop.Open(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(stdout, "payment: open http://%s\n", ln.Addr())
	srv := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute}
	over := make(chan error, 1)
	go func() { over <- srv.Serve(ln) }()
	select {
	case err := <-over:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := srv.Shutdown(last); err != nil {
		return errors.Join(fmt.Errorf("shut down: %w", err), srv.Close())
	}
	return nil
}
