package growth

import (
	"context"
	"fmt"

	"github.com/idemgen/idemgen/internal/bench/run"
)

// scarceLogMiB is the size of a log that is soon full.
const scarceLogMiB = 32

// Measured is what a kind of database came to.
type Measured struct {
	Kind    Kind
	Loads   []string // what was loaded, and how long that took
	Results []run.Result
}

// Measure loads the tables and runs all races; progress hears what is done.
func (d *Database) Measure(ctx context.Context, progress func(what string)) (m Measured, err error) {
	m.Kind = d.Kind
	for _, size := range d.config.Sizes {
		if err := d.Load(ctx, size); err != nil {
			return m, err
		}
		load := fmt.Sprintf("%d records loaded in %.0f s", size, d.tables[len(d.tables)-1].took.Seconds())
		m.Loads = append(m.Loads, load)
		progress(load)
	}
	race := func(r run.Race) error {
		got, err := r.Do(ctx, d.config.Run)
		if err != nil {
			return err
		}
		m.Results = append(m.Results, got...)
		progress(fmt.Sprintf("%s, %d callers", r.Name, r.Callers[0]))
		return d.settle(ctx)
	}
	for _, callers := range d.config.Callers {
		for _, r := range d.Races(callers) {
			if err := race(r); err != nil {
				return m, err
			}
		}
	}
	ordered, err := d.Ordered(ctx, d.config.Callers[len(d.config.Callers)-1])
	if err == nil {
		err = race(ordered)
	}
	if err != nil {
		return m, err
	}
	if d.driver != "mysql" || d.config.ScarceMiB == 0 {
		return m, nil // Postgres reads what its own pool has not from the system's, which is as large as memory
	}
	if err := d.shrink(ctx, d.config.ScarceMiB); err != nil {
		return m, err
	}
	pool := fmt.Sprintf("a pool of %d MiB", d.config.ScarceMiB)
	for _, callers := range d.config.Callers {
		if err := race(d.Scarce(callers, pool)[0]); err != nil {
			return m, err
		}
	}
	// The log, too: when it is full, whoever writes waits until pages are written.
	if _, err := d.exec(ctx, fmt.Sprintf("SET GLOBAL innodb_log_file_size = %d", scarceLogMiB<<20)); err != nil {
		return m, err
	}
	for _, r := range d.Scarce(d.config.Callers[len(d.config.Callers)-1], fmt.Sprintf("%s, a log of %d MiB", pool, scarceLogMiB)) {
		if err := race(r); err != nil {
			return m, err
		}
	}
	return m, nil
}
