package templates

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/printer"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
)

// code turns a type or an expression of the file into Code. Params and receiver
// of m, where given, become tokens.
func (b *builder) code(n ast.Node, m *model.Method) model.Code {
	imports := map[string]model.Import{}
	for _, spec := range b.file.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		imp := model.Import{Path: p, Name: path.Base(p)}
		if n := b.names[p]; n != "" {
			imp.Name = n
		}
		key := imp.Name
		if spec.Name != nil {
			imp.Alias, key = spec.Name.Name, spec.Name.Name
		}
		imports[key] = imp
	}
	var marks []model.Tok
	put := func(t model.Tok) *ast.Ident {
		marks = append(marks, t)
		return ast.NewIdent(fmt.Sprintf("zz%dzz", len(marks)-1))
	}
	rewrite := func(e ast.Node) ast.Node {
		return apply(e, func(x ast.Expr) ast.Expr {
			switch x := x.(type) {
			case *ast.SelectorExpr:
				if id, ok := x.X.(*ast.Ident); ok {
					if imp, ok := imports[id.Name]; ok && (m == nil || paramIndex(m, id.Name) < 0) {
						return put(model.Tok{Kind: model.TokQual, Text: x.Sel.Name, Import: imp})
					}
				}
			case *ast.Ident:
				if m != nil {
					if i := paramIndex(m, x.Name); i >= 0 {
						return put(model.Tok{Kind: model.TokParam, Index: i})
					}
					if m.Recv != "" && x.Name == m.Recv {
						return put(model.Tok{Kind: model.TokRecv})
					}
				}
			}
			return nil
		})
	}
	var buf bytes.Buffer
	if err := printer.Fprint(&buf, b.fset, rewrite(n)); err != nil {
		b.t.Fatal(err)
	}
	var code model.Code
	text := buf.String()
	for {
		i := strings.Index(text, "zz")
		if i < 0 {
			break
		}
		j := i + 2 + strings.Index(text[i+2:], "zz")
		n, err := strconv.Atoi(text[i+2 : j])
		if err != nil {
			b.t.Fatal(err)
		}
		if i > 0 {
			code = append(code, model.Tok{Text: text[:i]})
		}
		code = append(code, marks[n])
		text = text[j+2:]
	}
	if text != "" {
		code = append(code, model.Tok{Text: text})
	}
	return code
}

func paramIndex(m *model.Method, name string) int {
	return slices.IndexFunc(m.Params, func(p model.Param) bool { return p.Name == name })
}

// apply rewrites the outermost expressions for which f returns another one.
func apply(n ast.Node, f func(ast.Expr) ast.Expr) ast.Node {
	var expr func(e ast.Expr) ast.Expr
	list := func(l *ast.FieldList) *ast.FieldList {
		if l == nil {
			return nil
		}
		out := *l
		out.List = nil
		for _, fd := range l.List {
			c := *fd
			c.Type = expr(fd.Type)
			out.List = append(out.List, &c)
		}
		return &out
	}
	expr = func(e ast.Expr) ast.Expr {
		if e == nil {
			return nil
		}
		if r := f(e); r != nil {
			return r
		}
		switch e := e.(type) {
		case *ast.StarExpr:
			return &ast.StarExpr{X: expr(e.X)}
		case *ast.ParenExpr:
			return &ast.ParenExpr{X: expr(e.X)}
		case *ast.ArrayType:
			return &ast.ArrayType{Len: expr(e.Len), Elt: expr(e.Elt)}
		case *ast.MapType:
			return &ast.MapType{Key: expr(e.Key), Value: expr(e.Value)}
		case *ast.ChanType:
			return &ast.ChanType{Dir: e.Dir, Arrow: e.Arrow, Value: expr(e.Value)}
		case *ast.Ellipsis:
			return &ast.Ellipsis{Elt: expr(e.Elt)}
		case *ast.FuncType:
			return &ast.FuncType{Params: list(e.Params), Results: list(e.Results)}
		case *ast.StructType:
			return &ast.StructType{Fields: list(e.Fields)}
		case *ast.InterfaceType:
			return &ast.InterfaceType{Methods: list(e.Methods)}
		case *ast.IndexExpr:
			return &ast.IndexExpr{X: expr(e.X), Index: expr(e.Index)}
		case *ast.IndexListExpr:
			c := &ast.IndexListExpr{X: expr(e.X)}
			for _, i := range e.Indices {
				c.Indices = append(c.Indices, expr(i))
			}
			return c
		case *ast.SelectorExpr:
			return &ast.SelectorExpr{X: expr(e.X), Sel: e.Sel}
		case *ast.CallExpr:
			c := &ast.CallExpr{Fun: expr(e.Fun)}
			for _, a := range e.Args {
				c.Args = append(c.Args, expr(a))
			}
			return c
		case *ast.UnaryExpr:
			return &ast.UnaryExpr{Op: e.Op, X: expr(e.X)}
		case *ast.BinaryExpr:
			return &ast.BinaryExpr{X: expr(e.X), Op: e.Op, Y: expr(e.Y)}
		}
		return e
	}
	return expr(n.(ast.Expr))
}
