// Package templates turns the model of a package into its generated files: pure
// functions of their input, safe to run in parallel.
//
// The flow of Files: plan chooses the package-scope names that the file declares
// and finds clashes; names settles the imports; then the declarations are
// built with jennifer, one concern per file:
//
//   - declared.go: types that idem.yaml alone describes
//   - op.go: the constants of each operation
//   - service.go, function.go: wrappers of structs, interfaces and functions
//   - wrapper.go, layers.go, layer_*.go: the body of a wrapper; each scheme is a
//     row of the layer stack, in the one fixed order, and one file
//   - prose.go: doc comments in plain words
//   - machine*.go: state machines; their SQL comes from sqltext
//   - version*.go: optimistic locks; theirs does, too
//
// Everything is ordered by position in the source, nothing ranges over a map,
// and no name is guessed: two runs give the same bytes (G5).
package templates

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/templates/names"
)

// Packages of the runtime that generated code calls.
const (
	idemPath     = "github.com/idemgen/idemgen/runtime/idem"
	httpidemPath = "github.com/idemgen/idemgen/runtime/httpidem"
)

// fixedImports are the packages that generated code may need on its own account.
var fixedImports = []model.Import{
	{Path: idemPath, Name: "idem"},
	{Path: httpidemPath, Name: "httpidem"},
	{Path: "context", Name: "context"},
	{Path: "time", Name: "time"},
	{Path: "database/sql/driver", Name: "driver"},
	{Path: "encoding/json", Name: "json"},
	{Path: "strconv", Name: "strconv"},
}

// Emit returns the output of a package: the first of Files.
func Emit(pkg *model.Package) (model.File, error) {
	files, err := Files(pkg)
	if err != nil {
		return model.File{}, err
	}
	return files[0], nil
}

// Files returns the generated files of a package: its output, and the tests of
// its machines where one asks for them. It fails with *ClashError where the files
// would declare a name that is taken; any other error is a mistake of the
// templates or a model that the parser should have refused.
func Files(pkg *model.Package) (files []model.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			files, err = nil, fmt.Errorf("generate %s: %v", pkg.Path, r)
		}
	}()
	p := newPlan(ordered(pkg))
	if len(p.clashes) > 0 {
		return nil, &ClashError{Clashes: p.clashes}
	}
	output, tests := pkg.Output, pkg.MachineTestFile()
	if output == "" {
		output = model.OutputFile
	}
	add := func(name string, imports []model.Import, declare ...func(e *emitter) []jen.Code) error {
		e := &emitter{plan: p, table: names.New(p.pkg, imports, p.declared)}
		var decls []jen.Code
		for _, d := range declare {
			decls = append(decls, d(e)...)
		}
		src, err := e.render(decls)
		files = append(files, model.File{Path: filepath.Join(pkg.Dir, name), Content: src})
		return err
	}
	switch tests {
	case "":
		err = add(output, fixedImports, (*emitter).declarations)
	case output:
		err = add(output, testImports(), (*emitter).declarations, (*emitter).machineTests)
	default:
		if err = add(output, fixedImports, (*emitter).declarations); err == nil {
			err = add(tests, testImports(), (*emitter).machineTests)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("generate %s: %w", pkg.Path, err)
	}
	return files, nil
}

// emitter builds the declarations of one file.
type emitter struct {
	*plan
	table *names.Table
}

// declarations returns everything below the imports, in order.
func (e *emitter) declarations() []jen.Code {
	decls := e.declaredTypes()
	for _, m := range e.machines {
		decls = append(decls, e.machine(m)...)
	}
	for _, v := range e.versions {
		decls = append(decls, e.version(v)...)
	}
	for _, s := range e.services {
		decls = append(decls, e.service(s)...)
	}
	for _, f := range e.funcs {
		decls = append(decls, e.function(f)...)
	}
	return append(decls, e.sentinelList()...)
}

// render puts header, constraint, package clause and imports in front of the
// declarations and formats the whole.
func (e *emitter) render(decls []jen.Code) ([]byte, error) {
	f := jen.NewFile(e.pkg.Name)
	header := model.Header
	if e.pkg.Constraint != "" {
		header += "\n\n//go:build " + e.pkg.Constraint
	}
	f.HeaderComment(header)
	std, others := e.table.Groups()
	f.Add(importBlock(std, others))
	for _, d := range decls {
		f.Line()
		f.Add(d)
	}
	var b bytes.Buffer
	err := f.Render(&b)
	return b.Bytes(), err
}

// importBlock writes imports in the two groups that formatting tools keep.
func importBlock(std, others []names.Import) jen.Code {
	var specs []jen.Code
	for i, group := range [][]names.Import{std, others} {
		if i > 0 && len(std) > 0 && len(others) > 0 {
			specs = append(specs, jen.Line())
		}
		for _, imp := range group {
			spec := jen.Lit(imp.Path)
			if imp.Alias != "" {
				spec = jen.Id(imp.Alias).Lit(imp.Path)
			}
			specs = append(specs, spec)
		}
	}
	switch len(specs) {
	case 0:
		return jen.Null()
	case 1:
		return jen.Id("import").Add(specs[0])
	}
	return jen.Id("import").Defs(specs...)
}

// ordered returns a copy of the package with everything in source order.
func ordered(pkg *model.Package) *model.Package {
	p := *pkg
	p.Services = slices.Clone(pkg.Services)
	for i, s := range p.Services {
		service := *s
		service.Methods = inOrder(s.Methods, func(m *model.Method) model.Pos { return m.Pos })
		p.Services[i] = &service
	}
	p.Services = inOrder(p.Services, func(s *model.Service) model.Pos { return s.Pos })
	p.Funcs = inOrder(p.Funcs, func(m *model.Method) model.Pos { return m.Pos })
	p.Machines = inOrder(p.Machines, func(m *model.Machine) model.Pos { return m.Pos })
	p.Versions = inOrder(p.Versions, func(v *model.Version) model.Pos { return v.Pos })
	return &p
}

func inOrder[T any](list []T, pos func(T) model.Pos) []T {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b T) int {
		p, q := pos(a), pos(b)
		return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col))
	})
	return list
}
