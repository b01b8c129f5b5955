package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/examples/payment/internal/layers"
	"github.com/idemgen/idemgen/examples/payment/internal/shop"
)

// An order number is taken once per customer: asked for again it is the same order, for another amount it is refused.
func TestOrdersAreOpenedOnce(t *testing.T) {
	onEach(t, func(t *testing.T, o shop.Options) {
		_, ann := open(t, o)
		id := ann.order("A-1")
		if again := ann.order("A-1"); again != id {
			t.Errorf("again: %s, then %s", id, again)
		}
		if other := ann.as("bob").order("A-1"); other == id {
			t.Error("another customer got ann's order")
		}
		if lower := ann.order("a-1"); lower == id {
			t.Error("a-1 is not A-1")
		}
		if a := ann.do("POST", "/orders", `{"number":"A-1","amount":1}`, nil); a.status != 409 || a.field("code") != "number_taken" {
			t.Errorf("another amount: %d %s", a.status, a.body)
		}
		key := map[string]string{"Idempotency-Key": "k-1"}
		first := ann.do("POST", "/orders", `{"number":"A-2","amount":1}`, key)
		second := ann.do("POST", "/orders", `{"number":"A-2","amount":1}`, key)
		if first.status != 201 || first.body != second.body || second.header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("at the gate: %d %s, then %d %s", first.status, first.body, second.status, second.body)
		}
		if a := ann.do("POST", "/orders", `{"number":"A-3","amount":1}`, key); a.status != 422 || a.field("code") != "key_reused" {
			t.Errorf("another request under the same id: %d %s", a.status, a.body)
		}
	})
}

// What is wrong is said with a stable code, and costs neither the order nor the token anything.
func TestProblems(t *testing.T) {
	s, ann := open(t, onSQLite(t))
	id, token := ann.order("A-1"), ann.token()
	with := map[string]string{"X-Idempotent-Token": token}
	for _, c := range []struct {
		name, path, body string
		status           int
		code             string
	}{
		{"no JSON", "/orders", `number=1`, 400, "bad_request"},
		{"no number", "/orders", `{"amount":1}`, 400, "bad_request"},
		{"no amount", "/orders", `{"number":"A-9"}`, 400, "bad_request"},
		{"a long number", "/orders", `{"number":"` + strings.Repeat("9", 101) + `","amount":1}`, 400, "bad_request"},
		{"wrong amount", "/orders/" + id + "/pay", `{"amount":1}`, 422, "wrong_amount"},
		{"no such order", "/orders/none/pay", `{"amount":1}`, 404, "not_found"},
	} {
		a := ann.do("POST", c.path, c.body, with)
		if a.status != c.status || a.field("code") != c.code || a.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %s, want %d %s", c.name, a.status, a.body, c.status, c.code)
		}
	}
	nobody := ann.as("")
	if a := nobody.do("POST", "/tokens", "", nil); a.status != 400 || a.field("code") != "missing_scope" {
		t.Errorf("a token for nobody: %d %s", a.status, a.body)
	}
	if a := nobody.do("POST", "/orders", `{"number":"A-1","amount":1}`, nil); a.status != 400 || a.field("code") != "bad_request" {
		t.Errorf("an order of nobody: %d %s", a.status, a.body)
	}
	if a := ann.pay(id, "k-1", token); a.status != 200 {
		t.Errorf("after all that: %d %s", a.status, a.body)
	}
	wantPayments(t, s, 1)
}

// The switches of the page: without any layer the ledger gets doubles, with which the index can't come back until everything starts afresh.
func TestSwitches(t *testing.T) {
	onEach(t, func(t *testing.T, o shop.Options) {
		s, ann := open(t, o)
		turn := func(name, body string) answer { return ann.do("PUT", "/demo/layers/"+name, body, nil) }
		for _, l := range layers.All() {
			if a := turn(l.String(), `{"on":false}`); a.status != http.StatusNoContent {
				t.Fatalf("%s: %d %s", l, a.status, a.body)
			}
		}
		id, token := ann.order("A-1"), ann.token()
		for range 3 {
			if a := ann.pay(id, "k-1", token); a.status != 200 || a.trace() != "gate=off, token=off, record=off, state=off, index=off" {
				t.Errorf("%d %s, %s", a.status, a.body, a.trace())
			}
		}
		wantPayments(t, s, 3)
		if a := turn("index", `{"on":true}`); a.status != http.StatusConflict || !strings.Contains(a.body, "doubles") {
			t.Errorf("an index over doubles: %d %s", a.status, a.body)
		}
		if a := ann.do("GET", "/demo/layers", "", nil); strings.Contains(a.body, "true") {
			t.Errorf("all are off: %s", a.body)
		}
		if a := turn("fence", `{"on":true}`); a.status != http.StatusNotFound {
			t.Errorf("no layer: %d %s", a.status, a.body)
		}
		if a := turn("gate", `{}`); a.status != http.StatusBadRequest {
			t.Errorf("neither on nor off: %d %s", a.status, a.body)
		}
		if a := ann.do("POST", "/demo/clear", "", nil); a.status != http.StatusNoContent {
			t.Errorf("afresh: %d %s", a.status, a.body)
		}
		if a := ann.do("GET", "/demo/layers", "", nil); strings.Contains(a.body, "false") {
			t.Errorf("all are on: %s", a.body)
		}
		wantPayments(t, s, 0)
		if a := ann.do("GET", "/orders", "", nil); a.status != 200 || strings.TrimSpace(a.body) != "[]" {
			t.Errorf("no order is left: %d %s", a.status, a.body)
		}
	})
}

// A page of another site can't use a visitor's session.
func TestOtherSitesAreRefused(t *testing.T) {
	_, ann := open(t, onSQLite(t))
	foreign := map[string]string{"Sec-Fetch-Site": "cross-site"}
	for _, path := range []string{"/tokens", "/demo/clear", "/orders"} {
		if a := ann.do("POST", path, "{}", foreign); a.status != http.StatusForbidden {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
}
