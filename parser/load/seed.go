package load

import (
	"go/ast"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/directive"
)

// seed asks for everything that the targets' directives may need: the
// declarations that they stand on, all constants and error variables, and then
// every name in the text of directives. All targets exist by now.
func (l *loader) seed() {
	for _, n := range l.targets {
		l.declared(n, l.byDir[n.pkg.Dir])
		l.stubs(n)
		for _, f := range n.target.Files {
			for _, d := range f.Directives {
				l.seedDecl(n, d.Target)
			}
		}
		for _, name := range sortedKeys(n.decls) {
			g, ok := n.decls[name].decl.(*ast.GenDecl)
			if ok && (g.Tok == token.CONST || g.Tok == token.VAR && sentinelName.MatchString(name)) {
				l.want(n, name)
			}
		}
	}
	l.follow()
	for _, n := range l.targets {
		for _, f := range n.target.Files {
			if f.Annotated() {
				l.seedText(n, f)
			}
		}
	}
	l.follow()
}

// sentinelName is how error variables are called.
var sentinelName = regexp.MustCompile(`^(Err|err)[A-Z]`)

func (l *loader) seedDecl(n *node, t directive.Target) {
	switch {
	case t.Owner != nil:
		l.want(n, t.Owner.Name.Name)
	case t.Spec != nil:
		if ts, ok := t.Spec.(*ast.TypeSpec); ok {
			l.want(n, ts.Name.Name)
		}
	}
	switch d := t.Decl.(type) {
	case *ast.FuncDecl:
		switch recv := RecvName(d); {
		case d.Recv == nil:
			l.want(n, d.Name.Name)
		case n.decls[recv] != nil:
			l.want(n, recv)
		default: // to learn what the type checker says about it
			for _, m := range n.methods[recv] {
				l.take(n, m)
			}
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok {
				for _, name := range v.Names {
					l.want(n, name.Name)
				}
			}
		}
	}
}

// dottedName finds a, and a.b in a.b.c.
var dottedName = regexp.MustCompile(`[\pL_][\pL\pN_]*(\.[\pL_][\pL\pN_]*)?`)

// seedText asks for the names in the text of directives, in this package and in
// the ones that the text or the annotated type names.
func (l *loader) seedText(n *node, f *File) {
	for _, text := range slices.Concat(f.source.texts, f.texts) {
		for _, word := range dottedName.FindAllString(text, -1) {
			l.seedWord(n, f, word)
		}
	}
}

func (l *loader) seedWord(n *node, f *File, word string) {
	s := f.source
	a, b, _ := strings.Cut(word, ".")
	for _, imp := range f.extra {
		if b != "" && l.importName(n, imp) == a {
			l.want(l.imported(n, imp.path), b)
		}
	}
	refs := fileRefs{loader: l, node: n, src: s}
	refs.name(a)
	for _, imp := range s.imports {
		own := l.packageName(n, imp.path)
		switch {
		case imp.path == "C" || imp.name == ".":
		case b != "" && (imp.name == a || imp.name == "" && own == a):
			n.use(imp)
			l.want(l.imported(n, imp.path), b)
		case b != "" && imp.name == "_" && own == a:
			l.want(l.imported(n, imp.path), b)
		case b == "" && token.IsExported(a) && l.opened(n, imp.path):
			// A constant of an aliased type's package, written without the package.
			l.want(l.imported(n, imp.path), a)
		}
	}
}

// opened tells whether another name of an import was asked for already: a bare
// name in a directive can only mean a constant of such a package.
func (l *loader) opened(n *node, written string) bool {
	dep := l.nodes[nodeKey(n.importPath(written), Plain)]
	return dep != nil
}

// declared collects the names that generated code must not use.
func (l *loader) declared(n *node, scan *dirScan) {
	p := n.target
	p.Declared, p.FileNames = map[string]model.Pos{}, map[string]model.Pos{}
	for _, name := range slices.Sorted(maps.Keys(n.decls)) {
		if n.decls[name].src.virtual {
			continue
		}
		p.Declared[name] = l.declPos(n.decls[name], name)
	}
	for _, f := range scan.files {
		if f.ours {
			continue
		}
		s := l.source(filepath.Join(scan.dir, f.name))
		if s.file.Name.Name != p.Name {
			continue
		}
		other := &node{decls: map[string]*unit{}, methods: map[string][]*unit{}}
		other.index(s)
		for name, u := range other.decls {
			if _, ok := p.Declared[name]; !ok {
				p.Declared[name] = l.declPos(u, name)
			}
		}
		for _, imp := range s.imports {
			for _, name := range l.fileNames(n, imp) {
				p.FileNames[name] = l.pos(imp.spec.Pos())
			}
		}
	}
}

// fileNames are the names that an import line declares in its file.
func (l *loader) fileNames(n *node, imp *importSpec) []string {
	switch name := l.importName(n, imp); {
	case name == "_" || imp.path == "C":
		return nil
	case name == ".":
		dep := l.imported(n, imp.path)
		if dep == nil {
			return nil
		}
		return slices.DeleteFunc(sortedKeys(dep.decls), func(name string) bool { return !token.IsExported(name) })
	default:
		return []string{name}
	}
}

func (l *loader) pos(p token.Pos) model.Pos { return model.PosOf(l.res.Fset.PositionFor(p, false)) }

// declPos is where a name of a unit is declared.
func (l *loader) declPos(u *unit, name string) model.Pos {
	at := u.node().Pos()
	ast.Inspect(u.node(), func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.FuncDecl:
			at = x.Name.Pos()
		case *ast.TypeSpec:
			at = x.Name.Pos()
		case *ast.ValueSpec:
			for _, id := range x.Names {
				if id.Name == name {
					at = id.Pos()
				}
			}
		case *ast.GenDecl:
			return true
		}
		return false
	})
	return l.pos(at)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
