package records

import (
	"context"
	"time"

	"github.com/idemgen/idemgen/internal/difftest"
	"github.com/idemgen/idemgen/runtime/idem"
)

// Kind are the histories of record stores.
func Kind() *difftest.Kind[idem.RecordStore, Step, State] {
	return &difftest.Kind[idem.RecordStore, Step, State]{
		Name: "records", Make: makeHistory, Race: race, Simpler: simpler, Traits: traits, Next: Next, Open: Open,
	}
}

// Open begins a play on new keys.
func Open(store idem.RecordStore) difftest.Player[Step] {
	return &player{store, difftest.NewCast()}
}

// player plays steps on a store.
type player struct {
	store idem.RecordStore
	*difftest.Cast
}

// lease is how long a lease lasts.
func lease(short bool) time.Duration {
	if short {
		return difftest.Short
	}
	return difftest.Long
}

// retention is a retention as the store takes it.
func (k Keep) retention() time.Duration {
	switch k {
	case Short:
		return difftest.Short
	case Never:
		return idem.Never
	case Unsaid:
		return 0
	}
	return difftest.Long
}

// Play plays one step.
func (p *player) Play(ctx context.Context, s Step) difftest.Answer {
	hold := idem.Hold{Key: p.Key(s.Key), Owner: p.Owner(s.Owner), Fence: p.Fence(s.Key, s.Owner) + s.Off}
	var err error
	switch s.Do {
	case Claim, Look:
		f, err := p.store.Claim(ctx, idem.Claim{
			Key: hold.Key, Owner: hold.Owner, Fingerprint: difftest.Print(s.Print), Look: s.Do == Look,
			Lease: lease(s.ShortLease), Retention: s.Keep.retention(), Orphan: s.Orphan,
		})
		if err == nil && f.Status == idem.Fresh {
			p.Told(s.Key, s.Owner, f.Record.Fence)
		}
		return p.found(f, err)
	case Lookup:
		f, err := p.store.Lookup(ctx, hold.Key)
		return p.found(f, err)
	case Renew:
		err = p.store.Renew(ctx, hold, lease(s.ShortLease))
	case Complete:
		err = p.store.Complete(ctx, hold, Outcomes[s.Outcome], s.Keep.retention())
	case Release:
		err = p.store.Release(ctx, hold)
	case Resolve:
		r := idem.Resolution{Rerun: s.Rerun}
		if !s.Rerun {
			r.Outcome, r.Retention = Outcomes[s.Outcome], s.Keep.retention()
		}
		err = p.store.Resolve(ctx, hold.Key, r)
	case Prune:
		const limit = 50
		n, pruneErr := p.store.Prune(ctx, limit)
		if err = pruneErr; n < 0 || n > limit {
			return difftest.Answer{Told: "more than the limit"}
		}
	}
	return difftest.Answer{Told: difftest.NameError(err)}
}

// found are the words of what stands under a key.
func (p *player) found(f idem.Found, err error) difftest.Answer {
	if err != nil {
		return difftest.Answer{Told: difftest.NameError(err)}
	}
	r := &f.Record
	switch f.Status {
	case idem.Absent:
		return difftest.Answer{Told: f.Status.String()}
	case idem.Fresh: // only owner and fence must be set
		return difftest.Answer{Told: f.Status.String() + " " + p.NameOwner(r.Owner), Fence: r.Fence}
	}
	more := ""
	switch {
	case r.LeaseLeft < 0 || r.LeaseLeft > difftest.Long+difftest.Slack:
		more = "lease left " + r.LeaseLeft.String()
	case r.LeaseLeft > 0:
		more = leased
	}
	if r.Outcome.Kind != 0 {
		more += difftest.Outcome(&r.Outcome)
	}
	return difftest.Answer{Told: told(f.Status, p.NameOwner(r.Owner), difftest.NamePrint(r.Fingerprint), r.Orphan, more), Fence: r.Fence}
}
