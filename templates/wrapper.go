package templates

import (
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/templates/names"
)

// wrapper builds the body of one guarded method or function.
type wrapper struct {
	e  *emitter
	m  *methodPlan
	sc *names.Scope
	tp []model.TypeParam

	// part writes the part with an id: s.engine, or a variable.
	part func(id string) *jen.Statement
	// next writes the wrapped method, or a function, by name.
	next func(name string) *jen.Statement

	ctx, inner, tx string // the context at hand, the one inside closures, the transaction
	ctxUsed        bool   // the closure at hand uses its context
	txUsed         bool   // … and its transaction

	call     string     // the frozen call
	token    string     // the presented token
	lock     string     // what is locked
	find     string     // the look-up of the record, where several layers ask it
	bare     bool       // the function at hand returns an error alone
	fireArgs []jen.Code // the frozen key of the guarded row, and the guard's arguments behind it
	hoisted  []hoist    // parts that have a variable already
	present  []string   // identities of what is known not to be nil
	getters  []getter   // calls whose answers have a variable, in the order they were made
	err      string
	none     string   // a zero value that no literal says
	vars     []string // r0, r1, …
}

// newWrapper prepares the names of a body. part and next are set by the caller.
func newWrapper(e *emitter, m *methodPlan, tps []model.TypeParam, outer ...string) *wrapper {
	w := &wrapper{e: e, m: m, tp: tps, sc: e.table.Scope(m.Method, tps, outer...)}
	if m.CtxParam >= 0 {
		w.ctx = w.sc.Params[m.CtxParam]
	} else {
		w.ctx = w.sc.Local("ctx")
	}
	w.inner = w.ctx
	switch {
	case m.TxParam >= 0:
		w.tx = w.sc.Params[m.TxParam]
	case m.TxCtx:
		w.tx = w.sc.Local("tx")
	}
	return w
}

func (w *wrapper) code(c model.Code) *jen.Statement { return jen.Id(w.heldText(w.sc.Code(c))) }

func (w *wrapper) useCtx() string { w.ctxUsed = true; return w.ctx }

func (w *wrapper) useTx() string { w.txUsed = true; return w.tx }

// errName is the error of the body.
func (w *wrapper) errName() string {
	if w.err == "" {
		w.err = w.sc.Local("err")
	}
	return w.err
}

// resultVar is the variable of one of several results.
func (w *wrapper) resultVar(i int) string {
	for len(w.vars) <= i {
		w.vars = append(w.vars, w.sc.Local("r"+strconv.Itoa(len(w.vars))))
	}
	return w.vars[i]
}

// resultField is the field that keeps one of several results.
func resultField(i int) string { return "R" + strconv.Itoa(i) }

// closure writes func(ctx context.Context) (R, error) around a block.
func (w *wrapper) closure(inner func() block) *jen.Statement { return w.closureOf(false, false, inner) }

// txClosure writes func(ctx context.Context, tx T) (R, error) around a block.
func (w *wrapper) txClosure(inner func() block) *jen.Statement {
	return w.closureOf(true, false, inner)
}

// bareClosure writes func(ctx context.Context) error around a block of a method
// without results.
func (w *wrapper) bareClosure(inner func() block) *jen.Statement {
	return w.closureOf(false, true, inner)
}

// bareTxClosure writes func(ctx context.Context, tx T) error likewise.
func (w *wrapper) bareTxClosure(inner func() block) *jen.Statement {
	return w.closureOf(true, true, inner)
}

func (w *wrapper) closureOf(tx, bare bool, inner func() block) *jen.Statement {
	ctx, ctxUsed, txUsed, outer := w.ctx, w.ctxUsed, w.txUsed, w.bare
	w.ctx, w.ctxUsed, w.txUsed, w.bare = w.inner, false, false, bare
	body := w.returns(inner())
	params := []jen.Code{jen.Id(orBlank(w.ctx, w.ctxUsed)).Add(w.e.ctxType())}
	if tx {
		params = append(params, jen.Id(orBlank(w.tx, w.txUsed)).Add(w.e.txType(w.m.Method)))
	}
	w.ctx, w.ctxUsed, w.txUsed, w.bare = ctx, ctxUsed, txUsed, outer
	if bare {
		return jen.Func().Params(params...).Error().Block(body...)
	}
	long := len(w.m.Results) == 1 && w.e.multiline(w.m.Results[0].Type)
	return jen.Func().Params(params...).Add(parens([]jen.Code{w.resultType(), jen.Error()}, long)).Block(body...)
}

func orBlank(name string, used bool) string {
	if used {
		return name
	}
	return "_"
}

// resultType is the one result that layers pass on.
func (w *wrapper) resultType() *jen.Statement {
	switch len(w.m.Results) {
	case 0:
		return w.e.idem("None")
	case 1:
		return w.code(w.m.Results[0].Type)
	}
	return jen.Id(w.m.result).Add(typeArgs(w.tp))
}

// zeroResult is the zero value of resultType as an expression; only for no
// result and for several.
func (w *wrapper) zeroResult() *jen.Statement { return w.resultType().Values() }

// declaredZero is the zero value of resultType, with a declaration where no
// literal says it.
func (w *wrapper) declaredZero() ([]jen.Code, jen.Code) {
	if len(w.m.Results) != 1 {
		return nil, w.zeroResult()
	}
	return w.zeroOf(w.m.Results[0].Type)
}

func (w *wrapper) zeroOf(c model.Code) ([]jen.Code, jen.Code) {
	if z := zero(c); z != "" {
		return nil, jen.Id(z)
	}
	if w.none == "" {
		w.none = w.sc.Local("none")
	}
	return []jen.Code{jen.Var().Id(w.none).Add(w.code(c))}, jen.Id(w.none)
}

// refuse returns from the wrapper itself with an error and zero results.
func (w *wrapper) refuse(err jen.Code) []jen.Code {
	if len(w.m.Results) > 1 {
		var values []jen.Code
		name := w.sc.Local("none")
		for i := range w.m.Results {
			values = append(values, jen.Id(name).Dot(resultField(i)))
		}
		return []jen.Code{jen.Var().Id(name).Add(w.resultType()), jen.Return(append(values, err)...)}
	}
	var stmts, values []jen.Code
	for _, r := range w.m.Results {
		decl, z := w.zeroOf(r.Type)
		stmts, values = append(stmts, decl...), append(values, z)
	}
	return append(stmts, jen.Return(append(values, err)...))
}

// body is the whole body of the wrapper: what is frozen first, then the layers.
func (w *wrapper) body() []jen.Code {
	if w.m.Request != nil {
		return w.served()
	}
	layers := layersOf(w.m.Method)
	stmts := w.freezeLookups()
	// Innermost first: a row's key that is missing ends the call before anything else.
	for i := len(layers) - 1; i >= 0; i-- {
		if layers[i].prepare != nil {
			stmts = append(stmts, layers[i].prepare(w)...)
		}
	}
	b := w.nest(layers)
	b.stmts = append(stmts, b.stmts...)
	switch n := len(w.m.Results); n {
	case 0, 1:
		w.bare = n == 0
		return w.returns(b)
	default:
		stmts := b.stmts
		res := w.sc.Local("res")
		var values []jen.Code
		for i := range n {
			values = append(values, jen.Id(res).Dot(resultField(i)))
		}
		return append(stmts,
			jen.List(jen.Id(res), jen.Id(w.errName())).Op(":=").Add(b.result...),
			jen.Return(append(values, jen.Id(w.errName()))...))
	}
}

// background is the context of a method that is not given one.
func (w *wrapper) background() *jen.Statement {
	if w.m.CtxExpr != nil {
		return w.code(w.m.CtxExpr)
	}
	return w.e.use("context", "Background").Call()
}
