package sqlstore

import (
	"context"

	"github.com/idemgen/idemgen/runtime/idem"
)

// The one statement of a once event on Postgres. The event brings the guarded
// update and the history, the store the record: that there is no live one is a
// predicate of the update, and the new one is inserted from what was updated. So a
// guard that fails leaves no record, and nothing can be updated without one.
//
// The record is inserted without ON CONFLICT. A second call that passed the
// predicate at the same time, and an expired record that was not pruned, violate
// the primary key, and the whole statement is rolled back: a transaction decides.

var _ idem.EventStore = (*Store)(nil)

// FireOnce runs a once event in one statement outside any transaction. It is
// undecided on other databases than Postgres, on a store made by NewTx without
// WithAutocommit, when another call came in between, and when the reply was lost.
func (s *TxStore[T]) FireOnce(ctx context.Context, c idem.OnceCall) (idem.OnceFired, error) {
	r := s.records
	if r.dialect.id != idem.Postgres || r.auto == nil {
		return idem.OnceFired{Status: idem.OnceUndecided}, nil
	}
	text, args := r.onceEvent(c)
	out := idem.OnceFired{Status: idem.OnceApplied}
	dest := []any{&out.Edge}
	if c.Versioned {
		dest = append(dest, &out.Version)
	}
	found, err := queryRow(ctx, r.auto, text, args, dest...)
	switch {
	case err == nil && found:
		return out, nil
	case err == nil:
		return idem.OnceFired{Status: idem.OnceNothing}, nil
	case ctx.Err() != nil:
		return idem.OnceFired{}, r.fault(ctx, "fire once", err)
	}
	if _, violated := UniqueViolation(err); violated {
		return idem.OnceFired{Status: idem.OnceUndecided}, nil
	}
	if class, _ := r.classify(err); class != ClassOther {
		return idem.OnceFired{Status: idem.OnceUndecided}, nil
	}
	return idem.OnceFired{}, err
}

// onceEvent puts the statement together: the event's arguments come first, the
// record's behind them.
func (r *records) onceEvent(c idem.OnceCall) (text string, args []any) {
	args = append(make([]any, 0, len(c.Args)+6), c.Args...)
	bind := func(v any, kind sqlKind) string {
		args = append(args, v)
		return r.dialect.placeholder(len(args), kind)
	}
	var fingerprint any
	if c.Claim.Fingerprint != (idem.Fingerprint{}) {
		fingerprint = c.Claim.Fingerprint[:]
	}
	table, now := r.dialect.quoted(r.table), r.dialect.now
	key := bind(c.Claim.Key.Hash[:], kindBytes)
	live := " AND NOT EXISTS (SELECT 1 FROM " + table + " AS idem_o WHERE idem_o.key_hash = " + key +
		" AND (idem_o.expires_at IS NULL OR idem_o.expires_at > " + now + "))"
	record := ", idem_r AS (INSERT INTO " + table + " (" + claimColumns + ") SELECT " + key + ", " +
		bind(keyText(c.Claim.Key.Readable), kindText) + ", " + bind(c.Claim.Owner[:], kindBytes) + ", 1, " +
		succeeded + ", 0, " + bind(fingerprint, kindBytes) + ", " + bind(c.Codec, kindText) + ", " + c.Result + ", NULL, " +
		now + " + " + bind(keepFor(c.Claim.Retention), kindInt) + ", " + now + " FROM idem_u)"
	return c.SQL.Parts[0] + live + c.SQL.Parts[1] + record + c.SQL.Parts[2], args
}

// succeeded is idem.Succeeded as the state column holds it.
const succeeded = "1"
