package check

import (
	"go/constant"
	"go/token"
	"go/types"
	"testing"
)

// TestLaw_S7_ConstantsFitTheirParameter: an untyped constant in args= is taken only
// where Go takes it on every platform.
func TestLaw_S7_ConstantsFitTheirParameter(t *testing.T) {
	num := func(s string) constant.Value { return constant.MakeFromLiteral(s, token.INT, 0) }
	minus := func(v constant.Value) constant.Value { return constant.UnaryOp(token.SUB, v, 0) }
	half := constant.MakeFromLiteral("0.5", token.FLOAT, 0)
	for _, c := range []struct {
		v    constant.Value
		kind types.BasicKind
		want bool
	}{
		{num("127"), types.Int8, true}, {num("128"), types.Int8, false},
		{minus(num("128")), types.Int8, true}, {minus(num("129")), types.Int8, false},
		{num("65535"), types.Uint16, true}, {num("65536"), types.Uint16, false}, {minus(num("1")), types.Uint64, false},
		{num("2147483647"), types.Int, true}, {num("2147483648"), types.Int, false},
		{num("9223372036854775807"), types.Int64, true}, {num("9223372036854775808"), types.Int64, false},
		{num("18446744073709551615"), types.Uint64, true}, {num("18446744073709551616"), types.Uint64, false},
		{half, types.Int64, false}, {half, types.Float64, true}, {num("3"), types.Float32, true},
		{constant.MakeString("x"), types.String, true}, {constant.MakeString("x"), types.Int, false},
		{num("1"), types.String, false}, {constant.MakeBool(true), types.Bool, true}, {num("1"), types.Bool, false},
		{constant.MakeString("x"), types.Float64, false}, {num("1"), types.Complex128, false},
	} {
		if got := fitsConstant(c.v, types.Typ[c.kind]); got != c.want {
			t.Errorf("%s as %s: %v", c.v, types.Typ[c.kind], got)
		}
	}
	if fitsConstant(num("1"), types.NewPointer(types.Typ[types.Int])) {
		t.Error("a number fits a pointer")
	}
}

// TestLaw_S7_ConversionsKeepValues: a wrapper converts by itself only what can't
// lose anything, whatever the platform.
func TestLaw_S7_ConversionsKeepValues(t *testing.T) {
	for _, c := range []struct {
		from, to types.BasicKind
		want     bool
	}{
		{types.Int8, types.Int64, true}, {types.Int64, types.Int8, false}, {types.Int, types.Int64, true}, {types.Int64, types.Int, false},
		{types.Int32, types.Int, true}, {types.Int, types.Int32, false}, {types.Int, types.Int, true},
		{types.Uint32, types.Int64, true}, {types.Uint64, types.Int64, false}, {types.Uint, types.Int64, false}, {types.Uint16, types.Int, true},
		{types.Uint32, types.Int, false}, {types.Int8, types.Uint64, false}, {types.Uint8, types.Uint, true}, {types.Uint64, types.Uint, false},
		{types.Float32, types.Float64, true}, {types.Float64, types.Float32, false}, {types.Int32, types.Float64, false},
		{types.String, types.String, true}, {types.Int64, types.String, false}, {types.Bool, types.Bool, true},
	} {
		if got := keepsValues(types.Typ[c.from], types.Typ[c.to]); got != c.want {
			t.Errorf("%s to %s: %v", types.Typ[c.from], types.Typ[c.to], got)
		}
	}
}
