// Package till is a service under tokens and locks, for storms of the code that is
// generated for it on every store. Nothing in its methods keeps a second payment out.
package till

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Receipt is the answer to a payment.
type Receipt struct {
	OrderID string
	Amount  int64
}

// ErrDeclined: the payment was refused, for now.
var ErrDeclined = errors.New("till: declined")

// Till takes payments, and remembers them as a ledger outside any store would. It is
// safe for concurrent use.
type Till struct {
	// Slow is how long a payment takes; between reading and writing others may come.
	Slow time.Duration
	// Do is what a payment does besides, nil for nothing: fail, panic, end its goroutine.
	Do func(ctx context.Context, orderID string) error
	// Answer is what the checks do besides finding.
	Answer func(orderID string) error

	mu     sync.Mutex
	ledger map[string][]Receipt
	fences map[string][]int64
	active map[string]int
	most   int
}

// pay writes a line into the ledger.
func (t *Till) pay(ctx context.Context, orderID string, amount int64) (*Receipt, error) {
	t.enter(orderID, 1)
	defer t.enter(orderID, -1)
	if t.Slow > 0 {
		time.Sleep(t.Slow)
	}
	if t.Do != nil {
		if err := t.Do(ctx, orderID); err != nil {
			return nil, err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ledger == nil {
		t.ledger, t.fences = map[string][]Receipt{}, map[string][]int64{}
	}
	r := Receipt{orderID, amount}
	t.ledger[orderID] = append(t.ledger[orderID], r)
	if fence := idem.LockFence(ctx); fence != 0 {
		t.fences[orderID] = append(t.fences[orderID], fence)
	}
	return &r, nil
}

// enter counts who is inside a payment of one order.
func (t *Till) enter(orderID string, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.active == nil {
		t.active = map[string]int{}
	}
	t.active[orderID] += n
	t.most = max(t.most, t.active[orderID])
	runtime.Gosched()
}

// Payments are the lines of the ledger for an order.
func (t *Till) Payments(orderID string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.ledger[orderID])
}

// Fences are those that payments of an order were made with, in order.
func (t *Till) Fences(orderID string) []int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]int64(nil), t.fences[orderID]...)
}

// AtOnce is how many payments of one order were made at once, at most.
func (t *Till) AtOnce() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.most
}

// Reset empties the ledger, between two storms.
func (t *Till) Reset(slow time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Slow, t.Do, t.Answer = slow, nil, nil
	t.ledger, t.fences, t.active, t.most = nil, nil, nil, 0
}

// Bare pays without any layer.
func (t *Till) Bare(ctx context.Context, orderID string, amount int64) (*Receipt, error) {
	return t.pay(ctx, orderID, amount)
}

// Token pays under a token alone.
//
//idem:token bind=Session(ctx) lease=2s alone
func (t *Till) Token(ctx context.Context, orderID string, amount int64) (*Receipt, error) {
	return t.pay(ctx, orderID, amount)
}

// TokenOnce pays under a token and a record.
//
//idem:token token=token bind=Session(ctx) lease=2s alone
//idem:once key=orderID orphan=rerun lease=1s lookup=Find
func (t *Till) TokenOnce(ctx context.Context, token, orderID string, amount int64) (*Receipt, error) {
	return t.pay(ctx, orderID, amount)
}

// Burned pays under a token that a failure uses up.
//
//idem:token bind=Session(ctx) lease=2s onfail=burn alone
func (t *Till) Burned(ctx context.Context, orderID string, amount int64) (*Receipt, error) {
	return t.pay(ctx, orderID, amount)
}

// Locked pays under a lock whose check is the ledger.
//
//idem:lock key=orderID check=Paid ttl=2s wait=30s alone
func (t *Till) Locked(ctx context.Context, orderID string, amount int64) (*Receipt, error) {
	return t.pay(ctx, orderID, amount)
}

// LockOnce pays under a lock whose check is the record.
//
//idem:lock key=orderID ttl=2s wait=30s alone
//idem:once key=orderID orphan=rerun lease=1s lookup=Find
func (t *Till) LockOnce(ctx context.Context, orderID string, amount int64) (*Receipt, error) {
	return t.pay(ctx, orderID, amount)
}

// Serial pays under a lock that checks nothing: calls run one at a time.
//
//idem:lock key=orderID ttl=2s wait=30s alone
func (t *Till) Serial(ctx context.Context, orderID string, amount int64) (*Receipt, error) {
	return t.pay(ctx, orderID, amount)
}

// Paid tells whether an order was paid, and how.
func (t *Till) Paid(_ context.Context, orderID string) (*Receipt, bool, error) {
	if t.Answer != nil {
		if err := t.Answer(orderID); err != nil {
			return nil, false, err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if lines := t.ledger[orderID]; len(lines) > 0 {
		return &lines[0], true, nil
	}
	return nil, false, nil
}

// Find is the receipt of an order that was paid.
func (t *Till) Find(ctx context.Context, orderID string) (*Receipt, error) {
	r, _, err := t.Paid(ctx, orderID)
	return r, err
}

type session struct{}

// As says whose session a context is.
func As(ctx context.Context, who string) context.Context {
	return context.WithValue(ctx, session{}, who)
}

// Session is whose session a context is.
func Session(ctx context.Context) string {
	who, _ := ctx.Value(session{}).(string)
	return who
}
