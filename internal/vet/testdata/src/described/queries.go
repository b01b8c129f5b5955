package described

import (
	"context"
	"time"
)

// Queries can't carry directives: an idem.yaml describes it.
type Queries struct{}

// Pay is guarded.
func (q *Queries) Pay(ctx context.Context, id string) error { return nil }

// Refund is guarded, under a token.
func (q *Queries) Refund(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute) // want `this allows Refund to take 1m0s, but the lease of its token ends after 10s`
	defer cancel()
	return q.Pay(ctx, id) // want `Pay is guarded, but this goes around IdempotentQueries`
}

// Get is not guarded.
func (q *Queries) Get(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return ctx.Err()
}

func ship(ctx context.Context, id string) error { return nil }

// Gateway is an interface: whether what implements it is guarded nobody knows here.
type Gateway interface {
	Charge(ctx context.Context, id string) error
}
