package locks

import (
	"context"
	"time"

	"github.com/idemgen/idemgen/internal/difftest"
	"github.com/idemgen/idemgen/runtime/idem"
)

// Store is a locker and the records that it checks.
type Store struct {
	Locker  idem.Locker
	Records idem.RecordStore
}

// Kind are the histories of lockers.
func Kind() *difftest.Kind[Store, Step, State] {
	return &difftest.Kind[Store, Step, State]{
		Name: "locks", Make: makeHistory, Race: race, Simpler: simpler, Traits: traits, Next: Next, Open: Open,
	}
}

// Open begins a play on new keys.
func Open(store Store) difftest.Player[Step] {
	return &player{Store: store, Cast: difftest.NewCast()}
}

// player plays steps on a locker.
type player struct {
	Store
	*difftest.Cast
	done [difftest.Keys]bool
}

func ttl(brief bool) time.Duration {
	if brief {
		return difftest.Short
	}
	return difftest.Long
}

// Play plays one step.
func (p *player) Play(ctx context.Context, s Step) difftest.Answer {
	hold := idem.Hold{Key: p.Key(s.Key), Owner: p.Owner(s.Owner), Fence: p.Fence(s.Key, s.Owner) + s.Off}
	if s.AnyFence {
		hold.Fence = 0
	}
	var err error
	switch s.Do {
	case Acquire:
		f, err := p.Locker.Acquire(ctx, idem.LockRequest{Key: hold.Key, Owner: hold.Owner, TTL: ttl(s.Brief), Check: s.Check})
		if err == nil && f.Status == idem.LockAcquired {
			p.Told(s.Key, s.Owner, f.Fence)
		}
		return found(f, err)
	case Renew:
		err = p.Locker.Renew(ctx, hold, ttl(s.Brief))
	case Release:
		err = p.Locker.Release(ctx, hold)
	case Complete:
		err = p.complete(ctx, s.Key)
	}
	return difftest.Answer{Told: difftest.NameError(err)}
}

// complete makes a completed record of a key, once.
func (p *player) complete(ctx context.Context, key int) error {
	if p.done[key] {
		return nil
	}
	p.done[key] = true
	c := idem.Claim{Key: p.Key(key), Owner: idem.NewOwner(), Lease: difftest.Long, Retention: difftest.Long, Orphan: idem.OrphanRerun}
	f, err := p.Records.Claim(ctx, c)
	if err != nil {
		return err
	}
	return p.Records.Complete(ctx, idem.Hold{Key: c.Key, Owner: c.Owner, Fence: f.Record.Fence}, Result, difftest.Long)
}

// found are the words of what a locker found.
func found(f idem.LockFound, err error) difftest.Answer {
	if err != nil {
		return difftest.Answer{Told: difftest.NameError(err)}
	}
	text := f.Status.String() + checkedWord(f.Checked)
	switch {
	case f.Left < 0 || f.Left > difftest.Long+difftest.Slack:
		text += " left " + f.Left.String()
	case f.Left > 0:
		text += leased
	}
	if f.Status == idem.LockNeedless {
		text += " " + difftest.Outcome(&f.Record.Outcome)
	}
	return difftest.Answer{Told: text, Fence: f.Fence}
}
