package load

import (
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
	"github.com/idemgen/idemgen/parser/spec"
)

// find is the declaration that a description names, with its file.
func (b *describer) find(d *spec.Declaration) (directive.Target, *File) {
	if d.Owner == "" {
		if u := b.index.decls[d.Member]; u != nil {
			return directive.Declared(u.decl, u.spec), b.fileOf(u.src)
		}
		return b.missing(d, d.Member, sortedKeys(b.index.decls), "")
	}
	owner := b.index.decls[d.Owner]
	if owner == nil {
		return b.missing(d, d.Owner, b.typeNames(), "."+d.Member)
	}
	var members []string
	for _, u := range b.index.methods[d.Owner] {
		f := u.decl.(*ast.FuncDecl)
		if f.Name.Name == d.Member {
			return directive.Declared(f, nil), b.fileOf(u.src)
		}
		members = append(members, f.Name.Name)
	}
	ts, _ := owner.spec.(*ast.TypeSpec)
	if ts == nil {
		return b.missing(d, d.Owner, b.typeNames(), "."+d.Member)
	}
	if m := interfaceMethod(ts, d.Member); m != nil {
		return directive.Target{Kind: directive.InterfaceMethod, Decl: owner.decl, Field: m, Owner: ts}, b.fileOf(owner.src)
	}
	if it, ok := ts.Type.(*ast.InterfaceType); ok && it.Methods != nil {
		for _, m := range it.Methods.List {
			for _, name := range m.Names {
				members = append(members, name.Name)
			}
		}
	}
	slices.Sort(members)
	return b.missing(d, d.Member, members, "")
}

// missing reports a description of what is not there. word is the part of the name
// that is unknown, behind what follows it.
func (b *describer) missing(d *spec.Declaration, word string, known []string, behind string) (directive.Target, *File) {
	if at := b.inTests(d); at.IsValid() {
		b.report(diag.New(diag.CodeYAMLTest, d.Key.Pos, "%s is declared in a test file", d.Key.Text).WithRelated(at, "it is here").
			WithHint("annotate it there: tests can carry comments"))
		return directive.Target{}, nil
	}
	if owner := d.Owner; b.leftOut(d) || b.broken() || owner != "" && b.faulty(owner) {
		return directive.Target{}, nil
	}
	bad := diag.New(diag.CodeYAMLDeclaration, d.Key.Pos, "package %s declares no %s", b.pkg.ImportPath, d.Key.Text)
	before := ""
	if d.Owner != "" && word == d.Member {
		bad.Message = "type " + d.Owner + " has no method " + d.Member + " of its own"
		before = d.Owner + "."
	}
	if s := diag.Suggest(word, known); s != "" {
		bad = bad.WithHint("did you mean %q?", before+s+behind)
	} else if d.Owner == "" && len(d.Directives) > 0 && d.Directives[0].Name == "statemachine" {
		bad = bad.WithHint("states that exist only as literals are declared by states:")
	} else if before != "" {
		bad = bad.WithHint("%s", b.elsewhere(d))
	}
	b.report(bad)
	return directive.Target{}, nil
}

// elsewhere says where a method may be described that its type does not declare.
func (b *describer) elsewhere(d *spec.Declaration) string {
	ts, ok := b.index.decls[d.Owner].spec.(*ast.TypeSpec)
	if !ok {
		return ""
	}
	generic, _ := spec.Instance(ts.Type)
	if _, ok := generic.(*ast.SelectorExpr); ok && ts.Assign.IsValid() && ts.TypeParams == nil {
		text := types.ExprString(ts.Type)
		if strings.Contains(text, "[") { // which YAML reads in its own way
			text = strconv.Quote(text)
		}
		return "let " + spec.FileName + " declare it in place of Go: " + d.Owner + ": {type: " + text + "}"
	}
	if _, ok := ts.Type.(*ast.InterfaceType); ok {
		return "list the method in the interface, or describe it where it is declared"
	}
	return "describe a method where it is declared"
}

// broken tells whether the package may declare more than could be read.
func (b *describer) broken() bool {
	return slices.ContainsFunc(b.files, func(f *File) bool { return len(f.source.errs) > 0 })
}

// faulty tells whether the description of a type has been diagnosed.
func (b *describer) faulty(name string) bool {
	return slices.ContainsFunc(b.scan.described, func(d described) bool {
		return slices.ContainsFunc(d.Declarations, func(x *spec.Declaration) bool { return x.Key.Text == name && x.Faulty })
	})
}

// typeNames are the types of the package.
func (b *describer) typeNames() []string {
	var out []string
	for _, name := range sortedKeys(b.index.decls) {
		if _, ok := b.index.decls[name].spec.(*ast.TypeSpec); ok {
			out = append(out, name)
		}
	}
	return out
}

// inTests is where a test file of the folder declares what is described.
func (b *describer) inTests(d *spec.Declaration) model.Pos {
	for _, file := range b.scan.files {
		if isTest(file.name) && !file.ours {
			if at := b.declaredIn(file.name, d); at.IsValid() {
				return at
			}
		}
	}
	return model.Pos{}
}

// leftOut tells whether a file that this build leaves out declares what is
// described: then it is as absent as its file is.
func (b *describer) leftOut(d *spec.Declaration) bool {
	return slices.ContainsFunc(b.scan.files, func(file fileScan) bool {
		in := slices.ContainsFunc(b.files, func(f *File) bool { return f.source.name == file.name })
		return !in && !file.ours && !isTest(file.name) && b.declaredIn(file.name, d).IsValid()
	})
}

// declaredIn is where a file of the folder declares what is described.
func (b *describer) declaredIn(name string, d *spec.Declaration) model.Pos {
	n := &node{decls: map[string]*unit{}, methods: map[string][]*unit{}}
	n.add(b.source(filepath.Join(b.scan.dir, name)))
	if d.Owner == "" {
		if u := n.decls[d.Member]; u != nil {
			return b.declPos(u, d.Member)
		}
		return model.Pos{}
	}
	for _, u := range n.methods[d.Owner] {
		if u.decl.(*ast.FuncDecl).Name.Name == d.Member {
			return b.declPos(u, d.Member)
		}
	}
	if u := n.decls[d.Owner]; u != nil {
		if ts, ok := u.spec.(*ast.TypeSpec); ok && interfaceMethod(ts, d.Member) != nil {
			return b.declPos(u, d.Owner)
		}
	}
	return model.Pos{}
}

// interfaceMethod is the method of that name that an interface type declares; nil
// for none.
func interfaceMethod(ts *ast.TypeSpec, name string) *ast.Field {
	it, ok := ts.Type.(*ast.InterfaceType)
	if !ok || it.Methods == nil {
		return nil
	}
	for _, m := range it.Methods.List {
		if _, isFunc := m.Type.(*ast.FuncType); isFunc && len(m.Names) == 1 && m.Names[0].Name == name {
			return m
		}
	}
	return nil
}
