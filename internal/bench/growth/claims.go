package growth

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/idemgen/idemgen/internal/bench/run"
	"github.com/idemgen/idemgen/runtime/idem"
)

// claimer claims keys that nobody has had, and takes care of what they leave.
type claimer struct {
	d       *Database
	t       *table
	mark    string        // of its rows
	next    atomic.Uint64 // keys that were handed out
	removed atomic.Int64
	extra   atomic.Int64 // claims that no operation was: to warm up
}

func (d *Database) claimer(t *table, who string) *claimer {
	d.runs++
	return &claimer{d: d, t: t, mark: fmt.Sprintf("%s %d", who, d.runs)}
}

// hash is a key that nobody has had.
func (c *claimer) hash() [32]byte {
	return sha256.Sum256(append([]byte(c.mark), binary.LittleEndian.AppendUint64(nil, c.next.Add(1))...))
}

// putBack takes out what was claimed. Of a small table that is after every sample; then
// each connection claims once more, because a vacuum makes it plan anew.
func (c *claimer) putBack(callers int, op func(ctx context.Context, i int) error) func(ctx context.Context) error {
	if c.t.records > small {
		return nil
	}
	return func(ctx context.Context) error {
		if err := c.remove(ctx); err != nil {
			return err
		}
		errs := make([]error, callers)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() { errs[i] = errors.Join(op(ctx, -1), op(ctx, -1)) })
		}
		wg.Wait()
		c.extra.Add(int64(2 * callers))
		return errors.Join(errs...)
	}
}

func (c *claimer) remove(ctx context.Context) error {
	n, err := c.d.remove(ctx, c.t, c.mark)
	c.removed.Add(n)
	return err
}

// verify proves that each operation left a record: it is taken out, and counted.
func (c *claimer) verify(ctx context.Context, ops int) error {
	if err := c.remove(ctx); err != nil {
		return err
	}
	if got, want := c.removed.Load(), int64(ops)+c.extra.Load(); got != want {
		return fmt.Errorf("%d records of %d claims", got, want)
	}
	return nil
}

// claims are ours, with their completion if so wanted.
func (d *Database) claims(t *table, callers int, complete bool) run.Contestant {
	return run.Contestant{Name: contestant(ours, t.records), Start: func(context.Context) (run.Running, error) {
		c := d.claimer(t, ours)
		op := func(ctx context.Context, _ int) error {
			claim := claimOf(c.hash(), c.mark)
			found, err := t.store.Claim(ctx, claim)
			if err := expect(found, err, idem.Fresh); err != nil || !complete {
				return err
			}
			return t.store.Complete(ctx, idem.Hold{Key: claim.Key, Owner: claim.Owner, Fence: found.Record.Fence}, idem.Outcome{Kind: idem.Succeeded, Codec: "json", Data: []byte("{}")}, time.Hour)
		}
		return run.Running{Op: op, Between: c.putBack(callers, op), Verify: c.verify, Meter: d.meter}, nil
	}}
}

// claimsByHand are the same rows by a plain INSERT, which decides nothing and answers
// nothing, and a plain UPDATE: what the table itself costs.
func (d *Database) claimsByHand(t *table, callers int, complete bool) run.Contestant {
	return run.Contestant{Name: contestant(byHand, t.records), Start: func(ctx context.Context) (run.Running, error) {
		c := d.claimer(t, byHand)
		insert, err := d.db.PrepareContext(ctx, d.marks("INSERT INTO "+t.name+" (key_hash, key_text, owner, fence, state, orphan, codec, lease_until, expires_at, claimed_at) VALUES ($1, $2, $3, 1, 0, 1, '', $4, $5, $6)"))
		if err != nil {
			return run.Running{}, err
		}
		update, err := d.db.PrepareContext(ctx, d.marks("UPDATE "+t.name+" SET state = 1, codec = 'json', result = $1, lease_until = NULL, expires_at = $2 WHERE key_hash = $3"))
		if err != nil {
			return run.Running{}, errors.Join(err, insert.Close())
		}
		op := func(ctx context.Context, _ int) error {
			hash, owner, now := c.hash(), idem.NewOwner(), time.Now().UnixMicro()
			minute, hour := time.Minute.Microseconds(), time.Hour.Microseconds()
			if err := one(insert.ExecContext(ctx, hash[:], c.mark, owner[:], now+minute, now+hour+minute, now)); err != nil || !complete {
				return err
			}
			return one(update.ExecContext(ctx, []byte("{}"), now+hour, hash[:]))
		}
		return run.Running{Op: op, Between: c.putBack(callers, op), Verify: c.verify, Meter: d.meter,
			Close: func() { _ = insert.Close(); _ = update.Close() }}, nil
	}}
}
