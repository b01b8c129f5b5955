package memstore

import (
	"context"
	"crypto/subtle"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Tokens is an idem.TokenStore in memory. It is safe for concurrent use; expiry is
// decided by the process's monotonic clock (C8).
type Tokens struct{ table *table[token] }

var _ idem.TokenStore = (*Tokens)(nil)

// tokenState is where a token stands (X3).
type tokenState uint8

const (
	tokenIssued tokenState = iota
	tokenConsumed
	tokenFinished
	tokenBurned
)

// token is one token; times are counted from the start of its table.
type token struct {
	state    tokenState
	binding  idem.Binding
	expires  time.Duration // of the token itself
	until    time.Duration // how long it is remembered at least
	keep     time.Duration // of the consumption
	leaseEnd time.Duration
	found    idem.TokenFound // of the consumption, without status
}

// NewTokens makes an empty token store.
func NewTokens() *Tokens { return &Tokens{newTable[token]()} }

// Len returns how many tokens are remembered, forgotten ones that were not swept
// yet included.
func (s *Tokens) Len() int { return s.table.len() }

// Issue implements idem.TokenStore. It fails only when ctx has ended.
func (s *Tokens) Issue(ctx context.Context, g idem.TokenGrant) error {
	for i := range g.Tokens {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.issue(&g, g.Tokens[i])
	}
	return nil
}

func (s *Tokens) issue(g *idem.TokenGrant, id idem.TokenID) {
	sh, now := s.table.lock((*[32]byte)(&id))
	defer sh.mu.Unlock()
	if sh.get(id, now) != nil {
		return // asked again (C16)
	}
	expires := after(now, g.TTL)
	until := after(expires, g.Remembered())
	sh.put(id, token{binding: g.Binding, expires: expires, until: until}, until)
}

// Consume implements idem.TokenStore. It fails only when ctx has ended.
func (s *Tokens) Consume(ctx context.Context, c idem.Consumption) (idem.TokenFound, error) {
	if err := ctx.Err(); err != nil {
		return idem.TokenFound{}, err
	}
	sh, now := s.table.lock((*[32]byte)(&c.Token))
	defer sh.mu.Unlock()
	e := sh.get(c.Token, now)
	if e == nil {
		return idem.TokenFound{Status: idem.TokenUnknown}, nil
	}
	t := &e.value
	if subtle.ConstantTimeCompare(t.binding[:], c.Binding[:]) != 1 {
		return idem.TokenFound{Status: idem.TokenMismatch}, nil
	}
	status := t.look(&c, now)
	if status == 0 { // to be consumed
		t.state, t.keep, t.leaseEnd = tokenConsumed, c.Keep, after(now, c.Lease)
		t.found = idem.TokenFound{
			Owner: c.Owner, Fence: s.table.fence(t.found.Fence, now), KeyHash: c.Key.Hash, Fingerprint: c.Fingerprint,
		}
		sh.expire(e, max(t.until, after(t.leaseEnd, t.keep)))
		status = idem.TokenConsumed
	}
	if status == idem.TokenExpired {
		return idem.TokenFound{Status: status}, nil
	}
	found := t.found
	found.Status = status
	if status == idem.TokenRunning {
		found.LeaseLeft = t.leaseEnd - now
	}
	return found, nil
}

// look tells what a consumption finds; 0 when it may consume the token.
func (t *token) look(c *idem.Consumption, now time.Duration) idem.TokenStatus {
	expired := now >= t.expires
	switch {
	case t.state == tokenFinished:
		return idem.TokenFinished
	case t.state == tokenBurned:
		return idem.TokenBurned
	case t.state == tokenIssued && expired:
		return idem.TokenExpired
	case t.state == tokenIssued:
		return 0
	case t.found.Owner == c.Owner:
		return idem.TokenConsumed // asked again (C16)
	case now < t.leaseEnd:
		return idem.TokenRunning
	case !c.Retake || expired || t.found.KeyHash != c.Key.Hash || c.Fingerprint.Differs(t.found.Fingerprint):
		return idem.TokenHeld
	}
	return 0
}

// Finish implements idem.TokenStore.
func (s *Tokens) Finish(ctx context.Context, h idem.TokenHold) error {
	return s.settle(ctx, &h, tokenFinished)
}

// Restore implements idem.TokenStore.
func (s *Tokens) Restore(ctx context.Context, h idem.TokenHold) error {
	return s.settle(ctx, &h, tokenIssued)
}

// Burn implements idem.TokenStore.
func (s *Tokens) Burn(ctx context.Context, h idem.TokenHold) error {
	return s.settle(ctx, &h, tokenBurned)
}

// settle brings a consumed token into its next state. A token that is there
// already, by the same hold, stays so (C16).
func (s *Tokens) settle(ctx context.Context, h *idem.TokenHold, to tokenState) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	sh, now := s.table.lock((*[32]byte)(&h.Token))
	defer sh.mu.Unlock()
	e := sh.get(h.Token, now)
	if e == nil {
		return idem.ErrLeaseLost
	}
	t := &e.value
	if t.found.Owner != h.Owner || h.Fence != 0 && t.found.Fence != h.Fence || t.found.Fence == 0 {
		return idem.ErrLeaseLost
	}
	switch t.state {
	case to:
		return nil
	case tokenConsumed:
		t.state = to
		sh.expire(e, max(t.until, after(now, t.keep)))
		return nil
	}
	return idem.ErrLeaseLost
}
