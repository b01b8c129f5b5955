package idem_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// gated is a world in which a token is consumed first.
type gated struct {
	*world
	tokens *tokenFaults
	top    idem.TokenOp
	tx     *memTx // nil: the once inside is by lease, or there is none
	lease  bool
}

// tokenFaults is a token store whose replies can be lost.
type tokenFaults struct {
	idem.TokenStore
	lose string // operation whose reply is lost
	deny string // operation that fails
}

func (f *tokenFaults) after(op string, err error) error {
	if f.lose == op && err == nil {
		return fmt.Errorf("%w: reply lost", idem.ErrStoreUnavailable)
	}
	return err
}

func (f *tokenFaults) Consume(ctx context.Context, c idem.Consumption) (idem.TokenFound, error) {
	if f.deny == "consume" {
		return idem.TokenFound{}, idem.ErrStoreUnavailable
	}
	found, err := f.TokenStore.Consume(ctx, c)
	return found, f.after("consume", err)
}

func (f *tokenFaults) Finish(ctx context.Context, h idem.TokenHold) error {
	if f.deny == "finish" {
		return idem.ErrStoreUnavailable
	}
	return f.TokenStore.Finish(ctx, h)
}

func newGated(t *testing.T) *gated {
	return &gated{world: newWorld(t), tokens: &tokenFaults{TokenStore: memstore.NewTokens()}, top: idem.TokenOp{From: "header X-Idempotent-Token"}}
}

// withTx puts a once in transaction mode inside.
func (g *gated) withTx() *gated {
	g.tx = newMemTx()
	g.op.Lease, g.op.Orphan = 0, idem.OrphanNone
	g.top.Tx, g.top.Retake = true, true
	return g
}

// withLease puts a once in lease mode inside.
func (g *gated) withLease() *gated {
	g.lease, g.top.Retake = true, true
	return g
}

// issue makes a token for somebody.
func (g *gated) issue(who string, ttl time.Duration) string {
	g.Helper()
	token := idem.NewToken()
	grant := idem.TokenGrant{Tokens: []idem.TokenID{token.ID()}, TTL: ttl, Keep: time.Hour}
	if who != "" {
		grant.Binding = idem.BindTo(who)
	}
	ok(g.T, g.tokens.Issue(context.Background(), grant))
	return token.Reveal()
}

// pay presents a token; run is the method.
func (g *gated) pay(ctx context.Context, token, who, id string, run func(context.Context) (int, error)) (int, error) {
	p := idem.Presented{Store: g.tokens, Op: &g.top, Token: token, Bind: who}
	counted := func(ctx context.Context) (int, error) { g.ran++; return run(ctx) }
	switch {
	case g.tx != nil:
		p.Records = g.tx
		return idem.Token(ctx, p, g.call(id), func(ctx context.Context) (int, error) {
			return idem.OnceTx(ctx, g.tx, g.call(id), func(ctx context.Context, t *tx) (int, error) {
				t.rows[id]++
				return counted(ctx)
			})
		})
	case g.lease:
		p.Records = g.store
		return idem.Token(ctx, p, g.call(id), func(ctx context.Context) (int, error) {
			return idem.Once(ctx, g.store, g.call(id), counted)
		})
	}
	return idem.Token(ctx, p, g.call(id), counted)
}

func (g *gated) try(token, who, id string, res int, err error) (int, error) {
	return g.pay(context.Background(), token, who, id, func(context.Context) (int, error) { return res, err })
}

// TestLaw_X1_OneOfMany: of 100 callers with one token one runs.
func TestLaw_X1_OneOfMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGated(t)
		token := g.issue("", time.Minute)
		var wg sync.WaitGroup
		var mu sync.Mutex
		won := 0
		for range 100 {
			wg.Go(func() {
				_, err := idem.Token(context.Background(), idem.Presented{Store: g.tokens, Op: &g.top, Token: token}, g.call("k"), func(context.Context) (int, error) {
					time.Sleep(time.Second)
					return 1, nil
				})
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					won++
				case !errors.Is(err, idem.ErrInProgress) && !errors.Is(err, idem.ErrTokenUsed):
					t.Error(err)
				}
			})
		}
		wg.Wait()
		equal(t, "winners", won, 1)
	})
}

// TestLaw_X2_StatesAreToldApart: missing, unknown, expired, used, stolen.
func TestLaw_X2_StatesAreToldApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGated(t)
		_, err := g.try("", "", "k", 1, nil)
		is(t, err, idem.ErrTokenMissing)
		if !strings.Contains(err.Error(), "X-Idempotent-Token") {
			t.Error(err)
		}
		_, err = g.try("made up", "", "k", 1, nil)
		is(t, err, idem.ErrTokenUnknown)
		token := g.issue("ann", time.Minute)
		for _, thief := range []string{"bob", ""} {
			_, err = g.try(token, thief, "k", 1, nil)
			is(t, err, idem.ErrTokenMismatch)
		}
		late := g.issue("ann", time.Minute)
		got, err := g.try(token, "ann", "k", 7, nil)
		ok(t, err)
		equal(t, "result", got, 7)
		_, err = g.try(token, "ann", "k", 8, nil)
		is(t, err, idem.ErrTokenUsed) // nothing inside keeps the result
		time.Sleep(2 * time.Minute)
		_, err = g.try(late, "ann", "k2", 1, nil)
		is(t, err, idem.ErrTokenExpired)
		_, err = g.try(token, "ann", "k", 8, nil)
		is(t, err, idem.ErrTokenUsed) // not expired
		equal(t, "runs", g.ran, 1)
	})
}

// TestLaw_X3_WhatFinishesAndWhatRestores: by what the method came to.
func TestLaw_X3_WhatFinishesAndWhatRestores(t *testing.T) {
	type row struct {
		name string
		err  error
		mode string
		burn bool
		want error // of a second presentation; nil = the method runs again
	}
	deadline := context.DeadlineExceeded
	rows := []row{
		{"executed", nil, "alone", false, idem.ErrTokenUsed},
		{"ordinary error", errBiz, "alone", false, nil},
		{"ordinary error, burn", errBiz, "alone", true, idem.ErrTokenUsed},
		{"unknown", deadline, "alone", false, idem.ErrInProgress},
		{"unknown, burn", deadline, "alone", true, idem.ErrInProgress},
		{"final", idem.Final(errBiz), "alone", false, idem.ErrTokenUsed},
		{"retryable", idem.Retryable(deadline), "alone", false, nil},
		{"outage inside", fmt.Errorf("x: %w", idem.ErrStoreUnavailable), "alone", true, nil},
		{"in progress inside", &idem.InProgressError{}, "alone", true, nil},
		{"rolled back", errBiz, "tx", false, nil},
		{"rolled back, burn", errBiz, "tx", true, idem.ErrTokenUsed},
		{"rolled back after a deadline", deadline, "tx", false, nil},
		{"final in a transaction", idem.Final(errBiz), "tx", false, errBiz},
		{"lease: released", errBiz, "lease", false, nil},
		{"lease: unknown", deadline, "lease", false, idem.ErrInProgress},
		{"lease: final", idem.Final(errBiz), "lease", false, errBiz},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGated(t)
				switch r.mode {
				case "tx":
					g.withTx()
				case "lease":
					g.withLease()
				}
				g.op.Sentinels = []idem.Sentinel{{Name: "biz", Err: errBiz}}
				g.top.Burn = r.burn
				token := g.issue("", time.Minute)
				_, err := g.try(token, "", "k", 1, r.err)
				is(t, err, r.err)
				got, err := g.try(token, "", "k", 2, nil)
				if r.want == nil {
					ok(t, err)
					equal(t, "result", got, 2)
					return
				}
				is(t, err, r.want)
				equal(t, "runs", g.ran, 1)
			})
		})
	}
}

// TestLaw_X3_RestoredForTheRest: a token that is given back keeps its expiry.
func TestLaw_X3_RestoredForTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGated(t)
		token := g.issue("", time.Minute)
		time.Sleep(50 * time.Second)
		_, err := g.try(token, "", "k", 1, errBiz)
		is(t, err, errBiz)
		time.Sleep(11 * time.Second)
		_, err = g.try(token, "", "k", 1, nil)
		is(t, err, idem.ErrTokenExpired)
	})
}

// TestLaw_X3_VanishedOwner: past the lease the token is taken over only where
// something inside knows; else nobody knows.
func TestLaw_X3_VanishedOwner(t *testing.T) {
	for _, inside := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			g := newGated(t)
			if inside {
				g.withTx()
			}
			g.top.Lease = 10 * time.Second
			token := g.issue("", time.Minute)
			done := make(chan struct{})
			g.tokens.deny = "finish"
			go func() { // its owner dies before it settles
				defer close(done)
				_, _ = g.try(token, "", "k", 1, context.DeadlineExceeded)
			}()
			<-done
			if inside { // rolled back, but its restore was lost: consume once more as the dead owner did
				c := idem.Consumption{Token: idem.HashToken(token), Owner: idem.NewOwner(), Lease: 10 * time.Second, Keep: time.Hour, Key: g.call("k").Key(), Fingerprint: callPrint(g)}
				_, err := g.tokens.TokenStore.Consume(context.Background(), c)
				ok(t, err)
			}
			g.tokens.deny = ""
			_, err := g.try(token, "", "k", 2, nil)
			is(t, err, idem.ErrInProgress)
			time.Sleep(11 * time.Second)
			got, err := g.try(token, "", "k", 2, nil)
			if !inside {
				is(t, err, idem.ErrOutcomeUnknown)
				equal(t, "runs", g.ran, 1)
				return
			}
			ok(t, err)
			equal(t, "result", got, 2)
		})
	}
}

func callPrint(g *gated) idem.Fingerprint {
	c := g.call("k")
	return c.Fingerprint()
}

// TestLaw_X3_PanicAndGoexit: in a transaction they give the token back, elsewhere
// nobody knows; they pass through.
func TestLaw_X3_PanicAndGoexit(t *testing.T) {
	for _, end := range []func(){func() { panic("boom") }, runtime.Goexit} {
		for _, inTx := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				g := newGated(t)
				if inTx {
					g.withTx()
				}
				token := g.issue("", time.Minute)
				done := make(chan any, 1)
				go func() {
					defer func() { done <- recover() }()
					_, _ = g.pay(context.Background(), token, "", "k", func(context.Context) (int, error) { end(); return 0, nil })
				}()
				<-done
				_, err := g.try(token, "", "k", 2, nil)
				if inTx {
					ok(t, err)
				} else {
					is(t, err, idem.ErrInProgress)
				}
			})
		}
	}
}

// TestLaw_X3_LostCommitStaysConsumed: nobody knows, and the token is not given back.
func TestLaw_X3_LostCommitStaysConsumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGated(t).withTx()
		token := g.issue("", time.Minute)
		g.tx.lostCommits, g.tx.lookupErr = 1, idem.ErrStoreUnavailable
		_, err := g.try(token, "", "k", 1, nil)
		is(t, err, idem.ErrCommitUnknown)
		g.tx.lookupErr = nil
		got, err := g.try(token, "", "k", 2, nil) // it had committed: replayed
		ok(t, err)
		equal(t, "result", got, 1)
		equal(t, "rows", g.tx.row("k"), 1)
	})
}

// TestLaw_X5_UsedTokens: a repetition of its own call replays, another payload is
// refused, and the once inside is looked up and never claimed.
func TestLaw_X5_UsedTokens(t *testing.T) {
	for _, mode := range []string{"tx", "lease"} {
		synctest.Test(t, func(t *testing.T) {
			g := newGated(t)
			if mode == "tx" {
				g.withTx()
			} else {
				g.withLease()
			}
			token := g.issue("ann", time.Minute)
			_, err := g.try(token, "ann", "k", 7, nil)
			ok(t, err)
			got, err := g.try(token, "ann", "k", 8, nil)
			ok(t, err)
			equal(t, "replayed", got, 7)
			_, err = g.try(token, "ann", "other", 8, nil)
			is(t, err, idem.ErrKeyReused)
			_, err = g.try(token, "bob", "k", 8, nil)
			is(t, err, idem.ErrTokenMismatch)
			if mode == "lease" {
				equal(t, "claims", g.store.seen("claim"), 1)
			}
			equal(t, "runs", g.ran, 1)
		})
	}
}

// TestLaw_X5_RecordGone: the token outlives the record, and then says used.
func TestLaw_X5_RecordGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGated(t).withLease()
		g.op.TTL, g.top.Keep = time.Minute, time.Hour
		token := g.issue("", time.Minute)
		_, err := g.try(token, "", "k", 1, nil)
		ok(t, err)
		time.Sleep(2 * time.Minute)
		_, err = g.try(token, "", "k", 1, nil)
		is(t, err, idem.ErrTokenUsed)
		equal(t, "runs", g.ran, 1)
	})
}

// TestLaw_C15_TokenOutage: the method does not run; a consumption whose reply was
// lost is given back.
func TestLaw_C15_TokenOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGated(t)
		token := g.issue("", time.Minute)
		for _, fault := range []func(){func() { g.tokens.deny = "consume" }, func() { g.tokens.deny, g.tokens.lose = "", "consume" }} {
			fault()
			_, err := g.try(token, "", "k", 1, nil)
			is(t, err, idem.ErrStoreUnavailable)
			synctest.Wait()
		}
		equal(t, "runs", g.ran, 0)
		g.tokens.lose = ""
		_, err := g.try(token, "", "k", 1, nil)
		ok(t, err)
	})
}

// TestLaw_C6_TokenThatCannotBeFinished: the result stands and the observer is told.
func TestLaw_C6_TokenThatCannotBeFinished(t *testing.T) {
	g := newGated(t)
	token := g.issue("", time.Minute)
	g.tokens.deny = "finish"
	got, err := g.try(token, "", "k", 7, nil)
	ok(t, err)
	equal(t, "result", got, 7)
	equal(t, "told", g.log.count(idem.EventTokenUnsettled), 1)
}

// TestLaw_X4_ErrorsShowNoToken: neither errors nor events have its text.
func TestLaw_X4_ErrorsShowNoToken(t *testing.T) {
	g := newGated(t)
	for _, who := range []string{"ann", ""} {
		token := g.issue("ann", time.Minute)
		_, err := g.try(token, who, "k", 1, errBiz)
		_, err2 := g.try("guess-"+token, who, "k", 1, nil)
		for _, e := range []error{err, err2} {
			if e == nil || strings.Contains(e.Error(), token) {
				t.Errorf("%v", e)
			}
		}
		if text := fmt.Sprintf("%+v", g.log.events); strings.Contains(text, token) {
			t.Error(text)
		}
	}
}

// TestLaw_C9_TokenAsksTheLookup: where the record has no result to give, the look-up of
// the once inside answers a used token as it answers a duplicate, in a transaction.
func TestLaw_C9_TokenAsksTheLookup(t *testing.T) {
	g := newGated(t).withTx()
	g.op.NoResult = true
	find := func(_ context.Context, tx *tx) (int, error) {
		if tx == nil {
			t.Error("no transaction")
		}
		return 70, nil
	}
	run := func(token string) (int, error) {
		p := idem.Presented{Store: g.tokens, Op: &g.top, Token: token, Records: g.tx}
		return idem.TokenOr(context.Background(), p, g.call("k"), idem.InTx(g.engine, g.tx, find), func(ctx context.Context) (int, error) {
			return idem.OnceTxOr(ctx, g.tx, g.call("k"), find, func(context.Context, *tx) (int, error) { g.ran++; return 7, nil })
		})
	}
	token := g.issue("", time.Minute)
	for i, want := range []int{7, 70, 70} {
		if i == 2 {
			token = g.issue("", time.Minute) // another token finds the record inside
		}
		got, err := run(token)
		ok(t, err)
		equal(t, "answer", got, want)
	}
	equal(t, "runs", g.ran, 1)
}

// TestLaw_X4_KeyIsTheHash: a call that has no key but its token is stored and told of
// by the token's hash.
func TestLaw_X4_KeyIsTheHash(t *testing.T) {
	g := newGated(t)
	call := func(token string) idem.Call {
		return g.engine.Call(context.Background(), &g.op, idem.Presented{Token: token}.Key())
	}
	secret := g.issue("", time.Minute)
	if text := fmt.Sprint(call(secret).Key()); strings.Contains(text, secret) {
		t.Errorf("%s shows the token", text)
	}
	equal(t, "key of the same token", call(secret).Key(), call(strings.Clone(secret)).Key())
	if call(secret).Key().Hash == call("another").Key().Hash {
		t.Error("two tokens have one key")
	}
	_, err := idem.Token(context.Background(), idem.Presented{Store: g.tokens, Op: &g.top}, call(""), func(context.Context) (int, error) { return 0, nil })
	is(t, err, idem.ErrTokenMissing)
}

// TestHeaders: what a request says of itself, and nothing without one.
func TestHeaders(t *testing.T) {
	ctx := idem.WithHeaders(context.Background(), func(name string) string { return map[string]string{"X-Idempotent-Token": "t"}[name] })
	equal(t, "header", idem.Header(ctx, "X-Idempotent-Token"), "t")
	equal(t, "other", idem.Header(ctx, "Other"), "")
	equal(t, "no request", idem.Header(context.Background(), "X-Idempotent-Token"), "")
}

// TestLaw_X3_NotInsideItsTransaction: a token is not settled for a transaction whose
// end is the caller's.
func TestLaw_X3_NotInsideItsTransaction(t *testing.T) {
	g := newGated(t).withTx()
	token := g.issue("", time.Minute)
	ok(t, g.tx.Begin(context.Background(), func(ctx context.Context, cur *tx) error {
		_, err := g.pay(idem.Join(ctx, g.tx, cur), token, "", "k", func(context.Context) (int, error) { return 1, nil })
		is(t, err, idem.ErrInsideTransaction)
		return nil
	}))
	equal(t, "runs", g.ran, 0)
	_, err := g.try(token, "", "k", 1, nil)
	ok(t, err)
}

// TestLaw_X3_NotInsideItsBareTransaction: nor where the method has a transaction alone,
// without a record in it.
func TestLaw_X3_NotInsideItsBareTransaction(t *testing.T) {
	g := newGated(t)
	g.top.Tx = true
	store := newMemTx()
	p := idem.Presented{Store: g.tokens, Op: &g.top, Token: g.issue("", time.Minute), Tx: store}
	run := func(context.Context) (int, error) { g.ran++; return 1, nil }
	ok(t, store.Begin(context.Background(), func(ctx context.Context, cur *tx) error {
		_, err := idem.Token(idem.Join(ctx, store, cur), p, g.call("k"), run)
		is(t, err, idem.ErrInsideTransaction)
		return nil
	}))
	equal(t, "runs", g.ran, 0)
	_, err := idem.Token(context.Background(), p, g.call("k"), run)
	ok(t, err)
}

// TestLaw_X3_ALockInsideThatIsHeldGivesBack: who found the lock inside held has not
// failed, whatever onfail= says, and however the wait ended.
func TestLaw_X3_ALockInsideThatIsHeldGivesBack(t *testing.T) {
	for _, cause := range []error{nil, context.Canceled, context.DeadlineExceeded} {
		g := newGated(t)
		g.top.Burn = true
		token := g.issue("", time.Minute)
		_, err := g.try(token, "", "k", 0, errors.Join(&idem.LockHeldError{Op: "op"}, cause))
		is(t, err, idem.ErrLockHeld)
		_, err = g.try(token, "", "k", 1, nil)
		ok(t, err)
	}
}
