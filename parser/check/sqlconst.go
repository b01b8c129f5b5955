package check

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
)

// isParamName tells whether a parameter can be called so. A keyword of Go is fine:
// the generated function calls it otherwise.
func isParamName(name string) bool {
	return name != "_" && (token.IsIdentifier(name) || token.IsKeyword(name))
}

// value resolves :Paid or :pb.Paid to what is written into the statement. A
// constant that is a state of a machine with values= stands for what the column
// holds.
func (s *sqlScope) value(tok directive.SQLToken) (model.FragToken, bool) {
	e := tok.Const
	if e.Expr == nil {
		return model.FragToken{}, false // diagnosed by the reader of the directive
	}
	obj, info, _ := s.packageObject(s.g, e)
	k := coder{p: s.p, file: s.g.file}
	code := k.code(e.Expr, info)
	if obj == nil && s.constant != nil {
		if found, c := s.constant(e); found != nil {
			if obj = found; c != nil {
				code = c
			} else if pkg := found.Pkg(); pkg != nil && pkg != s.p.Types {
				code = model.Code{{Kind: model.TokQual, Text: found.Name(), Import: s.p.ImportOf(s.g.file, pkg.Path(), pkg.Name())}}
			}
		}
	}
	c, ok := obj.(*types.Const)
	if !ok {
		s.report(s.noConstant(e, obj))
		return model.FragToken{}, false
	}
	v, literal, why := sqlValue(c.Val())
	if why != "" {
		s.report(diag.New(diag.CodeFragmentConstant, e.Pos, "constant %s can't be written into SQL: %s", e.Text, why))
		return model.FragToken{}, false
	}
	if st := s.mappedState(c); st != nil {
		v = st.SQL
	}
	return model.FragToken{Kind: model.FragValue, Text: e.Text, Value: v, Const: code, Literal: literal}, true
}

// mappedState is the state of a machine with values= that a constant is: of the
// machine at hand if it has that state, else of the first other one in the package.
func (s *sqlScope) mappedState(c *types.Const) *state {
	var found *state
	for _, m := range s.machines {
		st := m.byObject[c]
		switch {
		case st == nil:
		case m.g == s.g && st.Mapped:
			return st
		case m.g == s.g:
			return nil
		case found == nil && st.Mapped:
			found = st
		}
	}
	return found
}

// sqlValue is a constant as SQL and as Go write it; why says that there is no such
// thing.
func sqlValue(v constant.Value) (sql model.SQLValue, literal, why string) {
	switch v.Kind() {
	case constant.String:
		text := constant.StringVal(v)
		switch {
		case !utf8.ValidString(text):
			why = "it is not UTF-8"
		case strings.ContainsRune(text, 0):
			why = "it has a NUL character"
		}
		return model.SQLValue{Text: text}, strconv.Quote(text), why
	case constant.Bool:
		text := strconv.FormatBool(constant.BoolVal(v))
		return model.SQLValue{Text: text, Bool: true}, text, ""
	case constant.Int:
		if _, exact := constant.Int64Val(v); !exact {
			why = "it is larger than 64-bit signed integers"
		}
		return model.SQLValue{Text: v.ExactString(), Number: true}, v.ExactString(), why
	case constant.Unknown:
		return model.SQLValue{}, "", "its value is not known"
	}
	return model.SQLValue{}, "", "it is not a string, an integer or a bool"
}

// noConstant says what a name is instead, or what was meant.
func (s *sqlScope) noConstant(e directive.Expr, obj types.Object) diag.Diagnostic {
	d := diag.New(diag.CodeFragmentConstant, e.Pos, "%s is no constant", e.Text)
	switch obj.(type) {
	case *types.Var:
		d.Message = e.Text + " is a variable, not a constant: its value can change"
		return d.WithHint("use a parameter, which begins with a small letter")
	case *types.TypeName:
		d.Message = e.Text + " is a type, not a constant"
		return d
	case *types.Func:
		d.Message = e.Text + " is a function, not a constant"
		return d
	}
	d.Message = "undefined: " + e.Text
	if sel, ok := e.Expr.(*ast.SelectorExpr); ok {
		pkg, _ := sel.X.(*ast.Ident)
		if pkg == nil {
			return d
		}
		imp, known := s.p.Import(s.g.file, pkg.Name)
		if !known {
			return d.WithHint("%s", s.g.notImported(pkg.Name))
		}
		if name := diag.Suggest(sel.Sel.Name, s.p.Names(imp.Path)); name != "" {
			return d.WithHint("did you mean %q?", pkg.Name+"."+name)
		}
		return d
	}
	if d = d.WithSuggestion(e.Text, s.constants()); d.Hint == "" {
		d = d.WithHint("a name behind a colon that begins with a capital is a constant of Go; a parameter begins with a small letter")
	}
	return d
}

// constants are the constants of package scope.
func (c *checker) constants() []string {
	var out []string
	scope := c.p.Types.Scope()
	for _, name := range scope.Names() {
		if _, ok := scope.Lookup(name).(*types.Const); ok {
			out = append(out, name)
		}
	}
	return out
}
