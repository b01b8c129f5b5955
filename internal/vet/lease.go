package vet

import (
	"go/ast"
	"go/constant"
	"go/types"
	"time"

	"golang.org/x/tools/go/analysis"
)

// Lease finds methods under a token that allow themselves more time than the token's
// lease. Leases of once, message, request and lock are renewed while a method runs;
// nothing renews a token's: when it ends, another call may use the token.
var Lease = &analysis.Analyzer{
	Name:     "lease",
	Doc:      "report time-outs that are longer than the lease of the method's token\n\nNothing renews the consumption of a token, so its lease must outlast the method: lease= of //idem:token.",
	Run:      runLease,
	Requires: []*analysis.Analyzer{guards},
}

func runLease(pass *analysis.Pass) (any, error) {
	leases := pass.ResultOf[guards].(*knowledge).leases
	if len(leases) == 0 {
		return nil, nil
	}
	r := newReporter(pass)
	for _, f := range ordinary(pass) {
		for _, d := range f.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok || decl.Body == nil || leases[decl] == 0 {
				continue
			}
			lease := leases[decl]
			tooLong := func(e ast.Expr) {
				if d, ok := durationOf(pass.TypesInfo, e); ok && d >= lease {
					r.at(e, "this allows %s to take %v, but the lease of its token ends after %v and nothing renews it: give //idem:token a longer lease=", decl.Name.Name, d, lease)
				}
			}
			ast.Inspect(decl.Body, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					fn := callee(pass.TypesInfo, n)
					if fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == "context" && len(n.Args) >= 2 &&
						(fn.Name() == "WithTimeout" || fn.Name() == "WithTimeoutCause") {
						tooLong(n.Args[1])
					}
				case *ast.CompositeLit:
					if t := pass.TypesInfo.TypeOf(n); t == nil || t.String() != "net/http.Client" {
						return true
					}
					for _, e := range n.Elts {
						if kv, ok := e.(*ast.KeyValueExpr); ok {
							if id, ok := kv.Key.(*ast.Ident); ok && id.Name == "Timeout" {
								tooLong(kv.Value)
							}
						}
					}
				}
				return true
			})
		}
	}
	return nil, nil
}

// durationOf is the value of a constant duration.
func durationOf(info *types.Info, e ast.Expr) (time.Duration, bool) {
	tv, ok := info.Types[e]
	if !ok || tv.Value == nil {
		return 0, false
	}
	n, exact := constant.Int64Val(constant.ToInt(tv.Value))
	return time.Duration(n), exact
}
