// Package memstore keeps idempotency records (New), tokens (NewTokens) and locks
// (NewLocks) in the memory of one process: for tests, for development, and for
// programs whose duplicates all reach the same process. What it keeps is lost when
// the process ends.
//
// Each is spread over shards by the hash of its key, and each shard has its own
// mutex: one operation is one step under it. Every operation that writes also removes
// a few expired entries of its shard, so that a store that lives long stays small
// without a goroutine of its own (C13). A locker that is given the records looks at
// the record of a key while it holds the key's lock entry (L3).
package memstore

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"sync"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// shards spreads contention; a power of two.
const shards = 32

// sweep is how many expired records a writing operation removes at most.
const sweep = 2

// forever is an expiry that never comes.
const forever = time.Duration(math.MaxInt64)

// Store is an idem.RecordStore in memory. It is safe for concurrent use. Expiry
// is decided by the process's monotonic clock (C8).
type Store struct {
	start  time.Time
	shards [shards]shard
}

var _ idem.RecordStore = (*Store)(nil)

type shard struct {
	mu      sync.Mutex
	records map[[32]byte]*record
	expiry  expiryHeap
}

// record is one record; times are counted from Store.start.
type record struct {
	hash      [32]byte
	found     idem.Record
	retention time.Duration // of a running record, after its lease; where the claim says none, idem.DefaultTTL
	leaseEnd  time.Duration // of a running record
	expires   time.Duration // when it may be pruned; forever = not in the heap
	slot      int           // index in the heap, or -1
	done      bool
}

// New makes an empty store.
func New() *Store {
	s := &Store{start: time.Now()}
	for i := range s.shards {
		s.shards[i].records = map[[32]byte]*record{}
	}
	return s
}

// Len returns how many records are kept, expired ones included.
func (s *Store) Len() int {
	n := 0
	for i := range s.shards {
		sh := &s.shards[i]
		sh.mu.Lock()
		n += len(sh.records)
		sh.mu.Unlock()
	}
	return n
}

// lock returns the key's shard, locked, and the time.
func (s *Store) lock(k *idem.Key) (*shard, time.Duration) {
	sh := &s.shards[k.Hash[0]%shards]
	sh.mu.Lock()
	return sh, time.Since(s.start)
}

// Claim implements idem.RecordStore. It fails only when ctx has ended.
func (s *Store) Claim(ctx context.Context, c idem.Claim) (idem.Found, error) {
	if err := ctx.Err(); err != nil {
		return idem.Found{}, err
	}
	sh, now := s.lock(&c.Key)
	defer sh.mu.Unlock()
	r := sh.records[c.Key.Hash]
	found := look(r, now)
	if c.Look {
		return found, nil
	}
	if r != nil && !r.done && r.found.Owner == c.Owner && now < r.expires {
		found.Status = idem.Fresh // the same owner asks again (C16)
		found.Record = r.found
		found.Record.LeaseLeft = max(r.leaseEnd-now, 0)
		return found, nil
	}
	if found.Status != idem.Absent {
		return found, nil
	}
	if r != nil && !r.done && now < r.expires && c.Fingerprint.Differs(r.found.Fingerprint) {
		return idem.Found{Status: idem.Running, Record: r.found}, nil // left by an owner with another payload (K5)
	}
	var fence int64
	if r != nil { // expired, or left by an owner that vanished
		fence = r.found.Fence
		sh.remove(r)
	}
	sh.sweep(now, sweep)
	r = &record{hash: c.Key.Hash, slot: -1, expires: forever, retention: cmp.Or(c.Retention, idem.DefaultTTL)}
	r.found = idem.Record{Owner: c.Owner, Fence: fence + 1, Fingerprint: c.Fingerprint, Orphan: c.Orphan}
	sh.records[r.hash] = r
	sh.lease(r, now, c.Lease)
	found = idem.Found{Status: idem.Fresh, Record: r.found}
	found.Record.LeaseLeft = c.Lease
	return found, nil
}

// look tells what a record means at a time: an expired one is Absent.
func look(r *record, now time.Duration) idem.Found {
	if r == nil {
		return idem.Found{Status: idem.Absent}
	}
	f := idem.Found{Record: r.found}
	switch {
	case r.done && now < r.expires:
		f.Status = idem.Done
	case r.done:
		return idem.Found{Status: idem.Absent}
	case now < r.leaseEnd:
		f.Status = idem.Running
		f.Record.LeaseLeft = r.leaseEnd - now
	case r.found.Orphan == idem.OrphanHold:
		f.Status = idem.Held
	default:
		return idem.Found{Status: idem.Absent}
	}
	return f
}

// own returns the running record of a hold, or nil when it is not its any more.
func (sh *shard) own(h *idem.Hold) *record {
	r := sh.records[h.Key.Hash]
	if r == nil || r.done || r.found.Owner != h.Owner || r.found.Fence != h.Fence {
		return nil
	}
	return r
}

// Renew implements idem.RecordStore.
func (s *Store) Renew(ctx context.Context, h idem.Hold, lease time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	sh, now := s.lock(&h.Key)
	defer sh.mu.Unlock()
	r := sh.own(&h)
	if r == nil {
		return idem.ErrLeaseLost
	}
	sh.lease(r, now, lease)
	return nil
}

// Complete implements idem.RecordStore.
func (s *Store) Complete(ctx context.Context, h idem.Hold, o idem.Outcome, retention time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	sh, now := s.lock(&h.Key)
	defer sh.mu.Unlock()
	r := sh.own(&h)
	if r == nil {
		if r = sh.records[h.Key.Hash]; r != nil && r.done && r.found.Owner == h.Owner && r.found.Fence == h.Fence {
			return nil // completed before by the same hold (C16)
		}
		return idem.ErrLeaseLost
	}
	sh.complete(r, o, after(now, retention))
	sh.sweep(now, sweep)
	return nil
}

func (sh *shard) complete(r *record, o idem.Outcome, expires time.Duration) {
	o.Data = bytes.Clone(o.Data)
	r.found.Outcome = o
	r.done = true
	sh.expire(r, expires)
}

// Release implements idem.RecordStore.
func (s *Store) Release(ctx context.Context, h idem.Hold) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	sh, now := s.lock(&h.Key)
	defer sh.mu.Unlock()
	if sh.records[h.Key.Hash] == nil {
		return nil
	}
	r := sh.own(&h)
	if r == nil {
		return idem.ErrLeaseLost
	}
	sh.remove(r)
	sh.sweep(now, sweep)
	return nil
}

// Lookup implements idem.RecordStore.
func (s *Store) Lookup(ctx context.Context, k idem.Key) (idem.Found, error) {
	if err := ctx.Err(); err != nil {
		return idem.Found{}, err
	}
	sh, now := s.lock(&k)
	defer sh.mu.Unlock()
	return look(sh.records[k.Hash], now), nil
}

// Resolve implements idem.RecordStore.
func (s *Store) Resolve(ctx context.Context, k idem.Key, res idem.Resolution) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	sh, now := s.lock(&k)
	defer sh.mu.Unlock()
	r := sh.records[k.Hash]
	if look(r, now).Status != idem.Held {
		return idem.ErrNotHeld
	}
	if res.Rerun {
		sh.remove(r)
		return nil
	}
	r.found.Fence++ // the vanished owner may come back
	sh.complete(r, res.Outcome, after(now, res.Retention))
	return nil
}

// Prune implements idem.RecordStore.
func (s *Store) Prune(ctx context.Context, limit int) (int, error) {
	n := 0
	for i := range s.shards {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		sh := &s.shards[i]
		sh.mu.Lock()
		n += sh.sweep(time.Since(s.start), limit-n)
		sh.mu.Unlock()
	}
	return n, nil
}

// after adds a retention to a time without overflow; Never is forever.
func after(now, d time.Duration) time.Duration {
	if d < 0 || d > forever-now {
		return forever
	}
	return now + d
}
