package check

import (
	"go/types"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
)

// stringExpr checks an argument that is a string of the call: it depends on the call
// and holds no step that can panic. arg is its name with "=". It returns nil after a
// diagnostic.
func (m *method) stringExpr(arg string, e directive.Expr) *model.StringExpr {
	v, ok := m.expr.eval(e, diag.CodeUnknownName)
	if !ok {
		return nil
	}
	refuse := func(hint, format string, args ...any) *model.StringExpr {
		m.fail(diag.New(diag.CodeStringExpr, e.Pos, format, args...).WithHint("%s", hint))
		return nil
	}
	if tuple, isTuple := v.typ.(*types.Tuple); isTuple {
		return refuse("use a value that is there before the call, or a getter that returns one value", "%s returns %d values, but %s takes a string", e.Text, tuple.Len(), arg)
	}
	const depend = "use a parameter, or a function of one"
	if v.tv.Value != nil {
		return refuse(depend, "%s is a constant: %s would be the same for every call", e.Text, arg)
	}
	if unresolved(v.typ) {
		m.fail(diag.New(diag.CodeTypeUnresolved, e.Pos, "the type of %s can't be resolved", e.Text))
		return nil
	}
	w := walker{scope: m.expr, v: v, e: e, what: arg, code: diag.CodeStringExpr}
	if !w.walk(v.expr) {
		return nil
	}
	if !w.uses {
		return refuse(depend, "%s depends on no parameter and not on the receiver: %s would be the same for every call", e.Text, arg)
	}
	p := part{Part: model.Part{Pos: e.Pos, Text: e.Text, Expr: v.code, Guards: w.guards}, typ: v.typ}
	if p.settle(); p.Kind != model.KindString {
		hint := arg + " takes a string"
		if hasString(p.typ) {
			hint = "write " + e.Text + ".String() if that text is meant"
		}
		return refuse(hint, "%s is %s, not a string", e.Text, m.typeText(p.typ))
	}
	return &model.StringExpr{Pos: e.Pos, Text: e.Text, Expr: p.stringCode(), Guards: p.Guards}
}

// stringCode is the expression of a part of KindString as type string itself.
func (p *part) stringCode() model.Code {
	code := p.Expr
	if p.Deref {
		code = wrapCode("*", code, "")
	}
	if !types.Identical(p.typ, types.Typ[types.String]) {
		code = wrapCode("string(", code, ")")
	}
	return code
}
