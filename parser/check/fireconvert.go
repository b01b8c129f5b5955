package check

import (
	"go/constant"
	"go/token"
	"go/types"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
)

// argument checks an expression of args=: like a part of a key it must hold no step
// that can panic, but it may have any type and may be a constant.
func (s *scope) argument(e directive.Expr) (value, []model.Code, bool) {
	v, ok := s.eval(e, diag.CodeUnknownName)
	if !ok {
		return value{}, nil, false
	}
	if tuple, isTuple := v.typ.(*types.Tuple); isTuple {
		s.m.fail(diag.New(diag.CodeFireArgType, e.Pos, "%s returns %d values", e.Text, tuple.Len()).
			WithHint("use a value that is there before the call, or a getter that returns one value"))
		return value{}, nil, false
	}
	if v.tv.Value != nil {
		return v, nil, true
	}
	if unresolved(v.typ) {
		s.m.fail(diag.New(diag.CodeTypeUnresolved, e.Pos, "the type of %s can't be resolved", e.Text))
		return value{}, nil, false
	}
	w := walker{scope: s, v: v, e: e, what: "args=", code: diag.CodeFireArgType}
	ok = w.walk(v.expr)
	return v, w.guards, ok
}

func isUntyped(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Info()&types.IsUntyped != 0
}

// fitsConstant tells whether an untyped constant is a value of type t.
func fitsConstant(v constant.Value, t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return false
	}
	switch info := b.Info(); {
	case info&types.IsString != 0:
		return v.Kind() == constant.String
	case info&types.IsBoolean != 0:
		return v.Kind() == constant.Bool
	case info&types.IsInteger != 0:
		i := constant.ToInt(v)
		if i.Kind() != constant.Int {
			return false
		}
		bits, unsigned := intSize(b)
		if unsigned {
			return constant.Sign(i) >= 0 && constant.BitLen(i) <= bits
		}
		limit := constant.Shift(constant.MakeInt64(1), token.SHL, uint(bits-1))
		return constant.Compare(i, token.LSS, limit) && constant.Compare(i, token.GEQ, constant.UnaryOp(token.SUB, limit, 0))
	case info&types.IsFloat != 0:
		return constant.ToFloat(v).Kind() == constant.Float
	}
	return false
}

// intSize is the size of an integer type in bits; int and uint count as small as
// they can be when something goes in, so that the code is right on every platform.
func intSize(b *types.Basic) (bits int, unsigned bool) {
	unsigned = b.Info()&types.IsUnsigned != 0
	switch b.Kind() {
	case types.Int8, types.Uint8:
		return 8, unsigned
	case types.Int16, types.Uint16:
		return 16, unsigned
	case types.Int64, types.Uint64, types.Uintptr:
		return 64, unsigned
	}
	return 32, unsigned
}

// keepsValues tells whether a conversion between two types changes no value.
func keepsValues(from, to types.Type) bool {
	if isTypeParam(from) || isTypeParam(to) {
		return false
	}
	u, w := from.Underlying(), to.Underlying()
	if types.Identical(u, w) {
		return true
	}
	a, ok := u.(*types.Basic)
	b, isBasic := w.(*types.Basic)
	if !ok || !isBasic {
		return false
	}
	switch {
	case a.Info()&types.IsInteger != 0 && b.Info()&types.IsInteger != 0:
		bits, unsigned := intSize(a)
		if k := a.Kind(); k == types.Int || k == types.Uint {
			bits = 64
		}
		wide, wideUnsigned := intSize(b)
		return unsigned == wideUnsigned && bits <= wide || unsigned && !wideUnsigned && bits < wide
	case a.Kind() == types.Float32:
		return b.Kind() == types.Float64
	}
	return false
}

// convert makes code of type from one of the wanted type in a, where that is a
// matter of spelling.
func (m *method) convert(a *model.FireArg, code model.Code, from, want types.Type) bool {
	if types.AssignableTo(from, want) {
		a.Expr = code
		return true
	}
	if !keepsValues(from, want) {
		return false
	}
	name, ok := m.typeCode(want)
	if !ok {
		return false
	}
	a.Expr = append(name, wrapCode("(", code, ")")...)
	return true
}

// typeCode names a type in the file of the method; false where it has no name there.
func (m *method) typeCode(t types.Type) (model.Code, bool) {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return model.Text(t.Name()), true
	case *types.Named:
		obj := t.Obj()
		switch {
		case t.TypeArgs().Len() > 0:
			return nil, false
		case obj.Pkg() == nil || obj.Pkg() == m.p.Types:
			return model.Text(obj.Name()), true
		case obj.Exported():
			imp := m.p.ImportOf(m.g.file, obj.Pkg().Path(), obj.Pkg().Name())
			return model.Code{{Kind: model.TokQual, Text: obj.Name(), Import: imp}}, true
		}
	}
	return nil, false
}
