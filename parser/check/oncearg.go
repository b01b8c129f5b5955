package check

import (
	"go/ast"
	"go/types"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
)

// packageObject resolves a name of package scope, of this package or an imported one.
func (c *checker) packageObject(g *group, e directive.Expr) (types.Object, *types.Info, error) {
	_, info, err := c.eval(g, e, nil)
	var id *ast.Ident
	switch x := unparen(e.Expr).(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
		if pkg, ok := x.X.(*ast.Ident); ok && info.Uses[id] == nil {
			// A package that the file imports for its directives alone.
			if imp, ok := c.p.Import(g.file, pkg.Name); ok {
				if obj := c.p.Lookup(imp.Path, id.Name); obj != nil && obj.Exported() {
					info.Uses[id] = obj
					return obj, info, nil
				}
			}
		}
	}
	if id == nil || info.Uses[id] == nil {
		return nil, info, err
	}
	obj := info.Uses[id]
	if obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope() {
		return nil, info, err
	}
	return obj, info, nil
}

// variables are the variables of package scope.
func (c *checker) variables() []string {
	var out []string
	for _, name := range c.p.Types.Scope().Names() {
		if _, ok := c.p.Types.Scope().Lookup(name).(*types.Var); ok {
			out = append(out, name)
		}
	}
	return out
}

// errorRules resolves errors= to error variables.
func (m *method) errorRules(rules directive.List[directive.ErrorRule]) []model.ErrorRule {
	var out []model.ErrorRule
	for _, rule := range rules.Elems {
		if rule.Name.Expr == nil {
			continue
		}
		if m.model.Tx() && rule.Do == "unknown" {
			m.fail(diag.New(diag.CodeArgumentNeedsOther, rule.Pos, "unknown has no meaning in transaction mode: an error rolls back, and that is known").
				WithHint("remove it, or use store to keep the error as the outcome"))
			continue
		}
		obj, info, _ := m.packageObject(m.g, rule.Name)
		v, isVar := obj.(*types.Var)
		if !isVar || unresolved(v.Type()) || !implementsError(v.Type()) {
			m.fail(m.noErrorVariable(rule, obj))
			continue
		}
		out = append(out, model.ErrorRule{Pos: rule.Pos, Do: rule.Do, Name: rule.Name.Text, Expr: m.code.code(rule.Name.Expr, info)})
	}
	return out
}

func (m *method) noErrorVariable(rule directive.ErrorRule, obj types.Object) diag.Diagnostic {
	text := rule.Name.Text
	d := diag.New(diag.CodeErrorUnknown, rule.Name.Pos, "%s is no error variable", text)
	switch obj := obj.(type) {
	case nil:
		d.Message = "undefined: " + text
		if sel, ok := rule.Name.Expr.(*ast.SelectorExpr); ok {
			pkg, _ := sel.X.(*ast.Ident)
			if pkg == nil {
				return d
			}
			imp, known := m.p.Import(m.g.file, pkg.Name)
			if !known {
				return d.WithHint("%s", m.g.notImported(pkg.Name))
			}
			if s := diag.Suggest(sel.Sel.Name, m.p.Names(imp.Path)); s != "" {
				return d.WithHint("did you mean %q?", pkg.Name+"."+s)
			}
			return d
		}
		return d.WithSuggestion(text, m.sentinels())
	case *types.TypeName:
		d.Message = text + " is a type; errors= takes error variables"
		return d.WithHint("declare var Err… = … of that type, and return that")
	case *types.Var:
		d.Message = text + " is " + m.typeText(obj.Type()) + ", not an error"
	case *types.Func:
		d.Message = text + " is a function, not an error variable"
	}
	return d
}

// sentinels are the package's error variables, in name order.
func (c *checker) sentinels() []string {
	var out []string
	scope := c.p.Types.Scope()
	for _, name := range scope.Names() {
		v, ok := scope.Lookup(name).(*types.Var)
		if ok && isSentinelName(name) && !unresolved(v.Type()) && implementsError(v.Type()) {
			out = append(out, name)
		}
	}
	return out
}

// isSentinelName tells whether an error variable is called as such.
func isSentinelName(name string) bool {
	if len(name) < 4 || name[:3] != "Err" && name[:3] != "err" {
		return false
	}
	return name[3] >= 'A' && name[3] <= 'Z'
}

// resultArgs checks what is stored of the result, and whether it comes back as
// it was (G2).
func (m *method) resultArgs(args *directive.Once, o *model.Once) {
	if len(m.model.Results) == 0 {
		for _, a := range []struct {
			set  bool
			name string
			at   model.Pos
		}{
			{args.Result.Set, "result=none", args.Result.KeyPos},
			{args.MaxResult.Set, "maxresult=", args.MaxResult.KeyPos},
			{args.Codec.Set, "codec=", args.Codec.KeyPos},
		} {
			if a.set {
				m.fail(diag.New(diag.CodeArgumentNeedsOther, a.at, "%s has no effect: %s has no result beside its error", a.name, m.title).WithHint("remove it"))
			}
		}
		return
	}
	if args.Codec.Set {
		m.codec(args, o)
		return
	}
	if o.NoResult {
		return
	}
	for i := range m.model.Results {
		if why := restorable(m.sig.Results().At(i).Type(), m.p.Types); why != "" {
			r := m.model.Results[i]
			m.fail(diag.New(diag.CodeResultNotRestorable, r.Pos, "a stored result of %s can't be brought back as it was: %s", m.title, why).
				WithHint("return a struct of exported fields, name a codec=, or store no result with result=none"))
		}
	}
}

// codec resolves codec= to a package-level value with the methods of idem.Codec.
func (m *method) codec(args *directive.Once, o *model.Once) {
	e := args.Codec.V
	if e.Expr == nil {
		return
	}
	obj, info, err := m.packageObject(m.g, e)
	switch obj := obj.(type) {
	case *types.Var:
		if why := notCodec(obj.Type()); why != "" {
			m.fail(diag.New(diag.CodeCodec, e.Pos, "%s is no idem.Codec: %s", e.Text, why))
			return
		}
		o.Codec = m.code.code(e.Expr, info)
	case nil:
		d := diag.New(diag.CodeCodec, e.Pos, "%s is no package-level variable", e.Text)
		if id, ok := unparen(e.Expr).(*ast.Ident); ok && err != nil {
			d = diag.New(diag.CodeCodec, e.Pos, "undefined: %s", id.Name).WithSuggestion(id.Name, m.variables())
		}
		m.fail(d)
	default:
		m.fail(diag.New(diag.CodeCodec, e.Pos, "%s is no package-level variable", e.Text).WithHint("declare one: var receiptCodec = …"))
	}
}
