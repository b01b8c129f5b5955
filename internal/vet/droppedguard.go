package vet

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// DroppedGuard finds calls of generated guards whose outcome nobody looks at: then
// what follows runs whether the event was applied or not.
var DroppedGuard = &analysis.Analyzer{
	Name:     "droppedguard",
	Doc:      "report guards whose outcome is dropped\n\nAn event or update that was not applied says so by its error, and each row of a batch by its own. Code that drops it goes on as if it had been.",
	Run:      runDroppedGuard,
	Requires: []*analysis.Analyzer{guards},
}

func runDroppedGuard(pass *analysis.Pass) (any, error) {
	known, r := pass.ResultOf[guards].(*knowledge), newReporter(pass)
	guardOf := func(e ast.Expr) (fn *types.Func, fact guardFunc) {
		if call, ok := ast.Unparen(e).(*ast.CallExpr); ok {
			if f := callee(pass.TypesInfo, call); f != nil {
				if fact, ok = known.guard(f); ok {
					return f, fact
				}
			}
		}
		return nil, guardFunc{}
	}
	for _, f := range ordinary(pass) {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ExprStmt:
				if fn, _ := guardOf(n.X); fn != nil {
					r.at(n, "what became of %s is dropped: an event that was not applied says so by its error", fn.Name())
				}
			case *ast.GoStmt:
				if fn, _ := guardOf(n.Call); fn != nil {
					r.at(n, "what became of %s is dropped: nobody waits for it", fn.Name())
				}
			case *ast.DeferStmt:
				if fn, _ := guardOf(n.Call); fn != nil {
					r.at(n, "what became of %s is dropped", fn.Name())
				}
			case *ast.AssignStmt:
				if len(n.Rhs) != 1 {
					return true
				}
				fn, fact := guardOf(n.Rhs[0])
				switch {
				case fn == nil:
				case isBlank(n.Lhs[len(n.Lhs)-1]):
					r.at(n, "the error of %s is dropped: an event that was not applied says so by it", fn.Name())
				case fact.Batch && isBlank(n.Lhs[0]):
					r.at(n, "the outcomes of %s are dropped: each row has one of its own", fn.Name())
				}
			}
			return true
		})
	}
	return nil, nil
}

// callee is the function that a call names, nil where that is not known.
func callee(info *types.Info, call *ast.CallExpr) *types.Func {
	fun := ast.Unparen(call.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	switch fun := fun.(type) {
	case *ast.Ident:
		fn, _ := info.Uses[fun].(*types.Func)
		return fn
	case *ast.SelectorExpr:
		fn, _ := info.Uses[fun.Sel].(*types.Func)
		return fn
	}
	return nil
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}
