package check

import (
	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
)

// guards tells whether a directive of the group guards a method or function.
func (g *group) guards() bool { return len(g.layers()) > 0 }

// layer is a directive of a group that becomes a layer.
type layer struct {
	name string
	pos  model.Pos
}

// layers are the group's layers from the outermost to the innermost.
func (g *group) layers() []layer {
	var out []layer
	for _, l := range []struct {
		on    bool
		layer layer
	}{
		{g.request != nil, layer{"request", g.requestPos}},
		{g.token != nil, layer{"token", g.tokenPos}},
		{g.lock != nil, layer{"lock", g.lockPos}},
		{g.once != nil, layer{"once", g.oncePos}},
		{g.message != nil, layer{"message", g.messagePos}},
		{g.fire != nil, layer{"fire", g.firePos}},
		{g.unique != nil, layer{"unique", g.uniquePos}},
	} {
		if l.on {
			out = append(out, l.layer)
		}
	}
	return out
}

// ctxArg is the ctx= of the group, which once and message have.
func (g *group) ctxArg() directive.Val[directive.Expr] {
	switch {
	case g.once != nil:
		return g.once.Ctx
	case g.message != nil:
		return g.message.Ctx
	}
	return directive.Val[directive.Expr]{}
}

// txArg is the tx= of the group.
func (g *group) txArg() directive.Val[string] {
	switch {
	case g.once != nil:
		return g.once.Tx
	case g.message != nil:
		return g.message.Tx
	}
	return directive.Val[string]{}
}

// recordName is the directive that tells where context and transaction are.
func (g *group) recordName() string {
	if g.message != nil {
		return "message"
	}
	return "once"
}

// stack refuses layers that make no sense together. What is refused is left out from
// here on, so that nothing is reported that only follows from it.
func (m *method) stack() {
	kept := *m.g
	m.g = &kept
	if kept.request != nil {
		for _, l := range kept.layers()[1:] {
			m.fail(diag.New(diag.CodeLayers, l.pos, "//idem:%s can't stand beside //idem:request: an HTTP handler has no error to answer with", l.name).
				WithRelated(kept.requestPos, "//idem:request is here").WithHint("guard the method that the handler calls"))
		}
		kept.token, kept.lock, kept.once, kept.message, kept.fire, kept.unique = nil, nil, nil, nil, nil, nil
	}
	if kept.once != nil && kept.message != nil {
		m.fail(diag.New(diag.CodeLayers, kept.messagePos, "//idem:message can't stand beside //idem:once: both keep the record of the call").
			WithRelated(kept.oncePos, "//idem:once is here").WithHint("message is once for a consumer, which has no result: remove one of them"))
		kept.message = nil
	}
}

// alone asks what stands behind a token or a lock: its store can lose what it
// acknowledged, so that without a database layer it guarantees nothing.
func (m *method) alone(name string, pos model.Pos, arg directive.Val[bool]) {
	if m.txFaulty || m.g.faulty {
		return // what stands behind is not known
	}
	behind := ""
	switch {
	case m.model.Tx():
		behind = "its transaction"
	case m.g.fire != nil:
		behind = "//idem:fire"
	case m.g.unique != nil:
		behind = "//idem:unique"
	}
	switch {
	case behind != "" && arg.Set:
		m.fail(diag.New(diag.CodeAloneNeedless, arg.KeyPos, "//idem:%s is not alone: %s has %s behind it", name, m.title, behind).WithHint("remove the word"))
	case behind == "" && !arg.Set:
		m.fail(diag.New(diag.CodeNoDatabaseLayer, pos, "//idem:%s is no guarantee alone: no database layer stands behind it in %s", name, m.title).
			WithHint("take the transaction as a parameter, or add //idem:unique; alone says that it is meant").AsWarning())
	}
}
