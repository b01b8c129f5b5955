package redisscript

import (
	"context"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// lockMemory is how long a lock that ended is remembered: its fence, should the
// server's clock be set back, and its owner, who may release again (C16). A lock
// expires that much later than it ends, and is held while more than that is left: the
// scripts know the number.
const lockMemory = time.Hour

// Locks is an idem.Locker. It checks the records of the same store (L3).
type Locks struct {
	*runner
	prefix, records         string
	acquire, extend, unlock *Script
}

var _ idem.Locker = (*Locks)(nil)

func newLocks(r *runner, prefix string) *Locks {
	return &Locks{
		runner: r, prefix: prefix + "l:", records: prefix + "r:",
		acquire: load("acquire"), extend: load("extend"), unlock: load("unlock"),
	}
}

func (s *Locks) key(k *idem.Key) string { return keyName(s.prefix, &k.Hash) }

// Acquire implements idem.Locker: one round trip, the check included.
func (s *Locks) Acquire(ctx context.Context, r idem.LockRequest) (idem.LockFound, error) {
	keys := []string{s.key(&r.Key)}
	if r.Check {
		keys = append(keys, keyName(s.records, &r.Key.Hash))
	}
	readable := r.Key.Readable[:min(len(r.Key.Readable), idem.MaxReadable)]
	args := []string{string(r.Owner[:]), lockMillis(r.TTL), readable}
	answer, err := s.run(ctx, "acquire", s.acquire, keys, args)
	if err != nil {
		return idem.LockFound{}, err
	}
	f, err := parseLock(answer, r.TTL)
	f.Checked = r.Check && err == nil
	return f, err
}

// lockMillis is the expiry of a lock that lives for a time, at least a millisecond.
func lockMillis(ttl time.Duration) string {
	return keepMillis(min(max(ttl, time.Millisecond), longest) + lockMemory)
}

// Renew implements idem.Locker: one round trip.
func (s *Locks) Renew(ctx context.Context, h idem.Hold, ttl time.Duration) error {
	args := []string{holdArg(&h.Owner, h.Fence), lockMillis(ttl)}
	answer, err := s.run(ctx, "renew a lock", s.extend, []string{s.key(&h.Key)}, args)
	if err != nil {
		return err
	}
	return settled("renew a lock", answer, idem.ErrLockLost)
}

// Release implements idem.Locker: one round trip.
func (s *Locks) Release(ctx context.Context, h idem.Hold) error {
	args := []string{string(h.Owner[:])}
	if h.Fence != 0 {
		args[0] = holdArg(&h.Owner, h.Fence)
	}
	answer, err := s.run(ctx, "release a lock", s.unlock, []string{s.key(&h.Key)}, args)
	if err != nil {
		return err
	}
	return settled("release a lock", answer, idem.ErrLockLost)
}
