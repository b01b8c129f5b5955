package vet

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// Unguarded finds calls of guarded methods that go around their wrapper: through the
// service's own receiver, as s.Pay inside Checkout, and through a value of the wrapped
// type anywhere else. A method value counts, too.
var Unguarded = &analysis.Analyzer{
	Name:     "unguarded",
	Doc:      "report calls of guarded methods around their wrapper\n\nA method with //idem: directives is guarded by its generated wrapper alone: called on the type itself it runs as often as it is called.",
	Run:      runUnguarded,
	Requires: []*analysis.Analyzer{guards},
}

func runUnguarded(pass *analysis.Pass) (any, error) {
	known, r := pass.ResultOf[guards].(*knowledge), newReporter(pass)
	for _, f := range ordinary(pass) {
		for _, d := range f.Decls {
			var self types.Object
			if decl, ok := d.(*ast.FuncDecl); ok {
				self = pass.TypesInfo.Defs[decl.Name]
			}
			ast.Inspect(d, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				if !ok {
					return true
				}
				fn, ok := pass.TypesInfo.Uses[id].(*types.Func)
				if !ok || fn == self { // a recursion is inside the guarded call
					return true
				}
				if fact, ok := known.guarded(fn); ok {
					r.at(id, "%s is guarded, but this goes around %s: it runs each time", fn.Name(), fact.Wrapper)
				}
				return true
			})
		}
	}
	return nil, nil
}
