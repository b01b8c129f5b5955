package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"
	"time"

	"golang.org/x/tools/go/analysis"
)

// What idem.yaml describes no comment tells of, so the generated file is read, too: its
// wrappers, its machines, its tokens, and the functions of its guards.

// generatedFile reads a generated file. What it finds in the comments of the package as
// well is there once.
func (k *knowledge) generatedFile(f *ast.File, found *machines) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if fn, ok := k.pass.TypesInfo.Defs[d.Name].(*types.Func); ok {
				generatedGuard(k.pass, fn)
				k.wrapped(fn)
			}
		case *ast.GenDecl:
			k.variable(d, found)
		}
	}
}

// wrapped leaves a fact about what a generated function wraps: the method of the same
// name of the type that its receiver embeds, or the function whose name follows its own
// first word. Methods of interfaces are guarded in some implementations and not in
// others, so nothing is said of them.
func (k *knowledge) wrapped(fn *types.Func) {
	recv := fn.Signature().Recv()
	if recv == nil {
		name, ok := strings.CutPrefix(fn.Name(), "Idempotent")
		if !ok {
			return
		}
		for _, inner := range []string{name, strings.ToLower(name[:min(1, len(name))]) + name[min(1, len(name)):]} {
			if of, ok := k.pass.Pkg.Scope().Lookup(inner).(*types.Func); ok {
				k.pass.ExportObjectFact(of, &guarded{Wrapper: wrapperOf(of)})
			}
		}
		return
	}
	named := namedOf(recv.Type())
	if named == nil || !strings.HasPrefix(named.Obj().Name(), "Idempotent") {
		return
	}
	s, ok := named.Underlying().(*types.Struct)
	if !ok || s.NumFields() == 0 || !s.Field(0).Embedded() || types.IsInterface(s.Field(0).Type()) {
		return
	}
	obj, _, _ := types.LookupFieldOrMethod(s.Field(0).Type(), true, k.pass.Pkg, fn.Name())
	if of, ok := obj.(*types.Func); ok && of.Pkg() == k.pass.Pkg {
		k.pass.ExportObjectFact(of.Origin(), &guarded{Wrapper: wrapperOf(of)})
	}
}

var (
	machineDoc = regexp.MustCompile(`is the state machine (\S+) on the column (\S+) of (\S+)\.\s*$`)
	tokenDoc   = regexp.MustCompile(`is the token of (?:(\S+)\.)?(\S+)\.\s*$`)
)

// variable reads what a generated variable says: a machine its state column, a token its
// lease.
func (k *knowledge) variable(d *ast.GenDecl, found *machines) {
	if d.Tok != token.VAR || d.Doc == nil || len(d.Specs) != 1 {
		return
	}
	doc := strings.Join(strings.Fields(d.Doc.Text()), " ")
	if m := machineDoc.FindStringSubmatch(doc); m != nil {
		found.add(column{Table: m[3], Column: m[2], Guard: k.pass.Pkg.Name() + "." + m[1] + "Guard"})
		return
	}
	m := tokenDoc.FindStringSubmatch(doc)
	spec, ok := d.Specs[0].(*ast.ValueSpec)
	if m == nil || !ok || len(spec.Values) != 1 {
		return
	}
	decl := k.declared(m[1], m[2])
	if _, known := k.leases[decl]; decl == nil || known {
		return
	}
	k.leases[decl] = leaseOf(k.pass, spec.Values[0])
}

// defaultLease is that of a token operation that says none.
const defaultLease = 30 * time.Second

// leaseOf is the lease in the literal of a token operation.
func leaseOf(pass *analysis.Pass, e ast.Expr) time.Duration {
	lit, ok := e.(*ast.CompositeLit)
	if !ok {
		return defaultLease
	}
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		if id, ok := kv.Key.(*ast.Ident); ok && id.Name == "Lease" {
			if d, ok := durationOf(pass.TypesInfo, kv.Value); ok {
				return d
			}
		}
	}
	return defaultLease
}

// declared is the declaration of a method, or with "" of a function; nil for none here.
func (k *knowledge) declared(typ, name string) *ast.FuncDecl {
	for _, f := range k.pass.Files {
		for _, d := range f.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok || decl.Name.Name != name {
				continue
			}
			fn, ok := k.pass.TypesInfo.Defs[decl.Name].(*types.Func)
			if !ok {
				continue
			}
			recv := ""
			if r := fn.Signature().Recv(); r != nil {
				if named := namedOf(r.Type()); named != nil {
					recv = named.Obj().Name()
				}
			}
			if recv == typ {
				return decl
			}
		}
	}
	return nil
}
