package check

import (
	"cmp"
	"go/types"
	"maps"
	"slices"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
	"github.com/idemgen/idemgen/parser/sqlfrag"
)

// sqlScope turns SQL of directives into the model. It collects the parameters of
// one generated function, each once, in the order in which they appear.
type sqlScope struct {
	*checker
	g      *group
	report func(diag.Diagnostic)
	// decls are what params= says of the types, the nearest directive first.
	decls []*paramDecl
	// untyped gives the type of a parameter that no params= declares; nil means string.
	untyped func(name string, at model.Pos) (paramType, bool)
	// taken says why a name can't be a parameter, or "".
	taken func(name string) string
	// constant resolves a name of Go that is not known in the file; nil for none.
	constant func(directive.Expr) (types.Object, model.Code)

	// names collects, over all forks, every parameter that SQL names.
	names *[]string

	params []model.SQLParam
	types  map[string]types.Type // by parameter
}

// paramType is the Go type of a parameter.
type paramType struct {
	code model.Code
	typ  types.Type
}

// paramDecl is one element of params=.
type paramDecl struct {
	paramType
	name directive.Name
	used bool
}

// fork is a scope that begins with the parameters of s. Its own do not show in s.
func (s *sqlScope) fork() *sqlScope {
	f := *s
	f.params, f.types = slices.Clone(s.params), maps.Clone(s.types)
	return &f
}

// paramDecls resolves params=. An element that is faulty is kept without a type, so
// that its parameter is not reported again.
func (c *checker) paramDecls(g *group, list directive.List[directive.Named], report func(diag.Diagnostic)) []*paramDecl {
	var out []*paramDecl
	for _, e := range list.Elems {
		d := &paramDecl{name: e.Name}
		if t, ok := c.sqlType(g, e.Expr, "parameter "+e.Name.Text, report); ok {
			d.paramType = t
		}
		out = append(out, d)
	}
	return out
}

// sqlType resolves a Go type that a directive gives to what goes into SQL.
func (c *checker) sqlType(g *group, e directive.Expr, what string, report func(diag.Diagnostic)) (paramType, bool) {
	if e.Expr == nil {
		return paramType{}, false
	}
	tv, info, err := c.eval(g, e, nil)
	switch {
	case err != nil:
		report(diag.New(diag.CodeTypeUnresolved, e.Pos, "type %s of %s can't be resolved: %s", e.Text, what, typeErrorText(err)).
			WithHint("%s", c.importHint(g, e.Expr)))
	case !tv.IsType():
		report(diag.New(diag.CodeExpressionType, e.Pos, "%s is not a type, so it can't be that of %s", e.Text, what))
	case unresolved(tv.Type):
		report(diag.New(diag.CodeTypeUnresolved, e.Pos, "type %s of %s can't be resolved", e.Text, what))
	case !isSQLType(tv.Type):
		report(diag.New(diag.CodeParamType, e.Pos, "%s can't be the type of %s: no column takes it", e.Text, what).
			WithHint("use a string, bytes, a number, a bool, time.Time, a driver.Valuer, or a pointer to one for NULL"))
	default:
		k := coder{p: c.p, file: g.file}
		return paramType{k.code(e.Expr, info), tv.Type}, true
	}
	return paramType{}, false
}

// isSQLType tells whether database/sql can hand a value of type t to a column.
func isSQLType(t types.Type) bool {
	if isColumnType(t) || isNamed(t, "time", "Time") {
		return true
	}
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsFloat != 0
	case *types.Slice:
		return isByte(u.Elem())
	case *types.Pointer:
		_, twice := types.Unalias(u.Elem()).Underlying().(*types.Pointer)
		return !twice && isSQLType(u.Elem())
	}
	return false
}

// param is the index of a parameter; -1 after a diagnostic.
func (s *sqlScope) param(tok directive.SQLToken) int {
	name := tok.Text
	for i, p := range s.params {
		if p.Name == name {
			return i
		}
	}
	if s.names != nil {
		*s.names = append(*s.names, name)
	}
	if s.taken != nil {
		if why := s.taken(name); why != "" {
			s.report(diag.New(diag.CodeParamName, tok.Pos, "parameter :%s can't be called so: %s", name, why).WithHint("give it another name"))
			return -1
		}
	}
	if !isParamName(name) {
		s.report(diag.New(diag.CodeParamName, tok.Pos, "parameter :%s can't be called so: it is no identifier of Go", name).WithHint("give it another name"))
		return -1
	}
	t, ok := s.typeOf(name, tok.Pos)
	if !ok {
		return -1
	}
	s.params = append(s.params, model.SQLParam{Pos: tok.Pos, Name: name, Type: t.code, Kind: kindOf(t.typ)})
	if s.types == nil {
		s.types = map[string]types.Type{}
	}
	s.types[name] = t.typ
	return len(s.params) - 1
}

// typeOf is the type of a parameter: what params= says, else the default.
func (s *sqlScope) typeOf(name string, at model.Pos) (paramType, bool) {
	var found *paramDecl
	for _, d := range s.decls {
		if d.name.Text == name {
			d.used = true // also one that another hides, which is diagnosed already
			found = cmp.Or(found, d)
		}
	}
	if found != nil {
		return found.paramType, found.typ != nil
	}
	if s.untyped != nil {
		return s.untyped(name, at)
	}
	return paramType{model.Text("string"), types.Typ[types.String]}, true
}

// fragKinds are the model's words for tokens that need nothing else.
var fragKinds = map[sqlfrag.Kind]model.FragKind{
	sqlfrag.Word: model.FragWord, sqlfrag.Name: model.FragName, sqlfrag.Text: model.FragText,
	sqlfrag.Number: model.FragNumber, sqlfrag.Op: model.FragOp, sqlfrag.Space: model.FragSpace,
}

// frag converts tokens. What was diagnosed is left out.
func (s *sqlScope) frag(tokens []directive.SQLToken) model.Frag {
	var out model.Frag
	for _, t := range tokens {
		switch t.Kind {
		case sqlfrag.Param:
			if i := s.param(t); i >= 0 {
				out = append(out, model.FragToken{Kind: model.FragParam, Text: t.Text, Param: i})
			}
		case sqlfrag.Const:
			if tok, ok := s.value(t); ok {
				out = append(out, tok)
			}
		default:
			out = append(out, model.FragToken{Kind: fragKinds[t.Kind], Text: t.Text})
		}
	}
	return out
}

// assign converts one assignment.
func (s *sqlScope) assign(a directive.Assignment) model.Assign {
	return model.Assign{Pos: a.Column.Pos, Column: a.Column.Text, Expr: s.frag(a.Expr)}
}

// unused reports the declarations of one params= that nothing names.
func (s *sqlScope) unused(decls []*paramDecl) {
	var names []string
	if s.names != nil {
		names = *s.names
	}
	for _, d := range decls {
		if !d.used {
			s.report(diag.New(diag.CodeParamUnused, d.name.Pos, "parameter %s is declared, but no SQL names :%s", d.name.Text, d.name.Text).
				WithSuggestion(d.name.Text, names))
		}
	}
}
