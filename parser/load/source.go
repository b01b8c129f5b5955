package load

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
)

// source is one parsed Go file, shared by all nodes that it belongs to. Its
// function bodies are gone.
type source struct {
	path    string // absolute; "" for synthetic files
	name    string
	file    *ast.File
	imports []*importSpec
	errs    scanner.ErrorList
	readErr error // the file could not be read
	virtual bool  // declares what exists in idem.yaml alone

	// Of a file that mentions a directive:
	directives []directive.Attached
	faults     []diag.Diagnostic // of its directives
	texts      []string          // of its directives, as comments
	constraint string

	nodes, released int // packages that it belongs to, and those that were released
}

// importSpec is one import line.
type importSpec struct {
	spec *ast.ImportSpec
	path string
	name string // as written: "", "_", "." or an alias
}

// parse reads and parses one file, and its directives where it mentions any.
// Bodies and comments are let go at once, so that memory holds declarations
// alone. A file that can't be read has no declarations.
func (l *loader) parse(full string, mentions bool) *source {
	s := &source{path: full, name: filepath.Base(full)}
	src, err := os.ReadFile(full)
	if err != nil {
		s.file, s.readErr = &ast.File{Name: ast.NewIdent("_")}, err
		return s
	}
	mode := parser.SkipObjectResolution
	if mentions {
		mode |= parser.ParseComments
	}
	s.take(parser.ParseFile(l.res.Fset, l.display(full), src, mode))
	if mentions {
		s.annotations(l.res.Fset, src)
	}
	s.dropBodies()
	return s
}

// annotations reads the directives of a file and what else only its comments tell.
func (s *source) annotations(fset *token.FileSet, src []byte) {
	s.directives, s.faults = directive.Scan(fset, s.file, src)
	s.constraint = constraintOf(s.name, s.file)
	for _, group := range s.file.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//idem:") {
				s.texts = append(s.texts, strings.Clone(c.Text))
			}
		}
	}
	s.file.Comments, s.file.Doc = nil, nil
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			n.Doc = nil
			return true
		case *ast.BlockStmt, ast.Expr:
			_, fields := n.(*ast.StructType)
			_, methods := n.(*ast.InterfaceType)
			return fields || methods
		case *ast.GenDecl:
			n.Doc = nil
		case *ast.TypeSpec:
			n.Doc, n.Comment = nil, nil
		case *ast.ValueSpec:
			n.Doc, n.Comment = nil, nil
		case *ast.ImportSpec:
			n.Doc, n.Comment = nil, nil
		case *ast.Field:
			n.Doc, n.Comment = nil, nil
		}
		return true
	})
}

// parseAhead begins to parse the files that mention a directive, on all
// processors, while the go command is at work. The function that it returns
// waits for the end.
func (l *loader) parseAhead() (wait func()) {
	var paths []string
	for _, s := range l.scans {
		for _, f := range s.files {
			if f.mentions && !f.ours {
				paths = append(paths, filepath.Join(s.dir, f.name))
			}
		}
	}
	parsed := make([]*source, len(paths))
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(paths)) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(paths); i = int(next.Add(1)) - 1 {
				parsed[i] = l.parse(paths[i], true)
			}
		})
	}
	return func() {
		group.Wait()
		for i, path := range paths {
			l.sources[path] = parsed[i]
		}
	}
}

// synthetic parses a file that exists only in memory.
func (l *loader) synthetic(name, src string) *source {
	s := &source{name: name}
	s.take(parser.ParseFile(l.res.Fset, name, src, parser.SkipObjectResolution))
	return s
}

func (s *source) take(file *ast.File, err error) {
	if list, ok := err.(scanner.ErrorList); ok {
		s.errs = list
	}
	if file == nil || file.Name == nil {
		file = &ast.File{Name: ast.NewIdent("_")}
	}
	s.file = file
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			continue
		}
		for _, spec := range g.Specs {
			is, ok := spec.(*ast.ImportSpec)
			if !ok || is.Path == nil {
				continue
			}
			p, err := strconv.Unquote(is.Path.Value)
			if err != nil || p == "" {
				continue
			}
			imp := &importSpec{spec: is, path: p}
			if is.Name != nil {
				imp.name = is.Name.Name
			}
			s.imports = append(s.imports, imp)
		}
	}
}

// dropBodies forgets what functions do: only signatures matter from here on.
// Initial values of typed variables go too, unless they are plain enough to be
// the value of a state.
func (s *source) dropBodies() {
	for _, d := range s.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			d.Body = nil
		case *ast.GenDecl:
			if d.Tok != token.VAR {
				continue
			}
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && v.Type != nil && !allPlain(v.Values) {
					v.Values = nil
				}
			}
		}
	}
}

func allPlain(values []ast.Expr) bool {
	for _, v := range values {
		if !plain(v) {
			return false
		}
	}
	return true
}

// plain tells whether an initial value is a literal, a name, or a conversion of one.
func plain(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit, *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return plain(e.X)
	case *ast.ParenExpr:
		return plain(e.X)
	case *ast.UnaryExpr:
		return plain(e.X)
	case *ast.CallExpr:
		return len(e.Args) == 1 && plain(e.Fun) && plain(e.Args[0])
	}
	return false
}

// guessName is the package name that an import path suggests; used only where
// the go command could not tell.
func guessName(importPath string) string {
	base := path.Base(importPath)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" {
		base = path.Base(path.Dir(importPath))
	}
	if i := strings.Index(base, ".v"); i > 0 { // gopkg.in/yaml.v3
		base = base[:i]
	}
	base = strings.TrimPrefix(base, "go-")
	return strings.ReplaceAll(base, "-", "_")
}
