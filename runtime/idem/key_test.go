package idem_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/idemgen/idemgen/runtime/idem"
)

var keyOp = idem.Op{Name: "example.com/shop/orders.Service.Pay", Key: []string{"req.BizNo", "req.Line"}}

// keyOf makes a key or fails.
func keyOf(t *testing.T, op *idem.Op, parts ...idem.Part) idem.Key {
	t.Helper()
	call := idem.New(idem.GlobalScope).Call(context.Background(), op, parts...)
	ok(t, call.Err())
	return call.Key()
}

func TestLaw_K1_KeyAndFingerprintAreFrozen(t *testing.T) {
	type request struct {
		ID   []byte
		Sums map[string]int
	}
	w := newWorld(t)
	pay := func(req *request) (int, error) {
		call := w.engine.Call(context.Background(), &w.op, idem.Bytes(req.ID)).Match(idem.Value(req))
		return idem.Once(context.Background(), w.store, call, func(context.Context) (int, error) {
			w.ran++
			req.ID[0] = 'X' // the method edits its request
			req.Sums["a"]++
			return w.ran, nil
		})
	}
	for range 3 {
		n, err := pay(&request{ID: []byte("k1"), Sums: map[string]int{"a": 1}})
		ok(t, err)
		equal(t, "result", n, 1)
	}
}

func TestLaw_K2_EqualBytesEqualKeys(t *testing.T) {
	long := strings.Repeat("k", 70<<10)
	different := [][]idem.Part{
		{idem.String("K1")}, {idem.String("k1")}, {idem.String("k1 ")}, {idem.String("ﬀ")}, {idem.String("ff")},
		{idem.String("a\x00b")}, {idem.String("a")}, {idem.String(long)}, {idem.String(long + "k")}, {idem.String("\xff")}, {idem.String("\xfe")},
		{idem.String("a:b"), idem.String("c")}, {idem.String("a"), idem.String("b:c")}, {idem.String("ab"), idem.String("c")}, {idem.String("a"), idem.String("bc")},
		{idem.String("abc")}, {idem.Int(1)}, {idem.Int(-1)}, {idem.Int(1), idem.Int(1)}, {idem.Int(11)}, {idem.Bool(true)}, {idem.Uint(^uint64(0))},
		{idem.Array([16]byte{1})}, {idem.Array([16]byte{2})}, {idem.Array([8]byte{1})}, {idem.Array([32]byte{1})}, {idem.Array([3]byte{0, 0, 1})},
	}
	seen := map[[32]byte]int{}
	for i, parts := range different {
		k := keyOf(t, &keyOp, parts...)
		if j, dup := seen[k.Hash]; dup {
			t.Errorf("keys %d and %d are equal", i, j)
		}
		seen[k.Hash] = i
		if len(k.Readable) > idem.MaxReadable || !utf8.ValidString(k.Readable) || strings.ContainsAny(k.Readable, "\x00\n") {
			t.Errorf("readable form %q", k.Readable)
		}
	}
	type id string
	type raw []byte
	for _, same := range [][2]idem.Part{
		{idem.String("abc"), idem.String(id("abc"))}, {idem.String("abc"), idem.Bytes(raw("abc"))},
		{idem.Int(int8(-5)), idem.Int(int64(-5))}, {idem.Int(5), idem.Uint(uint8(5))},
		{idem.Array([3]byte{1, 2, 3}), idem.Bytes([]byte{1, 2, 3})}, {idem.Array([]byte{1, 2}), idem.Array([2]byte{1, 2})},
		{idem.Text(big.NewInt(12)), idem.String("12")}, {idem.Stringer(time.Second), idem.String("1s")},
	} {
		equal(t, "key", keyOf(t, &keyOp, same[0]).Hash, keyOf(t, &keyOp, same[1]).Hash)
	}
	equal(t, "readable", keyOf(t, &keyOp, idem.String("O-1"), idem.Int(2)).Readable, "orders.Service.Pay O-1,2")
}

func TestLaw_K3_ScopeOperationKey(t *testing.T) {
	type tenant struct{}
	engine := idem.New(idem.ScopeFrom(func(ctx context.Context) string { s, _ := ctx.Value(tenant{}).(string); return s }))
	in := func(name string) context.Context { return context.WithValue(context.Background(), tenant{}, name) }
	a, b := engine.Call(in("a"), &keyOp, idem.String("k")), engine.Call(in("b"), &keyOp, idem.String("k"))
	if a.Key().Hash == b.Key().Hash {
		t.Error("two tenants share a key")
	}
	if again := engine.Call(in("a"), &keyOp, idem.String("k")); again.Key() != a.Key() {
		t.Error("the key of a tenant changed")
	}
	is(t, engine.Call(context.Background(), &keyOp, idem.String("k")).Err(), idem.ErrMissingScope)
	is(t, engine.CallIn("", &keyOp, idem.String("k")).Err(), idem.ErrMissingScope)
	is(t, idem.New(nil).Call(context.Background(), &keyOp, idem.String("k")).Err(), idem.ErrMissingScope)
	equal(t, "scope= key", engine.CallIn("a", &keyOp, idem.String("k")).Key(), a.Key())
	other := idem.Op{Name: "example.com/shop/orders.Service.Refund"}
	if engine.Call(in("a"), &other, idem.String("k")).Key().Hash == a.Key().Hash {
		t.Error("two operations share a key")
	}
	// Scope and operation can't be shifted into each other.
	x := idem.New(idem.GlobalScope).CallIn("ab", &idem.Op{Name: "c"}, idem.String("k")).Key()
	y := idem.New(idem.GlobalScope).CallIn("a", &idem.Op{Name: "bc"}, idem.String("k")).Key()
	if x.Hash == y.Hash {
		t.Error("scope and operation run into each other")
	}
}

func TestLaw_K3_NoReplayAcrossTenants(t *testing.T) {
	type tenant struct{}
	w := newWorld(t)
	engine := idem.New(idem.ScopeFrom(func(ctx context.Context) string { return ctx.Value(tenant{}).(string) }))
	for i, name := range []string{"a", "b", "a", "b"} {
		ctx := context.WithValue(context.Background(), tenant{}, name)
		got, err := idem.Once(ctx, w.store, engine.Call(ctx, &w.op, idem.String("k")), func(context.Context) (string, error) {
			w.ran++
			return name, nil
		})
		ok(t, err)
		equal(t, fmt.Sprint("result ", i), got, name)
	}
	equal(t, "runs", w.ran, 2)
}

func TestLaw_K4_MissingPartIsNamed(t *testing.T) {
	var nilTime *time.Time
	var nilStringer fmt.Stringer
	for name, part := range map[string]idem.Part{
		"zero Part": {}, "empty string": idem.String(""), "nil bytes": idem.Bytes([]byte(nil)), "empty bytes": idem.Bytes([]byte{}),
		"zero array": idem.Array([16]byte{}), "long zero array": idem.Array([32]byte{}), "nil text": idem.Text(nil), "nil pointer": idem.Text(nilTime),
		"zero time": idem.Text(time.Time{}), "nil stringer": idem.Stringer(nilStringer), "a Value": idem.Value(1),
	} {
		call := idem.New(idem.GlobalScope).Call(context.Background(), &keyOp, idem.String("x"), part)
		is(t, call.Err(), idem.ErrMissingKey)
		var key *idem.KeyError
		if !errors.As(call.Err(), &key) || key.Part != "req.Line" || key.Op != keyOp.Name {
			t.Errorf("%s: %v does not name the part", name, call.Err())
		}
		ran := false
		_, err := idem.Once(context.Background(), newWorld(t).store, call, func(context.Context) (int, error) { ran = true; return 0, nil })
		is(t, err, idem.ErrMissingKey)
		if ran {
			t.Errorf("%s: the method ran without a key", name)
		}
	}
	is(t, idem.New(idem.GlobalScope).Call(context.Background(), &keyOp).Err(), idem.ErrMissingKey)
	for _, present := range []idem.Part{idem.Int(0), idem.Uint(uint8(0)), idem.Bool(false)} {
		keyOf(t, &keyOp, present)
	}
	broken := idem.Text(brokenText{})
	err := idem.New(idem.GlobalScope).Call(context.Background(), &keyOp, broken).Err()
	is(t, err, errBiz)
	is(t, err, idem.ErrUnhashable)
}

type brokenText struct{}

func (brokenText) MarshalText() ([]byte, error) { return nil, errBiz }

func TestLaw_K6_OneKeyForClaimAndLookup(t *testing.T) {
	w := newWorld(t)
	_, err := once(w, "k", 1, nil)
	ok(t, err)
	equal(t, "status", w.status("k"), idem.Done)
	// An engine made twice makes the same key.
	again := idem.New(idem.GlobalScope).Call(context.Background(), &w.op, idem.String("k"))
	equal(t, "key", again.Key(), w.call("k").Key())
}
