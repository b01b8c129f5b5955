package load

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
)

// Variant tells the packages of one folder apart.
type Variant uint8

// Variants.
const (
	Plain    Variant = iota // the package itself
	InTest                  // with its in-package test files
	External                // package x_test
)

// node is one package that is parsed, and in the end type-checked as far as it
// was asked for.
type node struct {
	path    string // import path
	name    string
	variant Variant
	pkg     *listed
	sources []*source
	decls   map[string]*unit   // package scope
	methods map[string][]*unit // by name of the receiver's type
	target  *Package           // nil for a package that is only imported
	asked   map[string]bool    // names that were asked for
	used    map[*ast.ImportSpec]bool

	started bool // type-checking began
	types   *types.Package
}

// unit is the smallest piece of source that is taken or left: a type, a
// variable line, a function without its body, a whole constant block (iota).
type unit struct {
	src    *source
	decl   ast.Decl
	spec   ast.Spec // of a type or variable; nil otherwise
	wanted bool
}

func (u *unit) node() ast.Node {
	if u.spec != nil {
		return u.spec
	}
	return u.decl
}

func nodeKey(path string, v Variant) string {
	if v == InTest {
		return path + " [test]"
	}
	return path
}

// node returns the node of an import path, parsing its files the first time;
// nil when the go command knows no such package.
func (l *loader) node(path string, v Variant) *node {
	key := nodeKey(path, v)
	if n, ok := l.nodes[key]; ok {
		return n
	}
	p := l.listed[path]
	if p == nil || p.Dir == "" || len(p.GoFiles)+len(p.CgoFiles)+len(p.TestGoFiles) == 0 {
		l.nodes[key] = nil
		return nil
	}
	names := append(append([]string{}, p.GoFiles...), p.CgoFiles...)
	if v == InTest {
		names = append(names, p.TestGoFiles...)
	}
	n := l.newNode(p, path, p.Name, v)
	for _, name := range names {
		n.add(l.source(filepath.Join(p.Dir, name)))
	}
	return n
}

func (l *loader) newNode(p *listed, path, name string, v Variant) *node {
	n := &node{path: path, name: name, variant: v, pkg: p, decls: map[string]*unit{}, methods: map[string][]*unit{},
		asked: map[string]bool{}, used: map[*ast.ImportSpec]bool{}}
	l.nodes[nodeKey(path, v)] = n
	return n
}

// source parses a file once, however many packages it belongs to.
func (l *loader) source(full string) *source {
	if s, ok := l.sources[full]; ok {
		return s
	}
	dir, name := filepath.Split(full)
	scan := l.byDir[filepath.Clean(dir)]
	s := l.parse(full, scan != nil && scan.file(name).mentions && !scan.file(name).ours)
	l.sources[full] = s
	return s
}

// add adds a file.
func (n *node) add(s *source) {
	n.sources = append(n.sources, s)
	s.nodes++
	n.index(s)
}

// index finds the declarations of a file.
func (n *node) index(s *source) {
	for _, d := range s.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			n.addFunc(s, d)
		case *ast.GenDecl:
			n.addGen(s, d)
		}
	}
}

func (n *node) addFunc(s *source, d *ast.FuncDecl) {
	u := &unit{src: s, decl: d}
	switch {
	case d.Recv != nil:
		base := RecvName(d)
		n.methods[base] = append(n.methods[base], u)
	case d.Name.Name != "init":
		n.declare(d.Name, u)
	}
}

func (n *node) addGen(s *source, d *ast.GenDecl) {
	block := &unit{src: s, decl: d}
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			n.declare(spec.Name, &unit{src: s, decl: d, spec: spec})
		case *ast.ValueSpec:
			u := block
			if d.Tok == token.VAR {
				u = &unit{src: s, decl: d, spec: spec}
			}
			for _, name := range spec.Names {
				n.declare(name, u)
			}
		}
	}
}

func (n *node) declare(name *ast.Ident, u *unit) {
	if name == nil || name.Name == "_" {
		return
	}
	if _, twice := n.decls[name.Name]; !twice {
		n.decls[name.Name] = u
	}
}

// RecvName is the name of a method's receiver type without pointer and type
// parameters; "" when it is written in a way that Go does not allow.
func RecvName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	e := d.Recv.List[0].Type
	for {
		switch t := e.(type) {
		case *ast.StarExpr:
			e = t.X
		case *ast.ParenExpr:
			e = t.X
		case *ast.IndexExpr:
			e = t.X
		case *ast.IndexListExpr:
			e = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}

// importPath is what an import line of the node's files means (vendoring).
func (n *node) importPath(written string) string {
	if p, ok := n.pkg.ImportMap[written]; ok {
		p, _, _ = strings.Cut(p, " ") // "q [p.test]"
		return p
	}
	return written
}

// imported returns the node behind an import line of n; nil if unknown.
func (l *loader) imported(n *node, written string) *node {
	path := n.importPath(written)
	if n.variant == External && path == n.pkg.ImportPath && len(n.pkg.TestGoFiles) > 0 {
		return l.node(path, InTest)
	}
	return l.node(path, Plain)
}

// importName is the name that an import line gives in its file.
func (l *loader) importName(n *node, imp *importSpec) string {
	if imp.name != "" {
		return imp.name
	}
	return l.packageName(n, imp.path)
}

// packageName is the name in the package clause of what an import line means.
func (l *loader) packageName(n *node, written string) string {
	if p := l.listed[n.importPath(written)]; p != nil && p.Name != "" {
		return p.Name
	}
	return guessName(written)
}
