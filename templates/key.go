package templates

import (
	"go/token"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/templates/names"
)

// hoist is an expression that is held in a variable already.
type hoist struct {
	text, name string
	part       bool // the variable is an idem.Part; else it is the plain value
}

// partMakers are the runtime's constructors by kind.
var partMakers = [...]string{
	model.KindOther: "Value", model.KindString: "String", model.KindBytes: "Bytes",
	model.KindInt: "Int", model.KindUint: "Uint", model.KindBool: "Bool",
	model.KindByteArray: "Array", model.KindText: "Text", model.KindStringer: "Stringer",
}

// keyPart writes an element of a key or of a fingerprint. Where a nil may stand
// in its way it is a variable, set by the statements returned: a missing part
// instead of a panic (K4).
func (w *wrapper) keyPart(p model.Part) (jen.Code, []jen.Code) {
	value := func() *jen.Statement { return w.value(p) }
	for _, h := range w.hoisted {
		switch {
		case h.text != p.Text:
		case h.part:
			return jen.Id(h.name), nil
		default:
			value = func() *jen.Statement { return jen.Id(h.name) }
		}
	}
	part := func() *jen.Statement { return w.e.idem(partMakers[p.Kind]).Call(value()) }
	guards := w.unproven(p.Guards)
	if len(guards) == 0 {
		return part(), nil
	}
	name := w.sc.Local(w.variable(p))
	w.hoisted = append(w.hoisted, hoist{text: p.Text, name: name, part: true})
	return jen.Id(name), []jen.Code{
		jen.Var().Id(name).Add(w.e.idem("Part")).Comment("// stays missing while " + w.nils(guards)),
		w.ifPresent(guards, func() jen.Code { return jen.Id(name).Op("=").Add(part()) }),
	}
}

// rowKey writes the key of a guarded row or a look-up, frozen before the method can change
// what it was read from (K1). A nil on the way is ErrMissingKey, also on the way
// to another argument of the guard.
func (w *wrapper) rowKey(p model.Part) (*jen.Statement, []jen.Code) {
	if value := w.frozenPart(p); value != nil {
		return value, nil
	}
	value, name, stmts := w.frozen(p, w.variable(p))
	if name != "" {
		w.hoisted = append(w.hoisted, hoist{text: p.Text, name: name})
	}
	return value, stmts
}

// fireArg writes an argument of the guard behind the key, frozen likewise.
func (w *wrapper) fireArg(a model.FireArg) (*jen.Statement, []jen.Code) {
	switch {
	case a.AnyVersion:
		return w.e.idem("AnyVersion"), nil
	case a.LockFence: // of the lock that is held by then
		return w.e.idem("LockFence").Call(jen.Id(w.inner)), nil
	case !slices.ContainsFunc(a.Expr, func(t model.Tok) bool { return t.Kind == model.TokParam || t.Kind == model.TokRecv }):
		return w.code(a.Expr), nil // a constant, which a variable would give a type
	}
	value, _, stmts := w.frozen(model.Part{Pos: a.Pos, Text: a.Text, Expr: a.Expr, Guards: a.Guards}, a.Name)
	return value, stmts
}

// frozen puts an expression into a variable of the wished name, unless it is a
// plain parameter: then the name returned is "".
func (w *wrapper) frozen(p model.Part, wish string) (value *jen.Statement, name string, stmts []jen.Code) {
	if isParam(p) {
		return w.value(p), "", nil
	}
	guards := w.unproven(p.Guards)
	if len(guards) > 0 {
		missing := jen.Op("&").Add(w.e.idem("KeyError")).Values(
			jen.Id("Op").Op(":").Add(lit(w.m.OpName)),
			jen.Id("Part").Op(":").Add(lit(p.Text)),
			jen.Id("Err").Op(":").Add(w.e.idem("ErrMissingKey")),
		)
		stmts = w.requirePresent(guards, func() []jen.Code { return w.refuse(missing) })
	}
	name = w.sc.Local(wish)
	return jen.Id(name), name, append(stmts, jen.Id(name).Op(":=").Add(w.value(p)))
}

// isParam tells whether a part is a parameter as it is.
func isParam(p model.Part) bool {
	return len(p.Guards) == 0 && !p.Deref && len(p.Expr) == 1 && p.Expr[0].Kind == model.TokParam
}

// scope writes the scope= expression; where something on the way to it is nil it
// is empty, which is ErrMissingScope.
func (w *wrapper) scope() (jen.Code, []jen.Code) {
	guards := w.unproven(w.m.ScopeGuards)
	if len(guards) == 0 {
		return w.code(w.m.Scope), nil
	}
	name := w.sc.Local("scope")
	return jen.Id(name), []jen.Code{
		jen.Var().Id(name).String().Comment("// stays empty, which is refused, while " + w.nils(guards)),
		w.ifPresent(guards, func() jen.Code { return jen.Id(name).Op("=").Add(w.code(w.m.Scope)) }),
	}
}

// value writes the expression of a part.
func (w *wrapper) value(p model.Part) *jen.Statement {
	if p.Deref {
		return jen.Op("*").Add(w.code(p.Expr))
	}
	return w.code(p.Expr)
}

// unproven are the guards of an expression that may still be nil.
func (w *wrapper) unproven(guards []model.Code) []model.Code {
	return slices.DeleteFunc(slices.Clone(guards), func(g model.Code) bool {
		return slices.Contains(w.present, names.Identity(g))
	})
}

// nils says when an expression is missing: req or req.Order is nil.
func (w *wrapper) nils(guards []model.Code) string {
	texts := make([]string, len(guards))
	for i, g := range guards {
		texts[i] = w.sc.Code(g)
	}
	return orList(texts) + " is nil"
}

// variable is the wished name for the value of a part: bizNo for req.BizNo, key
// where the text gives no name.
func (w *wrapper) variable(p model.Part) string {
	text := strings.TrimSuffix(strings.TrimSuffix(p.Text, "()"), ".String")
	text = text[strings.LastIndexByte(text, '.')+1:]
	if getter, ok := strings.CutPrefix(text, "Get"); ok && token.IsExported(getter) {
		text = getter
	}
	name := names.Lower(text)
	if !token.IsIdentifier(name) || names.Predeclared(name) || slices.Contains(w.sc.Params, name) {
		return "key"
	}
	return name
}
