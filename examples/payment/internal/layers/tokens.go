package layers

import (
	"context"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Tokens stands around the store of tokens.
type Tokens struct {
	idem.TokenStore
	switches *Switches
}

// Tokens watches a store of tokens. While the layer is off any token will do, again and again, and the store is not asked.
func (s *Switches) Tokens(store idem.TokenStore) *Tokens { return &Tokens{store, s} }

var tokenVerdicts = map[idem.TokenStatus]Verdict{
	idem.TokenConsumed: Consumed, idem.TokenRunning: Running, idem.TokenFinished: Used, idem.TokenBurned: Used, idem.TokenHeld: Running,
	idem.TokenExpired: Refused, idem.TokenUnknown: Refused, idem.TokenMismatch: Refused,
}

// Consume writes down what became of the token.
func (t *Tokens) Consume(ctx context.Context, c idem.Consumption) (idem.TokenFound, error) {
	if !t.switches.On(Token) {
		traceOf(ctx).note(Token, Off)
		return idem.TokenFound{Status: idem.TokenConsumed, Owner: c.Owner, Fence: 1, KeyHash: c.Key.Hash, Fingerprint: c.Fingerprint}, nil
	}
	found, err := t.TokenStore.Consume(ctx, c)
	if err == nil {
		traceOf(ctx).note(Token, tokenVerdicts[found.Status])
	}
	return found, err
}

// Finish settles nothing of a call that consumed nothing.
func (t *Tokens) Finish(ctx context.Context, h idem.TokenHold) error {
	return t.settle(ctx, h, t.TokenStore.Finish)
}

// Restore settles nothing of a call that consumed nothing.
func (t *Tokens) Restore(ctx context.Context, h idem.TokenHold) error {
	return t.settle(ctx, h, t.TokenStore.Restore)
}

// Burn settles nothing of a call that consumed nothing.
func (t *Tokens) Burn(ctx context.Context, h idem.TokenHold) error {
	return t.settle(ctx, h, t.TokenStore.Burn)
}

func (t *Tokens) settle(ctx context.Context, h idem.TokenHold, settle func(context.Context, idem.TokenHold) error) error {
	if traceOf(ctx).at(Token) == Off {
		return nil
	}
	return settle(ctx, h)
}
