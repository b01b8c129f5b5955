package main

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/examples/payment/internal/layers"
	"github.com/idemgen/idemgen/examples/payment/internal/shop"
)

// Ten clicks, one after another and each with the same request, are one payment, and nine times its receipt.
func TestTenClicks(t *testing.T) {
	onEach(t, func(t *testing.T, o shop.Options) {
		s, ann := open(t, o)
		id, token := ann.order("A-1"), ann.token()
		first := ann.pay(id, "k-1", token)
		if want := "gate=passed, token=consumed, record=claimed, state=moved, index=inserted"; first.status != 200 || first.trace() != want {
			t.Fatalf("%d %s, %s; want %s", first.status, first.body, first.trace(), want)
		}
		for range 9 {
			a := ann.pay(id, "k-1", token)
			if a.status != 200 || a.body != first.body || a.trace() != "gate=replayed" || a.header.Get("Idempotency-Replayed") != "true" {
				t.Errorf("%d %s, %s", a.status, a.body, a.trace())
			}
		}
		wantPayments(t, s, 1)
	})
}

// A hundred clicks at once, through proxies and from many tabs, are one payment; nobody hears of another receipt.
func TestHundredAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, o shop.Options) {
		s, ann := open(t, o)
		id, token := ann.order("A-1"), ann.token()
		tabs := make([]string, 34)
		for i := range tabs {
			tabs[i] = ann.token()
		}
		answers := make([]answer, 100)
		var hands sync.WaitGroup
		for i := range answers {
			hands.Go(func() {
				switch i % 3 {
				case 0:
					answers[i] = ann.pay(id, "k-1", token)
				case 1:
					answers[i] = ann.pay(id, "", token)
				default:
					answers[i] = ann.pay(id, "", tabs[i/3])
				}
			})
		}
		hands.Wait()
		receipts := map[string]int{}
		for _, a := range answers {
			switch {
			case a.status == http.StatusOK:
				receipts[a.body]++
			case a.status != http.StatusConflict || a.header.Get("Retry-After") == "":
				t.Errorf("%d %s, %s", a.status, a.body, a.trace())
			}
		}
		if len(receipts) != 1 {
			t.Errorf("receipts: %v", receipts)
		}
		wantPayments(t, s, 1)
	})
}

// Whichever layers are off, the next one stops the second click, and says so.
func TestTheNextLayerHolds(t *testing.T) {
	onEach(t, func(t *testing.T, o shop.Options) {
		s, ann := open(t, o)
		for _, c := range []struct {
			off   []layers.Layer
			code  int
			trace string
		}{
			{nil, 200, "gate=replayed"},
			{[]layers.Layer{layers.Gate}, 200, "gate=off, token=used"},
			{[]layers.Layer{layers.Gate, layers.Record}, 409, "gate=off, token=used"},
			{[]layers.Layer{layers.Gate, layers.Token}, 200, "gate=off, token=off, record=replayed"},
			{[]layers.Layer{layers.Gate, layers.Token, layers.Record}, 200, "gate=off, token=off, record=off, state=duplicate"},
			{[]layers.Layer{layers.Gate, layers.Token, layers.Record, layers.State}, 200, "gate=off, token=off, record=off, state=off, index=duplicate"},
		} {
			if err := s.Clear(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, l := range c.off {
				if err := s.Set(t.Context(), l, false); err != nil {
					t.Fatal(err)
				}
			}
			id, token := ann.order("A-1"), ann.token()
			first := ann.pay(id, "k-1", token)
			second := ann.pay(id, "k-1", token)
			if first.status != 200 || second.status != c.code || second.trace() != c.trace {
				t.Errorf("without %v: %d %s, then %d %s, %s; want %d, %s", c.off, first.status, first.body, second.status, second.body, second.trace(), c.code, c.trace)
			}
			if second.status == 200 && second.body != first.body {
				t.Errorf("without %v: %s, then %s", c.off, first.body, second.body)
			}
			wantPayments(t, s, 1)
		}
	})
}

// A token that another session presents neither works nor is used up, whatever request id the thief sends.
func TestLaw_X2_StolenToken(t *testing.T) {
	onEach(t, func(t *testing.T, o shop.Options) {
		s, ann := open(t, o)
		id, token := ann.order("A-1"), ann.token()
		for _, thief := range []string{"bob", ""} {
			key := "k-1"
			if thief == "" {
				key = "" // nobody's request id is refused before that
			}
			if a := ann.as(thief).pay(id, key, token); a.status != http.StatusForbidden || a.field("code") != "token_mismatch" {
				t.Errorf("%q: %d %s", thief, a.status, a.body)
			}
		}
		wantPayments(t, s, 0)
		if a := ann.pay(id, "k-1", token); a.status != 200 || a.trace() != "gate=passed, token=consumed, record=claimed, state=moved, index=inserted" {
			t.Errorf("its owner: %d %s, %s", a.status, a.body, a.trace())
		}
		if a := ann.as("bob").pay(id, "k-1", token); a.status != http.StatusForbidden || a.field("code") != "token_mismatch" {
			t.Errorf("a used one: %d %s", a.status, a.body)
		}
		wantPayments(t, s, 1)
	})
}

// An expired token is refused, and the same request works with a new one. A guessed one and none are refused, too.
func TestTokensThatDontWork(t *testing.T) {
	onEach(t, func(t *testing.T, o shop.Options) {
		o.TokenTTL = 50 * time.Millisecond
		_, before := open(t, o)
		id, old := before.order("A-1"), before.token()
		time.Sleep(2 * o.TokenTTL)
		o.TokenTTL = 0
		s, ann := open(t, o)
		for _, c := range []struct {
			token  string
			status int
			code   string
		}{{old, 410, "token_expired"}, {"guessed", 403, "token_unknown"}, {"", 400, "token_missing"}} {
			if a := ann.pay(id, "k-1", c.token); a.status != c.status || a.field("code") != c.code {
				t.Errorf("%q: %d %s, want %d %s", c.token, a.status, a.body, c.status, c.code)
			}
		}
		wantPayments(t, s, 0)
		if a := ann.pay(id, "k-1", ann.token()); a.status != 200 {
			t.Errorf("a new one: %d %s", a.status, a.body)
		}
		wantPayments(t, s, 1)
	})
}
