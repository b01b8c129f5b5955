package sqlstore

import (
	"context"
	"sync"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// flight is a transaction of this process that holds, or is about to take, a
// key. The row that it writes is invisible until its commit, and on SQLite the
// file lock that hides it says nothing of keys: so a duplicate in the same
// process looks here and needs neither a connection nor a lock for its answer.
type flight struct {
	owner       idem.Owner
	fingerprint idem.Fingerprint
	done        chan struct{} // closed when the transaction ended
	stage       stage         // guarded by flights.mu
}

// stage is how far a flight has come.
type stage uint8

const (
	boarding  stage = iota // the transaction has not claimed yet
	claimed                // the row is written, the body runs
	completed              // the outcome is stored, the transaction has not ended
)

// flights is the table of keys in the air. Its zero value is ready; it is safe
// for concurrent use.
type flights struct {
	mu    sync.Mutex
	byKey map[[32]byte]*flight
}

// enter registers a flight for the claim, or returns the one that has the key.
func (fs *flights) enter(c idem.Claim) (mine, other *flight) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if f := fs.byKey[c.Key.Hash]; f != nil {
		return nil, f
	}
	f := &flight{owner: c.Owner, fingerprint: c.Fingerprint, done: make(chan struct{})}
	if fs.byKey == nil {
		fs.byKey = make(map[[32]byte]*flight)
	}
	fs.byKey[c.Key.Hash] = f
	return f, nil
}

// claimedBy returns the flight that has written the key's row, if any, and how
// far it has come. One that only waits for its turn doesn't count: a caller
// that already holds the write lock of its own transaction must not wait for it.
func (fs *flights) claimedBy(key idem.Key) (*flight, stage) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if f := fs.byKey[key.Hash]; f != nil && f.stage != boarding {
		return f, f.stage
	}
	return nil, boarding
}

// reached notes how far a flight has come; nil is nobody's flight.
func (fs *flights) reached(f *flight, s stage) {
	if f == nil {
		return
	}
	fs.mu.Lock()
	f.stage = s
	fs.mu.Unlock()
}

// leave ends a flight and wakes everybody who waits for it.
func (fs *flights) leave(key idem.Key, f *flight) {
	fs.mu.Lock()
	if fs.byKey[key.Hash] == f {
		delete(fs.byKey, key.Hash)
	}
	fs.mu.Unlock()
	close(f.done)
}

// running is what a duplicate of the flight is told.
func (f *flight) running() idem.Found {
	return idem.Found{Status: idem.Running, Record: idem.Record{Owner: f.owner, Fingerprint: f.fingerprint}}
}

// patience bounds how long one call waits for others, over all its rounds. No
// timer exists while nothing is waited for.
type patience struct {
	left  time.Duration
	since time.Time
}

func newPatience(wait time.Duration) *patience {
	return &patience{left: wait, since: time.Now()}
}

func (p *patience) remaining() time.Duration { return p.left - time.Since(p.since) }

// wait blocks until the flight ended (true), or until the patience is over
// (false). It touches nothing. The context's end is an error.
func (p *patience) wait(ctx context.Context, f *flight) (bool, error) {
	left := p.remaining()
	if left <= 0 {
		select {
		case <-f.done:
			return p.left > 0, nil
		default:
			return false, nil
		}
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-f.done:
		return true, nil
	case <-timer.C:
		return false, nil
	case <-ctx.Done():
		return false, ended(ctx)
	}
}
