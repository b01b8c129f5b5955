package load

import (
	"go/ast"
	"go/token"
)

// What a run holds of its packages at once decides what memory it takes, so syntax is
// let go as soon as nothing asks for it any more: function bodies and comments when a
// file is parsed (source.go), declarations that nothing led to when all that is wanted
// is known (dropUnwanted), and what a package is made of when its model is built
// (Release).

// dropUnwanted forgets the declarations that no package wants. Their names stay.
func (l *loader) dropUnwanted() {
	wanted := map[ast.Node]bool{}
	each := func(visit func(u *unit)) {
		for _, n := range l.nodes {
			if n == nil {
				continue
			}
			for _, u := range n.decls {
				visit(u)
			}
			for _, list := range n.methods {
				for _, u := range list {
					visit(u)
				}
			}
		}
	}
	each(func(u *unit) {
		if u.wanted {
			wanted[u.node()] = true
		}
	})
	for _, s := range l.sources {
		s.keep(wanted)
	}
	each(func(u *unit) {
		if !wanted[u.node()] && !u.src.virtual {
			u.decl, u.spec = nil, nil
		}
	})
	l.importers = map[string]bool{}
	for _, n := range l.nodes {
		if n == nil {
			continue
		}
		for _, s := range n.sources {
			for _, imp := range s.imports {
				l.importers[n.importPath(imp.path)] = true
			}
		}
		if n.target != nil {
			for _, f := range n.target.Files {
				for _, imp := range f.extra {
					l.importers[n.importPath(imp.path)] = true
				}
			}
		}
	}
}

// keep forgets all declarations of a file but imports and some others.
func (s *source) keep(wanted map[ast.Node]bool) {
	var decls []ast.Decl
	for _, d := range s.file.Decls {
		g, ok := d.(*ast.GenDecl)
		switch {
		case wanted[d], ok && g.Tok == token.IMPORT:
			decls = append(decls, d)
		case ok:
			var specs []ast.Spec
			for _, spec := range g.Specs {
				if wanted[spec] {
					specs = append(specs, spec)
				}
			}
			if g.Specs = specs; len(specs) > 0 {
				decls = append(decls, g)
			}
		}
	}
	s.file.Decls = decls
}

// Release forgets the syntax of the package, its directives and its types: its model is
// built. What another package may import stays.
func (p *Package) Release() {
	p.Info = nil
	if !p.load.importers[p.node.path] {
		p.Types, p.node.types = nil, nil
	}
	for _, f := range p.Files {
		f.AST, f.Directives, f.scope = nil, nil, nil
		f.texts, f.extra = nil, nil
	}
	p.node.release()
}

// release forgets the syntax of a package that is type-checked. A file that other
// packages have, too, waits for the last of them.
func (n *node) release() {
	for _, s := range n.sources {
		if s.released++; s.released == s.nodes {
			s.directives, s.texts, s.imports = nil, nil, nil
			s.file = &ast.File{Name: s.file.Name}
		}
	}
	for _, u := range n.decls {
		u.decl, u.spec = nil, nil
	}
	n.methods, n.used = nil, nil
}
