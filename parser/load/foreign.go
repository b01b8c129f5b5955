package load

import (
	"go/ast"
	"go/token"

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
	e, _ = spec.Instance(e)
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
	_, args := spec.Instance(d.Type.Expr)
	from := b.rewriter(dep, u, args, &rewriter{describer: b, own: true})
	var out []*ast.Field
	for _, of := range b.scan.described {
		for _, m := range of.Declarations {
			if m.Owner != d.Member {
				continue
			}
			var names []string
			f, in := b.method(from, u, m.Member, &names, maxEmbedding)
			if f == nil {
				bad := diag.New(diag.CodeYAMLDeclaration, m.Key.Pos, "%s has no method %s", d.Type.Text, m.Member)
				if s := diag.Suggest(m.Member, names); s != "" {
					bad = bad.WithHint("did you mean %q?", m.Owner+"."+s)
				}
				b.report(bad)
				m.Faulty = true
				continue
			}
			w := in.placed(m.Key.At)
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

// method finds a method of an interface and of what it embeds, and what writes its
// signature. names collects the methods that were seen.
func (b *describer) method(in *rewriter, u *unit, name string, names *[]string, depth int) (*ast.Field, *rewriter) {
	ts, ok := u.spec.(*ast.TypeSpec)
	if !ok || depth == 0 {
		return nil, nil
	}
	further := func(e ast.Expr) (*ast.Field, *rewriter) {
		n, of := b.behind(in.node, in.src, e)
		if of == nil {
			return nil, nil
		}
		_, args := spec.Instance(e)
		return b.method(b.rewriter(n, of, args, in), of, name, names, depth-1)
	}
	it, ok := ts.Type.(*ast.InterfaceType)
	if !ok {
		return further(ts.Type)
	}
	for _, f := range it.Methods.List {
		if _, isFunc := f.Type.(*ast.FuncType); isFunc && len(f.Names) == 1 {
			*names = append(*names, f.Names[0].Name)
			if f.Names[0].Name == name && token.IsExported(name) {
				return f, in
			}
		}
	}
	for _, f := range it.Methods.List { // its own come first: embedding may be circular
		if len(f.Names) > 0 {
			continue
		}
		if found, w := further(f.Type); found != nil {
			return found, w
		}
	}
	return nil, nil
}
