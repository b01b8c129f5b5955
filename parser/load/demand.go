package load

import (
	"go/ast"
	"go/token"
)

// want asks for one name of a package.
type want struct {
	node *node
	name string
}

// follow works through the queue until nothing new is asked for: a declaration
// that is wanted asks for every name that it mentions, in its own package and in
// imported ones. A type brings its methods. What nothing asks for is never
// type-checked, and packages that nothing asks for are never opened.
func (l *loader) follow() {
	for len(l.queue) > 0 {
		w := l.queue[len(l.queue)-1]
		l.queue = l.queue[:len(l.queue)-1]
		if u := w.node.decls[w.name]; u != nil {
			l.take(w.node, u)
			if _, ok := u.spec.(*ast.TypeSpec); ok {
				for _, m := range w.node.methods[w.name] {
					l.take(w.node, m)
				}
			}
		}
	}
}

func (l *loader) want(n *node, name string) {
	if n == nil || n.decls[name] == nil || n.asked[name] {
		return
	}
	n.asked[name] = true
	l.queue = append(l.queue, want{n, name})
}

// take marks a unit as wanted in its node and asks for what it mentions.
func (l *loader) take(n *node, u *unit) {
	if u.wanted {
		return
	}
	u.wanted = true
	refs := fileRefs{loader: l, node: n, src: u.src}
	ast.Inspect(u.node(), refs.visit)
}

// fileRefs follows the names in one declaration of one file.
type fileRefs struct {
	loader *loader
	node   *node
	src    *source
}

func (r fileRefs) visit(x ast.Node) bool {
	switch x := x.(type) {
	case *ast.BlockStmt, *ast.CommentGroup:
		return false
	case *ast.SelectorExpr:
		if id, ok := x.X.(*ast.Ident); ok {
			r.qualified(id.Name, x.Sel.Name)
		} else {
			ast.Inspect(x.X, r.visit)
		}
		return false
	case *ast.Ident:
		r.name(x.Name)
	}
	return true
}

// qualified follows a.b, where a may be an imported package or a name of this one.
func (r fileRefs) qualified(a, b string) {
	l, n := r.loader, r.node
	for _, imp := range r.src.imports {
		if l.importName(n, imp) == a && imp.path != "C" {
			n.use(imp)
			l.want(l.imported(n, imp.path), b)
			return
		}
	}
	r.name(a)
}

// name follows a bare name: of this package, or of one that is imported with a dot.
func (r fileRefs) name(name string) {
	l, n := r.loader, r.node
	if n.decls[name] != nil {
		l.want(n, name)
		return
	}
	if !token.IsExported(name) {
		return
	}
	for _, imp := range r.src.imports {
		if imp.name == "." {
			if dep := l.imported(n, imp.path); dep != nil && dep.decls[name] != nil {
				n.use(imp)
				l.want(dep, name)
			}
		}
	}
}

// use keeps an import line.
func (n *node) use(imp *importSpec) {
	n.used[imp.spec] = true
}

// sliced is a file reduced to its wanted declarations and the imports that they
// mention; nil when nothing of it is wanted.
func (n *node) sliced(s *source, wanted map[ast.Node]bool) *ast.File {
	imports := &ast.GenDecl{Tok: token.IMPORT, TokPos: s.file.Package}
	for _, imp := range s.imports {
		if n.used[imp.spec] || imp.path == "C" {
			imports.Specs = append(imports.Specs, imp.spec)
		}
	}
	var decls []ast.Decl
	for _, d := range s.file.Decls {
		if wanted[d] {
			decls = append(decls, d)
			continue
		}
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok == token.IMPORT {
			continue
		}
		part := *g
		part.Specs = nil
		for _, spec := range g.Specs {
			if wanted[spec] {
				part.Specs = append(part.Specs, spec)
			}
		}
		if len(part.Specs) > 0 {
			decls = append(decls, &part)
		}
	}
	if len(decls) == 0 && n.target == nil {
		return nil
	}
	out := *s.file
	out.Decls = decls
	if len(imports.Specs) > 0 {
		out.Decls = append([]ast.Decl{imports}, decls...)
	}
	out.Comments, out.Doc = nil, nil
	return &out
}
