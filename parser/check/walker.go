package check

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
)

// walker goes through a key expression in the order of evaluation. It collects
// what must not be nil, and refuses steps that can panic or have effects (K4).
type walker struct {
	scope  *scope
	v      value
	e      directive.Expr
	guards []model.Code
	seen   []string
	// what names the place of the expression in messages, a key unless it is set.
	what string
	code diag.Code
	uses bool // a parameter or the receiver is used
}

func (w *walker) refuse(n ast.Node, hint, format string, args ...any) bool {
	w.scope.m.fail(diag.New(w.code, w.e.At(n), format, args...).WithHint("%s", hint))
	return false
}

// operator says what to write in place of an operator.
func (w *walker) operator() string {
	if w.code == diag.CodeKeyType {
		return "give several parts, separated by commas: they can't run into each other"
	}
	return "let a parameter or a getter hold the value"
}

// walk visits e; false when a fault was reported.
func (w *walker) walk(e ast.Expr) bool {
	if tv, ok := w.v.info.Types[e]; ok && (tv.IsType() || tv.Value != nil) {
		return true
	}
	switch e := e.(type) {
	case *ast.Ident:
		obj := w.v.info.Uses[e]
		i, isParam := w.scope.params[obj]
		if isParam && i == w.scope.m.model.TxParam {
			return w.refuse(e, "name another parameter", "the wrapper begins transaction %s itself, so no caller can say it", e.Name)
		}
		if isParam || obj != nil && obj == w.scope.recv {
			w.uses = true
		}
		return true
	case *ast.BasicLit:
		return true
	case *ast.ParenExpr:
		return w.walk(e.X)
	case *ast.SelectorExpr:
		return w.selector(e)
	case *ast.StarExpr:
		if !w.walk(e.X) {
			return false
		}
		w.guard(e.X)
		return true
	case *ast.CallExpr:
		return w.call(e)
	case *ast.IndexExpr:
		return w.index(e)
	case *ast.SliceExpr:
		return w.slice(e)
	case *ast.UnaryExpr:
		if e.Op == token.AND || e.Op == token.ARROW {
			return w.refuse(e, "name the value itself", "%s is not allowed in %s", e.Op, w.what)
		}
		return w.walk(e.X)
	case *ast.BinaryExpr:
		return w.refuse(e, w.operator(), "operator %s is not allowed in %s", e.Op, w.what)
	case *ast.TypeAssertExpr:
		return w.refuse(e, "use a value of a definite type", "a type assertion can panic, so it can't be part of %s", w.what)
	}
	return w.refuse(e, "name parameters, fields and getters", "this kind of expression is not allowed in %s", w.what)
}

func (w *walker) all(list []ast.Expr) bool {
	for _, e := range list {
		if !w.walk(e) {
			return false
		}
	}
	return true
}

// selector visits x.Name, with the embedded pointers that the name is promoted
// through.
func (w *walker) selector(e *ast.SelectorExpr) bool {
	sel := w.v.info.Selections[e]
	if sel == nil {
		return true // a name of another package
	}
	if sel.Kind() == types.MethodExpr {
		return w.refuse(e, "call the method on a value", "a method expression can't be part of %s", w.what)
	}
	if !w.walk(e.X) {
		return false
	}
	code := w.scope.m.code.code(e.X, w.v.info)
	t := sel.Recv()
	var hidden *types.Var // an embedded field on the way that this package can't name
	for _, i := range sel.Index()[:len(sel.Index())-1] {
		if hidden != nil && nilable(t) {
			break
		}
		w.guardIfNilable(code, t)
		st, ok := derefType(t).Underlying().(*types.Struct)
		if !ok || i >= st.NumFields() {
			return true
		}
		f := st.Field(i)
		code = append(append(model.Code{}, code...), model.Tok{Kind: model.TokText, Text: "." + f.Name()})
		t = f.Type()
		if !f.Exported() && f.Pkg() != w.scope.m.p.Types {
			hidden = f
		}
	}
	if hidden != nil && nilable(t) {
		return w.refuse(e.Sel, "give the type a getter that answers for nil, or use another value",
			"%s is promoted through the unexported field %s of package %s, which may be nil and can't be asked from here", e.Sel.Name, hidden.Name(), hidden.Pkg().Name())
	}
	w.guardIfNilable(code, t)
	return true
}

// nilable tells whether selecting from a value of type t may panic.
func nilable(t types.Type) bool {
	switch types.Unalias(t).Underlying().(type) {
	case *types.Pointer:
		return true
	case *types.Interface:
		_, isParam := types.Unalias(t).(*types.TypeParam)
		return !isParam
	}
	return false
}

// guardIfNilable asks for a check of what a member is selected from. The
// receiver of the guarded method itself is there.
func (w *walker) guardIfNilable(code model.Code, t types.Type) {
	if len(code) == 1 && code[0].Kind == model.TokRecv {
		return
	}
	if nilable(t) {
		w.add(code)
	}
}

func (w *walker) guard(e ast.Expr) { w.add(w.scope.m.code.code(unparen(e), w.v.info)) }

func (w *walker) add(code model.Code) {
	text := codeText(code)
	for _, s := range w.seen {
		if s == text {
			return
		}
	}
	w.seen = append(w.seen, text)
	w.guards = append(w.guards, code)
}

func (w *walker) call(e *ast.CallExpr) bool {
	fun := unparen(e.Fun)
	if tv := w.v.info.Types[fun]; tv.IsType() || tv.IsBuiltin() {
		if tv.IsBuiltin() && len(e.Args) > 0 {
			if id, ok := fun.(*ast.Ident); !ok || id.Name != "len" {
				return w.refuse(e, "name parameters, fields and getters", "this builtin is not allowed in %s", w.what)
			}
		}
		return w.conversion(e, tv) && w.all(e.Args)
	}
	if _, ok := fun.(*ast.FuncLit); ok {
		return w.refuse(e, "write a method or function", "a function literal is not allowed in %s", w.what)
	}
	if !w.walk(fun) {
		return false
	}
	if !w.isDeclared(fun) {
		w.guard(fun)
	}
	return w.all(e.Args)
}

// conversion refuses conversions that can panic, or that make something else of
// the value than their spelling says.
func (w *walker) conversion(e *ast.CallExpr, to types.TypeAndValue) bool {
	if !to.IsType() || len(e.Args) != 1 {
		return true
	}
	from := w.v.info.Types[e.Args[0]]
	if from.Type == nil || from.Value != nil {
		return true
	}
	target, source := derefType(to.Type).Underlying(), from.Type.Underlying()
	if _, isArray := target.(*types.Array); isArray {
		if _, isSlice := source.(*types.Slice); isSlice {
			return w.refuse(e, "use the slice itself", "a slice can be too short for an array, so this conversion can panic")
		}
	}
	basic := func(t types.Type, info types.BasicInfo) bool {
		b, ok := t.(*types.Basic)
		return ok && b.Info()&info != 0
	}
	if basic(target, types.IsString) && basic(source, types.IsInteger) {
		return w.refuse(e, "use the integer itself", "a conversion from integer to string yields one character, not its digits")
	}
	return true
}

// isDeclared tells whether what is called is a function or method, not a value
// of function type that may be nil.
func (w *walker) isDeclared(fun ast.Expr) bool {
	switch f := fun.(type) {
	case *ast.Ident:
		_, ok := w.v.info.Uses[f].(*types.Func)
		return ok
	case *ast.SelectorExpr:
		_, ok := w.v.info.Uses[f.Sel].(*types.Func)
		return ok
	case *ast.IndexExpr:
		return w.isDeclared(unparen(f.X))
	case *ast.IndexListExpr:
		return w.isDeclared(unparen(f.X))
	}
	return false
}

func (w *walker) index(e *ast.IndexExpr) bool {
	t := w.v.info.Types[e.X].Type
	if t == nil {
		return w.walk(e.X) // an instantiated function
	}
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Map:
		if types.IsInterface(u.Key()) {
			return w.refuse(e, "use a field or a getter", "a key of type %s may be one that no map takes, and panic", w.scope.m.typeText(u.Key()))
		}
	case *types.Array:
		if w.v.info.Types[e.Index].Value == nil {
			return w.refuse(e.Index, "use a constant index, or a getter", "an index that is not constant can be out of range")
		}
	case *types.Pointer: // to an array
		if w.v.info.Types[e.Index].Value == nil {
			return w.refuse(e.Index, "use a constant index, or a getter", "an index that is not constant can be out of range")
		}
		if !w.walk(e.X) {
			return false
		}
		w.guard(e.X)
		return true
	case *types.Signature:
		return w.walk(e.X)
	default:
		return w.refuse(e, "use a field, or a getter that answers for every length", "an index into %s can be out of range", w.scope.m.typeText(t))
	}
	return w.walk(e.X) && w.walk(e.Index)
}

// slice allows id[:] of an array, which is a way to say "these bytes".
func (w *walker) slice(e *ast.SliceExpr) bool {
	if e.Low != nil || e.High != nil || e.Max != nil {
		return w.refuse(e, "use the whole value", "a slice expression can be out of range")
	}
	if !w.walk(e.X) {
		return false
	}
	if _, ok := types.Unalias(w.v.info.Types[e.X].Type).Underlying().(*types.Pointer); ok {
		w.guard(e.X)
	}
	return true
}

func unparen(e ast.Expr) ast.Expr {
	for {
		p, ok := e.(*ast.ParenExpr)
		if !ok {
			return e
		}
		e = p.X
	}
}

// codeText is a spelling that is equal for equal code.
func codeText(c model.Code) string {
	s := ""
	for _, t := range c {
		switch t.Kind {
		case model.TokQual:
			s += t.Import.Path + "." + t.Text
		default:
			s += t.Text
		}
	}
	return s
}
