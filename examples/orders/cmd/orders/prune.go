package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

const (
	pruneEvery = time.Minute
	pruneLimit = 1000 // records at a time
)

// prune deletes records whose retention is over, a bounded number at a time, until the context ends.
func prune(ctx context.Context, records idem.RecordStore, log *slog.Logger) {
	tick := time.NewTicker(pruneEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if _, err := records.Prune(ctx, pruneLimit); err != nil && ctx.Err() == nil {
				log.Warn("orders: prune", "error", err)
			}
		}
	}
}
