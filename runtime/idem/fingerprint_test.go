package idem_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// printOf is the fingerprint of arguments.
func printOf(t *testing.T, parts ...idem.Part) idem.Fingerprint {
	t.Helper()
	call := idem.New(idem.GlobalScope).Call(context.Background(), &keyOp, idem.String("k")).Match(parts...)
	ok(t, call.Err())
	return call.Fingerprint()
}

type money struct{ cents int64 }

type base struct{ Tenant string }

type order struct {
	base
	ID    string
	Total money
	Lines []line
	Tags  map[string]any
	At    time.Time
	Note  *string
	Extra any
	Mu    sync.Mutex
	Log   func()
	Ctx   context.Context
}

type line struct {
	SKU string
	N   int
}

func TestLaw_K5_SameValuesSameFingerprint(t *testing.T) {
	tokyo := time.FixedZone("JST", 9*3600)
	at := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	var fromJSON1, fromJSON2 any
	for text, into := range map[string]*any{`{"a":{"x":1,"y":2},"b":[1,2]}`: &fromJSON1, `{"b":[1,2],"a":{"y":2,"x":1}}`: &fromJSON2} {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	type before struct{ A, C string }
	type after struct{ C, B, A string }
	minusZero := math.Copysign(0, -1)
	for name, pair := range map[string][2]any{
		"map order":            {fromJSON1, fromJSON2},
		"instant, not zone":    {at, at.In(tokyo)},
		"instant in a field":   {&order{At: at}, &order{At: at.In(tokyo)}},
		"monotonic clock":      {struct{ T time.Time }{time.Now().Round(0)}, nil},
		"a new field":          {before{A: "a", C: "c"}, after{A: "a", C: "c"}},
		"functions, contexts":  {&order{ID: "1", Log: func() {}, Ctx: context.Background()}, &order{ID: "1"}},
		"pointer and value":    {&line{"a", 1}, line{"a", 1}},
		"empty and nil slice":  {&order{ID: "1", Lines: []line{}}, &order{ID: "1"}},
		"NaN":                  {math.NaN(), math.Float64frombits(math.Float64bits(math.NaN()) + 1)},
		"minus zero":           {[]float64{minusZero}, []float64{0}},
		"number and json":      {map[string]any{"n": 10}, map[string]any{"n": json.Number("10")}},
		"integer and float":    {[]any{3}, []any{3.0}},
		"big integer":          {big.NewInt(12), big.NewInt(12)},
		"embedded, unexported": {&order{base: base{"t"}}, &order{base: base{"t"}}},
	} {
		if pair[1] == nil {
			v := pair[0].(struct{ T time.Time })
			pair[1] = struct{ T time.Time }{v.T.UTC()}
		}
		if printOf(t, idem.Value(pair[0])) != printOf(t, idem.Value(pair[1])) {
			t.Errorf("%s: fingerprints differ", name)
		}
	}
}

func TestLaw_K5_OtherValuesOtherFingerprint(t *testing.T) {
	text := "x"
	empty := ""
	at := time.Date(2024, 5, 1, 12, 0, 0, 1, time.UTC)
	values := []any{
		[]int{1, 2}, []int{2, 1}, []int{1, 2, 0}, [][]int{{1}, {2}}, [][]int{{1, 2}, {}},
		map[string]int{"a": 1}, map[string]int{"a": 2}, map[string]int{"a": 0}, map[string]int{"b": 1}, map[int]string{1: "a"}, map[int]string{1: "b"},
		&order{ID: "1"}, &order{ID: "2"}, &order{base: base{"1"}}, &order{Total: money{5}}, &order{Total: money{6}},
		&order{Note: &text}, &order{Note: &empty}, &order{Extra: 0}, &order{Extra: "0"}, &order{Extra: false}, &order{At: at}, &order{At: at.Add(1)},
		&order{Lines: []line{{"a", 1}}}, &order{Lines: []line{{"a", 1}, {}}}, &order{Tags: map[string]any{"a": nil}}, &order{Tags: map[string]any{"a": []any{}}},
		money{1}, money{2}, "1", 1, true, 1.5, float32(2.5), 2.25, complex(1, 2), complex(2, 1), []byte("ab"), []string{"ab"}, []string{"a", "b"},
		math.NaN(), math.Inf(1), math.Inf(-1), json.Number("0.1000000000000000055"), 0.1, uint64(math.MaxUint64), int64(math.MinInt64),
		[2]bool{true, false}, [2]bool{false, true}, big.NewInt(77), struct{ A, B string }{"ab", ""}, struct{ A, B string }{"a", "b"}, struct{ A, B string }{"", "ab"},
	}
	seen := map[idem.Fingerprint]int{}
	for i, v := range values {
		f := printOf(t, idem.Value(v))
		if j, dup := seen[f]; dup {
			t.Errorf("%#v and %#v have one fingerprint", v, values[j])
		}
		seen[f] = i
	}
}

func TestLaw_K5_PositionsAndZeroArguments(t *testing.T) {
	if printOf(t, idem.String("a"), idem.String("b")) == printOf(t, idem.String("b"), idem.String("a")) {
		t.Error("arguments can be swapped")
	}
	if printOf(t, idem.String("a"), idem.Int(0)) == printOf(t, idem.Int(0), idem.String("a")) {
		t.Error("positions don't count")
	}
	short := printOf(t, idem.String("a"))
	for name, zero := range map[string]idem.Part{
		"int": idem.Int(0), "uint": idem.Uint(uint(0)), "bool": idem.Bool(false), "string": idem.String(""), "bytes": idem.Bytes([]byte{}),
		"missing": {}, "nil": idem.Value(nil), "nil pointer": idem.Value((*order)(nil)), "zero struct": idem.Value(line{}), "zero time": idem.Value(time.Time{}),
		"nil map": idem.Value(map[string]int(nil)), "array": idem.Array([16]byte{}), "zero value": idem.Value(0),
	} {
		if printOf(t, idem.String("a"), zero) != short {
			t.Errorf("a new %s parameter changes the fingerprint", name)
		}
	}
	for name, pair := range map[string][2]idem.Part{
		"int": {idem.Int(5), idem.Value(5)}, "string": {idem.String("x"), idem.Value("x")}, "bytes": {idem.Bytes([]byte("x")), idem.Value([]byte("x"))}, "bool": {idem.Bool(true), idem.Value(true)},
	} {
		if printOf(t, pair[0]) != printOf(t, pair[1]) {
			t.Errorf("%s: typed and general form differ", name)
		}
	}
}

func TestLaw_K5_CyclesAreTypedErrors(t *testing.T) {
	type node struct {
		Next *node
		Kids []*node
		By   map[string]*node
	}
	loop := &node{}
	loop.Next = loop
	list := &node{}
	list.Kids = []*node{list, list}
	byName := &node{By: map[string]*node{}}
	byName.By["x"] = byName
	self := []any{nil}
	self[0] = self
	deep := &node{}
	for range 10_000 {
		deep = &node{Next: deep}
	}
	for name, v := range map[string]any{"pointer": loop, "slice": list, "map": byName, "interface": self, "deep": deep, "text": brokenText{}} {
		call := idem.New(idem.GlobalScope).Call(context.Background(), &keyOp, idem.String("k")).Match(idem.Value(v))
		is(t, call.Err(), idem.ErrUnhashable)
		var value *idem.ValueError
		if !errors.As(call.Err(), &value) || value.Type == "" {
			t.Errorf("%s: %v is not a *ValueError", name, call.Err())
		}
	}
	for _, v := range []any{loop, list, byName, self} {
		err := idem.New(idem.GlobalScope).Call(context.Background(), &keyOp, idem.String("k")).Match(idem.Value(v)).Err()
		if !strings.Contains(err.Error(), "contains itself") {
			t.Errorf("a cycle is told as %v", err)
		}
	}
	shared := &line{"a", 1}
	printOf(t, idem.Value([]*line{shared, shared})) // sharing is no cycle
}

func TestLaw_K5_MismatchOnEveryPath(t *testing.T) {
	w := newWorld(t)
	pay := func(amount int, run func(context.Context) (int, error)) (int, error) {
		call := w.engine.Call(context.Background(), &w.op, idem.String("k")).Match(idem.Int(amount))
		return idem.Once(context.Background(), w.store, call, run)
	}
	never := func(context.Context) (int, error) { t.Error("the method ran for another payload"); return 0, nil }
	_, err := pay(100, func(context.Context) (int, error) {
		_, err := pay(200, never) // while the first call runs
		is(t, err, idem.ErrKeyReused)
		_, err = pay(100, never)
		is(t, err, idem.ErrInProgress)
		return 7, nil
	})
	ok(t, err)
	_, err = pay(200, never) // after its completion
	is(t, err, idem.ErrKeyReused)
	got, err := pay(100, never) // the honest retry still replays
	ok(t, err)
	equal(t, "result", got, 7)
	equal(t, "events", w.log.count(idem.EventKeyReused), 2)
}

func TestLaw_K5_MismatchWhileWaitingAnswersAtOnce(t *testing.T) {
	w := newWorld(t)
	w.op.Wait = time.Hour
	pay := func(amount int, run func(context.Context) (int, error)) (int, error) {
		call := w.engine.Call(context.Background(), &w.op, idem.String("k")).Match(idem.Int(amount))
		return idem.Once(context.Background(), w.store, call, run)
	}
	_, err := pay(100, func(context.Context) (int, error) {
		_, err := pay(200, nil)
		is(t, err, idem.ErrKeyReused)
		return 0, nil
	})
	ok(t, err)
}

func TestLaw_K5_OtherVersionIsNoMismatch(t *testing.T) {
	w := newWorld(t)
	other := w.call("k").Fingerprint()
	other[0]++ // as a later release would write it
	owner := idem.NewOwner()
	f, err := w.store.Claim(context.Background(), idem.Claim{Key: w.call("k").Key(), Owner: owner, Fingerprint: other, Lease: time.Minute, Retention: time.Hour, Orphan: idem.OrphanRerun})
	ok(t, err)
	ok(t, w.store.Complete(context.Background(), idem.Hold{Key: w.call("k").Key(), Owner: owner, Fence: f.Record.Fence}, idem.Outcome{Kind: idem.Succeeded, Codec: "json", Data: []byte("5")}, time.Hour))
	got, err := once(w, "k", 1, nil)
	ok(t, err)
	equal(t, "result", got, 5)
	equal(t, "runs", w.ran, 0)
	equal(t, "events", w.log.count(idem.EventOtherVersion), 1)
}
