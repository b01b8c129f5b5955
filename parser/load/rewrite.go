package load

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
)

// rewriter writes a type of another package's file for the virtual file.
type rewriter struct {
	*describer
	node   *node
	src    *source
	own    bool               // of a type that stands in the virtual file already
	params map[string]typeArg // what stands for type parameters
	at     token.Pos
	why    string // why it can't be written
}

// typeArg is what stands for a type parameter, with what writes it.
type typeArg struct {
	expr ast.Expr
	from *rewriter
}

// rewriter writes what stands in the declaration of a type, whose type arguments
// another writes.
func (b *describer) rewriter(n *node, u *unit, args []ast.Expr, from *rewriter) *rewriter {
	w := &rewriter{describer: b, node: n, src: u.src, params: map[string]typeArg{}}
	for i, name := range typeParams(u) {
		if i < len(args) {
			w.params[name] = typeArg{args[i], from}
		}
	}
	return w
}

// typeParams are the names of a type's parameters.
func typeParams(u *unit) []string {
	ts, ok := u.spec.(*ast.TypeSpec)
	if !ok || ts.TypeParams == nil {
		return nil
	}
	var names []string
	for _, f := range ts.TypeParams.List {
		for _, n := range f.Names {
			names = append(names, n.Name)
		}
	}
	return names
}

// placed writes the same at a place.
func (w *rewriter) placed(at token.Pos) *rewriter {
	out := *w
	out.at = at
	return &out
}

func (w *rewriter) refuse(why string) ast.Expr {
	if w.why == "" {
		w.why = why
	}
	return &ast.BadExpr{From: w.at, To: w.at}
}

func (w *rewriter) ident(name string) *ast.Ident { return &ast.Ident{NamePos: w.at, Name: name} }

func (w *rewriter) expr(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.Ident:
		return w.name(e.Name)
	case *ast.SelectorExpr:
		pkg, ok := e.X.(*ast.Ident)
		if !ok {
			break
		}
		if w.own {
			return &ast.SelectorExpr{X: w.ident(pkg.Name), Sel: w.ident(e.Sel.Name)}
		}
		for _, imp := range w.src.imports {
			if w.importName(w.node, imp) == pkg.Name {
				return w.qualified(w.node.importPath(imp.path), e.Sel.Name)
			}
		}
	case *ast.StarExpr:
		return &ast.StarExpr{Star: w.at, X: w.expr(e.X)}
	case *ast.ParenExpr:
		return w.expr(e.X)
	case *ast.ArrayType:
		out := &ast.ArrayType{Lbrack: w.at, Elt: w.expr(e.Elt)}
		if e.Len != nil {
			out.Len = w.expr(e.Len)
		}
		return out
	case *ast.MapType:
		return &ast.MapType{Map: w.at, Key: w.expr(e.Key), Value: w.expr(e.Value)}
	case *ast.ChanType:
		return &ast.ChanType{Begin: w.at, Dir: e.Dir, Value: w.expr(e.Value)}
	case *ast.Ellipsis:
		return &ast.Ellipsis{Ellipsis: w.at, Elt: w.expr(e.Elt)}
	case *ast.FuncType:
		return &ast.FuncType{Func: w.at, Params: w.fields(e.Params), Results: w.fields(e.Results)}
	case *ast.IndexExpr:
		return &ast.IndexExpr{X: w.expr(e.X), Lbrack: w.at, Index: w.expr(e.Index), Rbrack: w.at}
	case *ast.IndexListExpr:
		out := &ast.IndexListExpr{X: w.expr(e.X), Lbrack: w.at, Rbrack: w.at}
		for _, x := range e.Indices {
			out.Indices = append(out.Indices, w.expr(x))
		}
		return out
	case *ast.InterfaceType:
		if e.Methods == nil || len(e.Methods.List) == 0 {
			return &ast.InterfaceType{Interface: w.at, Methods: &ast.FieldList{}}
		}
	case *ast.StructType:
		if e.Fields == nil || len(e.Fields.List) == 0 {
			return &ast.StructType{Struct: w.at, Fields: &ast.FieldList{}}
		}
	case *ast.BasicLit:
		return &ast.BasicLit{ValuePos: w.at, Kind: e.Kind, Value: e.Value}
	}
	return w.refuse("its signature has a type without a name")
}

func (w *rewriter) fields(list *ast.FieldList) *ast.FieldList {
	if list == nil {
		return nil
	}
	out := &ast.FieldList{Opening: w.at, Closing: w.at}
	for _, f := range list.List {
		field := &ast.Field{Type: w.expr(f.Type)}
		for _, n := range f.Names {
			field.Names = append(field.Names, w.ident(n.Name))
		}
		out.List = append(out.List, field)
	}
	return out
}

// name writes a bare name: a type parameter, of the other package, of one that it
// imports with a dot, or of the language.
func (w *rewriter) name(name string) ast.Expr {
	if a, ok := w.params[name]; ok {
		in := a.from.placed(w.at)
		out := in.expr(a.expr)
		if in.why != "" {
			return w.refuse(in.why)
		}
		return out
	}
	if w.own {
		return w.ident(name)
	}
	if w.node.decls[name] != nil {
		return w.qualified(w.node.path, name)
	}
	for _, imp := range w.src.imports {
		if dep := w.imported(w.node, imp.path); imp.name == "." && dep != nil && dep.decls[name] != nil {
			return w.qualified(dep.path, name)
		}
	}
	if w.index.decls[name] != nil {
		return w.refuse("this package gives " + name + " another meaning")
	}
	return w.ident(name)
}

func (w *rewriter) qualified(path, name string) ast.Expr {
	switch {
	case path == w.pkg.ImportPath:
		return w.ident(name)
	case !token.IsExported(name):
		return w.refuse("its signature has " + name + ", which package " + path + " does not export")
	}
	return &ast.SelectorExpr{X: w.ident(w.importOf(path)), Sel: w.ident(name)}
}

// importOf is the name by which the virtual file imports a package.
func (w *rewriter) importOf(path string) string {
	src := w.virtual.source
	taken := map[string]bool{}
	for _, imp := range src.imports {
		name := w.importName(w.index, imp)
		if imp.path == path {
			return name
		}
		taken[name] = true
	}
	own := w.nameOf(path)
	name := own
	for i := 2; taken[name] || w.index.decls[name] != nil; i++ {
		name = own + strconv.Itoa(i)
	}
	imp := &importSpec{path: path, spec: &ast.ImportSpec{Path: &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(path), ValuePos: w.at}}}
	if name != own {
		imp.name, imp.spec.Name = name, w.ident(name)
	}
	src.imports = append(slices.Clip(src.imports), imp)
	return name
}
