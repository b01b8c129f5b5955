package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/load"
)

// coder writes types and expressions of one file as model.Code: as the user
// wrote them, so that an alias stays an alias, with the names that depend on
// their surroundings kept apart. The layout is one of its own, so that gofmt of
// the source changes nothing (G8).
type coder struct {
	p    *load.Package
	file *load.File
	info *types.Info // of the expression at hand
	// params and recv are what an expression in a directive may refer to.
	params map[types.Object]int
	recv   types.Object
	// tparams renames type parameters: a method may call those of its receiver
	// otherwise than the type does.
	tparams map[types.Object]string

	out  model.Code
	text strings.Builder
}

// code converts one expression or type. info is where its names are resolved.
func (k coder) code(e ast.Expr, info *types.Info) model.Code {
	k.info, k.out, k.text = info, nil, strings.Builder{}
	(&k).expr(e)
	(&k).flush()
	return k.out
}

func (k *coder) put(s string) { k.text.WriteString(s) }

func (k *coder) flush() {
	if k.text.Len() > 0 {
		k.out = append(k.out, model.Tok{Kind: model.TokText, Text: k.text.String()})
		k.text.Reset()
	}
}

func (k *coder) tok(t model.Tok) {
	k.flush()
	k.out = append(k.out, t)
}

func (k *coder) ident(id *ast.Ident) {
	obj := k.info.Uses[id]
	if obj == nil {
		obj = k.info.Defs[id]
	}
	if obj == nil {
		k.put(id.Name)
		return
	}
	if i, ok := k.params[obj]; ok {
		k.tok(model.Tok{Kind: model.TokParam, Text: id.Name, Index: i})
		return
	}
	if k.recv != nil && obj == k.recv {
		k.tok(model.Tok{Kind: model.TokRecv, Text: id.Name})
		return
	}
	if name, ok := k.tparams[typeParamOf(obj)]; ok {
		k.put(name)
		return
	}
	if pkg := obj.Pkg(); pkg != nil && pkg != k.p.Types && obj.Parent() == pkg.Scope() {
		k.tok(model.Tok{Kind: model.TokQual, Text: id.Name, Import: k.p.ImportOf(k.file, pkg.Path(), pkg.Name())})
		return
	}
	k.put(id.Name)
}

// typeParamOf is the declared name of a type parameter where obj is another one
// for it, as in the scope of a directive; else obj itself.
func typeParamOf(obj types.Object) types.Object {
	if tp, ok := obj.Type().(*types.TypeParam); ok {
		if _, isType := obj.(*types.TypeName); isType {
			return tp.Obj()
		}
	}
	return obj
}

// qualifier is the import that x stands for in x.Name.
func (k *coder) qualifier(x ast.Expr) (model.Import, bool) {
	id, ok := x.(*ast.Ident)
	if !ok {
		return model.Import{}, false
	}
	switch obj := k.info.Uses[id]; obj.(type) {
	case nil, *types.PkgName:
		return k.p.Import(k.file, id.Name)
	}
	return model.Import{}, false
}

// expr writes any expression or type.
func (k *coder) expr(e ast.Expr) {
	switch e := e.(type) {
	case *ast.Ident:
		k.ident(e)
	case *ast.SelectorExpr:
		if imp, ok := k.qualifier(e.X); ok {
			k.tok(model.Tok{Kind: model.TokQual, Text: e.Sel.Name, Import: imp})
			return
		}
		k.expr(e.X)
		k.put("." + e.Sel.Name)
	case *ast.BasicLit:
		k.literal(e)
	case *ast.StarExpr:
		k.put("*")
		k.expr(e.X)
	case *ast.ParenExpr:
		k.put("(")
		k.expr(e.X)
		k.put(")")
	case *ast.UnaryExpr:
		k.put(e.Op.String())
		k.expr(e.X)
	case *ast.BinaryExpr:
		k.expr(e.X)
		k.put(" " + e.Op.String() + " ")
		k.expr(e.Y)
	case *ast.Ellipsis:
		k.put("...")
		if e.Elt != nil {
			k.expr(e.Elt)
		}
	case *ast.IndexExpr:
		k.expr(e.X)
		k.list("[", []ast.Expr{e.Index}, "]")
	case *ast.IndexListExpr:
		k.expr(e.X)
		k.list("[", e.Indices, "]")
	case *ast.SliceExpr:
		k.expr(e.X)
		k.put("[:]")
	case *ast.CallExpr:
		k.expr(e.Fun)
		end := ")"
		if e.Ellipsis.IsValid() {
			end = "...)"
		}
		k.list("(", e.Args, end)
	default:
		k.typ(e)
	}
}

// typ writes the kinds of expressions that are only types.
func (k *coder) typ(e ast.Expr) {
	switch e := e.(type) {
	case *ast.ArrayType:
		k.put("[")
		if e.Len != nil {
			k.expr(e.Len)
		}
		k.put("]")
		k.expr(e.Elt)
	case *ast.MapType:
		k.put("map[")
		k.expr(e.Key)
		k.put("]")
		k.expr(e.Value)
	case *ast.ChanType:
		switch e.Dir {
		case ast.SEND:
			k.put("chan<- ")
		case ast.RECV:
			k.put("<-chan ")
		default:
			k.put("chan ")
		}
		k.expr(e.Value)
	case *ast.FuncType:
		k.put("func")
		k.signature(e)
	case *ast.StructType:
		k.fields("struct", e.Fields)
	case *ast.InterfaceType:
		k.fields("interface", e.Methods)
	}
}

func (k *coder) list(open string, items []ast.Expr, end string) {
	k.put(open)
	for i, x := range items {
		if i > 0 {
			k.put(", ")
		}
		k.expr(x)
	}
	k.put(end)
}

// signature writes parameters and results of a function type.
func (k *coder) signature(t *ast.FuncType) {
	k.tuple(t.Params)
	if t.Results == nil || len(t.Results.List) == 0 {
		return
	}
	k.put(" ")
	if r := t.Results.List; len(r) == 1 && len(r[0].Names) == 0 {
		k.expr(r[0].Type)
		return
	}
	k.tuple(t.Results)
}

func (k *coder) tuple(list *ast.FieldList) {
	k.put("(")
	if list != nil {
		for i, f := range list.List {
			if i > 0 {
				k.put(", ")
			}
			k.names(f.Names)
			k.expr(f.Type)
		}
	}
	k.put(")")
}

func (k *coder) names(ids []*ast.Ident) {
	for i, id := range ids {
		if i > 0 {
			k.put(", ")
		}
		k.put(id.Name)
	}
	if len(ids) > 0 {
		k.put(" ")
	}
}

// fields writes the body of a struct or interface type.
func (k *coder) fields(keyword string, list *ast.FieldList) {
	k.put(keyword)
	if list == nil || len(list.List) == 0 {
		k.put("{}")
		return
	}
	k.put("{ ")
	for i, f := range list.List {
		if i > 0 {
			k.put("; ")
		}
		if ft, ok := f.Type.(*ast.FuncType); ok && keyword == "interface" && len(f.Names) == 1 {
			k.put(f.Names[0].Name)
			k.signature(ft)
			continue
		}
		k.names(f.Names)
		k.expr(f.Type)
		if f.Tag != nil {
			k.put(" " + f.Tag.Value)
		}
	}
	k.put(" }")
}

// literal writes numbers in lower case, as gofmt may or may not have done.
func (k *coder) literal(l *ast.BasicLit) {
	if l.Kind == token.STRING || l.Kind == token.CHAR {
		k.put(l.Value)
		return
	}
	k.put(strings.ToLower(l.Value))
}
