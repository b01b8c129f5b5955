package storm

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/idemgen/idemgen/examples/consumer/internal/database"
)

// Report is what a storm left.
type Report struct {
	Unguarded                bool
	Events, Copies           int
	Booked, Rewarded, Mailed int // effects
	// Maybe is how many receipts may have gone out twice: those that a process was sending when it was killed (orphan=rerun).
	Maybe       int
	DeadLetters uint64
	Deliveries  map[string]uint64 // by consumer
	Kills       int
	Elapsed     time.Duration
	// Faults are broken promises; the unguarded consumers are to break some.
	Faults []string
}

// OK tells whether the storm ended as it must: without a fault, or, unguarded, with an effect for every copy.
func (r *Report) OK() bool {
	if r.Unguarded {
		return min(r.Booked, r.Rewarded, r.Mailed) >= r.Copies*r.Events
	}
	return len(r.Faults) == 0
}

// Print writes the report for people.
func (r *Report) Print(w io.Writer) error {
	_, err := fmt.Fprintf(w, "events    %4d  published %d times each\n", r.Events, r.Copies)
	for _, line := range []struct {
		name, what string
		effects    int
	}{{"ledger", "booked", r.Booked}, {"points", "rewarded", r.Rewarded}, {"receipts", "mailed", r.Mailed}} {
		if err == nil {
			_, err = fmt.Fprintf(w, "%-8s  %4d  %s, of %d deliveries\n", line.name, line.effects, line.what, r.Deliveries[line.name])
		}
	}
	if err == nil {
		_, err = fmt.Fprintf(w, "dead      %4d  letters\nkills     %4d\nelapsed   %v\n", r.DeadLetters, r.Kills, r.Elapsed.Round(time.Millisecond))
	}
	for i, f := range r.Faults {
		if i == 10 {
			_, err = fmt.Fprintf(w, "… and %d more\n", len(r.Faults)-i)
			break
		}
		if err == nil {
			_, err = fmt.Fprintln(w, "fault:", f)
		}
	}
	return err
}

// inspect compares what is there with the plan.
func inspect(ctx context.Context, cfg Config, elapsed time.Duration) (*Report, error) {
	r := &Report{Unguarded: cfg.Unguarded, Events: events, Copies: copies, Deliveries: map[string]uint64{}, Kills: cfg.Kills, Elapsed: elapsed}
	fault := func(format string, args ...any) { r.Faults = append(r.Faults, fmt.Sprintf(format, args...)) }
	booked, err := counts(ctx, cfg.DB, "SELECT event_id, COUNT(*) FROM ledger GROUP BY event_id")
	if err != nil {
		return nil, err
	}
	rewarded, err := counts(ctx, cfg.DB, "SELECT event_id, COUNT(*) FROM points GROUP BY event_id")
	if err != nil {
		return nil, err
	}
	balances, err := counts(ctx, cfg.DB, "SELECT id, balance FROM accounts")
	if err != nil {
		return nil, err
	}
	mailed, err := cfg.Outbox.Sent()
	if err != nil {
		return nil, err
	}
	for _, c := range cfg.Consumers {
		durable, err := cfg.Topology.JetStream.Consumer(ctx, cfg.Topology.Events, c.Name)
		if err != nil {
			return nil, fmt.Errorf("storm: %s: %w", c.Name, err)
		}
		r.Deliveries[c.Name] = durable.CachedInfo().Delivered.Consumer
		if c.Name == "receipts" {
			r.Maybe = cfg.Kills * c.Workers
		}
	}
	dead, err := cfg.Topology.JetStream.Stream(ctx, cfg.Topology.Dead)
	if err != nil {
		return nil, fmt.Errorf("storm: dead letters: %w", err)
	}
	r.DeadLetters = dead.CachedInfo().State.Msgs

	// Transaction mode: each event once. Lease mode: once, but for those that a killed process was about to mail.
	owed := map[string]int{}
	for n := range events {
		e := event(n)
		owed[e.Account] += int(e.Amount)
		if booked[e.ID] != 1 || rewarded[e.ID] != 1 || mailed[e.ID] < 1 {
			fault("event %s: booked %d times, rewarded %d times, mailed %d times", e.ID, booked[e.ID], rewarded[e.ID], mailed[e.ID])
		}
	}
	r.Booked, r.Rewarded, r.Mailed = sum(booked), sum(rewarded), sum(mailed)
	if r.Booked != events || r.Rewarded != events || r.Mailed > events+r.Maybe {
		fault("%d events: %d booked, %d rewarded, %d mailed, and %d may have been mailed twice", events, r.Booked, r.Rewarded, r.Mailed, r.Maybe)
	}
	for id, cents := range balances {
		if cents != owed[id] {
			fault("account %s holds %d cents, it was paid %d", id, cents, owed[id])
		}
	}
	if want := uint64(letters * len(cfg.Consumers)); r.DeadLetters != want {
		fault("%d dead letters of %d", r.DeadLetters, want)
	}
	return r, nil
}

func sum(counts map[string]int) (total int) {
	for _, n := range counts {
		total += n
	}
	return total
}

// counts reads a name and a number per row.
func counts(ctx context.Context, db *database.Database, query string) (map[string]int, error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("storm: %w", err)
	}
	defer func() { _ = rows.Close() }()
	found := map[string]int{}
	for rows.Next() {
		var id string
		var n int
		if err := rows.Scan(&id, &n); err != nil {
			return nil, fmt.Errorf("storm: %w", err)
		}
		found[id] = n
	}
	return found, rows.Err()
}
