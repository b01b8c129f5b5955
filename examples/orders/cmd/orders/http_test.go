package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/idemgen/idemgen/examples/orders/internal/api"
	"github.com/idemgen/idemgen/examples/orders/internal/bank"
	"github.com/idemgen/idemgen/examples/orders/internal/database"
	"github.com/idemgen/idemgen/examples/orders/order"
)

// shop is a served service with a bank and one customer, ann, who has 5000 cents.
type shop struct {
	t      *testing.T
	url    string
	ledger *bank.Ledger
}

func openShop(t *testing.T) *shop {
	t.Helper()
	ctx := t.Context()
	ledger, err := bank.OpenLedger(filepath.Join(t.TempDir(), "bank.txt"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ledger.Close() })
	banker := httptest.NewServer(bank.Handler(ledger, 0))
	t.Cleanup(banker.Close)
	db, err := database.Open(filepath.Join(t.TempDir(), "orders.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	orders, err := assemble(ctx, db, banker.URL, false, nil, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	if err := (accountList{"ann": 5000}).open(ctx, db); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(api.New(orders))
	t.Cleanup(server.Close)
	return &shop{t: t, url: server.URL, ledger: ledger}
}

// reply is what a request came back with.
type reply struct {
	status   int
	replayed bool
	header   http.Header
	body     string
}

// code is the code of a problem.
func (r reply) code() string {
	var p api.Problem
	if json.Unmarshal([]byte(r.body), &p) != nil {
		return ""
	}
	return p.Code
}

func (s *shop) do(method, path, body string) reply {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, bytes.NewReader([]byte(body)))
	if err != nil {
		s.t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply{res.StatusCode, res.Header.Get(api.ReplayedHeader) == "true", res.Header, string(data)}
}

// create makes an order of ann's and returns its path.
func (s *shop) create(bizNo string) string {
	s.t.Helper()
	r := s.do("POST", "/orders", `{"bizNo":"`+bizNo+`","customer":"ann","amount":1200}`)
	var o order.Order
	if err := json.Unmarshal([]byte(r.body), &o); err != nil || r.status != http.StatusCreated || o.ID == "" {
		s.t.Fatalf("create: %d %s", r.status, r.body)
	}
	return "/orders/" + o.ID
}

func TestEveryCallIsReplayed(t *testing.T) {
	s := openShop(t)
	shipped, refunded := s.create("b-1"), s.create("b-2")
	for _, c := range []struct{ path, body string }{
		{"/orders", `{"bizNo":"b-3","customer":"ann","amount":1200}`},
		{shipped + "/pay", `{"amount":1200}`},
		{shipped + "/notify-bank", `{}`},
		{shipped + "/ship", `{"carrier":"ups"}`},
		{shipped + "/sign", `{"by":"ann"}`},
		{refunded + "/pay", `{"amount":1200}`},
		{refunded + "/refund", `{"reason":"late"}`},
		{refunded + "/refunded", `{}`},
	} {
		first := s.do("POST", c.path, c.body)
		if first.status >= 300 || first.replayed {
			t.Errorf("%s: first call: %d, replayed %v: %s", c.path, first.status, first.replayed, first.body)
		}
		second := s.do("POST", c.path, c.body)
		if second.status != first.status || second.body != first.body || !second.replayed {
			t.Errorf("%s: second call: %d, replayed %v: %s, want %d %s", c.path, second.status, second.replayed, second.body, first.status, first.body)
		}
	}
	for path, want := range map[string]order.Status{shipped: order.Completed, refunded: order.Refunded} {
		var o order.Order
		r := s.do("GET", path, "")
		if err := json.Unmarshal([]byte(r.body), &o); err != nil || o.Status != want {
			t.Errorf("%s: %s, want %s", path, r.body, want)
		}
		if r.replayed {
			t.Errorf("%s: a read is no replay", path)
		}
	}
	if report := s.ledger.Report(); len(report.Calls) != 1 || report.Calls[shipped[len("/orders/"):]] != 1 {
		t.Errorf("the bank was told %v", report.Calls)
	}
}

func TestProblems(t *testing.T) {
	s := openShop(t)
	unpaid, paid := s.create("b-1"), s.create("b-2")
	if r := s.do("POST", paid+"/pay", `{"amount":1200}`); r.status != http.StatusOK {
		t.Fatalf("pay: %d %s", r.status, r.body)
	}
	expensive := s.do("POST", "/orders", `{"bizNo":"b-9","customer":"ann","amount":999999}`)
	var o order.Order
	if err := json.Unmarshal([]byte(expensive.body), &o); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, method, path, body string
		status                   int
		code                     string
	}{
		{"no key", "POST", "/orders", `{"customer":"ann","amount":1}`, 400, "missing_key"},
		{"no customer", "POST", "/orders", `{"bizNo":"b-7","amount":1}`, 400, "bad_request"},
		{"no JSON", "POST", "/orders", `bizNo=1`, 400, "bad_request"},
		{"key of another order", "POST", "/orders", `{"bizNo":"b-1","customer":"ann","amount":1}`, 422, "key_reused"},
		{"another payment", "POST", paid + "/pay", `{"amount":1}`, 422, "key_reused"},
		{"wrong amount", "POST", unpaid + "/pay", `{"amount":1}`, 422, "wrong_amount"},
		{"too expensive", "POST", "/orders/" + o.ID + "/pay", `{"amount":999999}`, 409, "insufficient_funds"},
		{"not paid", "POST", unpaid + "/ship", `{"carrier":"ups"}`, 409, "illegal_transition"},
		{"not shipped", "POST", paid + "/sign", `{"by":"ann"}`, 409, "illegal_transition"},
		{"no such order to pay", "POST", "/orders/none/pay", `{"amount":1}`, 404, "not_found"},
		{"no such order to read", "GET", "/orders/none", ``, 404, "not_found"},
		{"nothing held", "POST", paid + "/notify-bank/reconcile", `{}`, 409, "not_held"},
	} {
		r := s.do(c.method, c.path, c.body)
		if r.status != c.status || r.code() != c.code {
			t.Errorf("%s: %d %s, want %d %s", c.name, r.status, r.body, c.status, c.code)
		}
		if got := r.header.Get("Content-Type"); got != "application/problem+json" {
			t.Errorf("%s: Content-Type %q", c.name, got)
		}
	}
	if r := s.do("POST", unpaid+"/pay", `{"amount":1200}`); r.status != http.StatusOK || r.replayed {
		t.Errorf("the right amount after a wrong one: %d, replayed %v: %s", r.status, r.replayed, r.body)
	}
}

func TestSilentBankIsReconciled(t *testing.T) {
	ctx := t.Context()
	var told bool
	banker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost:
			told = true
			w.WriteHeader(http.StatusInternalServerError) // it booked, and then fell over
		case told:
			_, _ = io.WriteString(w, `{"number":"bank-1"}`)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(banker.Close)
	db, err := database.Open(filepath.Join(t.TempDir(), "orders.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	orders, err := assemble(ctx, db, banker.URL, false, nil, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(api.New(orders))
	t.Cleanup(server.Close)
	s := &shop{t: t, url: server.URL}
	path := s.create("b-1")

	if r := s.do("POST", path+"/notify-bank", `{}`); r.code() != "bank_silent" {
		t.Fatalf("a bank without an answer: %d %s", r.status, r.body)
	}
	waitFor(t, func() bool { return s.do("POST", path+"/notify-bank", `{}`).code() == "outcome_unknown" })
	if r := s.do("POST", path+"/notify-bank/reconcile", `{}`); r.status != http.StatusOK {
		t.Fatalf("reconcile: %d %s", r.status, r.body)
	}
	r := s.do("POST", path+"/notify-bank", `{}`)
	if r.status != http.StatusOK || !r.replayed || r.body != "{\"number\":\"bank-1\"}\n" {
		t.Errorf("after reconciling: %d, replayed %v: %s", r.status, r.replayed, r.body)
	}
}
