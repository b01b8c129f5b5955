package templates

// runTests are tests that run beside the generated files.
var runTests = map[string]string{
	"orders/run_test.go": `package orders

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
)

func TestMachine(t *testing.T) {
	if !Created.Can(StatusPay) || Paid.Can(StatusPay) || Status("x").Can(StatusPay) || Created.Can(0) || Created.Can(99) {
		t.Error("Can")
	}
	if to, ok := Held.Next(StatusCancel); to != Cancelled || !ok {
		t.Error("Next", to, ok)
	}
	if to, ok := Paid.Next(StatusCancel); to != Paid || ok {
		t.Error("Next of a final state", to, ok)
	}
	if !Created.CanTransition(Held) || Held.CanTransition(Created) || Created.CanTransition("x") || Status("x").CanTransition(Created) {
		t.Error("CanTransition")
	}
	if Created.Final() || !Paid.Final() || Status("x").Final() || Status("x").Valid() || !Held.Valid() {
		t.Error("Final, Valid")
	}
	if StatusHold.String() != "Hold" || StatusEvent(0).String() != "" {
		t.Error("String")
	}
	if n := testing.AllocsPerRun(100, func() { Created.Can(StatusPay); Held.CanTransition(Paid); Held.Next(StatusPay) }); n != 0 {
		t.Error("allocations:", n)
	}
}

// Returned slices are copies.
func TestLaw_S11(t *testing.T) {
	events, states := Created.Events(), StatusStates()
	want := slices.Clone(events)
	for i := range events {
		events[i] = 0
	}
	for i := range states {
		states[i] = "x"
	}
	if got := Created.Events(); !slices.Equal(got, want) || len(got) != 3 || !Created.Can(StatusPay) || StatusStates()[0] != Created {
		t.Error(got, StatusStates())
	}
}

func TestJSON(t *testing.T) {
	type plain struct { S string; P *string; Q string "json:\",string\""; M map[string]int }
	type typed struct { S Status; P *Status; Q Status "json:\",string\""; M map[Status]int }
	paid, s := Paid, "PAID"
	a, _ := json.Marshal(plain{"CREATED", &s, "PAID", map[string]int{"HELD": 1}})
	b, err := json.Marshal(typed{Created, &paid, Paid, map[Status]int{Held: 1}})
	if err != nil || string(a) != string(b) {
		t.Fatal(string(a), string(b), err)
	}
	var back typed
	if err := json.Unmarshal(b, &back); err != nil || back.S != Created || *back.P != Paid || back.Q != Paid || back.M[Held] != 1 {
		t.Fatal(back, err)
	}
	back = typed{S: Held}
	if err := json.Unmarshal([]byte("{\"S\":null,\"P\":null}"), &back); err != nil || back.S != Held || back.P != nil {
		t.Fatal(back, err)
	}
	if err := json.Unmarshal([]byte("{\"S\":\"\"}"), &back); err != nil || back.S != "" {
		t.Fatal("the zero value does not come back", back, err)
	}
	if err := json.Unmarshal([]byte("{\"S\":\"PAYED\"}"), &back); !errors.Is(err, idem.ErrUnknownState) {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte("{\"M\":{\"PAYED\":1}}"), &back); !errors.Is(err, idem.ErrUnknownState) {
		t.Fatal(err)
	}
}

func TestLaw_S8(t *testing.T) {
	var s Status
	for _, src := range []any{nil, "", "paid", "PAID ", int64(1), 1.5, []byte("x")} {
		if err := s.Scan(src); !errors.Is(err, idem.ErrUnknownState) || s != "" {
			t.Errorf("Scan(%v): %v, %q", src, err, s)
		}
	}
	if err := s.Scan([]byte("PAID")); err != nil || s != Paid {
		t.Error(err, s)
	}
	if v, err := s.Value(); v != "PAID" || err != nil {
		t.Error(v, err)
	}
	if _, err := Status("").Value(); !errors.Is(err, idem.ErrUnknownState) {
		t.Error(err)
	}
	if _, err := ParseStatus("paid"); !errors.Is(err, idem.ErrUnknownState) {
		t.Error(err)
	}
}

type noTx struct{ idem.RecordStore }

// A nil on the way to the key is a missing part, not a panic.
func TestLaw_K4(t *testing.T) {
	w := &IdempotentService{serviceNext: &Service{}, engine: idem.New(idem.GlobalScope), records: noTx{}}
	err := w.NotifyBank(context.Background(), "")
	var missing *idem.KeyError
	if !errors.Is(err, idem.ErrMissingKey) || !errors.As(err, &missing) || missing.Part != "orderID" {
		t.Error(err)
	}
}
`,
	"guards/run_test.go": `package shop

import (
	"context"
	"errors"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
)

func TestLaw_K4(t *testing.T) {
	w := &IdempotentService{serviceNext: &Service{}, engine: idem.New(idem.GlobalScope)}
	ctx := context.Background()
	for _, req := range []*Request{nil, {}} {
		var missing *idem.KeyError
		if _, err := w.A(ctx, req); !errors.Is(err, idem.ErrMissingKey) || !errors.As(err, &missing) || missing.Part != "req.Order.ID" {
			t.Error(err)
		}
		if _, err := w.B(ctx, req); !errors.Is(err, idem.ErrMissingKey) {
			t.Error(err)
		}
		if err := w.C(req); !errors.Is(err, idem.ErrMissingScope) {
			t.Error(err)
		}
	}
	tenant := "a"
	if err := w.C(&Request{Order: &Order{Tenant: &tenant}}); !errors.Is(err, idem.ErrMissingKey) {
		t.Error(err)
	}
}
`,
	"machines/run_test.go": `package machines

import (
	"encoding/json"
	"errors"
	"testing"

	m_alias "example.com/cases/m_alias"
	m_big "example.com/cases/m_big"
	m_bool "example.com/cases/m_bool"
	m_int "example.com/cases/m_int"
	m_iota "example.com/cases/m_iota"
	m_shared "example.com/cases/m_shared"
	m_string "example.com/cases/m_string"
	m_untyped "example.com/cases/m_untyped"
	"github.com/idemgen/idemgen/runtime/idem"
)

func TestPrio(t *testing.T) {
	type plain struct { P int8; Q int8 "json:\",string\""; M map[int8]int }
	type typed struct { P m_int.Prio; Q m_int.Prio "json:\",string\""; M map[m_int.Prio]int }
	a, _ := json.Marshal(plain{-1, 3, map[int8]int{3: 1}})
	b, err := json.Marshal(typed{m_int.Low, m_int.Mid, map[m_int.Prio]int{m_int.Mid: 1}})
	if err != nil || string(a) != string(b) {
		t.Fatal(string(a), string(b), err)
	}
	var back typed
	if err := json.Unmarshal(b, &back); err != nil || back.P != m_int.Low || back.Q != m_int.Mid || back.M[m_int.Mid] != 1 {
		t.Fatal(back, err)
	}
	if err := json.Unmarshal([]byte("{\"P\":0}"), &back); err != nil || back.P != 0 {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte("{\"P\":4}"), &back); !errors.Is(err, idem.ErrUnknownState) {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte("{\"M\":{\"4\":1}}"), &back); !errors.Is(err, idem.ErrUnknownState) {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte("{\"P\":null}"), &back); err != nil {
		t.Fatal(err)
	}
	var p m_int.Prio
	// 259 is 3 in eight bits.
	for _, src := range []any{nil, int64(4), int64(259), "x", []byte("259")} {
		if err := p.Scan(src); !errors.Is(err, idem.ErrUnknownState) || p != 0 {
			t.Errorf("Scan(%v): %v, %v", src, err, p)
		}
	}
	if err := p.Scan([]byte("-1")); err != nil || p != m_int.Low {
		t.Error(err, p)
	}
	if v, err := m_int.Mid.Value(); v != int64(3) || err != nil {
		t.Error(v, err)
	}
	if _, err := m_int.ParsePrio("259"); !errors.Is(err, idem.ErrUnknownState) {
		t.Error(err)
	}
	if got, err := m_int.ParsePrio("3"); got != m_int.Mid || err != nil {
		t.Error(got, err)
	}
	if to, ok := m_int.Low.Next(m_int.PrioRaise); to != m_int.Mid || !ok || m_int.Mid.Can(m_int.PrioRaise) {
		t.Error(to, ok)
	}
}

func TestStep(t *testing.T) {
	s := m_iota.Third
	if err := s.Scan(int64(0)); err != nil || s != m_iota.First {
		t.Error(err, s)
	}
	if err := s.Scan(int64(-1)); !errors.Is(err, idem.ErrUnknownState) {
		t.Error(err)
	}
	if err := s.UnmarshalText([]byte("2")); err != nil || s != m_iota.Third {
		t.Error(err, s)
	}
	if err := s.UnmarshalJSON([]byte("1")); err != nil || s != m_iota.Second {
		t.Error(err, s)
	}
}

func TestFlag(t *testing.T) {
	var f m_bool.Flag
	if err := f.Scan(int64(1)); err != nil || f != m_bool.On {
		t.Error(err, f)
	}
	if err := f.UnmarshalJSON([]byte("false")); err != nil || f != m_bool.Off {
		t.Error(err, f)
	}
	if !m_bool.On.Can(m_bool.FlagBack) || m_bool.On.Can(m_bool.FlagSwitch) || m_bool.On.Final() {
		t.Error("Can")
	}
}

func TestBig(t *testing.T) {
	for i := range 129 {
		s, next := m_big.Big(i*3), m_big.Big(i*3+3)
		if !s.Can(m_big.BigStop) || !s.CanTransition(next) || !s.CanTransition(m_big.S129) || next.CanTransition(s) {
			t.Fatal(s)
		}
		if to, ok := s.Next(m_big.BigEvent(i+1)); to != next || !ok {
			t.Fatal(s, to, ok)
		}
		if events := s.Events(); len(events) != 2 {
			t.Fatal(s, events)
		}
	}
	if m_big.S129.Can(m_big.BigStop) || !m_big.S129.Final() || len(m_big.S129.Events()) != 0 || len(m_big.BigStates()) != 130 {
		t.Error("last state")
	}
}

func TestStrange(t *testing.T) {
	s, err := m_string.ParseStatus("en \"cours\"\\ 支付\n")
	if err != nil || s != m_string.Gone || !s.Final() {
		t.Error(s, err)
	}
	if to, ok := m_string.Paid.Next(m_string.StatusStay); to != m_string.Paid || !ok {
		t.Error("self edge", to, ok)
	}
}

func TestFunctions(t *testing.T) {
	if !m_untyped.DocCan("new", m_untyped.DocAge) || m_untyped.DocCan("old", m_untyped.DocAge) || !m_untyped.DocFinal("old") || m_untyped.DocValid("x") || !m_untyped.KindCanTransition(10, 20) {
		t.Error("functions")
	}
	if v, err := m_untyped.ParseKind("20"); v != 20 || err != nil {
		t.Error(v, err)
	}
	if to, ok := m_alias.SNext("a.b", m_alias.SGo); to != m_alias.B || !ok {
		t.Error(to, ok)
	}
	if !m_shared.New.Can(m_shared.AGo) || !m_shared.SecondCan(m_shared.New, m_shared.SecondGo) || len(m_shared.SecondEvents(m_shared.New)) != 1 {
		t.Error("two machines")
	}
}
`,
}
