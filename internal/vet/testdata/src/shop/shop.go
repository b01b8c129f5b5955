package shop

import (
	"context"
	"net/http"
	"time"
)

// Status is where an order stands.
//
//idem:statemachine table=shop.orders key=id column=status initial=Created
//idem:transition Pay Created -> Paid
type Status string

// States.
const (
	Created Status = "CREATED"
	Paid    Status = "PAID"
)

// Service has guarded methods.
type Service struct{}

// Pay is guarded.
//
//idem:once key=id orphan=hold
func (s *Service) Pay(ctx context.Context, id string) error {
	if id == "" {
		return s.Pay(ctx, "default") // inside the guarded call
	}
	return nil
}

// Refund is guarded, and pays around its guard.
//
//idem:token lease=10s alone
func (s *Service) Refund(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute) // want `this allows Refund to take 1m0s, but the lease of its token ends after 10s`
	defer cancel()
	c := http.Client{Timeout: 20 * time.Second} // want `allows Refund to take 20s`
	_ = c
	return s.Pay(ctx, id) // want `Pay is guarded, but this goes around IdempotentService: it runs each time`
}

// Quick is in time.
//
//idem:token lease=10s alone
func (s *Service) Quick(ctx context.Context, id string) error {
	_, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return nil
}

// Slow has a lease that is renewed.
//
//idem:once key=id orphan=hold lease=1s
func (s *Service) Slow(ctx context.Context, id string) error {
	_, cancel := context.WithTimeout(ctx, time.Hour)
	defer cancel()
	return nil
}

// Checkout is not guarded itself.
func (s *Service) Checkout(ctx context.Context, id string) error {
	pay := s.Pay // want `goes around IdempotentService`
	_ = pay
	return (*Service).Pay(s, ctx, id) // want `goes around IdempotentService`
}

// Through calls as it should.
func Through(ctx context.Context, s *IdempotentService, id string) error { return s.Pay(ctx, id) }

// Charge is a guarded function.
//
//idem:once key=id orphan=hold
func Charge(id string) error { return nil }

func direct() error { return Charge("1") } // want `Charge is guarded, but this goes around IdempotentCharge`

const table = "orders"

var texts = []string{
	"UPDATE orders SET status = 'PAID' WHERE id = ?",                            // want `this writes shop.orders.status around shop.StatusGuard`
	"UPDATE " + table + " AS o SET note = ?, o.status = ? WHERE id = ?",         // want `this writes shop.orders.status`
	"WITH x AS (SELECT 1) UPDATE `shop`.`orders` SET `status`=? WHERE `id` = ?", // want `this writes shop.orders.status`
	"UPDATE orders SET note = 'status = PAID' WHERE status = 'CREATED'",
	"UPDATE archive.orders SET status = 'PAID'",
	"UPDATE tickets SET status = 'PAID' WHERE id = ?",
	"SELECT status FROM orders WHERE id = ? FOR UPDATE",
	"INSERT INTO orders (id, status) VALUES (?, 'CREATED')",
	"update your order: set status = done",
	"UPDATE orders SET (status) = (SELECT 'x'), note = ?",
	"UPDATE orders SET note = (SELECT status FROM t WHERE status = 'x')",
	"UPDATE orders SET status = 'LOST' WHERE id = ?", //nolint:idemgen // repairs by hand
}

func guard(g StatusGuard, ctx context.Context) error {
	g.Pay(ctx, "1")         // want `what became of Pay is dropped`
	_, _ = g.Pay(ctx, "1")  // want `the error of Pay is dropped`
	go g.Pay(ctx, "1")      // want `nobody waits for it`
	defer g.Pay(ctx, "1")   // want `what became of Pay is dropped`
	_, err := g.PayAll(ctx) // want `the outcomes of PayAll are dropped`
	if err != nil {
		return err
	}
	results, _ := g.PayAll(ctx) // want `the error of PayAll is dropped`
	_ = results
	g.Allowed("CREATED")
	if _, err := g.Pay(ctx, "1"); err != nil { // the change itself need not be looked at
		return err
	}
	_, err = g.Pay(ctx, "2")
	return err
}
