package check

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
)

// collect finds the states that are declared as such (S6): the constants of a
// block; of a defined type all its constants in the package; of an alias those
// that are declared with it. States that only directives name join later.
func (m *machine) collect() {
	if d, ok := m.g.target.Decl.(*ast.GenDecl); ok && m.g.target.Spec == nil {
		for _, obj := range m.blockObjects(d) {
			m.add(obj, nil)
		}
		return
	}
	for _, f := range m.p.Files {
		if f.AST == nil {
			continue
		}
		for _, decl := range f.AST.Decls {
			if g, ok := decl.(*ast.GenDecl); ok && g.Tok == token.CONST {
				m.collectConsts(g)
			}
		}
	}
}

// stateless tells that a defined type has neither constants nor variables in its
// package, so that no directive can name a state of it.
func (m *machine) stateless() bool {
	if len(m.states) > 0 || m.alias != "" || m.isBlock() {
		return false
	}
	scope := m.p.Types.Scope()
	for _, name := range scope.Names() {
		if v, ok := scope.Lookup(name).(*types.Var); ok && types.Identical(v.Type(), m.typ) {
			return false
		}
	}
	return true
}

// collectConsts adds the constants of one declaration that are of the type.
func (m *machine) collectConsts(g *ast.GenDecl) {
	var typ ast.Expr // of the last line that was not an implicit repetition
	for _, spec := range g.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		if v.Type != nil || len(v.Values) > 0 {
			typ = v.Type
		}
		for _, id := range v.Names {
			obj, ok := m.p.Info.Defs[id].(*types.Const)
			if !ok || id.Name == "_" {
				continue
			}
			if m.alias != "" {
				if name, ok := typ.(*ast.Ident); !ok || name.Name != m.alias {
					continue
				}
			} else if !types.Identical(obj.Type(), m.typ) {
				continue
			}
			m.add(obj, nil)
		}
	}
}

// add makes a state of a constant or variable, or finds the one that it stands
// for: const Default = Created is another name of a state, not a state.
func (m *machine) add(obj types.Object, code model.Code) *state {
	if s := m.byObject[obj]; s != nil {
		return s
	}
	if same := m.aliasOf(obj); same != nil && same != obj {
		s := m.add(same, nil)
		m.byObject[obj] = s
		return s
	}
	if code == nil {
		code = model.Text(obj.Name())
		if pkg := obj.Pkg(); pkg != nil && pkg != m.p.Types {
			code = model.Code{{Kind: model.TokQual, Text: obj.Name(), Import: m.p.ImportOf(m.g.file, pkg.Path(), pkg.Name())}}
		}
	}
	_, isConst := obj.(*types.Const)
	s := &state{obj: obj, State: &model.State{Pos: m.p.Pos(obj.Pos()), Const: code, Ident: obj.Name(), Constant: isConst}}
	m.byObject[obj] = s
	m.states = append(m.states, s)
	return s
}

// aliasOf is the constant whose name is the whole initial value of another.
func (m *machine) aliasOf(obj types.Object) types.Object {
	c, ok := obj.(*types.Const)
	if !ok || obj.Pkg() != m.p.Types {
		return nil
	}
	id, ok := unparenOrNil(m.initialValue(obj)).(*ast.Ident)
	if !ok || id.Name == "iota" {
		return nil
	}
	other, ok := m.p.Info.Uses[id].(*types.Const)
	if !ok || other.Pkg() != m.p.Types || !types.Identical(other.Type(), c.Type()) {
		return nil
	}
	return other
}

func unparenOrNil(e ast.Expr) ast.Expr {
	if e == nil {
		return nil
	}
	return unparen(e)
}

// initialValue is the expression that a constant or variable of this package is
// declared with; nil for none and for an implicit repetition.
func (m *machine) initialValue(obj types.Object) ast.Expr {
	for _, f := range m.p.Files {
		if f.AST == nil {
			continue
		}
		for _, decl := range f.AST.Decls {
			g, ok := decl.(*ast.GenDecl)
			if !ok || obj.Pos() < g.Pos() || obj.Pos() >= g.End() {
				continue
			}
			for _, spec := range g.Specs {
				v, ok := spec.(*ast.ValueSpec)
				if !ok {
					continue
				}
				for i, id := range v.Names {
					if m.p.Info.Defs[id] == obj && i < len(v.Values) {
						return v.Values[i]
					}
				}
			}
		}
	}
	return nil
}

// resolve finds the state that a name in a directive stands for: a constant or
// variable of this package, of a dot import, of the package that the states'
// type comes from, or pkg.Name. It returns nil after a diagnostic.
func (m *machine) resolve(e directive.Expr) *state {
	if e.Expr == nil {
		m.bad = true
		return nil
	}
	obj, code := m.find(e)
	if obj == nil {
		m.fault(m.unknown(e))
		return nil
	}
	switch obj.(type) {
	case *types.Const, *types.Var:
	default:
		m.fault(diag.New(diag.CodeUnknownState, e.Pos, "%s is no constant", e.Text))
		return nil
	}
	if s := m.byObject[obj]; s != nil {
		return s
	}
	if m.typ != nil && !types.AssignableTo(obj.Type(), m.typ) || m.isBlock() {
		m.fault(m.unknown(e))
		return nil
	}
	s := m.add(obj, code)
	if obj.Pkg() != m.p.Types {
		s.Pos = e.Pos
	}
	return s
}

func (m *machine) isBlock() bool { return m.g.target.Spec == nil }

// find looks a state's name up.
func (m *machine) find(e directive.Expr) (types.Object, model.Code) {
	if sel, ok := e.Expr.(*ast.SelectorExpr); ok {
		pkg, ok := sel.X.(*ast.Ident)
		if !ok {
			return nil, nil
		}
		imp, ok := m.p.Import(m.g.file, pkg.Name)
		if !ok {
			return nil, nil
		}
		return m.p.Lookup(imp.Path, sel.Sel.Name), model.Code{{Kind: model.TokQual, Text: sel.Sel.Name, Import: imp}}
	}
	id, ok := e.Expr.(*ast.Ident)
	if !ok {
		return nil, nil
	}
	if scope := m.g.file.Scope(); scope != nil {
		if _, obj := scope.LookupParent(id.Name, token.NoPos); obj != nil && obj.Pkg() != nil {
			if _, isImport := obj.(*types.PkgName); !isImport {
				return obj, nil
			}
		}
	}
	if named, ok := types.Unalias(m.typ).(*types.Named); ok && named.Obj().Pkg() != nil {
		return named.Obj().Pkg().Scope().Lookup(id.Name), nil
	}
	return nil, nil
}

// unknown is the diagnostic of a state's name that nothing declares.
func (m *machine) unknown(e directive.Expr) diag.Diagnostic {
	d := diag.New(diag.CodeUnknownState, e.Pos, "unknown state %s of %s", e.Text, m.name)
	if pkg, _, dotted := strings.Cut(e.Text, "."); dotted {
		if _, ok := m.p.Import(m.g.file, pkg); !ok {
			return d.WithHint("%s", m.g.notImported(pkg))
		}
	}
	var names []string
	for _, s := range m.states {
		name := codeName(s)
		if v := m.valueOf(s.obj); v != nil && v.Kind() == constant.String && constant.StringVal(v) == e.Text {
			return d.WithHint("did you mean %q? states are named as in Go, not by their values", name)
		}
		names = append(names, name)
	}
	return d.WithSuggestion(e.Text, names)
}

// codeName is a state as a directive names it.
func codeName(s *state) string {
	if len(s.Const) == 1 && s.Const[0].Kind == model.TokQual {
		imp := s.Const[0].Import
		if imp.Alias != "" {
			return imp.Alias + "." + s.Const[0].Text
		}
		return imp.Name + "." + s.Const[0].Text
	}
	return s.Ident
}
