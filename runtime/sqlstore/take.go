package sqlstore

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// How a claim is decided, and what a loser is told.

// errNoRow is a claim that found a row and then did not: it expired on the way.
var errNoRow = errors.New("the record vanished while it was claimed")

// errNearby is a claim that was locked out though nobody holds its key.
var errNearby = errors.New("another transaction holds a lock near the key")

// claimTries bounds how often a claim is made whose record vanishes: in a storm
// of claims and releases several do in a row.
const claimTries = 20

// claim makes the key the claim's own or tells what stands there.
func (r *records) claim(ctx context.Context, db idem.DB, c idem.Claim) (idem.Found, error) {
	return r.take(ctx, db, "claim", &r.sql.claim, &r.sql.lookup, c, idem.Outcome{})
}

// claimTx is claim in a transaction. It never waits for another one.
func (r *records) claimTx(ctx context.Context, db idem.DB, c idem.Claim) (idem.Found, error) {
	return r.take(ctx, db, "claim", &r.sql.claimTx, &r.sql.lookupTx, c, idem.Outcome{})
}

// keep stores a finished outcome in the same one statement, unless another's
// record stands there.
func (r *records) keep(ctx context.Context, db idem.DB, c idem.Claim, o idem.Outcome) (idem.Found, error) {
	c.Lease, c.Orphan = 0, idem.OrphanNone
	return r.take(ctx, db, "keep", &r.sql.claim, &r.sql.lookup, c, o)
}

// take is claim and keep. A row of the claim's own owner, running or finished
// like what is asked for, tells that the same was asked before: its first reply
// got lost (C16). A row that vanishes between the statement that lost to it and
// the read is claimed again (C11).
func (r *records) take(ctx context.Context, db idem.DB, doing string, decide, read *statement, c idem.Claim, o idem.Outcome) (idem.Found, error) {
	for range claimTries {
		turn, fence, err := r.upsert(ctx, db, decide, c, o)
		if err != nil {
			return idem.Found{}, r.fault(ctx, doing, err)
		}
		if turn == won {
			return idem.Found{Status: idem.Fresh, Record: idem.Record{
				Owner: c.Owner, Fence: fence, Fingerprint: c.Fingerprint, Orphan: c.Orphan, Outcome: o, LeaseLeft: c.Lease,
			}}, nil
		}
		if turn == lockedOut {
			return r.otherTransaction(ctx, db, doing, c)
		}
		got, found, err := r.readLost(ctx, db, read, c.Key)
		if err != nil {
			return idem.Found{}, r.fault(ctx, doing, err)
		}
		if !found {
			continue
		}
		if got.ownedBy(c.Owner) && (got.state == stateRunning) == (o.Kind == 0) {
			return idem.Found{Status: idem.Fresh, Record: got.record()}, r.reopen(ctx, db, doing)
		}
		if f := got.foundBy(&c); f.Status != idem.Absent {
			return f, nil
		}
	}
	return idem.Found{}, &storeError{doing: doing, kind: idem.ErrRetryTransaction, err: errNoRow}
}

// otherTransaction answers a claim that was locked out. Whoever holds the key
// may be a duplicate, too, that is reading the record right now: what is
// committed counts, and where nothing is, the key's transaction runs. Its row
// is invisible, and so is its fingerprint.
func (r *records) otherTransaction(ctx context.Context, db idem.DB, doing string, c idem.Claim) (idem.Found, error) {
	if r.sql.probe.text != "" {
		got, found, err := r.readBy(ctx, db, &r.sql.probe, c.Key)
		f := got.found()
		switch {
		case err == nil && found && (f.Status == idem.Done || f.Status == idem.Held): // who had the key has just committed
			return f, nil
		case err == nil: // nobody has the key any more, or it was a lock on something else
			return idem.Found{}, &storeError{doing: doing, kind: idem.ErrRetryTransaction, err: errNearby}
		case !r.lockedOut(err):
			return idem.Found{}, r.fault(ctx, doing, err)
		}
	}
	got, found, err := r.readLost(ctx, db, &r.sql.peek, c.Key)
	if err != nil && !r.lockedOut(err) {
		return idem.Found{}, r.fault(ctx, doing, err)
	}
	if f := got.found(); err == nil && found && (f.Status == idem.Done || f.Status == idem.Held) {
		return f, nil
	}
	return idem.Found{Status: idem.Running}, nil
}

// Pauses of a claim that asks again while another transaction has the key.
const (
	firstPause   = 2 * time.Millisecond
	longestPause = 100 * time.Millisecond
)

// repeat runs statements outside any transaction of a caller's, and runs them
// again when the server made them the victim of a deadlock: three that insert
// one key while the first rolls back end in one on InnoDB (T3). Each is the same
// when it is said twice (C16).
func (r *records) repeat(ctx context.Context, run func() error) error {
	pause := firstPause
	for try := 0; ; try++ {
		err := run()
		if try == r.dialect.retries || !errors.Is(err, idem.ErrRetryTransaction) {
			return err
		}
		if !sleep(ctx, time.Duration(rand.Int64N(int64(pause)))) {
			return err
		}
		pause = min(2*pause, longestPause)
	}
}

// sleep pauses, and tells whether it was for so long.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// claimPatiently is claimTx for a transaction that is not the store's to end:
// it asks again, as long as the patience lasts, and holds no lock meanwhile
// that it did not hold before. A server that rolls back more than a statement when
// it gives up on a lock has ended the transaction: what ran then would be on its own
// (T1), and so it asks no more.
func (r *records) claimPatiently(ctx context.Context, db idem.DB, c idem.Claim, p *patience, point savepoint) (idem.Found, error) {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		found, err := r.claimTx(ctx, db, c)
		left := p.remaining()
		again := errors.Is(err, errNearby) || err == nil && found.Status == idem.Running
		if !again || left <= 0 {
			return found, err
		}
		if !sleep(ctx, min(pause, left)) {
			return idem.Found{}, ended(ctx)
		}
		if err := point.stands(ctx); err != nil {
			return idem.Found{}, r.fault(ctx, "savepoint", err)
		}
	}
}
