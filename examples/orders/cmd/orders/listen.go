package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/idemgen/idemgen/examples/orders/internal/crash"
)

// Descriptors that a process of the storm inherits.
const (
	listenerFD = 3
	trapFD     = 4
)

// place is where a process serves: at an address, or, inherited from a storm, at a listener that outlives it.
type place struct {
	addr    string
	inherit bool
}

// logLevel is what is worth a line: in a storm, where processes die and keys are reused on purpose, errors alone.
func (p place) logLevel() slog.Level {
	if p.inherit {
		return slog.LevelError
	}
	return slog.LevelInfo
}

// listen opens the place and returns, when it is inherited, the trap that crash points report to.
func (p place) listen() (net.Listener, *crash.Trap, error) {
	if !p.inherit {
		ln, err := net.Listen("tcp", p.addr)
		return ln, nil, err
	}
	f := os.NewFile(listenerFD, "listener")
	ln, err := net.FileListener(f)
	if err != nil {
		return nil, nil, fmt.Errorf("inherit listener: %w", err)
	}
	return ln, crash.New(os.NewFile(trapFD, "trap")), f.Close()
}

// until ends the context when standard input does: the storm that started this process is gone.
func (p place) until(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if p.inherit {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			cancel()
		}()
	}
	return ctx, cancel
}

// serveHTTP serves until the context ends, and then lets running requests finish for a while.
func serveHTTP(ctx context.Context, ln net.Listener, h http.Handler) error {
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute}
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
