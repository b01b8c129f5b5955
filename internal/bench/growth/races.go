package growth

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/idemgen/idemgen/internal/bench/run"
	"github.com/idemgen/idemgen/runtime/idem"
)

// Names of the races and of who runs in them.
const (
	raceClaim     = "claim of a fresh key"
	raceComplete  = "claim and completion"
	raceDuplicate = "a duplicate"
	ours          = "idemgen"
	byHand        = "INSERT by hand"
	fullPages     = ", full pages"
)

// contestant is who runs in a race, and on how many records: a contestant's name.
func contestant(who string, records int) string { return fmt.Sprintf("%s, %d records", who, records) }

// Limit is how many records one operation of the race of pruning removes: as many as the
// smallest table has expired for many operations.
func (c Config) Limit() int { return max(1, min(10, c.Sizes[0]/expiredOf/100)) }

// Races are the races with so many callers: one for each operation, whose contestants
// are the sizes.
func (d *Database) Races(callers int) []run.Race {
	race := func(name string, contestants func(t *table) []run.Contestant) run.Race {
		r := run.Race{Group: d.Name, Name: name, Unit: "operation", Callers: []int{callers}, Figures: d.figures()}
		for _, t := range d.tables {
			r.Contestants = append(r.Contestants, contestants(t)...)
		}
		return r
	}
	races := []run.Race{
		race(raceClaim, func(t *table) []run.Contestant {
			return []run.Contestant{d.claims(t, callers, false), d.claimsByHand(t, callers, false)}
		}),
		race(raceComplete, func(t *table) []run.Contestant {
			return []run.Contestant{d.claims(t, callers, true), d.claimsByHand(t, callers, true)}
		}),
		race(raceDuplicate, func(t *table) []run.Contestant { return []run.Contestant{d.duplicates(t)} }),
	}
	if callers == 1 {
		races = append(races, race(fmt.Sprintf("pruning, %d records at once", d.config.Limit()), func(t *table) []run.Contestant {
			return []run.Contestant{d.pruning(t)}
		}))
	}
	return races
}

// Ordered is the race of claims on a table that was loaded in the order of its keys alone
// and has full pages, beside the same number of records as a long life leaves them.
func (d *Database) Ordered(ctx context.Context, callers int) (run.Race, error) {
	r := d.Races(callers)[0]
	middle := d.tables[min(1, len(d.tables)-1)]
	t, err := d.load(ctx, middle.records, true)
	r.Name = "claim of a fresh key, tables with full pages (loaded in the order of the keys) and as usual"
	r.Contestants = []run.Contestant{d.claims(middle, callers, false), d.claimsByHand(middle, callers, false)}
	for _, c := range []run.Contestant{d.claims(t, callers, false), d.claimsByHand(t, callers, false)} {
		c.Name += fullPages
		r.Contestants = append(r.Contestants, c)
	}
	return r, err
}

// Scarce are the races of claims, and of their completions, once more, on a server that
// has been given less.
func (d *Database) Scarce(callers int, less string) []run.Race {
	races := d.Races(callers)[:2]
	for i := range races {
		races[i].Name += ", " + less
	}
	return races
}

// duplicates are claims of loaded records that have not expired.
func (d *Database) duplicates(t *table) run.Contestant {
	return run.Contestant{Name: contestant(ours, t.records), Start: func(context.Context) (run.Running, error) {
		var answered atomic.Int64
		return run.Running{Meter: d.meter,
			Op: func(ctx context.Context, i int) error {
				n := uint64(i)*7919%uint64(t.records) + 1
				if n%expiredOf == 0 {
					n--
				}
				found, err := t.store.Claim(ctx, claimOf(loaded(n), "bench.Service.Pay"))
				if err := expect(found, err, idem.Done); err != nil {
					return err
				}
				if string(found.Record.Outcome.Data) != "{}" {
					return fmt.Errorf("the stored answer is %q", found.Record.Outcome.Data)
				}
				answered.Add(1)
				return nil
			},
			Verify: func(_ context.Context, ops int) error {
				if n := answered.Load(); n != int64(ops) {
					return fmt.Errorf("%d stored answers to %d duplicates", n, ops)
				}
				return nil
			}}, nil
	}}
}

// pruning removes expired records, each operation as many as the limit says. A small
// table gets them back after every sample; a large one has enough.
func (d *Database) pruning(t *table) run.Contestant {
	return run.Contestant{Name: contestant(ours, t.records), Start: func(ctx context.Context) (run.Running, error) {
		limit := d.config.Limit()
		expired := fmt.Sprintf("SELECT COUNT(*) FROM %s WHERE expires_at < %d", t.name, time.Now().UnixMicro())
		if _, err := d.restock(ctx, t); err != nil {
			return run.Running{}, err
		}
		before, err := d.number(ctx, expired)
		if err != nil {
			return run.Running{}, err
		}
		var pruned, restocked int64
		r := run.Running{Meter: d.meter, Most: d.config.Sizes[0] / expiredOf / limit / 2,
			Op: func(ctx context.Context, _ int) error {
				n, err := t.store.Prune(ctx, limit)
				if err == nil && n != limit {
					err = fmt.Errorf("%d records were pruned, not %d: the table has run out of them", n, limit)
				}
				pruned += int64(n)
				return err
			},
			Verify: func(ctx context.Context, ops int) error {
				left, err := d.number(ctx, expired)
				if err != nil {
					return err
				}
				if gone := int64(before-left) + restocked; pruned != int64(ops*limit) || gone != pruned {
					return fmt.Errorf("%d operations pruned %d records, and %d are gone", ops, pruned, gone)
				}
				return nil
			}}
		r.Between = func(ctx context.Context) (err error) {
			if t.records <= small {
				n, err := d.restock(ctx, t)
				restocked += n
				if err != nil {
					return err
				}
			}
			switch {
			case d.driver == "mysql":
				return d.purged(ctx)
			case t.records <= small:
				_, err = d.exec(ctx, "VACUUM "+t.name)
			}
			return err
		}
		return r, nil
	}}
}

func claimOf(hash [32]byte, readable string) idem.Claim {
	return idem.Claim{Key: idem.Key{Hash: hash, Readable: readable}, Owner: idem.NewOwner(), Lease: time.Minute, Retention: time.Hour, Orphan: idem.OrphanRerun}
}

func expect(found idem.Found, err error, want idem.ClaimStatus) error {
	if err == nil && found.Status != want {
		return errors.New("the claim is " + found.Status.String() + ", not " + want.String())
	}
	return err
}

// one tells a statement that touched another number of rows than one.
func one(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		return fmt.Errorf("%d rows, %w", n, err)
	}
	return nil
}

// marks writes placeholders as the database reads them.
func (d *Database) marks(query string) string {
	if d.driver != "mysql" {
		return query
	}
	out := make([]byte, 0, len(query))
	for i := 0; i < len(query); i++ {
		if query[i] == '$' {
			out = append(out, '?')
			i++
			continue
		}
		out = append(out, query[i])
	}
	return string(out)
}
