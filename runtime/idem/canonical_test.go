package idem_test

import (
	"context"
	"encoding/json"
	"math/big"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// stamped has the MarshalText of its embedded time, which says nothing of Amount.
type stamped struct {
	time.Time
	Amount int
}

// deeper has it from two levels down, request has the methods of a context.
type deeper struct {
	stamped
	Note string
}

type request struct {
	context.Context
	Amount int
}

// own embeds a time and marshals to a text of its own.
type own struct {
	time.Time
	Name  string
	cache int
}

func (o own) MarshalText() ([]byte, error) { return []byte(o.Name), nil }

// price hides its amount beside an exported field.
type price struct {
	Currency string
	cents    int64
	at       time.Time
	parts    []line
	big      big.Int
	nested   struct {
		cents int64
		cache map[string]int
	}
}

// busy hides what is no data beside an exported field.
type busy struct {
	ID     string
	mu     sync.Mutex
	hits   atomic.Int64
	cache  map[string]int
	last   *int
	any    any
	log    func()
	done   chan int
	nested struct {
		mu    sync.Mutex
		Cache map[string]int
	}
}

type total struct{ Amount big.Int }

func TestLaw_K5_PromotedMethodsHideNoField(t *testing.T) {
	at := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	for name, pair := range map[string][2]any{
		"embedded time":     {stamped{at, 1}, stamped{at, 2}},
		"pointer":           {&stamped{at, 1}, &stamped{at, 2}},
		"two levels":        {deeper{stamped{at, 1}, "x"}, deeper{stamped{at, 2}, "x"}},
		"beside two levels": {deeper{stamped{at, 1}, "x"}, deeper{stamped{at, 1}, "y"}},
		"nil embedded": {struct {
			*big.Int
			N int
		}{nil, 1}, struct {
			*big.Int
			N int
		}{nil, 2}},
		"embedded context":   {request{context.Background(), 1}, request{context.Background(), 2}},
		"pointer, a context": {&request{context.Background(), 1}, &request{context.Background(), 2}},
	} {
		if printOf(t, idem.Value(pair[0])) == printOf(t, idem.Value(pair[1])) {
			t.Errorf("%s: another payload has the same fingerprint", name)
		}
	}
	tokyo := time.FixedZone("JST", 9*3600)
	for name, pair := range map[string][2]any{
		"zone of an embedded time": {stamped{at, 1}, stamped{at.In(tokyo), 1}},
		"a method of its own":      {own{at, "x", 1}, own{at.Add(1), "x", 2}},
		"another context":          {request{context.Background(), 1}, request{t.Context(), 1}},
	} {
		if printOf(t, idem.Value(pair[0])) != printOf(t, idem.Value(pair[1])) {
			t.Errorf("%s: fingerprints differ", name)
		}
	}
}

func TestLaw_K5_HiddenDataCounts(t *testing.T) {
	same := price{Currency: "EUR"}
	seen := map[idem.Fingerprint]string{printOf(t, idem.Value(same)): "none"}
	nested := same
	nested.nested.cents = 7
	for name, v := range map[string]price{
		"integer": {Currency: "EUR", cents: 1}, "time": {Currency: "EUR", at: time.Unix(1, 0)}, "list": {Currency: "EUR", parts: []line{{"a", 1}}},
		"list element": {Currency: "EUR", parts: []line{{"a", 2}}}, "text": {Currency: "EUR", big: *big.NewInt(5)}, "nested": nested,
	} {
		f := printOf(t, idem.Value(&v))
		if other, dup := seen[f]; dup {
			t.Errorf("a hidden %s does not count: as %s", name, other)
		}
		seen[f] = name
	}
	n := 1
	used := &busy{ID: "1", cache: map[string]int{"a": 1}, last: &n, any: 3, log: func() {}, done: make(chan int)}
	used.mu.Lock()
	used.nested.mu.Lock()
	used.nested.Cache = map[string]int{"a": 1}
	used.hits.Add(3)
	if printOf(t, idem.Value(used)) != printOf(t, idem.Value(&busy{ID: "1"})) {
		t.Error("locks, caches and the like count")
	}
}

func TestLaw_K5_ZeroIsWhatHasTheTextOfZero(t *testing.T) {
	var zero big.Int
	zero.Sub(big.NewInt(5), big.NewInt(5))
	if printOf(t, idem.Value(total{zero})) != printOf(t, idem.Value(total{})) {
		t.Error("a zero that was computed is another than a new one")
	}
	if printOf(t, idem.Value(total{*big.NewInt(1)})) == printOf(t, idem.Value(total{})) {
		t.Error("one is zero")
	}
}

func TestLaw_K5_RawJSONCountsByValue(t *testing.T) {
	raw := func(s string) idem.Part { return idem.Value(struct{ Raw json.RawMessage }{json.RawMessage(s)}) }
	for _, pair := range [][2]string{
		{`{"a":{"x":1,"y":2}}`, ` { "a": {"y":2, "x":1} }`}, {`[1, 2]`, `[1,2]`}, {`"a\u0041"`, `"aA"`},
	} {
		if printOf(t, raw(pair[0])) != printOf(t, raw(pair[1])) {
			t.Errorf("%s and %s: fingerprints differ", pair[0], pair[1])
		}
	}
	seen := map[idem.Fingerprint]string{}
	for _, s := range []string{
		``, `null`, `0`, `1`, `1.0`, `"1"`, `[]`, `{}`, `[1,2]`, `[2,1]`, `{"a":1}`, `{"a":2}`, `<`, `"<"`, "\"\xff\"", "\"\xfe\"", `"\ud800"`, `"\udbff"`, `{"a":1`, `12345678901234567890`, `12345678901234567891`,
	} {
		f := printOf(t, raw(s))
		if other, dup := seen[f]; dup {
			t.Errorf("%s and %s have one fingerprint", s, other)
		}
		seen[f] = s
	}
}
