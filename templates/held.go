package templates

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
)

// A record of orphan=hold waits for idem.Resolve, which takes the call as the
// wrapper makes it. PayCall makes that call from what the key needs, so that the
// operation can stay a detail of the generated file.

// heldParams are the indices of the parameters that the key is made of.
func (w *wrapper) heldParams() []int {
	var list []int
	add := func(c model.Code) {
		for _, tok := range c {
			if tok.Kind == model.TokParam && !slices.Contains(list, tok.Index) {
				list = append(list, tok.Index)
			}
		}
	}
	if w.m.Scope == nil && w.m.CtxParam >= 0 {
		list = append(list, w.m.CtxParam)
	}
	add(w.m.Scope)
	for _, p := range recordOf(w.m.Method).Key {
		add(p.Expr)
	}
	slices.Sort(list)
	return list
}

// heldSignature writes the parameters that the key is made of, and idem.CallOf.
func (w *wrapper) heldSignature() *jen.Statement {
	var params []jen.Code
	long := false
	for _, i := range w.heldParams() {
		p := jen.Id(w.sc.Params[i])
		if w.m.Variadic && i == len(w.m.Params)-1 {
			p = p.Op("...")
		}
		params = append(params, p.Add(w.e.code(w.m.Params[i].Type)))
		long = long || w.e.multiline(w.m.Params[i].Type)
	}
	return parens(params, long).Add(w.callOf())
}

// callOf is the type of a call that knows what it results in.
func (w *wrapper) callOf() *jen.Statement { return w.e.idem("CallOf").Types(w.resultType()) }

func (w *wrapper) heldBody() []jen.Code {
	stmts, call := w.frozenKey()
	if w.m.CtxParam < 0 && w.ctxUsed {
		stmts = append([]jen.Code{jen.Id(w.ctx).Op(":=").Add(w.background())}, stmts...)
	}
	return append(stmts, jen.Return(w.callOf().Values(jen.Id("Call").Op(":").Add(call))))
}

func (w *wrapper) heldDoc(of string) []string {
	verb := "names"
	if w.isFunc() {
		verb = "returns a function that names"
	}
	return []string{w.m.held + " " + verb + " the record of a call of " + of + ", for idem.Resolve, ResolveError and ResolveRerun."}
}
