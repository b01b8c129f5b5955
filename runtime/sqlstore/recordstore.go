package sqlstore

import (
	"context"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Records keeps idempotency records in lease mode (idem.RecordStore) over any
// idem.DB. It is safe for concurrent use if the handle is.
type Records struct{ lease *records }

var _ idem.RecordStore = (*Records)(nil)

// NewRecords makes a store on a handle outside any transaction: each operation
// is one statement, committed by itself. The tables are the same as Store's. On
// MySQL let its sessions be READ COMMITTED, or pruning locks gaps that claims
// insert into. It panics for a dialect that this version can't serve.
func NewRecords(db idem.DB, d idem.Dialect, opts ...Option) *Records {
	r := newRecords(d, opts)
	r.auto = db
	return &Records{r}
}

// Migrate makes or updates the store's tables; see the function Migrate.
func (s *Records) Migrate(ctx context.Context) error { return s.lease.migrate(ctx, s.lease.auto) }

// Claim makes the key ours or tells what stands there, in one statement (C1).
func (s *Records) Claim(ctx context.Context, c idem.Claim) (found idem.Found, err error) {
	if c.Look {
		return s.lease.lookup(ctx, s.lease.auto, c.Key)
	}
	err = s.lease.repeat(ctx, func() error {
		found, err = s.lease.claim(ctx, s.lease.auto, c)
		return err
	})
	return found, err
}

// Renew sets the lease to lease from now; ErrLeaseLost if the claim is not
// this owner's any more or is completed (C3).
func (s *Records) Renew(ctx context.Context, h idem.Hold, lease time.Duration) error {
	return s.lease.repeat(ctx, func() error { return s.lease.renew(ctx, s.lease.auto, h, lease) })
}

// Complete stores the outcome for retention from now; idem.Never = for ever.
// ErrLeaseLost if the claim is not this owner's any more (C3).
func (s *Records) Complete(ctx context.Context, h idem.Hold, o idem.Outcome, retention time.Duration) error {
	return s.lease.repeat(ctx, func() error { return s.lease.complete(ctx, s.lease.auto, h, o, retention) })
}

// Release removes a running claim. ErrLeaseLost if another owner's or a
// completed record stands there; nil when nothing does (C16).
func (s *Records) Release(ctx context.Context, h idem.Hold) error {
	return s.lease.repeat(ctx, func() error { return s.lease.release(ctx, s.lease.auto, h) })
}

// Lookup tells what stands committed under a key.
func (s *Records) Lookup(ctx context.Context, k idem.Key) (found idem.Found, err error) {
	err = s.lease.repeat(ctx, func() error {
		found, err = s.lease.lookup(ctx, s.lease.auto, k)
		return err
	})
	return found, err
}

// Resolve decides a held record (C17); ErrNotHeld if there is none.
func (s *Records) Resolve(ctx context.Context, k idem.Key, r idem.Resolution) error {
	return s.lease.repeat(ctx, func() error { return s.lease.resolve(ctx, s.lease.auto, k, r) })
}

// Prune deletes at most limit records that have expired, through an index, and
// returns how many (C13). A limit of 0 or less deletes nothing.
func (s *Records) Prune(ctx context.Context, limit int) (n int, err error) {
	err = s.lease.repeat(ctx, func() error {
		n, err = s.lease.prune(ctx, s.lease.auto, limit)
		return err
	})
	return n, err
}
