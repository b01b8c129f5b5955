package check

import (
	"go/ast"
	"go/types"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

// signature converts parameters and results. It is false when the method can't
// be guarded at all, which is reported.
func (m *method) signature(ft *ast.FuncType) bool {
	ok := true
	m.model.Variadic = m.sig.Variadic()
	params, resolved := m.tuple(ft.Params, m.sig.Params())
	m.model.Params, ok = params, ok && resolved
	if m.model.Variadic && len(params) > 0 {
		// The element type is what the source says behind "...".
		last := &m.model.Params[len(params)-1]
		last.Type = trimEllipsis(last.Type)
	}
	if m.g.request != nil {
		return ok && m.handler(ft)
	}
	n := m.sig.Results().Len()
	if n == 0 || !isError(m.sig.Results().At(n-1).Type()) {
		m.noError(ft)
		return false
	}
	results, resolved := m.tuple(ft.Results, m.sig.Results())
	if len(results) > 0 {
		results = results[:len(results)-1]
	}
	m.model.Results, ok = results, ok && resolved
	return ok
}

func (m *method) noError(ft *ast.FuncType) {
	at := m.model.Pos
	if ft.Results != nil && len(ft.Results.List) > 0 {
		last := ft.Results.List[len(ft.Results.List)-1]
		at = m.p.Pos(last.Type.Pos())
		t := m.sig.Results().At(m.sig.Results().Len() - 1).Type()
		if unresolved(t) {
			m.unresolvedType(last.Type)
			return
		}
		if implementsError(t) {
			m.fail(diag.New(diag.CodeNoErrorResult, at, "the last result of %s is %s, not error", m.title, m.typeText(t)).
				WithHint("return error: a guarded call can fail in ways that %s can't say", m.typeText(t)))
			return
		}
	}
	m.fail(diag.New(diag.CodeNoErrorResult, at, "%s has no error result", m.title).
		WithHint("let it return error last: a duplicate in progress, a reused key or an outage must be told"))
}

// tuple converts a parameter or result list.
func (m *method) tuple(list *ast.FieldList, tuple *types.Tuple) ([]model.Param, bool) {
	var out []model.Param
	ok := true
	if list == nil {
		return nil, true
	}
	for _, f := range list.List {
		code := m.code.code(f.Type, m.p.Info)
		for i := range max(1, len(f.Names)) {
			p := model.Param{Pos: m.p.Pos(f.Type.Pos()), Type: code}
			if i < len(f.Names) {
				p.Name, p.Pos = f.Names[i].Name, m.p.Pos(f.Names[i].Pos())
			}
			if n := len(out); n < tuple.Len() {
				t := tuple.At(n).Type()
				p.Kind = kindOf(t)
				if unresolved(t) && i == 0 && !m.namesCgo(f.Type) {
					m.unresolvedType(f.Type)
					ok = false
				}
			}
			out = append(out, p)
		}
	}
	return out, ok
}

// unresolvedType reports a type of a signature that can't be resolved, with the
// reason that the type checker gave for it.
func (m *method) unresolvedType(e ast.Expr) {
	if sel := cgoType(e); sel != nil {
		m.fail(diag.New(diag.CodeTypeNotNameable, m.p.Pos(sel.Pos()), "C.%s is a type of C, which only this file can name", sel.Sel.Name).
			WithHint("declare a Go type for it: type Handle = C.%s", sel.Sel.Name))
		return
	}
	if d, ok := m.typeError(e); ok {
		m.fail(d)
		return
	}
	m.fail(diag.New(diag.CodeTypeUnresolved, m.p.Pos(e.Pos()), "a type in the signature of %s can't be resolved", m.title))
}

// namesCgo tells whether a type mentions a type of this package that stands for
// one of C: what it is can't be known here, but it has a name.
func (c *checker) namesCgo(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		if obj, ok := c.p.Info.Uses[id].(*types.TypeName); ok && obj.Pkg() == c.p.Types {
			if spec, _ := c.typeSpec(obj); spec != nil && cgoType(spec.Type) != nil {
				found = true
			}
		}
		return !found
	})
	return found
}

// cgoType finds C.name in a type.
func cgoType(e ast.Expr) *ast.SelectorExpr {
	var found *ast.SelectorExpr
	ast.Inspect(e, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && id.Name == "C" {
				found = sel
			}
		}
		return found == nil
	})
	return found
}

func (c *checker) typeError(e ast.Expr) (diag.Diagnostic, bool) {
	for _, err := range c.p.Errors {
		if e.Pos() <= err.Pos && err.Pos < e.End() {
			return diag.New(diag.CodeTypeUnresolved, c.p.Pos(err.Pos), "%s", err.Msg), true
		}
	}
	// The fault may be in the import that the type comes from.
	var found diag.Diagnostic
	ok := false
	ast.Inspect(e, func(n ast.Node) bool {
		sel, isSel := n.(*ast.SelectorExpr)
		if !isSel || ok {
			return !ok
		}
		id, isIdent := sel.X.(*ast.Ident)
		if !isIdent {
			return true
		}
		pn, isPkg := c.p.Info.Uses[id].(*types.PkgName)
		if !isPkg {
			return true
		}
		for _, err := range c.p.Errors {
			if err.Pos == pn.Pos() || c.sameLine(err.Pos, pn.Pos()) {
				found, ok = diag.New(diag.CodeTypeUnresolved, c.p.Pos(e.Pos()), "%s.%s can't be resolved: %s", id.Name, sel.Sel.Name, err.Msg), true
			}
		}
		return true
	})
	return found, ok
}

// trimEllipsis takes the "..." off a variadic parameter's type.
func trimEllipsis(c model.Code) model.Code {
	if len(c) == 0 || c[0].Kind != model.TokText || len(c[0].Text) < 3 || c[0].Text[:3] != "..." {
		return c
	}
	out := append(model.Code{}, c...)
	if out[0].Text = out[0].Text[3:]; out[0].Text == "" {
		return out[1:]
	}
	return out
}
