package described

import "context"

const (
	paid  = "UPDATE parcels SET state = 'SENT' WHERE id = $1" // want `this writes parcels.state around described.ParcelGuard`
	other = "UPDATE parcels SET weight = 3 WHERE id = $1"
)

func checkout(ctx context.Context, q *Queries, guarded *IdempotentQueries, g Gateway) error {
	if err := q.Get(ctx, "1"); err != nil {
		return err
	}
	if err := g.Charge(ctx, "1"); err != nil {
		return err
	}
	if err := ship(ctx, "1"); err != nil { // want `ship is guarded, but this goes around IdempotentShip`
		return err
	}
	if err := IdempotentShip()(ctx, "1"); err != nil {
		return err
	}
	if err := q.Pay(ctx, "1"); err != nil { // want `Pay is guarded, but this goes around IdempotentQueries`
		return err
	}
	return guarded.Pay(ctx, "1")
}
