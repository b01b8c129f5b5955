package load

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
	"github.com/idemgen/idemgen/parser/spec"
)

// describe attaches what idem.yaml files say of a package to its declarations, as if
// it had been written in comments, and adds a file that exists only in memory for
// the types that they declare. It returns the files of the package.
//
// For the package with its tests only the types are declared: its directives belong
// to the package itself.
func (l *loader) describe(p *listed, scan *dirScan, v Variant, files []*File) ([]*File, []Declared) {
	if !scan.wanted() || v == External || len(files) == 0 {
		return files, nil
	}
	b := &describer{loader: l, pkg: p, scan: scan, files: files, index: index(p, files), first: map[ast.Node]model.Pos{}}
	if v == InTest {
		mark := len(l.diags)
		b.imports()
		b.declareAll()
		l.diags = l.diags[:mark] // reported for the package
		return b.files, nil
	}
	for _, f := range files {
		f.Directives = slices.Clone(f.Directives) // a file may belong to several packages
		for _, d := range f.Directives {
			if n := d.Target.Node(); n != nil && !b.first[n].IsValid() {
				b.first[n] = d.Pos
			}
		}
	}
	b.imports()
	b.declareAll()
	for _, d := range scan.described {
		for _, decl := range d.Declarations {
			b.declaration(decl)
		}
	}
	for _, f := range b.files {
		slices.SortStableFunc(f.Directives, func(x, y directive.Attached) int { return int(x.Target.Pos() - y.Target.Pos()) })
	}
	if b.virtual != nil { // it has the constraint of the others
		for _, f := range b.files {
			if f != b.virtual && f.Annotated() {
				b.virtual.Constraint = f.Constraint
				break
			}
		}
	}
	return b.files, b.declared
}

func (b *describer) declareAll() {
	for _, d := range b.scan.described {
		for _, decl := range d.Declarations {
			if decl.Type.Text != "" && !decl.Faulty {
				b.declare(decl)
			}
		}
	}
}

// describer is the state of describing one package.
type describer struct {
	*loader
	pkg      *listed
	scan     *dirScan
	files    []*File
	index    *node                  // declarations of the files
	virtual  *File                  // what idem.yaml declares; nil for nothing
	declared []Declared             // the same
	first    map[ast.Node]model.Pos // where a declaration was annotated or described first
}

// index finds the declarations of files.
func index(p *listed, files []*File) *node {
	n := &node{path: p.ImportPath, pkg: p, decls: map[string]*unit{}, methods: map[string][]*unit{}}
	for _, f := range files {
		n.add(f.source)
	}
	return n
}

// imports gives all files of the package the imports of the descriptions.
func (b *describer) imports() {
	taken := map[string]model.Pos{}
	paths := map[string]string{}
	for _, f := range b.files {
		for _, imp := range f.source.imports {
			name := imp.name
			if name == "" {
				name = b.nameOf(imp.path)
			}
			if _, known := paths[name]; !known {
				paths[name], taken[name] = imp.path, b.pos(imp.spec.Pos())
			}
		}
	}
	var unlisted []string
	for _, imp := range b.scan.imports() {
		if b.listed[imp.Path.Text] == nil {
			unlisted = append(unlisted, imp.Path.Text)
		}
	}
	if len(unlisted) > 0 {
		b.more(unlisted)
	}
	for _, imp := range b.scan.imports() {
		name, path := imp.Name.Text, imp.Path.Text
		p := b.listed[path]
		switch other, known := paths[name]; {
		case p == nil || p.Name == "":
			why := "it is not known to the go command"
			if p != nil && p.Error != nil {
				why = firstLine(p.Error.Err)
			}
			b.report(diag.New(diag.CodeYAMLImport, imp.Path.Pos, "package %s can't be imported: %s", path, why))
			continue
		case known && other != path:
			b.report(diag.New(diag.CodeYAMLImport, imp.Name.Pos, "%s is the name of package %s already", name, other).WithRelated(taken[name], "it is imported here").
				WithHint("give the import another name"))
			continue
		case b.index.decls[name] != nil:
			b.report(diag.New(diag.CodeYAMLImport, imp.Name.Pos, "the package declares %s itself", name).WithRelated(b.declPos(b.index.decls[name], name), "it is declared here").
				WithHint("give the import another name"))
			continue
		case path == b.pkg.ImportPath:
			b.report(diag.New(diag.CodeYAMLImport, imp.Path.Pos, "package %s is the described one itself", path).WithHint("its names are written without a package"))
			continue
		case b.leadsBack(path, map[string]bool{}):
			b.report(diag.New(diag.CodeYAMLImport, imp.Path.Pos, "package %s imports package %s: the generated file of the latter can't import it", path, b.pkg.ImportPath))
			continue
		}
		paths[name], taken[name] = path, imp.Name.Pos
		x := &importSpec{spec: &ast.ImportSpec{Path: &ast.BasicLit{Kind: token.STRING, Value: `"` + path + `"`, ValuePos: imp.Path.At}}, path: path}
		if name != p.Name {
			x.name = name
			x.spec.Name = &ast.Ident{Name: name, NamePos: imp.Name.At}
		}
		for _, f := range b.files {
			f.extra = append(f.extra, x)
		}
	}
}

// leadsBack tells whether a package imports the described one, itself or through
// others of the modules that are worked on.
func (b *describer) leadsBack(path string, seen map[string]bool) bool {
	p := b.listed[path]
	if p == nil || p.foreign() || seen[path] {
		return false
	}
	seen[path] = true
	n := b.node(path, Plain)
	return n != nil && slices.ContainsFunc(n.sources, func(s *source) bool {
		return slices.ContainsFunc(s.imports, func(imp *importSpec) bool {
			next := n.importPath(imp.path)
			return next == b.pkg.ImportPath || b.leadsBack(next, seen)
		})
	})
}

// nameOf is the name in the package clause of an import.
func (b *describer) nameOf(path string) string {
	return b.packageName(b.index, path)
}

// declaration attaches the directives of one description.
func (b *describer) declaration(d *spec.Declaration) {
	if d.Faulty {
		return
	}
	t, f := b.find(d)
	if f == nil {
		return
	}
	if first := b.first[t.Node()]; first.IsValid() {
		where := "it is annotated here"
		if b.byFile(first) {
			where = "it is described here"
		}
		b.report(diag.New(diag.CodeYAMLBoth, d.Key.Pos, "%s is described twice", d.Key.Text).WithRelated(first, "%s", where).
			WithHint("keep one of the two"))
		return
	}
	b.first[t.Node()] = d.Key.Pos
	f.texts = append(f.texts, d.Texts...)
	for _, a := range d.Directives {
		a.Target = t
		if bad, is := directive.Misplaced(a); is {
			b.report(bad)
			continue
		}
		if !f.Annotated() {
			f.Constraint = f.source.constraint
		}
		f.Directives = append(f.Directives, a)
	}
}

// byFile tells whether a place is in one of the idem.yaml files.
func (b *describer) byFile(p model.Pos) bool {
	return slices.ContainsFunc(b.scan.described, func(d described) bool { return d.Key.Pos.File == p.File })
}

func (b *describer) fileOf(s *source) *File {
	for _, f := range b.files {
		if f.source == s {
			return f
		}
	}
	return nil
}
