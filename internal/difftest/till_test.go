package difftest_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/difftest/till"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// A storm of generated code: so many orders, each wanted by so many callers at once.
const (
	tillOrders  = 12
	tillCallers = 12
)

// desk is a till behind its generated wrapper, on one store.
type desk struct {
	*testing.T
	till    *till.Till
	guarded *till.IdempotentTill
	tokens  idem.TokenStore
}

// onTokens runs a test on every store of tokens.
func onTokens(t *testing.T, test func(d *desk)) {
	for _, s := range tokenStores(t) {
		t.Run(s.Name, func(t *testing.T) {
			d := &desk{T: t, till: &till.Till{Slow: time.Millisecond}, tokens: s.Store}
			d.guarded = till.NewIdempotentTill(d.till, idem.New(idem.GlobalScope), memstore.New(), s.Store, memstore.NewLocks(nil))
			test(d)
		})
	}
}

// onLocks runs a test on every locker.
func onLocks(t *testing.T, test func(d *desk)) {
	for _, s := range lockers(t) {
		t.Run(s.Name, func(t *testing.T) {
			d := &desk{T: t, till: &till.Till{Slow: time.Millisecond}}
			d.guarded = till.NewIdempotentTill(d.till, idem.New(idem.GlobalScope), s.Store.Records, memstore.NewTokens(), s.Store.Locker)
			test(d)
		})
	}
}

// issue issues a token to a session and returns the context of a request with it.
func (d *desk) issue(session string, ttl time.Duration) (context.Context, string) {
	d.Helper()
	token := idem.NewToken()
	if err := d.tokens.Issue(d.Context(), idem.TokenGrant{Tokens: []idem.TokenID{token.ID()}, Binding: idem.BindTo(session), TTL: ttl}); err != nil {
		d.Fatal(err)
	}
	return present(d.Context(), session, token.Reveal()), token.Reveal()
}

// present is a request of a session with a token.
func present(ctx context.Context, session, token string) context.Context {
	return till.As(idem.WithHeaders(ctx, func(string) string { return token }), session)
}

// crowd calls once per order and caller, all at once, and counts what is not passing.
func (d *desk) crowd(call func(order string, n int) error) (done int64) {
	d.Helper()
	var wg sync.WaitGroup
	var ok atomic.Int64
	for o := range tillOrders {
		for n := range tillCallers {
			wg.Go(func() {
				switch err := call(fmt.Sprintf("{%s}-%d", d.Name(), o), n); { // braces, as of a hash tag
				case err == nil:
					ok.Add(1)
				case !idem.StatusOf(err).Passing() && !errors.Is(err, idem.ErrTokenUsed):
					d.Errorf("%v", err)
				}
			})
		}
	}
	wg.Wait()
	return ok.Load()
}

// paid checks that each order was paid so often.
func (d *desk) paid(want int) {
	d.Helper()
	for o := range tillOrders {
		if n := d.till.Payments(fmt.Sprintf("{%s}-%d", d.Name(), o)); n != want {
			d.Errorf("order %d has %d payments, want %d", o, n, want)
		}
	}
}

// TestLaw_X1_GeneratedTokensUnderAStorm: of all callers with one token one pays, on
// every store; the same callers with a token each all pay, which shows that the storm
// bites.
func TestLaw_X1_GeneratedTokensUnderAStorm(t *testing.T) {
	onTokens(t, func(d *desk) {
		contexts := map[string]context.Context{}
		for o := range tillOrders {
			contexts[fmt.Sprintf("{%s}-%d", d.Name(), o)], _ = d.issue("ann", time.Minute)
		}
		if won := d.crowd(func(order string, _ int) error {
			_, err := d.guarded.Token(contexts[order], order, 100)
			return err
		}); won != tillOrders {
			d.Errorf("%d calls won, of %d tokens", won, tillOrders)
		}
		d.paid(1)
		d.crowd(func(order string, _ int) error {
			ctx, _ := d.issue("ann", time.Minute)
			_, err := d.guarded.Token(ctx, order, 100)
			return err
		})
		d.paid(1 + tillCallers)
	})
}

// TestLaw_X5_GeneratedTokensReplayTheRecord: with a record inside, everybody who
// presents the token of a call gets its one receipt.
func TestLaw_X5_GeneratedTokensReplayTheRecord(t *testing.T) {
	onTokens(t, func(d *desk) {
		tokens := map[string]string{}
		for o := range tillOrders {
			_, tokens[fmt.Sprintf("{%s}-%d", d.Name(), o)] = d.issue("ann", time.Minute)
		}
		pay := func(order string, _ int) error {
			r, err := d.guarded.TokenOnce(till.As(d.Context(), "ann"), tokens[order], order, 100)
			if err == nil && (r.OrderID != order || r.Amount != 100) {
				return fmt.Errorf("a receipt of another: %+v", r)
			}
			return err
		}
		d.crowd(pay)
		if done := d.crowd(pay); done != tillOrders*tillCallers {
			d.Errorf("%d of %d got the receipt afterwards", done, tillOrders*tillCallers)
		}
		d.paid(1)
		order := fmt.Sprintf("{%s}-0", d.Name())
		if _, err := d.guarded.TokenOnce(till.As(d.Context(), "ann"), tokens[order], order, 999); !errors.Is(err, idem.ErrKeyReused) {
			d.Errorf("another amount: %v", err)
		}
		if _, err := d.guarded.TokenOnce(till.As(d.Context(), "ann"), tokens[order], order+"x", 100); !errors.Is(err, idem.ErrKeyReused) {
			d.Errorf("another order: %v", err)
		}
	})
}

// TestLaw_X2_GeneratedTokensAreToldApart: expired, used, used for something else,
// unknown, missing, another session's: each has its own answer, on every store, and
// none of them runs the method or burns the token.
func TestLaw_X2_GeneratedTokensAreToldApart(t *testing.T) {
	onTokens(t, func(d *desk) {
		order := d.Name()
		want := func(what string, ctx context.Context, amount int64, want error, payments int) {
			d.Helper()
			if _, err := d.guarded.Token(ctx, order, amount); !errors.Is(err, want) {
				d.Errorf("%s: %v, want %v", what, err, want)
			}
			if n := d.till.Payments(order); n != payments {
				d.Errorf("%s: %d payments, want %d", what, n, payments)
			}
		}
		want("missing", till.As(d.Context(), "ann"), 1, idem.ErrTokenMissing, 0)
		want("unknown", present(d.Context(), "ann", idem.NewToken().Reveal()), 1, idem.ErrTokenUnknown, 0)
		short, text := d.issue("ann", 30*time.Millisecond)
		time.Sleep(60 * time.Millisecond)
		want("expired", short, 1, idem.ErrTokenExpired, 0)
		want("expired, of another", present(d.Context(), "eve", text), 1, idem.ErrTokenMismatch, 0)

		good, text := d.issue("ann", time.Minute)
		want("stolen", present(d.Context(), "eve", text), 1, idem.ErrTokenMismatch, 0)
		want("of nobody", present(d.Context(), "", text), 1, idem.ErrTokenMismatch, 0)
		want("its owner's", good, 1, nil, 1)
		want("used", good, 1, idem.ErrTokenUsed, 1)
		want("used, for another amount", good, 2, idem.ErrKeyReused, 1)
		want("used, by another", present(d.Context(), "eve", text), 1, idem.ErrTokenMismatch, 1)
	})
}

// TestLaw_X3_GeneratedTokensAfterFailures: a certain failure gives the token back or
// burns it, as the directive says; what nobody knows leaves it consumed.
func TestLaw_X3_GeneratedTokensAfterFailures(t *testing.T) {
	onTokens(t, func(d *desk) {
		order := d.Name()
		for _, c := range []struct {
			name string
			do   func(context.Context, string) error
			then error // of the same token, called again
		}{
			{"declined", func(context.Context, string) error { return till.ErrDeclined }, nil},
			{"timed out", func(context.Context, string) error { return context.DeadlineExceeded }, idem.ErrInProgress},
			{"final", func(context.Context, string) error { return idem.Final(till.ErrDeclined) }, idem.ErrTokenUsed},
			{"panic", func(context.Context, string) error { panic("of the business") }, idem.ErrInProgress},
			{"goexit", func(context.Context, string) error { runtime.Goexit(); return nil }, idem.ErrInProgress},
		} {
			ctx, _ := d.issue("ann", time.Minute)
			d.till.Do = c.do
			over := make(chan struct{})
			go func() {
				defer close(over)
				defer func() { recover() }()
				d.guarded.Token(ctx, order, 1)
			}()
			<-over
			d.till.Do = nil
			if _, err := d.guarded.Token(ctx, order, 1); !errors.Is(err, c.then) {
				d.Errorf("%s: then %v, want %v", c.name, err, c.then)
			}
		}
		ctx, _ := d.issue("ann", time.Minute)
		d.till.Do = func(context.Context, string) error { return till.ErrDeclined }
		if _, err := d.guarded.Burned(ctx, order, 1); !errors.Is(err, till.ErrDeclined) {
			d.Errorf("burn: %v", err)
		}
		d.till.Do = nil
		if _, err := d.guarded.Burned(ctx, order, 1); !errors.Is(err, idem.ErrTokenUsed) {
			d.Errorf("burned: %v", err)
		}
	})
}

// TestLaw_L3_GeneratedLocksUnderAStorm: of all callers one pays, and everybody gets
// the receipt, whether the ledger is the check or the record is; without a check each
// pays, one at a time, and fences only grow.
func TestLaw_L3_GeneratedLocksUnderAStorm(t *testing.T) {
	onLocks(t, func(d *desk) {
		for name, pay := range map[string]func(ctx context.Context, order string, amount int64) (*till.Receipt, error){
			"check": d.guarded.Locked, "record": d.guarded.LockOnce,
		} {
			d.till.Reset(time.Millisecond)
			done := d.crowd(func(order string, _ int) error {
				r, err := pay(d.Context(), order, 100)
				if err == nil && r.OrderID != order {
					return fmt.Errorf("a receipt of another: %+v", r)
				}
				return err
			})
			if done != tillOrders*tillCallers {
				d.Errorf("%s: %d of %d got the receipt", name, done, tillOrders*tillCallers)
			}
			d.paid(1)
		}
		d.till.Reset(time.Millisecond)
		d.crowd(func(order string, _ int) error {
			_, err := d.guarded.Serial(d.Context(), order, 100)
			return err
		})
		d.paid(tillCallers)
		if n := d.till.AtOnce(); n != 1 {
			d.Errorf("%d payments of one order at once, under its lock", n)
		}
		for o := range tillOrders {
			fences := d.till.Fences(fmt.Sprintf("{%s}-%d", d.Name(), o))
			if len(fences) != tillCallers || !slices.IsSorted(fences) || len(slices.Compact(fences)) != tillCallers {
				d.Errorf("order %d: fences %v", o, fences)
			}
		}
		d.till.Reset(time.Millisecond)
		d.crowd(func(order string, _ int) error {
			_, err := d.guarded.Bare(d.Context(), order, 100)
			return err
		})
		if d.paid(tillCallers); d.till.AtOnce() < 2 {
			d.Error("without the lock nobody met: the storm does not bite")
		}
	})
}

// TestLaw_L1_GeneratedLocksAfterFailures: an error, a panic and Goexit of the method or
// of its check free the lock at once.
func TestLaw_L1_GeneratedLocksAfterFailures(t *testing.T) {
	onLocks(t, func(d *desk) {
		order := d.Name()
		fail := map[string]func() error{
			"error": func() error { return till.ErrDeclined },
			"panic": func() error { panic("of the business") },
			"goexit": func() error {
				runtime.Goexit()
				return nil
			},
		}
		for name, do := range fail {
			for _, where := range []string{"method", "check"} {
				d.till.Reset(0)
				var asked atomic.Int64
				if where == "method" {
					d.till.Do = func(context.Context, string) error { return do() }
				} else {
					d.till.Answer = func(string) error {
						if asked.Add(1) == 2 { // under the lock
							return do()
						}
						return nil
					}
				}
				over := make(chan struct{})
				go func() {
					defer close(over)
					defer func() { recover() }()
					d.guarded.Locked(d.Context(), order, 1)
				}()
				<-over
				d.till.Do, d.till.Answer = nil, nil
				ctx, cancel := context.WithTimeout(d.Context(), time.Second) // the lock's ttl is 2 s
				if r, err := d.guarded.Locked(ctx, order, 1); err != nil || r.OrderID != order || d.till.Payments(order) != 1 {
					d.Errorf("%s in the %s: then %+v, %v, %d payments", name, where, r, err, d.till.Payments(order))
				}
				cancel()
			}
		}
	})
}

// TestLaw_C9_GeneratedLookupsThatPanic: a result that was too large is answered by the
// look-up. One that fails or panics says so, and leaves the record as it is: the next
// call is answered, and the method never runs again.
func TestLaw_C9_GeneratedLookupsThatPanic(t *testing.T) {
	for _, s := range lockers(t) {
		t.Run(s.Name, func(t *testing.T) {
			small := idem.New(idem.GlobalScope, idem.WithMaxResult(4)) // nothing is small enough
			pays := &till.Till{}
			guarded := till.NewIdempotentTill(pays, small, s.Store.Records, memstore.NewTokens(), s.Store.Locker)
			if _, err := guarded.LockOnce(t.Context(), t.Name(), 1); err != nil {
				t.Fatal(err)
			}
			pays.Answer = func(string) error { return till.ErrDeclined }
			if r, err := guarded.LockOnce(t.Context(), t.Name(), 1); !errors.Is(err, till.ErrDeclined) {
				t.Errorf("a look-up that fails: %+v, %v", r, err)
			}
			pays.Answer = func(string) error { panic("of the look-up") }
			func() {
				defer func() {
					if recover() == nil {
						t.Error("the panic of a look-up was swallowed")
					}
				}()
				guarded.LockOnce(t.Context(), t.Name(), 1)
			}()
			pays.Answer = nil
			if r, err := guarded.LockOnce(t.Context(), t.Name(), 1); err != nil || r == nil || r.OrderID != t.Name() || pays.Payments(t.Name()) != 1 {
				t.Errorf("then %+v, %v, %d payments", r, err, pays.Payments(t.Name()))
			}
		})
	}
}
