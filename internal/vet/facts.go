package vet

import (
	"bytes"
	"go/ast"
	"go/types"
	"reflect"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/idemgen/idemgen/parser/directive"
)

// guarded is a fact about a method or function that a wrapper guards.
type guarded struct{ Wrapper string }

// AFact marks a fact.
func (*guarded) AFact() {}

func (g *guarded) String() string { return "guarded by " + g.Wrapper }

// guardFunc is a fact about a generated function that changes a row and tells what
// came of it.
type guardFunc struct {
	Batch bool // the outcomes of many rows come as its first result
}

// AFact marks a fact.
func (*guardFunc) AFact() {}

func (g *guardFunc) String() string { return "guard" }

// machines is a fact about a package: the columns that only guards of its write.
type machines struct{ Columns []column }

// column is a state column.
type column struct{ Table, Column, Guard string }

// AFact marks a fact.
func (*machines) AFact() {}

func (m *machines) String() string { return "machines" }

// add adds a column that is not known yet.
func (m *machines) add(c column) {
	if !slices.Contains(m.Columns, c) {
		m.Columns = append(m.Columns, c)
	}
}

// knowledge is what is known in a package: its own tokens, and the facts about itself
// and the packages that it imports.
type knowledge struct {
	pass *analysis.Pass
	// leases are those of the tokens of the package's own methods.
	leases map[*ast.FuncDecl]time.Duration
}

// guarded tells of a method or function whether a wrapper guards it.
func (k *knowledge) guarded(fn *types.Func) (fact guarded, ok bool) {
	ok = k.pass.ImportObjectFact(fn.Origin(), &fact)
	return fact, ok
}

// guard tells whether a function is that of a generated guard.
func (k *knowledge) guard(fn *types.Func) (fact guardFunc, ok bool) {
	ok = k.pass.ImportObjectFact(fn.Origin(), &fact)
	return fact, ok
}

// columns are the state columns that are known here.
func (k *knowledge) columns() []column {
	var out []column
	for _, f := range k.pass.AllPackageFacts() {
		if m, ok := f.Fact.(*machines); ok {
			out = append(out, m.Columns...)
		}
	}
	return out
}

// guards leaves the facts; its result is what the rules ask.
var guards = &analysis.Analyzer{
	Name:       "idemgenfacts",
	Doc:        "reads what is guarded",
	Run:        readGuards,
	FactTypes:  []analysis.Fact{new(guarded), new(guardFunc), new(machines)},
	ResultType: reflect.TypeFor[*knowledge](),
}

// wraps are the directives that make a wrapper.
var wraps = map[string]bool{"once": true, "message": true, "token": true, "lock": true, "fire": true, "unique": true, "request": true}

func readGuards(pass *analysis.Pass) (any, error) {
	k := &knowledge{pass, map[*ast.FuncDecl]time.Duration{}}
	var found machines
	for _, f := range pass.Files {
		name := pass.Fset.Position(f.Package).Filename
		src, err := pass.ReadFile(name)
		if err != nil {
			continue
		}
		switch {
		case bytes.HasPrefix(src, []byte(generatedMark)):
			k.generatedFile(f, &found)
		case bytes.Contains(src, []byte("//idem:")):
			attached, _ := directive.Scan(pass.Fset, f, src) // gen and check tell what is wrong
			for _, a := range attached {
				describe(pass, a, k.leases, &found)
			}
		}
	}
	if len(found.Columns) > 0 {
		pass.ExportPackageFact(&found)
	}
	return k, nil
}

// describe leaves the facts of one directive.
func describe(pass *analysis.Pass, a directive.Attached, leases map[*ast.FuncDecl]time.Duration, found *machines) {
	if m, ok := a.Args().(*directive.StateMachine); ok {
		prefix := m.Name.V
		if prefix == "" && a.Target.Spec != nil {
			if s, ok := a.Target.Spec.(*ast.TypeSpec); ok {
				prefix = s.Name.Name
			}
		}
		if m.Table.V != "" && m.Column.V != "" {
			found.add(column{m.Table.V, m.Column.V, pass.Pkg.Name() + "." + prefix + "Guard"})
		}
		return
	}
	decl, ok := a.Target.Decl.(*ast.FuncDecl)
	if !ok || !wraps[a.Name] {
		return
	}
	fn, ok := pass.TypesInfo.Defs[decl.Name].(*types.Func)
	if !ok {
		return
	}
	pass.ExportObjectFact(fn, &guarded{Wrapper: wrapperOf(fn)})
	if t, ok := a.Args().(*directive.Token); ok {
		leases[decl] = t.Lease.V
	}
}

// wrapperOf names what calls of a guarded function should go through.
func wrapperOf(fn *types.Func) string {
	recv := fn.Signature().Recv()
	if recv == nil {
		return "Idempotent" + strings.ToUpper(fn.Name()[:1]) + fn.Name()[1:]
	}
	if named := namedOf(recv.Type()); named != nil {
		name := named.Obj().Name()
		return "Idempotent" + strings.ToUpper(name[:1]) + name[1:]
	}
	return "its wrapper"
}

// namedOf is the named type of a receiver, behind its pointer.
func namedOf(t types.Type) *types.Named {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	named, _ := types.Unalias(t).(*types.Named)
	return named
}

// generatedGuard leaves a fact about a function of a generated guard.
func generatedGuard(pass *analysis.Pass, fn *types.Func) {
	results := fn.Signature().Results()
	if !fn.Exported() || results.Len() == 0 || results.At(results.Len()-1).Type().String() != "error" {
		return
	}
	ofGuard := false
	if recv := fn.Signature().Recv(); recv != nil {
		named := namedOf(recv.Type())
		ofGuard = named != nil && strings.HasSuffix(named.Obj().Name(), "Guard")
	}
	change := results.Len() == 2 && strings.Contains(results.At(0).Type().String(), "/runtime/idem.Change[")
	if !ofGuard && !change {
		return
	}
	_, batch := results.At(0).Type().(*types.Slice)
	pass.ExportObjectFact(fn, &guardFunc{Batch: batch})
}
