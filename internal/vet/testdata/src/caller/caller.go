package caller

import (
	"context"

	"shop"
)

const pay = "UPDATE orders SET status = 'PAID' WHERE id = $1" // want `this writes shop.orders.status around shop.StatusGuard`

func direct(ctx context.Context, s *shop.Service) error {
	return s.Pay(ctx, "1") // want `Pay is guarded, but this goes around IdempotentService`
}

func through(ctx context.Context, s *shop.IdempotentService) error {
	return s.Pay(ctx, "1")
}

func guards(ctx context.Context, g shop.StatusGuard) {
	g.Pay(ctx, "1") // want `what became of Pay is dropped`
}
