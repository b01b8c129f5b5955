package load

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"

	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/spec"
)

// maxEmbedding bounds a search through embedded interfaces, which may be circular in
// code that does not compile.
const maxEmbedding = 32

// interfaceOf is the interface that a type is, through aliases and definitions; nil
// for any other type.
func (b *describer) interfaceOf(n *node, u *unit) *ast.InterfaceType {
	for range maxEmbedding {
		ts, ok := u.spec.(*ast.TypeSpec)
		if !ok {
			return nil
		}
		if it, ok := ts.Type.(*ast.InterfaceType); ok {
			return it
		}
		if n, u = b.behind(n, u.src, ts.Type); u == nil {
			return nil
		}
	}
	return nil
}

// behind finds the declaration that a type's name means in a file of a package.
func (b *describer) behind(n *node, src *source, e ast.Expr) (*node, *unit) {
	switch e := e.(type) {
	case *ast.Ident:
		return n, n.decls[e.Name]
	case *ast.SelectorExpr:
		pkg, ok := e.X.(*ast.Ident)
		if !ok {
			return nil, nil
		}
		for _, imp := range src.imports {
			if b.importName(n, imp) == pkg.Name {
				if dep := b.imported(n, imp.path); dep != nil {
					return dep, dep.decls[e.Sel.Name]
				}
			}
		}
	}
	return nil, nil
}

// methods are the methods of a foreign interface that are described, written for
// this package: what guards them has to say their signatures.
func (b *describer) methods(d *spec.Declaration, dep *node, u *unit) []*ast.Field {
	var out []*ast.Field
	for _, of := range b.scan.described {
		for _, m := range of.Declarations {
			if m.Owner != d.Member {
				continue
			}
			var names []string
			f, n, src := b.method(dep, u, m.Member, &names, maxEmbedding)
			if f == nil {
				bad := diag.New(diag.CodeYAMLDeclaration, m.Key.Pos, "%s has no method %s", d.Type.Text, m.Member)
				if s := diag.Suggest(m.Member, names); s != "" {
					bad = bad.WithHint("did you mean %q?", m.Owner+"."+s)
				}
				b.report(bad)
				m.Faulty = true
				continue
			}
			w := &rewriter{describer: b, node: n, src: src, at: m.Key.At}
			ft, ok := w.expr(f.Type).(*ast.FuncType)
			if !ok || w.why != "" {
				b.report(diag.New(diag.CodeYAMLForeign, m.Key.Pos, "%s of %s can't be guarded here: %s", m.Member, d.Type.Text, w.why).
					WithHint("declare an interface of this package with the methods that are needed"))
				m.Faulty = true
				continue
			}
			out = append(out, &ast.Field{Names: []*ast.Ident{ident(m.Key, m.Member)}, Type: ft})
		}
	}
	return out
}

// method finds a method of an interface and of what it embeds. names collects the
// methods that were seen.
func (b *describer) method(n *node, u *unit, name string, names *[]string, depth int) (*ast.Field, *node, *source) {
	ts, ok := u.spec.(*ast.TypeSpec)
	if !ok || depth == 0 || ts.TypeParams != nil {
		return nil, nil, nil
	}
	it, ok := ts.Type.(*ast.InterfaceType)
	if !ok {
		if n, u = b.behind(n, u.src, ts.Type); u == nil {
			return nil, nil, nil
		}
		return b.method(n, u, name, names, depth-1)
	}
	for _, f := range it.Methods.List {
		if _, isFunc := f.Type.(*ast.FuncType); isFunc && len(f.Names) == 1 {
			*names = append(*names, f.Names[0].Name)
			if f.Names[0].Name == name && token.IsExported(name) {
				return f, n, u.src
			}
			continue
		}
		if en, eu := b.behind(n, u.src, f.Type); eu != nil {
			if found, fn, src := b.method(en, eu, name, names, depth-1); found != nil {
				return found, fn, src
			}
		}
	}
	return nil, nil, nil
}

// rewriter writes a type of another package's file for the virtual file.
type rewriter struct {
	*describer
	node *node
	src  *source
	at   token.Pos
	why  string // why it can't be written
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

// name writes a bare name: of the other package, of one that it imports with a dot,
// or of the language.
func (w *rewriter) name(name string) ast.Expr {
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
