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

	"github.com/idemgen/idemgen/examples/gateway/internal/admin"
	"github.com/idemgen/idemgen/examples/gateway/internal/proxy"
	"github.com/idemgen/idemgen/examples/gateway/internal/store"
	"github.com/idemgen/idemgen/runtime/httpidem"
	"github.com/idemgen/idemgen/runtime/idem"
)

// serve is the gateway, until the context ends.
func serve(ctx context.Context, o options, stdout, stderr io.Writer) (err error) {
	log := slog.New(slog.NewTextHandler(stderr, nil))
	records, closeStore, err := store.Open(ctx, o.store)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeStore()) }()
	go prune(ctx, records, log)

	o.route.Log = log
	o.route.Principal = principal(o.principal)
	gate := httpidem.New(idem.New(idem.GlobalScope, idem.WithObserver(idem.NewSlogObserver(log))), records, o.route)

	front, err := net.Listen("tcp", o.listen)
	if err != nil {
		return err
	}
	servers := map[net.Listener]http.Handler{front: gate.Wrap(proxy.New(o.proxy, log))}
	_, _ = fmt.Fprintf(stdout, "gateway: listening on http://%s\n", front.Addr())
	if o.admin != "" {
		back, err := net.Listen("tcp", o.admin)
		if err != nil {
			return errors.Join(err, front.Close())
		}
		servers[back] = admin.Handler(gate, log)
		_, _ = fmt.Fprintf(stdout, "gateway: resolving on http://%s\n", back.Addr())
	}
	return serveAll(ctx, servers)
}

// principal is whom a key belongs to: what the header says, at the host that was asked. Clients that show nothing share their keys.
func principal(header string) func(*http.Request) string {
	return func(r *http.Request) string { return r.Host + "\x00" + r.Header.Get(header) }
}

// serveAll serves until the context ends or one can't any more, and then lets running requests finish for a while.
func serveAll(ctx context.Context, handlers map[net.Listener]http.Handler) error {
	over := make(chan error, len(handlers))
	var servers []*http.Server
	for ln, h := range handlers {
		srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute}
		servers = append(servers, srv)
		go func() { over <- srv.Serve(ln) }()
	}
	var errs []error
	select {
	case err := <-over:
		errs = append(errs, fmt.Errorf("serve: %w", err))
	case <-ctx.Done():
	}
	last, stop := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer stop()
	for _, srv := range servers {
		if err := srv.Shutdown(last); err != nil {
			errs = append(errs, fmt.Errorf("shut down: %w", err), srv.Close())
		}
	}
	return errors.Join(errs...)
}

const (
	pruneEvery = time.Minute
	pruneLimit = 1000 // records at a time
)

// prune deletes responses whose time is over, a bounded number at a time, until the context ends.
func prune(ctx context.Context, records idem.RecordStore, log *slog.Logger) {
	tick := time.NewTicker(pruneEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if _, err := records.Prune(ctx, pruneLimit); err != nil && ctx.Err() == nil {
				log.Warn("prune", "error", err)
			}
		}
	}
}
