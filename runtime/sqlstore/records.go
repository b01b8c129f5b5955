package sqlstore

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// records runs the statements on the table of records, on any connection or
// transaction that it is given. It holds no state but its configuration.
type records struct {
	config
	dialect *dialect
	sql     statements
}

func newRecords(d idem.Dialect, opts []Option) *records {
	r := &records{config: configure(opts), dialect: dialectOf(d)}
	r.sql = r.dialect.compileAll(r.table)
	return r
}

// values starts the values of one statement; where the process clock decides
// they carry its time, read once for the whole statement.
func (r *records) values(k idem.Key) *values {
	v := &values{pKey: k.Hash[:]}
	if r.dialect.now == "" {
		v[pNow] = r.now().UnixMicro()
	}
	return v
}

func (r *records) holdValues(h idem.Hold) *values {
	v := r.values(h.Key)
	v[pOwner], v[pFence] = h.Owner[:], h.Fence
	return v
}

// keepFor is a retention as a value: nil for ever (idem.Never), else µs from now.
func keepFor(retention time.Duration) any {
	if retention < 0 {
		return nil
	}
	return micros(retention)
}

// turn is what the one statement that decides a claim said.
type turn uint8

const (
	lost      turn = iota // another's record stands there, or may: reading tells
	won                   // the record is the claim's own
	lockedOut             // another transaction holds the key, or something near it
)

// upsert runs the one statement that decides a claim (C1), and tells the fence
// of a record that is the claim's own now. An outcome is kept at once.
func (r *records) upsert(ctx context.Context, db idem.DB, st *statement, c idem.Claim, o idem.Outcome) (turn, int64, error) {
	v := r.values(c.Key)
	v[pText] = keyText(c.Key.Readable)
	v[pOwner] = c.Owner[:]
	v[pState] = int64(o.Kind)
	v[pOrphan] = int64(c.Orphan)
	v[pCodec] = o.Codec
	v[pResult] = o.Data
	v[pLock] = int64(binary.BigEndian.Uint64(c.Key.Hash[:]))
	if c.Fingerprint != (idem.Fingerprint{}) {
		v[pFingerprint] = c.Fingerprint[:]
	}
	if c.Lease > 0 {
		v[pLease] = micros(c.Lease)
	}
	v[pKeep] = claimKeep(c)
	if o.Kind != 0 {
		v[pKeep] = keepFor(c.Retention)
	}
	var owner []byte
	var fence, state *int64
	found, err := queryRow(ctx, db, st.text, st.bind(v), &owner, &fence, &state)
	switch {
	case err != nil && r.lockedOut(err):
		return lockedOut, 0, nil
	case err != nil || !found:
		return lost, 0, err
	case fence == nil || state == nil:
		return lockedOut, 0, nil
	case string(owner) != string(c.Owner[:]) || (*state == stateRunning) != (o.Kind == 0):
		return lost, 0, nil
	default:
		return won, *fence, nil
	}
}

func (r *records) lockedOut(err error) bool {
	return r.dialect.lockedOut != nil && r.dialect.lockedOut(err)
}

// claimKeep is how long the row of a running claim is kept when its owner
// vanishes: under the hold policy for ever (C13), else for the retention after
// the lease. In transaction mode nobody sees a running row, and a value would
// only cost the index an entry that completing replaces.
func claimKeep(c idem.Claim) any {
	switch {
	case c.Orphan != idem.OrphanRerun, c.Retention < 0:
		return nil
	case c.Retention == 0: // lease mode says it when it completes
		return micros(c.Lease) + micros(idem.DefaultTTL)
	default:
		return micros(c.Lease) + micros(c.Retention)
	}
}

// read reads the row of a key.
func (r *records) read(ctx context.Context, db idem.DB, k idem.Key) (got row, found bool, err error) {
	return r.readBy(ctx, db, &r.sql.lookup, k)
}

// readBy is read with another statement of the same columns.
func (r *records) readBy(ctx context.Context, db idem.DB, st *statement, k idem.Key) (got row, found bool, err error) {
	found, err = queryRow(ctx, db, st.text, st.bind(r.values(k)), got.dest()...)
	return got, found, err
}

func (r *records) lookup(ctx context.Context, db idem.DB, k idem.Key) (idem.Found, error) {
	got, found, err := r.read(ctx, db, k)
	if err != nil {
		return idem.Found{}, r.fault(ctx, "look up", err)
	}
	if !found {
		return idem.Found{Status: idem.Absent}, nil
	}
	return got.found(), nil
}

// exec runs a statement and tells how many rows it matched.
func (r *records) exec(ctx context.Context, db idem.DB, doing string, s statement, v *values) (int64, error) {
	res, err := db.Exec(ctx, s.text, s.bind(v)...)
	if err != nil {
		return 0, r.fault(ctx, doing, err)
	}
	count := idem.Result.RowsAffected
	if s.marked {
		count = r.dialect.matched
	}
	n, err := count(res)
	if err != nil {
		return 0, r.fault(ctx, doing, err)
	}
	return n, nil
}

func (r *records) renew(ctx context.Context, db idem.DB, h idem.Hold, lease time.Duration) error {
	v := r.holdValues(h)
	v[pLease] = micros(lease)
	n, err := r.exec(ctx, db, "renew", r.sql.renew, v)
	if err == nil && n == 0 {
		err = idem.ErrLeaseLost
	}
	return err
}

// outcomeValues are the values of a statement that completes a claim.
func (r *records) outcomeValues(h idem.Hold, o idem.Outcome, retention time.Duration) *values {
	v := r.holdValues(h)
	v[pState], v[pCodec], v[pResult] = int64(o.Kind), o.Codec, o.Data
	v[pKeep] = keepFor(retention)
	return v
}

func (r *records) complete(ctx context.Context, db idem.DB, h idem.Hold, o idem.Outcome, retention time.Duration) error {
	n, err := r.exec(ctx, db, "complete", r.sql.complete, r.outcomeValues(h, o, retention))
	if err == nil && n == 0 {
		err = idem.ErrLeaseLost
	}
	return err
}

// release deletes a running claim. When nothing matched, what stands there
// tells a repeated release (nothing: its first reply got lost) from a late one.
func (r *records) release(ctx context.Context, db idem.DB, h idem.Hold) error {
	n, err := r.exec(ctx, db, "release", r.sql.release, r.holdValues(h))
	if err != nil || n > 0 {
		return err
	}
	_, found, err := r.read(ctx, db, h.Key)
	switch {
	case err != nil:
		return r.fault(ctx, "release", err)
	case found:
		return idem.ErrLeaseLost
	default:
		return nil
	}
}

func (r *records) resolve(ctx context.Context, db idem.DB, k idem.Key, res idem.Resolution) error {
	v, s := r.values(k), r.sql.resolveRerun
	if !res.Rerun {
		s = r.sql.resolve
		v[pState], v[pCodec], v[pResult] = int64(res.Outcome.Kind), res.Outcome.Codec, res.Outcome.Data
		v[pKeep] = keepFor(res.Retention)
	}
	n, err := r.exec(ctx, db, "resolve", s, v)
	if err == nil && n == 0 {
		err = idem.ErrNotHeld
	}
	return err
}

func (r *records) prune(ctx context.Context, db idem.DB, limit int) (int, error) {
	if limit <= 0 {
		return 0, nil
	}
	v := r.values(idem.Key{})
	v[pLimit] = int64(limit)
	n, err := r.exec(ctx, db, "prune", r.sql.prune, v)
	return int(n), err
}
