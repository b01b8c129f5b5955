package httpidem

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// audit is the log line of one guarded request.
type audit struct {
	gate         *Gate
	started      time.Time
	method, path string
	key          idem.Key
	outcome      string // executed, released, unknown or replayed; "" when refused
	status       int
	err          error
	unguarded    bool // the store is away
	nested       bool // another gate in front writes the line
}

// write writes the line: what became of the request, without what it said.
func (a *audit) write(ctx context.Context) {
	log := a.gate.route.Log
	if log == nil || a.nested {
		return
	}
	level := slog.LevelInfo
	attrs := []slog.Attr{
		slog.String("op", a.gate.op.Name), slog.String("method", a.method), slog.String("path", a.path),
		slog.String("key", a.key.String()), slog.Int("status", a.status), slog.Duration("elapsed", time.Since(a.started)),
	}
	switch {
	case a.err != nil:
		a.outcome = statusOf(a.err).Code
		if !errors.Is(a.err, idem.ErrInProgress) { // that is what duplicates are told
			level = slog.LevelWarn
		}
		attrs = append(attrs, slog.String("error", a.err.Error()))
	case a.outcome == "": // a function of the route panicked
		a.outcome, level = "panicked", slog.LevelWarn
	case a.unguarded:
		a.outcome, level = "unguarded", slog.LevelWarn
	case a.outcome == "unknown":
		level = slog.LevelWarn
	}
	log.LogAttrs(ctx, level, "guarded request", append(attrs, slog.String("outcome", a.outcome))...)
}
