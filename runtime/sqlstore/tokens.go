package sqlstore

import (
	"bytes"
	"context"
	"crypto/subtle"
	"database/sql"
	"slices"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Tokens keeps tokens that are issued in advance and consumed once, in a table
// beside the records. It sees and stores hashes of tokens only (X4). It is safe for
// concurrent use, and several processes may share the table.
//
// Issue is one statement for up to 500 tokens, and one more for every 500 after
// that. Consume is one statement when the token is the owner's; what became of
// another one Postgres tells in the same statement, the others in a second one
// that only reads. Finish, Restore and Burn are one statement each.
type Tokens struct {
	beside
	how                             telling
	issue, consume, lookup, settled statement
	hashes                          func([]idem.TokenID) any
}

var _ idem.TokenStore = (*Tokens)(nil)

// NewTokens makes a token store on db, which stays the caller's to close. The table
// must exist: see Tokens.Migrate, Migrate and Schema. Options that concern records
// or transactions are ignored. It panics for a dialect that this version can't serve.
func NewTokens(db *sql.DB, d idem.Dialect, opts ...Option) *Tokens {
	s := &Tokens{beside: newBeside(db, d, opts)}
	texts, table := &tokenTexts[d], s.tokenTable
	s.how, s.hashes = texts.how, texts.hashes
	s.issue = s.dialect.compile(texts.issue, table)
	s.consume = s.dialect.compile(texts.consume, table)
	s.lookup = s.dialect.compile(lookupToken, table)
	s.clip = s.dialect.compile(s.dialect.pruneText("token_hash"), table)
	s.settled = s.dialect.compile(settleToken, table)
	return s
}

// Migrate makes or updates the table of tokens; see the function Migrate.
func (s *Tokens) Migrate(ctx context.Context) error { return s.migrateParts(ctx, DB(s.db), PartTokens) }

// Prune deletes at most limit tokens that are not remembered any more, through an
// index, and returns how many (C13). A limit of 0 or less deletes nothing.
func (s *Tokens) Prune(ctx context.Context, limit int) (int, error) {
	return s.clipped(ctx, limit)
}

// issueMost is how many tokens one statement issues: MySQL's recursion ends at
// 1000.
const issueMost = 500

// Issue makes the tokens consumable; one that exists stays as it is (C16). Errors are
// those of the database, classed like the store's.
func (s *Tokens) Issue(ctx context.Context, g idem.TokenGrant) error {
	// In one order, so that two who issue the same don't wait for each other, and
	// each once: a statement can't insert a row and meet it again.
	ids := slices.Clone(g.Tokens)
	slices.SortFunc(ids, func(a, b idem.TokenID) int { return bytes.Compare(a[:], b[:]) })
	for chunk := range slices.Chunk(slices.Compact(ids), issueMost) {
		err := s.repeat(ctx, func() error {
			v := s.values(idem.Key{})
			v[pTokens], v[pLimit] = s.hashes(chunk), int64(len(chunk))
			v[pBinding], v[pTTL], v[pKeep] = g.Binding[:], micros(g.TTL), keepFor(g.Remembered())
			_, err := s.exec(ctx, s.auto, "issue", s.issue, v)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Consume makes the token ours or tells what became of it, in one step that compares
// token, binding, state, expiry and lease (X1).
func (s *Tokens) Consume(ctx context.Context, c idem.Consumption) (found idem.TokenFound, err error) {
	err = s.repeat(ctx, func() error {
		found, err = s.consumeOnce(ctx, &c)
		return err
	})
	return found, err
}

// consumeOnce asks again when what it lost to is gone by the time that it reads what
// stands there: a token that was restored, or whose lease ran out (C11).
func (s *Tokens) consumeOnce(ctx context.Context, c *idem.Consumption) (idem.TokenFound, error) {
	for range claimTries {
		var row tokenRow
		fence, stands, err := s.take(ctx, s.how, &s.consume, s.consumeValues(c), row.dest())
		if err != nil {
			return idem.TokenFound{}, s.fault(ctx, "consume", err)
		}
		if fence != 0 {
			return idem.TokenFound{Status: idem.TokenConsumed, Owner: c.Owner, Fence: fence, KeyHash: c.Key.Hash, Fingerprint: c.Fingerprint}, nil
		}
		if s.how != tellsAll {
			v := s.consumeValues(c)
			if stands, err = queryRow(ctx, s.auto, s.lookup.text, s.lookup.bind(v), row.dest()...); err != nil {
				return idem.TokenFound{}, s.fault(ctx, "consume", err)
			}
		}
		if !stands {
			return idem.TokenFound{Status: idem.TokenUnknown}, nil
		}
		if f := row.found(c); f.Status != 0 {
			return f, nil
		}
	}
	return idem.TokenFound{}, &storeError{doing: "consume", kind: idem.ErrRetryTransaction, err: errNoRow}
}

func (s *Tokens) consumeValues(c *idem.Consumption) *values {
	v := s.values(c.Key)
	v[pToken], v[pBinding], v[pOwner] = c.Token[:], c.Binding[:], c.Owner[:]
	v[pLease], v[pKeep], v[pRetake] = micros(c.Lease), keepFor(c.Keep), int64(0)
	if c.Retake {
		v[pRetake] = int64(1)
	}
	if c.Fingerprint != (idem.Fingerprint{}) {
		v[pFingerprint], v[pVersion] = c.Fingerprint[:], c.Fingerprint[:1]
	}
	return v
}

// Finish marks a consumption as used up (X3). ErrLeaseLost if the token is not this
// owner's any more, or was burned or restored.
func (s *Tokens) Finish(ctx context.Context, h idem.TokenHold) error {
	return s.to(ctx, "finish", &h, tokenFinished)
}

// Restore gives the token back, for what is left of its time (X3). ErrLeaseLost if it
// is not this owner's any more, or was finished or burned.
func (s *Tokens) Restore(ctx context.Context, h idem.TokenHold) error {
	return s.to(ctx, "restore", &h, tokenIssued)
}

// Burn marks a consumption as used up although its call failed (X3). ErrLeaseLost if
// the token is not this owner's any more, or was finished or restored.
func (s *Tokens) Burn(ctx context.Context, h idem.TokenHold) error {
	return s.to(ctx, "burn", &h, tokenBurned)
}

func (s *Tokens) to(ctx context.Context, doing string, h *idem.TokenHold, state int64) error {
	v := s.values(idem.Key{})
	v[pToken], v[pOwner], v[pFence], v[pState] = h.Token[:], h.Owner[:], h.Fence, state
	matched, err := s.change(ctx, doing, s.settled, v)
	if err == nil && !matched {
		err = idem.ErrLeaseLost
	}
	return err
}

// tokenRow is what tokenColumns say of a token.
type tokenRow struct {
	binding, owner, keyHash, fingerprint []byte
	state, fence, validLeft              *int64
	leaseLeft, knownLeft                 *int64 // µs; nil = none, never
}

func (r *tokenRow) dest() []any {
	return []any{&r.binding, &r.state, &r.owner, &r.fence, &r.keyHash, &r.fingerprint, &r.validLeft, &r.leaseLeft, &r.knownLeft}
}

// found is what a row means to a consumption that did not get it; without a status
// it could have it by now.
func (r *tokenRow) found(c *idem.Consumption) idem.TokenFound {
	f := idem.TokenFound{Fence: *r.fence}
	copy(f.Owner[:], r.owner)
	copy(f.KeyHash[:], r.keyHash)
	copy(f.Fingerprint[:], r.fingerprint)
	expired := *r.validLeft <= 0
	switch state := *r.state; {
	case r.knownLeft != nil && *r.knownLeft <= 0:
		return idem.TokenFound{Status: idem.TokenUnknown}
	case subtle.ConstantTimeCompare(r.binding, c.Binding[:]) != 1:
		return idem.TokenFound{Status: idem.TokenMismatch}
	case state == tokenFinished:
		f.Status = idem.TokenFinished
	case state == tokenBurned:
		f.Status = idem.TokenBurned
	case state == tokenIssued && expired:
		return idem.TokenFound{Status: idem.TokenExpired}
	case state == tokenIssued:
	case f.Owner == c.Owner:
		f.Status = idem.TokenConsumed // asked again (C16)
	case left(r.leaseLeft) > 0:
		f.Status, f.LeaseLeft = idem.TokenRunning, left(r.leaseLeft)
	case !c.Retake || expired || f.KeyHash != c.Key.Hash || c.Fingerprint.Differs(f.Fingerprint):
		f.Status = idem.TokenHeld
	}
	return f
}

// left is a time that a row says is left, in µs; none is none.
func left(us *int64) time.Duration {
	if us == nil {
		return 0
	}
	return duration(max(*us, 0))
}
