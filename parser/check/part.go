package check

import (
	"go/types"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
)

// part is a key expression with its type.
type part struct {
	model.Part
	typ   types.Type // of the value that counts: behind the pointer with Deref
	param int        // index when the expression is just a parameter, else -1
}

// keyPart checks one expression of key= (K4): it must depend on the call, be of
// a kind that has one spelling per value, and hold no step that can panic.
func (s *scope) keyPart(e directive.Expr) (part, bool) {
	p, ok := s.part(e)
	if !ok {
		return part{}, false
	}
	if p.Kind == model.KindOther || p.Kind == model.KindContext || p.Kind == model.KindFunc {
		s.m.fail(s.refuseKind(e, p))
		return part{}, false
	}
	return p, true
}

// part checks an expression over receiver and parameters and finds what must
// not be nil on the way to its value. Its kind may be KindOther.
func (s *scope) part(e directive.Expr) (part, bool) {
	v, ok := s.eval(e, diag.CodeUnknownName)
	if !ok {
		return part{}, false
	}
	m := s.m
	if tuple, isTuple := v.typ.(*types.Tuple); isTuple {
		d := diag.New(diag.CodeKeyType, e.Pos, "%s returns %d values", e.Text, tuple.Len())
		if n := tuple.Len(); n > 0 && isError(tuple.At(n-1).Type()) {
			d = diag.New(diag.CodeKeyType, e.Pos, "%s can fail, so it can't be part of a key", e.Text).
				WithHint("use a value that is there before the call, or a getter that returns one value")
		}
		m.fail(d)
		return part{}, false
	}
	if v.tv.Value != nil {
		m.fail(diag.New(diag.CodeExpressionType, e.Pos, "%s is a constant: every call would have the same key", e.Text))
		return part{}, false
	}
	if unresolved(v.typ) {
		m.fail(diag.New(diag.CodeTypeUnresolved, e.Pos, "the type of %s can't be resolved", e.Text))
		return part{}, false
	}
	w := walker{scope: s, v: v, e: e, what: "a key", code: diag.CodeKeyType}
	if !w.walk(v.expr) {
		return part{}, false
	}
	if !w.uses {
		m.fail(diag.New(diag.CodeExpressionType, e.Pos, "%s depends on no parameter and not on the receiver: every call would have the same key", e.Text))
		return part{}, false
	}
	p := part{Part: model.Part{Pos: e.Pos, Text: e.Text, Expr: v.code, Guards: w.guards}, typ: v.typ, param: -1}
	if len(p.Expr) == 1 && p.Expr[0].Kind == model.TokParam {
		p.param = p.Expr[0].Index
	}
	p.settle()
	return p, true
}

// settle finds the kind, through a pointer where there is one.
func (p *part) settle() {
	p.Kind = kindOf(p.typ)
	ptr, ok := types.Unalias(p.typ).Underlying().(*types.Pointer)
	if !ok {
		return
	}
	// A pointer that marshals itself where its element does not is used as it is.
	elem := kindOf(ptr.Elem())
	if p.Kind == model.KindText && elem == model.KindOther {
		p.Guards = append(p.Guards, p.Expr)
		return
	}
	if elem == model.KindOther || elem == model.KindContext || elem == model.KindFunc {
		p.Kind = model.KindOther
		return
	}
	p.Kind, p.Deref, p.typ = elem, true, ptr.Elem()
	p.Guards = append(p.Guards, p.Expr)
}

// refuseKind explains why a type can't be in a key, and what to write instead.
func (s *scope) refuseKind(e directive.Expr, p part) diag.Diagnostic {
	d := diag.New(diag.CodeKeyType, e.Pos, "%s is %s, which can't be part of a key", e.Text, s.m.typeText(p.typ))
	t := p.typ
	switch u := derefType(t).Underlying().(type) {
	case *types.Basic:
		if u.Info()&(types.IsFloat|types.IsComplex) != 0 {
			return d.WithHint("floats have several spellings for one value: use an integer of the smallest unit, or a string")
		}
	case *types.Signature, *types.Chan:
		return d.WithHint("functions and channels have no value that two calls could share")
	case *types.Interface:
		if isContext(t) {
			return d.WithHint("a context has no value that two calls could share: use scope= for a tenant")
		}
	case *types.Struct:
		if !hasString(t) {
			return d.WithHint("name the field that identifies the call, such as %s.ID", e.Text)
		}
	}
	if isTypeParam(derefType(t)) {
		return d.WithHint("constrain it to types of one kind, such as ~string or the integers")
	}
	if hasString(t) {
		return d.WithHint("write %s.String() if that text identifies the value", e.Text)
	}
	return d.WithHint("a key part is a string, bytes, an integer, a bool, an array of bytes or a TextMarshaler")
}

// hasString tells whether a value of type t can be asked for String().
func hasString(t types.Type) bool {
	return hasMethod(t, "String", func(s *types.Signature) bool {
		b, ok := firstResult(s).(*types.Basic)
		return s.Params().Len() == 0 && ok && b.Kind() == types.String
	})
}

func firstResult(s *types.Signature) types.Type {
	if s.Results().Len() != 1 {
		return nil
	}
	return types.Unalias(s.Results().At(0).Type())
}
