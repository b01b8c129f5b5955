package check

import (
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
)

// scope is what expressions in the directives of one method may refer to: its
// parameters and receiver, over its file, its package and the universe.
type scope struct {
	m      *method
	vars   []types.Object
	params map[types.Object]int
	recv   types.Object
}

func (m *method) newScope() *scope {
	s := &scope{m: m, params: map[types.Object]int{}}
	add := func(name string, t types.Type) types.Object {
		v := types.NewParam(token.NoPos, m.p.Types, name, t)
		s.vars = append(s.vars, v)
		return v
	}
	for i, p := range m.model.Params {
		if p.Name != "" && p.Name != "_" && i < m.sig.Params().Len() {
			s.params[add(p.Name, m.sig.Params().At(i).Type())] = i
		}
	}
	if m.model.Recv != "" {
		s.recv = add(m.model.Recv, m.sig.Recv().Type())
	}
	for _, list := range []*types.TypeParamList{m.sig.RecvTypeParams(), m.sig.TypeParams()} {
		for i := range list.Len() {
			s.vars = append(s.vars, list.At(i).Obj())
		}
	}
	m.code.params, m.code.recv = s.params, s.recv
	return s
}

// value is an expression that was type-checked.
type value struct {
	expr ast.Expr
	info *types.Info
	tv   types.TypeAndValue
	typ  types.Type
	code model.Code
}

// eval type-checks an expression where it stands. What can't be resolved is
// reported with the code; the result is false then.
func (s *scope) eval(e directive.Expr, code diag.Code) (value, bool) {
	if e.Expr == nil {
		return value{}, false // diagnosed by the reader of the directive
	}
	m := s.m
	tv, info, err := m.evalIn(e, s.vars)
	if err != nil {
		m.fail(s.explain(e, info, err, code))
		return value{}, false
	}
	if !tv.IsValue() {
		m.fail(diag.New(diag.CodeExpressionType, e.Pos, "%s is %s", e.Text, notValue(tv)))
		return value{}, false
	}
	return value{expr: e.Expr, info: info, tv: tv, typ: tv.Type, code: m.code.code(e.Expr, info)}, true
}

func notValue(tv types.TypeAndValue) string {
	switch {
	case tv.IsType():
		return "a type, not a value"
	case tv.IsVoid():
		return "a call without a result"
	case tv.IsBuiltin():
		return "a builtin, not a value"
	}
	return "not a value"
}

// parentScope is the scope of the file that an expression of a directive stands in,
// or of what was evaluated there before.
func (g *group) parentScope(e ast.Expr) *types.Scope {
	file := g.file.Scope()
	if file == nil {
		return nil
	}
	if inner := file.Innermost(e.Pos()); inner != nil {
		return inner
	}
	// Written in idem.yaml, where no scope is: one that knows what the file of the
	// declaration knows.
	pkg := file.Parent()
	for i := range pkg.NumChildren() {
		if inner := pkg.Child(i).Innermost(e.Pos()); inner != nil {
			return inner
		}
	}
	s := types.NewScope(pkg, e.Pos(), e.End(), "idem.yaml")
	for _, name := range file.Names() {
		s.Insert(file.Lookup(name))
	}
	return s
}

// evalIn type-checks an expression of a directive in the scope of its file with
// some more names on top.
func (m *method) evalIn(e directive.Expr, vars []types.Object) (types.TypeAndValue, *types.Info, error) {
	return m.checker.eval(m.g, e, vars)
}

// eval type-checks an expression of a group's directive with extra names.
func (c *checker) eval(g *group, e directive.Expr, vars []types.Object) (types.TypeAndValue, *types.Info, error) {
	info := &types.Info{
		Types:      map[ast.Expr]types.TypeAndValue{},
		Defs:       map[*ast.Ident]types.Object{},
		Uses:       map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
		Instances:  map[*ast.Ident]types.Instance{},
	}
	at := e.Expr.Pos()
	parent := g.parentScope(e.Expr)
	if parent == nil {
		return types.TypeAndValue{}, info, errNoScope
	}
	inner := types.NewScope(parent, at, e.Expr.End(), "directive")
	for _, v := range vars {
		if tn, ok := v.(*types.TypeName); ok {
			v = types.NewTypeName(token.NoPos, tn.Pkg(), tn.Name(), tn.Type())
		}
		inner.Insert(v)
	}
	c.blankImports(g, e.Expr, inner)
	err := checkExpr(c, at, e.Expr, info)
	return info.Types[e.Expr], info, err
}

// blankImports declares in a scope the packages that an expression names and the
// file imports for its directives alone.
func (c *checker) blankImports(g *group, e ast.Expr, inner *types.Scope) {
	ast.Inspect(e, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		id, ok := sel.X.(*ast.Ident)
		if !ok {
			return true
		}
		if _, known := inner.LookupParent(id.Name, token.NoPos); known != nil {
			return true
		}
		imp, ok := c.p.Import(g.file, id.Name)
		if !ok {
			return true
		}
		if obj := c.p.Lookup(imp.Path, sel.Sel.Name); obj != nil && obj.Pkg() != nil {
			inner.Insert(types.NewPkgName(token.NoPos, c.p.Types, id.Name, obj.Pkg()))
		}
		return true
	})
}

// importHint says what to do about a package that the file does not import, or "".
func (c *checker) importHint(g *group, e ast.Expr) string {
	hint := ""
	ast.Inspect(e, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok || hint != "" {
			return hint == ""
		}
		if id, ok := sel.X.(*ast.Ident); ok {
			if _, known := c.p.Import(g.file, id.Name); !known {
				if hint = g.notImported(id.Name); !g.inYAML() {
					hint += "; a blank import is enough"
				}
			}
		}
		return true
	})
	return hint
}

var errNoScope = errors.New("the file could not be resolved")

// checkExpr is types.CheckExpr without its panics: an input that the type
// checker does not survive is an error like any other.
func checkExpr(c *checker, at token.Pos, e ast.Expr, info *types.Info) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("the expression can't be type-checked")
		}
	}()
	return types.CheckExpr(c.p.Fset, c.p.Types, at, e, info)
}

// explain turns a type error of an expression into a diagnostic at its column.
func (s *scope) explain(e directive.Expr, info *types.Info, err error, code diag.Code) diag.Diagnostic {
	m := s.m
	var te types.Error
	if !errors.As(err, &te) {
		return diag.New(diag.CodeExpressionType, e.Pos, "%s: %s", e.Text, err.Error())
	}
	at := e.Pos
	if te.Pos.IsValid() {
		at = m.p.Pos(te.Pos)
	}
	name, undefined := strings.CutPrefix(te.Msg, "undefined: ")
	if undefined {
		d := diag.New(diag.CodeUnknownName, at, "undefined: %s", name)
		if pkg, member, qualified := strings.Cut(name, "."); qualified {
			return d.WithSuggestion(member, s.exported(pkg))
		}
		d = d.WithSuggestion(name, s.names())
		if d.Hint == "" && m.unnamed() != "" {
			d = d.WithHint("%s of %s has no name, so directives can't use it: give it one", m.unnamed(), m.title)
		}
		if code == diag.CodeCtxUnknown {
			d.Code = code
		}
		return d
	}
	if strings.Contains(te.Msg, "undefined (") {
		d := diag.New(diag.CodeUnknownName, at, "%s", te.Msg)
		if sel := selectorAt(e.Expr, te.Pos); sel != nil {
			if t := info.Types[sel.X].Type; t != nil {
				d = d.WithSuggestion(sel.Sel.Name, members(derefType(t), m.p.Types))
			}
		}
		return d
	}
	if strings.Contains(te.Msg, "cannot use _ as value") {
		return diag.New(diag.CodeUnknownName, at, "a blank parameter can't be used").WithHint("give the parameter a name")
	}
	return diag.New(diag.CodeExpressionType, at, "%s", te.Msg)
}

// unnamed describes the first parameter that has no name, or "".
func (m *method) unnamed() string {
	for i, p := range m.model.Params {
		if (p.Name == "" || p.Name == "_") && p.Kind != model.KindContext && i != m.model.TxParam {
			return m.paramText(i)
		}
	}
	return ""
}

// names are what an expression may start with, parameters first.
func (s *scope) names() []string {
	out := s.m.paramNames()
	if s.recv != nil {
		out = append(out, s.recv.Name())
	}
	out = append(out, s.m.p.ImportNames(s.m.g.file)...)
	return append(out, s.m.p.Types.Scope().Names()...)
}

// exported are the names that an import of the file offers.
func (s *scope) exported(pkg string) []string {
	imp, ok := s.m.p.Import(s.m.g.file, pkg)
	if !ok {
		return nil
	}
	return slices.DeleteFunc(s.m.p.Names(imp.Path), func(n string) bool { return !token.IsExported(n) })
}

func selectorAt(e ast.Expr, at token.Pos) *ast.SelectorExpr {
	var found *ast.SelectorExpr
	ast.Inspect(e, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && (sel.Sel.Pos() == at || sel.Pos() == at && found == nil) {
			found = sel
		}
		return true
	})
	return found
}

func derefType(t types.Type) types.Type {
	if p, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}
