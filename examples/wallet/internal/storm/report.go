package storm

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"time"

	"github.com/idemgen/idemgen/examples/wallet/query"
	"github.com/idemgen/idemgen/runtime/idem"
)

// Report is what a storm left in the database.
type Report struct {
	Unguarded           bool
	Intentions, Effects int // transfers that were to happen, and that did
	Fitting, Withdrawn  int // withdrawals that the floor has room for, and that happened
	Kills               int
	Elapsed             time.Duration
	// Faults are broken promises; the unguarded service is to break some.
	Faults []string
}

// OK tells whether the storm ended as it must: without a fault, or, unguarded, with calls that happened more than once.
func (r *Report) OK() bool {
	if r.Unguarded {
		return r.Effects > r.Intentions
	}
	return len(r.Faults) == 0
}

// Print writes the report for people.
func (r *Report) Print(w io.Writer) error {
	_, err := fmt.Fprintf(w, "transfers    %4d intended  %4d effects\nwithdrawals  %4d fit       %4d effects\nkills        %4d\nelapsed      %v\n",
		r.Intentions, r.Effects, r.Fitting, r.Withdrawn, r.Kills, r.Elapsed.Round(time.Millisecond))
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

// entries are the lines of the journal by call and account.
type entries map[string]map[string][]int64

func readEntries(ctx context.Context, db *sql.DB) (entries, error) {
	rows, err := db.QueryContext(ctx, "SELECT call_id, account, amount FROM entries ORDER BY seq")
	if err != nil {
		return nil, fmt.Errorf("storm: journal: %w", err)
	}
	defer func() { _ = rows.Close() }()
	e := entries{}
	for rows.Next() {
		var id, account string
		var amount int64
		if err := rows.Scan(&id, &account, &amount); err != nil {
			return nil, fmt.Errorf("storm: journal: %w", err)
		}
		if e[id] == nil {
			e[id] = map[string][]int64{}
		}
		e[id][account] = append(e[id][account], amount)
	}
	return e, rows.Err()
}

// inspect compares the database with the plan.
func inspect(ctx context.Context, db *sql.DB, d idem.Dialect, p *plan, cfg Config, kills int, elapsed time.Duration) (*Report, error) {
	journal, err := readEntries(ctx, db)
	if err != nil {
		return nil, err
	}
	rows, err := query.On(d, db).ListAccounts(ctx)
	if err != nil {
		return nil, fmt.Errorf("storm: accounts: %w", err)
	}
	r := &Report{Unguarded: cfg.Unguarded, Intentions: len(p.transfers), Fitting: fitting(), Kills: kills, Elapsed: elapsed}
	fault := func(format string, args ...any) { r.Faults = append(r.Faults, fmt.Sprintf(format, args...)) }
	if kills < cfg.Kills {
		fault("%d of %d kills landed", kills, cfg.Kills)
	}

	// Every transfer happened once, both sides of it.
	sums, updates := map[string]int64{}, map[string]int64{}
	for _, t := range p.transfers {
		from, to := journal[t.ID][t.From], journal[t.ID][t.To]
		r.Effects += max(len(from), len(to))
		if len(from) != 1 || len(to) != 1 || from[0] != -t.Amount || to[0] != t.Amount {
			fault("transfer %s of %d cents: %v from %s, %v to %s", t.ID, t.Amount, from, t.From, to, t.To)
		}
	}
	// So did as many withdrawals as the floor has room for.
	for _, w := range p.withdrawals {
		lines := journal[w.ID][w.Account]
		r.Withdrawn += len(lines)
		if len(lines) > 1 {
			fault("withdrawal %s happened %d times", w.ID, len(lines))
		}
	}
	if r.Withdrawn != r.Fitting {
		fault("%d withdrawals, %d fit", r.Withdrawn, r.Fitting)
	}
	// Money is where the journal says, no account is below its floor, and every change counted the version up.
	var before, after, paid int64
	for _, lines := range journal {
		for id, amounts := range lines {
			for _, n := range amounts {
				sums[id] += n
				updates[id]++
			}
		}
	}
	for i, a := range rows {
		was := p.accounts[i] // both are in the order of their ids
		before, after = before+was.Balance, after+a.Balance
		if a.ID != was.ID || a.Balance != was.Balance+sums[a.ID] || a.Version != updates[a.ID] || a.Balance < a.Floor {
			fault("account %s: %d cents in version %d, floor %d; the journal has %d updates to %d cents", a.ID, a.Balance, a.Version, a.Floor, updates[a.ID], was.Balance+sums[a.ID])
		}
	}
	for _, w := range p.withdrawals {
		for _, n := range journal[w.ID][w.Account] {
			paid -= n
		}
	}
	if before != after+paid {
		fault("%d cents before, %d after and %d paid out", before, after, paid)
	}
	return r, nil
}
