package cli

// What init writes. PACKAGE is the name of the package, GENERATE the line that go
// generate runs.
const (
	sampleDoc = `// Package PACKAGE has methods that idemgen makes safe to call twice: see cashier.go for
// one, idem_gen.go for what was generated from it.
package PACKAGE

GENERATE
`

	sampleSource = `package PACKAGE

import (
	"context"
	"sync"
)

// Receipt says what was paid, in cents.
type Receipt struct {
	OrderID string
	Amount  int64
}

// Cashier takes payments. It is written as if every call came once: nothing in it
// keeps a second payment out. Call it through IdempotentCashier.
type Cashier struct {
	mu     sync.Mutex
	ledger []Receipt // stands for the bank
}

// Pay takes the money of an order.
//
// key= is what makes two calls one: a retry repeats it. The other parameters must be
// repeated, too: the same key with another amount is idem.ErrKeyReused. orphan=hold
// says what happens when a process dies while Pay runs: nobody knows whether the bank
// was paid, so a retry is told so until somebody who asked the bank calls
// idem.Resolve. A method that takes a *sql.Tx needs no such word: its record commits
// with what it writes.
//
//idem:once key=orderID orphan=hold lease=1s
func (c *Cashier) Pay(ctx context.Context, orderID string, amount int64) (*Receipt, error) {
	receipt := Receipt{OrderID: orderID, Amount: amount}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ledger = append(c.ledger, receipt)
	return &receipt, nil
}

// Payments is how often an order was paid.
func (c *Cashier) Payments(orderID string) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.ledger {
		if r.OrderID == orderID {
			n++
		}
	}
	return n
}
`

	sampleTest = `package PACKAGE

import (
	"context"
	"errors"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// TestPay_Duplicates: twenty clicks at once, and one later, are one payment.
func TestPay_Duplicates(t *testing.T) {
	cashier := &Cashier{}
	guarded := NewIdempotentCashier(cashier, idem.New(idem.GlobalScope), memstore.New())
	receipt := idemtest.Duplicates(t, 20, func(ctx context.Context) (*Receipt, error) {
		return guarded.Pay(ctx, "A-1", 4200)
	})
	if receipt.Amount != 4200 || cashier.Payments("A-1") != 1 {
		t.Errorf("%+v, %d payments", receipt, cashier.Payments("A-1"))
	}
	if _, err := guarded.Pay(t.Context(), "A-1", 9900); !errors.Is(err, idem.ErrKeyReused) {
		t.Errorf("another amount: %v", err)
	}
}

// TestPay_Crashes: whichever step of the call the process dies in, the order is paid
// at most once. Where nobody knows, the next call says so instead of paying again.
func TestPay_Crashes(t *testing.T) {
	idemtest.Crashes(t, func(t *testing.T, p *idemtest.Process) idemtest.Victim[*Receipt] {
		cashier, records := &Cashier{}, memstore.New() // memstore is for tests: use sqlstore, pgxstore or redisstore
		guarded := NewIdempotentCashier(cashier, idem.New(idem.GlobalScope), idemtest.Records(p, records))
		return idemtest.Victim[*Receipt]{
			Call: func(ctx context.Context) (*Receipt, error) { return guarded.Pay(ctx, "A-1", 4200) },
			Check: func(t *testing.T, step string, receipt *Receipt, err error) {
				if n := cashier.Payments("A-1"); n > 1 {
					t.Errorf("%d payments", n)
				}
				if err != nil && !errors.Is(err, idem.ErrOutcomeUnknown) {
					t.Errorf("died %s, then %v", step, err)
				}
			},
		}
	})
}
`
)
