package idem

import (
	"context"
	"log/slog"
)

// NewSlogObserver makes an observer that writes one record per event: what needs
// a person at Warn or Error, the rest at Debug. It logs operation, readable key
// and hash prefix, never a result. A nil logger is slog.Default at each event.
func NewSlogObserver(l *slog.Logger) Observer { return slogObserver{l} }

type slogObserver struct{ logger *slog.Logger }

// eventLevels has the level of every kind; what is missing is Debug.
var eventLevels = [eventKinds]slog.Level{
	EventFailed:         slog.LevelInfo,
	EventUnknown:        slog.LevelWarn,
	EventKeyReused:      slog.LevelWarn,
	EventOtherVersion:   slog.LevelInfo,
	EventHeld:           slog.LevelWarn,
	EventOversize:       slog.LevelWarn,
	EventUnreadable:     slog.LevelError,
	EventRenewFailed:    slog.LevelWarn,
	EventLeaseLost:      slog.LevelError,
	EventCompleteFailed: slog.LevelError,
	EventReleaseFailed:  slog.LevelWarn,
	EventUnavailable:    slog.LevelError,
	EventFailedOpen:     slog.LevelError,
	EventTxRetry:        slog.LevelInfo,
	EventCommitUnknown:  slog.LevelWarn,
	EventCommitFound:    slog.LevelInfo,
	EventTokenUnsettled: slog.LevelWarn,
	EventLockLost:       slog.LevelError,
	// The everyday kinds.
	EventExecuted:   slog.LevelDebug,
	EventReleased:   slog.LevelDebug,
	EventReplayed:   slog.LevelDebug,
	EventLookedUp:   slog.LevelDebug,
	EventInProgress: slog.LevelDebug,
	EventPruned:     slog.LevelDebug,
}

// Observe logs one event.
func (o slogObserver) Observe(ctx context.Context, e Event) {
	l := o.logger
	if l == nil {
		l = slog.Default()
	}
	level := slog.LevelError
	if e.Kind < eventKinds {
		level = eventLevels[e.Kind]
	}
	if !l.Enabled(ctx, level) {
		return
	}
	attrs := make([]slog.Attr, 0, 6)
	attrs = append(attrs, slog.String("event", e.Kind.String()))
	if e.Op != "" {
		attrs = append(attrs, slog.String("op", e.Op), slog.String("key", e.Key.String()))
	}
	if e.Attempt != 0 {
		attrs = append(attrs, slog.Int("attempt", e.Attempt))
	}
	if e.Elapsed != 0 {
		attrs = append(attrs, slog.Duration("elapsed", e.Elapsed))
	}
	if e.Pruned != 0 {
		attrs = append(attrs, slog.Int("pruned", e.Pruned))
	}
	if e.Err != nil {
		attrs = append(attrs, slog.String("error", e.Err.Error()))
	}
	l.LogAttrs(ctx, level, "idem: "+e.Kind.String(), attrs...)
}
