package cli

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/idemgen/idemgen/internal/outfile"
)

// sourceFile is a Go file of the folder.
type sourceFile struct {
	*ast.File
	built bool // the build takes it: no //go:build line, no name keeps it out
	test  bool
}

// findPackage finds the name of the package, and refuses one in which the sample has
// no room.
func (in *initializer) findPackage(context.Context) error {
	fset := token.NewFileSet()
	files, err := in.sources(fset)
	if err != nil {
		return err
	}
	in.pkg = packageOf(files)
	if in.pkg == "" {
		in.pkg = packageName(in.path)
	}
	for _, f := range files {
		for _, g := range f.Comments {
			for _, c := range g.List {
				in.hasLine = in.hasLine || strings.HasPrefix(c.Text, "//go:generate ") && strings.Contains(c.Text, "idemgen")
			}
		}
		if f.Name.Name != in.pkg {
			continue // a test from outside, or a program that is kept out of the build
		}
		for _, d := range f.Decls {
			if taken := declares(d); taken != "" {
				return fmt.Errorf("%s declares %s, which the sample is to declare: run 'idemgen init ./sample' for a folder of its own; nothing was changed",
					in.rel(fset.Position(d.Pos()).String()), taken)
			}
		}
	}
	return nil
}

// sources reads the Go files of the folder. One that the build takes must be readable
// as Go.
func (in *initializer) sources(fset *token.FileSet) ([]sourceFile, error) {
	entries, err := os.ReadDir(in.dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	build := build.Default
	build.BuildTags = in.opts.tags
	var files []sourceFile
	for _, e := range entries {
		name := e.Name()
		if filepath.Ext(name) != ".go" || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") || e.IsDir() {
			continue
		}
		full := filepath.Join(in.dir, name)
		built, _ := build.MatchFile(in.dir, name) // what can't be read is met below
		f, err := parser.ParseFile(fset, full, nil, parser.ParseComments|parser.SkipObjectResolution)
		switch {
		case err == nil:
			files = append(files, sourceFile{f, built, strings.HasSuffix(name, "_test.go")})
		case built || f == nil:
			return nil, fmt.Errorf("%s can't be read as Go: %w", in.rel(full), err)
		}
	}
	return files, nil
}

// packageOf is the name of the package that the files make up, or "" without one: what
// the build takes decides, and tests where there is nothing else.
func packageOf(files []sourceFile) (name string) {
	for _, f := range files {
		switch {
		case !f.built || f.Name.Name == "documentation": // the go command passes over it
		case !f.test:
			return f.Name.Name
		case name == "":
			name = strings.TrimSuffix(f.Name.Name, "_test")
		}
	}
	return name
}

// sampleNames are what the sample declares.
var sampleNames = map[string]bool{
	"Cashier": true, "Receipt": true, "IdempotentCashier": true, "NewIdempotentCashier": true,
	"TestPay_Duplicates": true, "TestPay_Crashes": true,
}

// declares is the name of the sample's that a declaration takes, or "".
func declares(d ast.Decl) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil && sampleNames[d.Name.Name] {
			return d.Name.Name
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if sampleNames[s.Name.Name] {
					return s.Name.Name
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					if sampleNames[n.Name] {
						return n.Name
					}
				}
			}
		}
	}
	return ""
}

var majorSuffix = regexp.MustCompile(`^v[0-9]+$`)

var noIdentifier = regexp.MustCompile(`[^a-z0-9]+`)

// packageName is a package's name after its import path: its last part that is no
// major version, as far as it is an identifier.
func packageName(importPath string) string {
	last := path.Base(importPath)
	if majorSuffix.MatchString(last) && path.Dir(importPath) != "." {
		last = path.Base(path.Dir(importPath))
	}
	last = strings.TrimPrefix(last, "go-")
	name := noIdentifier.ReplaceAllString(strings.ToLower(last), "")
	name = strings.TrimLeft(name, "0123456789")
	if name == "" || token.IsKeyword(name) {
		return "sample"
	}
	return name
}

// sample plans the files. One that is there already is not touched.
func (in *initializer) sample() error {
	files := [][2]string{{"cashier.go", sampleSource}, {"cashier_test.go", sampleTest}}
	if !in.hasLine {
		files = append(files, [2]string{"doc.go", sampleDoc})
	}
	for _, f := range files {
		name := filepath.Join(in.dir, f[0])
		if _, err := os.Lstat(name); err == nil {
			if f[0] == "doc.go" {
				return fmt.Errorf("%s is there already, without the line that go generate runs: add\n\n\t%s\n\nto it and run init again; nothing was changed", in.rel(name), in.generateLine())
			}
			return fmt.Errorf("%s is there already: run 'idemgen init ./sample' for a folder of its own; nothing was changed", in.rel(name))
		}
		text := strings.NewReplacer("PACKAGE", in.pkg, "GENERATE", in.generateLine()).Replace(f[1])
		in.files = append(in.files, outfile.Change{Path: name, State: outfile.Missing, New: []byte(text)})
	}
	if name := filepath.Join(in.dir, "idem_gen.go"); !in.hasLine {
		if _, err := os.Lstat(name); err == nil {
			return fmt.Errorf("%s is there already; nothing was changed", in.rel(name))
		}
	}
	return nil
}
