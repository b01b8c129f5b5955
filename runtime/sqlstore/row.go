package sqlstore

import (
	"context"
	"strings"

	"github.com/idemgen/idemgen/runtime/idem"
)

// stateRunning is the state column of a claim without an outcome; every other
// value is an idem.OutcomeKind.
const stateRunning = 0

// row is what rowColumns say of a record.
type row struct {
	owner, fingerprint, result []byte
	fence, state, orphan       int64
	codec                      string
	leaseLeft, keepLeft        *int64 // µs; nil = none, never
}

func (r *row) dest() []any {
	return []any{&r.owner, &r.fence, &r.state, &r.orphan, &r.fingerprint, &r.codec, &r.result, &r.leaseLeft, &r.keepLeft}
}

// ownedBy tells whether the row carries the owner value.
func (r *row) ownedBy(o idem.Owner) bool { return string(r.owner) == string(o[:]) }

// record is the row as the core knows it.
func (r *row) record() idem.Record {
	rec := idem.Record{Fence: r.fence, Orphan: idem.Orphan(r.orphan)}
	copy(rec.Owner[:], r.owner)
	copy(rec.Fingerprint[:], r.fingerprint)
	if r.state != stateRunning {
		rec.Outcome = idem.Outcome{Kind: idem.OutcomeKind(r.state), Codec: r.codec, Data: r.result}
	}
	if r.leaseLeft != nil {
		rec.LeaseLeft = duration(max(*r.leaseLeft, 0))
	}
	return rec
}

// found is what a row means to somebody who doesn't own it: absent when a
// claim would take its place. A running row without a lease is one of a
// transaction that was committed behind the store's back, before the outcome
// was stored: nobody knows it, so it is held.
func (r *row) found() idem.Found {
	rec := r.record()
	switch {
	case r.keepLeft != nil && *r.keepLeft <= 0:
		return idem.Found{Status: idem.Absent}
	case r.state != stateRunning:
		return idem.Found{Status: idem.Done, Record: rec}
	case rec.LeaseLeft > 0:
		return idem.Found{Status: idem.Running, Record: rec}
	case rec.Orphan == idem.OrphanHold, r.leaseLeft == nil:
		return idem.Found{Status: idem.Held, Record: rec}
	default:
		return idem.Found{Status: idem.Absent}
	}
}

// foundBy is what a row means to a claim: one whose owner vanished with another
// payload stands in its way (K5).
func (r *row) foundBy(c *idem.Claim) idem.Found {
	f := r.found()
	if f.Status == idem.Absent && r.state == stateRunning && (r.keepLeft == nil || *r.keepLeft > 0) {
		if rec := r.record(); c.Fingerprint.Differs(rec.Fingerprint) {
			return idem.Found{Status: idem.Running, Record: rec}
		}
	}
	return f
}

// queryRow runs a statement that yields at most one row and reads it into
// dest. The rows are drained: a RETURNING that is left half read keeps
// SQLite's write-ahead log from being checkpointed.
func queryRow(ctx context.Context, db idem.DB, text string, args []any, dest ...any) (found bool, err error) {
	rows, err := db.Query(ctx, text, args...)
	if err != nil {
		return false, err
	}
	defer func() {
		if closeErr := rows.Close(); err == nil {
			err = closeErr
		}
	}()
	for rows.Next() {
		if found {
			continue
		}
		found = true
		if err := rows.Scan(dest...); err != nil {
			return false, err
		}
	}
	return found, rows.Err()
}

// keyText makes a key's readable form fit for a text column of any database.
func keyText(s string) string {
	const most = 255 // bytes
	if len(s) > most {
		s = s[:most]
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "?"), "\x00", "?")
}
