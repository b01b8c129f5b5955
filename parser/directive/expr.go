package directive

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"reflect"

	"github.com/idemgen/idemgen/parser/diag"
)

// expression parses an argument that is a Go expression, type or constant.
func (d *decoder) expression(arg *ArgSpec, t Text) (Expr, bool) {
	if arg.form == "constant" {
		return d.constant(t, "constant")
	}
	if parts := splitList(t); len(parts) > 1 {
		d.add(diag.New(diag.CodeBadExpression, parts[1].Pos(), "%s= takes one expression", arg.Name))
		return Expr{}, false
	}
	if i := commentIn(t.S); i >= 0 {
		d.add(diag.New(diag.CodeBadExpression, t.At(i), "comment inside %s=", arg.Name))
		return Expr{}, false
	}
	e, at, err := parseExpr(t)
	if err != "" {
		d.add(diag.New(diag.CodeBadExpression, t.At(at), "%q is not a Go expression: %s", t.S, err))
		return Expr{}, false
	}
	return Expr{Text: t.S, Pos: t.Pos(), Expr: e, src: t}, true
}

// constant parses Name or pkg.Name.
func (d *decoder) constant(t Text, what string) (Expr, bool) {
	pkg, name, dotted := cutByte(t, '.')
	if !dotted {
		pkg, name = name, pkg
	}
	switch {
	case t.S == "":
		d.add(diag.New(diag.CodeMissingValue, t.Pos(), "name of the %s missing", what))
		return Expr{}, false
	case dotted && !token.IsIdentifier(pkg.S):
		d.add(diag.New(diag.CodeBadValue, t.Pos(), "%q does not name %s", t.S, article(what)))
		return Expr{}, false
	case !token.IsIdentifier(name.S):
		d.add(diag.New(diag.CodeBadValue, name.Pos(), "%q does not name %s", t.S, article(what)))
		return Expr{}, false
	}
	e, _, err := parseExpr(t)
	if err != "" { // can't be: both parts are identifiers
		d.add(diag.New(diag.CodeBadValue, t.Pos(), "%q does not name %s: %s", t.S, article(what), err))
		return Expr{}, false
	}
	return Expr{Text: t.S, Pos: t.Pos(), Expr: e, src: t}, true
}

// ParseExpr reads a Go expression or type that is no argument of a directive. On
// failure why is not "", and at the offset in t that it is about.
func ParseExpr(t Text) (e Expr, at int, why string) {
	if i := commentIn(t.S); i >= 0 {
		return Expr{}, i, "comment inside"
	}
	x, at, why := parseExpr(t)
	return Expr{Text: t.S, Pos: t.Pos(), Expr: x, src: t}, at, why
}

// identifier parses a name that becomes a Go identifier.
func (d *decoder) identifier(t Text, what string) (Name, bool) {
	if t.S == "" {
		d.add(diag.New(diag.CodeMissingValue, t.Pos(), "name of the %s missing", what))
		return Name{}, false
	}
	if !token.IsIdentifier(t.S) || t.S == "_" {
		d.add(diag.New(diag.CodeNotIdentifier, t.Pos(), "%s %q is not a Go identifier", what, t.S))
		return Name{}, false
	}
	return Name{Text: t.S, Pos: t.Pos()}, true
}

// anchor is the token.Pos that stands for offset 0 of the text in parsed nodes.
func (t Text) anchor() token.Pos {
	if t.base.IsValid() {
		return t.base
	}
	return 1
}

// parseExpr parses t such that the nodes have positions of the caller's
// FileSet. On failure it returns the offset in t and the message.
func parseExpr(t Text) (ast.Expr, int, string) {
	// A set of our own whose next file begins where t does: nothing is added
	// to the caller's set, and no node has to be moved.
	fset := token.NewFileSet()
	start := t.anchor()
	if t.offs != nil {
		start = 1
	}
	if start > 1 {
		fset.AddFile("", 1, int(start)-2)
	}
	e, err := parser.ParseExprFrom(fset, "", t.S, 0)
	if err != nil {
		if list, ok := err.(scanner.ErrorList); ok && len(list) > 0 {
			return nil, min(list[0].Pos.Offset, len(t.S)), list[0].Msg
		}
		return nil, 0, err.Error()
	}
	if t.offs != nil {
		move(e, func(p token.Pos) token.Pos { return t.anchor() + token.Pos(t.off(int(p)-1)) })
	}
	return e, 0, ""
}

// move sets every position below e; only texts with escapes need it.
func move(e ast.Expr, to func(token.Pos) token.Pos) {
	pos := reflect.TypeFor[token.Pos]()
	ast.Inspect(e, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		v := reflect.ValueOf(n)
		if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
			return true
		}
		v = v.Elem()
		for i := range v.NumField() {
			if f := v.Field(i); f.Type() == pos && token.Pos(f.Int()).IsValid() {
				f.SetInt(int64(to(token.Pos(f.Int()))))
			}
		}
		return true
	})
}

// commentIn is the offset of a comment in an expression, or -1: the parser
// would skip it, and with it a part of what was written.
func commentIn(s string) int {
	fset := token.NewFileSet()
	f := fset.AddFile("", 1, len(s))
	var sc scanner.Scanner
	sc.Init(f, []byte(s), func(token.Position, string) {}, scanner.ScanComments)
	for {
		p, tok, _ := sc.Scan()
		switch tok {
		case token.EOF:
			return -1
		case token.COMMENT:
			return f.Offset(p)
		}
	}
}
