package redisscript

import (
	"context"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Tokens is an idem.TokenStore.
type Tokens struct {
	*runner
	prefix                 string
	issue, consume, settle *Script
}

var _ idem.TokenStore = (*Tokens)(nil)

func newTokens(r *runner, prefix string) *Tokens {
	return &Tokens{runner: r, prefix: prefix + "t:", issue: load("issue"), consume: load("consume"), settle: load("settle")}
}

func (s *Tokens) key(id *idem.TokenID) string { return keyName(s.prefix, (*[32]byte)(id)) }

// Issue implements idem.TokenStore: one round trip, for several tokens as well; on a
// cluster one to each primary that gets some, side by side.
func (s *Tokens) Issue(ctx context.Context, g idem.TokenGrant) error {
	args := []string{string(g.Binding[:]), micros(g.TTL), keepMicros(g.Remembered())}
	if len(g.Tokens) == 1 {
		_, err := s.run(ctx, "issue", s.issue, []string{s.key(&g.Tokens[0])}, args)
		return err
	}
	rs := make([]Request, len(g.Tokens))
	for i := range g.Tokens {
		rs[i] = Request{Script: s.issue, Keys: []string{s.key(&g.Tokens[i])}, Args: args}
	}
	if len(rs) == 0 {
		return nil
	}
	return s.runAll(ctx, "issue", rs)
}

// Consume implements idem.TokenStore: one round trip.
func (s *Tokens) Consume(ctx context.Context, c idem.Consumption) (idem.TokenFound, error) {
	retake := "0"
	if c.Retake {
		retake = "1"
	}
	var what [65]byte
	copy(what[:], c.Key.Hash[:])
	copy(what[len(c.Key.Hash):], c.Fingerprint[:])
	args := []string{string(c.Owner[:]), string(c.Binding[:]), micros(c.Lease), keepMicros(c.Keep), string(what[:]), retake}
	answer, err := s.run(ctx, "consume", s.consume, []string{s.key(&c.Token)}, args)
	if err != nil {
		return idem.TokenFound{}, err
	}
	return parseToken(answer)
}

// States of a token, as values and scripts have them; 2 is consumed.
const (
	stateIssued   = "1"
	stateFinished = "3"
	stateBurned   = "4"
)

// Finish implements idem.TokenStore: one round trip.
func (s *Tokens) Finish(ctx context.Context, h idem.TokenHold) error {
	return s.to(ctx, "finish", &h, stateFinished)
}

// Restore implements idem.TokenStore: one round trip.
func (s *Tokens) Restore(ctx context.Context, h idem.TokenHold) error {
	return s.to(ctx, "restore", &h, stateIssued)
}

// Burn implements idem.TokenStore: one round trip.
func (s *Tokens) Burn(ctx context.Context, h idem.TokenHold) error {
	return s.to(ctx, "burn", &h, stateBurned)
}

func (s *Tokens) to(ctx context.Context, doing string, h *idem.TokenHold, state string) error {
	args := []string{string(h.Owner[:]), fenceArg(h.Fence), state}
	answer, err := s.run(ctx, doing, s.settle, []string{s.key(&h.Token)}, args)
	if err != nil {
		return err
	}
	return settled(doing, answer, idem.ErrLeaseLost)
}
