package sqlstore

import (
	"context"
	"database/sql"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Locks keeps locks that end by themselves, as rows of a table beside the records.
// It is safe for concurrent use, and several processes may share the table.
//
// Rows were chosen over the locks of the server, Postgres's advisory ones and
// MySQL's GET_LOCK: those belong to a session, and a pool hands the session to
// somebody else, or loses it together with the lock (L4). They know neither fence nor
// end, and SQLite has none. Here every step is one statement that commits by itself,
// so no connection is held between Acquire and Release, and a pool of one is enough.
//
// A free lock is acquired in one statement, the check of the records included,
// renewed and released in one each. What stands in the way Postgres tells in the
// same statement, the others in a second one that only reads. On MySQL and MariaDB
// the check of a record that an open transaction has costs one statement more.
type Locks struct {
	beside
	how            telling
	plain, checked lockStatements
	unchanged      statement // acquires what is as a look saw it; none where check never gives up
	extend, free   statement
}

// lockStatements acquire and look, with the records or without.
type lockStatements struct{ acquire, look statement }

var _ idem.Locker = (*Locks)(nil)

// NewLocks makes a locker on db, which stays the caller's to close. The table must
// exist: see Locks.Migrate, Migrate and Schema; and the one of the records, which
// LockRequest.Check looks at, unless WithoutRecords says that there is none. Options
// that concern tokens or transactions are ignored. It panics for a dialect that this
// version can't serve.
func NewLocks(db *sql.DB, d idem.Dialect, opts ...Option) *Locks {
	s := &Locks{beside: newBeside(db, d, opts)}
	texts, table := &lockTexts[d], s.lockTable
	compile := func(text string) statement { return s.dialect.compile(text, table, s.table) }
	s.how = texts.how
	s.plain = lockStatements{compile(texts.acquire), compile(lookAtLock)}
	s.checked = lockStatements{compile(texts.check), compile(lookAtBoth)}
	s.unchanged = compile(texts.unchanged)
	s.extend, s.free = compile(extendLock), compile(unlock)
	s.clip = compile(s.dialect.prune)
	return s
}

// Migrate makes or updates the table of locks; see the function Migrate.
func (s *Locks) Migrate(ctx context.Context) error { return s.migrateParts(ctx, DB(s.db), PartLocks) }

// Prune deletes at most limit locks that ended more than an hour ago, through an
// index, and returns how many (C13). A limit of 0 or less deletes nothing.
func (s *Locks) Prune(ctx context.Context, limit int) (int, error) { return s.clipped(ctx, limit) }

// Acquire makes the lock ours or tells what stands in the way. It waits for no other
// owner, and for no transaction that has the record (L1, L2, L3).
func (s *Locks) Acquire(ctx context.Context, r idem.LockRequest) (found idem.LockFound, err error) {
	r.Check = r.Check && !s.alone
	err = s.repeat(ctx, func() error {
		found, err = s.acquireOnce(ctx, &r)
		return err
	})
	return found, err
}

// acquireOnce asks again when what it lost to is gone by the time that it reads what
// stands there (C11).
func (s *Locks) acquireOnce(ctx context.Context, r *idem.LockRequest) (idem.LockFound, error) {
	st, disturbed := &s.plain, false
	if r.Check {
		st = &s.checked
	}
	for range claimTries {
		var row lockRow
		var fence int64
		var err error
		if !disturbed {
			fence, _, err = s.take(ctx, s.how, &st.acquire, s.lockValues(r), row.dest(r.Check))
			disturbed = err != nil && r.Check && s.lockedOut(err)
		}
		if err != nil && !disturbed {
			return idem.LockFound{}, s.fault(ctx, "acquire", err)
		}
		if fence == 0 && s.how != tellsAll {
			if _, err := queryRow(ctx, s.auto, st.look.text, st.look.bind(s.lockValues(r)), row.dest(r.Check)...); err != nil {
				return idem.LockFound{}, s.fault(ctx, "acquire", err)
			}
		}
		if fence == 0 {
			if f := row.found(r); f.Status != 0 {
				return f, nil
			}
		}
		if disturbed {
			if fence, err = s.takeUnchanged(ctx, r, &row); err != nil {
				return idem.LockFound{}, s.fault(ctx, "acquire", err)
			}
		}
		if fence != 0 {
			return idem.LockFound{Status: idem.LockAcquired, Fence: fence, Left: r.TTL, Checked: r.Check}, nil
		}
	}
	return idem.LockFound{}, &storeError{doing: "acquire", kind: idem.ErrRetryTransaction, err: errNoRow}
}

// takeUnchanged acquires a lock that a look found free beside a record that was not
// completed, unless somebody has had it since: what the look saw is not older than
// the lock then (L3), and one that turns out to be needless is never held.
func (s *Locks) takeUnchanged(ctx context.Context, r *idem.LockRequest, seen *lockRow) (int64, error) {
	v := s.lockValues(r)
	if seen.fence != nil {
		v[pFence] = *seen.fence
	}
	fence, _, err := s.take(ctx, s.how, &s.unchanged, v, nil)
	return fence, err
}

func (s *Locks) lockValues(r *idem.LockRequest) *values {
	v := s.values(r.Key)
	v[pText], v[pOwner], v[pLease] = keyText(r.Key.Readable), r.Owner[:], micros(r.TTL)
	return v
}

// Renew sets the lock to end ttl from now; ErrLockLost if it has expired or is not
// this owner's any more (L1).
func (s *Locks) Renew(ctx context.Context, h idem.Hold, ttl time.Duration) error {
	v := s.holdValues(h)
	v[pLease] = micros(ttl)
	return s.kept(ctx, "renew a lock", s.extend, v)
}

// Release frees the lock; ErrLockLost if it has expired or is not this owner's any
// more (L1). The same owner may say it again (C16).
func (s *Locks) Release(ctx context.Context, h idem.Hold) error {
	return s.kept(ctx, "release a lock", s.free, s.holdValues(h))
}

func (s *Locks) kept(ctx context.Context, doing string, st statement, v *values) error {
	matched, err := s.change(ctx, doing, st, v)
	if err == nil && !matched {
		err = idem.ErrLockLost
	}
	return err
}

// lockRow is what a read says of a lock and of the completed record of its key.
type lockRow struct {
	owner       []byte
	fence, left *int64 // nil = no such row; not held
	record      row
}

func (l *lockRow) dest(check bool) []any {
	d := []any{&l.owner, &l.fence, &l.left}
	if check {
		d = append(d, l.record.dest()...)
	}
	return d
}

// found is what a row means to a request that did not get the lock; without a status
// it could have it by now.
func (l *lockRow) found(r *idem.LockRequest) idem.LockFound {
	f := idem.LockFound{Checked: r.Check}
	held := left(l.left)
	switch {
	case held > 0 && string(l.owner) == string(r.Owner[:]): // asked again (C16)
		f.Status, f.Fence, f.Left = idem.LockAcquired, *l.fence, held
	case r.Check && l.record.state != stateRunning:
		f.Status, f.Record = idem.LockNeedless, l.record.record()
	case held > 0:
		f.Status, f.Left = idem.LockBusy, held
	}
	return f
}
