package memstore

import (
	"context"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// lockMemory is how long a lock that ended is remembered: its fence, should the
// clock be set back, and its owner, who may release again (C16).
const lockMemory = time.Hour

// Locks is an idem.Locker in memory. It is safe for concurrent use; expiry is
// decided by the process's monotonic clock (C8).
type Locks struct {
	table   *table[lock]
	records *Store
}

var _ idem.Locker = (*Locks)(nil)

// lock is one lock; times are counted from the start of its table.
type lock struct {
	owner    idem.Owner
	released idem.Owner // who released it last before the owner acquired it
	fence    int64
	ends     time.Duration // 0 = released
}

// NewLocks makes an empty locker. The records are where it looks when it is asked
// to check (L3); nil: it never does.
func NewLocks(records *Store) *Locks { return &Locks{newTable[lock](), records} }

// Len returns how many locks are remembered, held or not.
func (s *Locks) Len() int { return s.table.len() }

// Acquire implements idem.Locker. It fails only when ctx has ended.
func (s *Locks) Acquire(ctx context.Context, r idem.LockRequest) (idem.LockFound, error) {
	if err := ctx.Err(); err != nil {
		return idem.LockFound{}, err
	}
	sh, now := s.table.lock(&r.Key.Hash)
	defer sh.mu.Unlock()
	checked := r.Check && s.records != nil
	var l lock
	if e := sh.get(r.Key.Hash, now); e != nil {
		l = e.value
	}
	held := now < l.ends
	if held && l.owner == r.Owner { // asked again (C16)
		return idem.LockFound{Status: idem.LockAcquired, Fence: l.fence, Left: l.ends - now, Checked: checked}, nil
	}
	if checked {
		// Nobody acquires or releases the lock while its shard is locked.
		f, err := s.records.Lookup(ctx, r.Key)
		if err != nil {
			return idem.LockFound{}, err
		}
		if f.Status == idem.Done {
			return idem.LockFound{Status: idem.LockNeedless, Checked: true, Record: f.Record}, nil
		}
	}
	if held {
		return idem.LockFound{Status: idem.LockBusy, Left: l.ends - now, Checked: checked}, nil
	}
	next := lock{owner: r.Owner, fence: s.table.fence(l.fence, now), ends: after(now, r.TTL)}
	if l.ends == 0 {
		next.released = l.owner
	}
	sh.put(r.Key.Hash, next, after(next.ends, lockMemory))
	return idem.LockFound{Status: idem.LockAcquired, Fence: next.fence, Left: r.TTL, Checked: checked}, nil
}

// own tells whether a lock is, or was last, that of a hold.
func (l *lock) own(h *idem.Hold) bool {
	return l.owner == h.Owner && (h.Fence == 0 || l.fence == h.Fence)
}

// Renew implements idem.Locker.
func (s *Locks) Renew(ctx context.Context, h idem.Hold, ttl time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	sh, now := s.table.lock(&h.Key.Hash)
	defer sh.mu.Unlock()
	e := sh.get(h.Key.Hash, now)
	if e == nil || h.Fence != e.value.fence || !e.value.own(&h) || now >= e.value.ends {
		return idem.ErrLockLost
	}
	e.value.ends = after(now, ttl)
	sh.expire(e, after(e.value.ends, lockMemory))
	return nil
}

// Release implements idem.Locker.
func (s *Locks) Release(ctx context.Context, h idem.Hold) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	sh, now := s.table.lock(&h.Key.Hash)
	defer sh.mu.Unlock()
	e := sh.get(h.Key.Hash, now)
	switch {
	case e == nil:
		return idem.ErrLockLost
	case !e.value.own(&h):
		if e.value.released == h.Owner && h.Owner != (idem.Owner{}) {
			return nil // released before the next owner acquired it (C16)
		}
		return idem.ErrLockLost
	case e.value.ends == 0:
		return nil // released before (C16)
	case now >= e.value.ends:
		return idem.ErrLockLost
	}
	e.value.ends = 0
	sh.expire(e, after(now, lockMemory))
	return nil
}
