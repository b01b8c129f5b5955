package load

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/directive"
)

// Package is one annotated package: its declarations as far as the annotations
// lead to them, and their types.
type Package struct {
	Path    string // import path; an external test package's ends in _test
	Name    string // package clause
	Module  string // path of its module, or ""
	Dir     string // absolute
	Output  string // name of the file that idemgen writes
	Variant Variant
	// Support marks a package outside of this run whose state machines a
	// package of the run names: nothing is generated for it, and nothing is
	// reported about it.
	Support bool
	// Broken marks a package with syntax errors, which are reported already:
	// its declarations may be incomplete.
	Broken bool

	Fset  *token.FileSet
	Files []*File // all files, in name order
	// Types and Info cover the declarations that are wanted; function bodies
	// are missing. Types is never nil once the package is resolved.
	Types *types.Package
	Info  *types.Info
	// Errors are the type errors, in the order found. Most are of no concern.
	Errors []types.Error

	// Described are the types that the output declares because idem.yaml says so.
	Described []Declared

	// Declared are the identifiers of package scope in hand-written files of
	// the folder, also in those that this build leaves out (G7), with their
	// places.
	Declared map[string]model.Pos
	// FileNames are the names that files of the package give to imports and import with a
	// dot, with the import's place.
	FileNames map[string]model.Pos

	node *node
	load *loader
}

// File is one file of an annotated package.
type File struct {
	Path string // as the user would open it
	AST  *ast.File
	// Directives stand in source order.
	Directives []directive.Attached
	// Constraint is the build constraint of the file, its name and cgo included;
	// "" for none.
	Constraint string

	source *source
	scope  *types.Scope
	extra  []*importSpec // of idem.yaml
	texts  []string      // of the file's descriptions in idem.yaml
}

// imports are the imports of the file and those of idem.yaml.
func (f *File) imports() []*importSpec {
	return slices.Concat(f.source.imports, f.extra)
}

// Annotated tells whether the file has a directive.
func (f *File) Annotated() bool { return len(f.Directives) > 0 }

// Scope is the file's scope: its imports, over the package's scope. Nil when
// nothing of the file was wanted.
func (f *File) Scope() *types.Scope { return f.scope }

// Pos is where a node stands, untouched by //line comments.
func (p *Package) Pos(at token.Pos) model.Pos {
	return model.PosOf(p.Fset.PositionFor(at, false))
}

// Import finds the package that a name of the file stands for: an import's
// alias or the package's own name. Blank imports are found by the latter, so
// that a directive may name a package that no code of the file uses.
func (p *Package) Import(f *File, name string) (model.Import, bool) {
	for _, imp := range f.imports() {
		own := p.load.packageName(p.node, imp.path)
		switch imp.name {
		case ".":
		case "", "_":
			if own == name {
				return model.Import{Path: imp.path, Name: own}, true
			}
		default:
			if imp.name == name {
				return model.Import{Path: imp.path, Name: own, Alias: imp.name}, true
			}
		}
	}
	return model.Import{}, false
}

// ImportNames are the names that the file gives to its imports, in source
// order; for suggestions.
func (p *Package) ImportNames(f *File) []string {
	var out []string
	for _, imp := range f.imports() {
		switch imp.name {
		case ".":
		case "", "_":
			out = append(out, p.load.packageName(p.node, imp.path))
		default:
			out = append(out, imp.name)
		}
	}
	return out
}

// ImportOf is how the file refers to the package at a path, where name is the
// package's own name. A path that the file does not import is an import
// without an alias.
func (p *Package) ImportOf(f *File, path, name string) model.Import {
	for _, imp := range f.imports() {
		if p.node.importPath(imp.path) != path {
			continue
		}
		out := model.Import{Path: imp.path, Name: name}
		if imp.name != "" && imp.name != "." && imp.name != "_" {
			out.Alias = imp.name
		}
		return out
	}
	return model.Import{Path: path, Name: name}
}

// Lookup finds an exported object of an imported package by the import's path;
// nil when the package or the name is unknown, or was not asked for by the
// package's declarations and directives.
func (p *Package) Lookup(path, name string) types.Object {
	dep := p.load.imported(p.node, path)
	if dep == nil {
		return nil
	}
	// A package that only directives name was not imported by any code.
	if pkg := p.load.checkNode(dep); pkg != nil {
		return pkg.Scope().Lookup(name)
	}
	return nil
}

// Names are the names of package scope of an imported package, sorted; for
// suggestions.
func (p *Package) Names(path string) []string {
	dep := p.load.imported(p.node, path)
	if dep == nil {
		return nil
	}
	return sortedKeys(dep.decls)
}
