package templates

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
)

// onceLayer is the dedupe record: by lease, or in the method's transaction.
var onceLayer = layer{
	on:    func(m *model.Method) bool { return m.Once != nil },
	needs: func(e *emitter, m *model.Method) []part { return []part{e.enginePart(), e.recordPart(m)} },
	prepare: func(w *wrapper) []jen.Code {
		stmts := w.prepareCall()
		if l := w.m.Once.Lookup; l != nil && asksRecord(w.m.Method) {
			w.find = w.sc.Local("find")
			stmts = append(stmts, jen.Id(w.find).Op(":=").Add(w.recordClosure(l)))
		}
		return stmts
	},
	wrap: func(w *wrapper, inner func() block) block {
		name, closure := "Once", w.closure
		if w.m.Tx() {
			name, closure = "OnceTx", w.txClosure
		}
		args := []jen.Code{jen.Id(w.useCtx()), w.part(w.e.recordPart(w.m.Method).id), jen.Id(w.call)}
		if l := w.m.Once.Lookup; l != nil {
			name += "Or"
			args = append(args, w.recordLookup(l))
		}
		args = append(args, closure(inner))
		return block{result: []jen.Code{w.e.idem(name).Call(args...)}}
	},
	label: func(m *model.Method) string {
		text := "once (key " + keyText(m.Once.Key)
		if m.Scope != nil {
			text += ", scope " + m.ScopeText
		}
		if !m.Tx() {
			text += ", lease " + span(leaseOf(m.Once)) + ", orphan " + orphanWords[m.Once.Orphan]
		}
		return text + ")"
	},
	inTx: true,
}

// asksRecord tells whether a layer outside looks the record up, too: it has the same
// answer where the record has no result to give (C9).
func asksRecord(m *model.Method) bool {
	return m.Token != nil || m.Lock != nil && checksRecord(m)
}

// recordClosure writes the look-up of the record, with the transaction if there is one.
func (w *wrapper) recordClosure(l *model.Lookup) *jen.Statement {
	if w.m.Tx() {
		return w.txClosure(func() block { return w.lookup(l) })
	}
	return w.closure(func() block { return w.lookup(l) })
}

// recordLookup is the look-up as the record's own layer takes it.
func (w *wrapper) recordLookup(l *model.Lookup) *jen.Statement {
	if w.find != "" {
		return jen.Id(w.find)
	}
	return w.recordClosure(l)
}

// outerLookup is the look-up as a layer outside the transaction takes it.
func (w *wrapper) outerLookup() *jen.Statement {
	if w.m.Tx() {
		return w.e.idem("InTx").Call(w.part("engine"), w.part(txID(w.m.Method)), jen.Id(w.find))
	}
	return jen.Id(w.find)
}

var orphanWords = [...]string{model.OrphanNone: "none", model.OrphanRerun: "rerun", model.OrphanHold: "hold"}

// leaseOf is the lease in nanoseconds, with the runtime's default.
func leaseOf(o *model.Once) int64 {
	if o.Lease == 0 {
		return 30e9
	}
	return o.Lease
}

func keyText(parts []model.Part) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.Text
	}
	return strings.Join(texts, ", ")
}

// prepareCall freezes key and fingerprint.
func (w *wrapper) prepareCall() []jen.Code {
	return w.declareCall(w.frozenKey())
}

// declareCall holds a call, with what a retry must repeat, in a variable.
func (w *wrapper) declareCall(stmts []jen.Code, call *jen.Statement) []jen.Code {
	if len(w.m.Match) > 0 {
		var match []jen.Code
		for _, p := range w.m.Match {
			arg, hoisted := w.keyPart(p)
			stmts = append(stmts, hoisted...)
			match = append(match, arg)
		}
		call = call.Dot("Match").Call(match...)
	}
	w.call = w.sc.Local("call")
	return append(stmts, jen.Id(w.call).Op(":=").Add(call))
}

// frozenKey is the call with the storage key of the record.
func (w *wrapper) frozenKey() ([]jen.Code, *jen.Statement) {
	return w.keyedCall(w.m.op, recordOf(w.m.Method).Key)
}

// keyedCall is a call with its key: engine.Call(ctx, &op, parts…).
func (w *wrapper) keyedCall(op string, parts []model.Part) ([]jen.Code, *jen.Statement) {
	var stmts, args []jen.Code
	for _, p := range parts {
		arg, hoisted := w.keyPart(p)
		stmts = append(stmts, hoisted...)
		args = append(args, arg)
	}
	more, call := w.frozenCall(op, args...)
	return append(stmts, more...), call
}

// frozenCall is a call with the parts of its key as they are.
func (w *wrapper) frozenCall(op string, parts ...jen.Code) ([]jen.Code, *jen.Statement) {
	var stmts, args []jen.Code
	engine := w.part("engine")
	if w.m.Scope != nil {
		scope, hoisted := w.scope()
		stmts = append(stmts, hoisted...)
		engine, args = engine.Dot("CallIn"), append(args, scope)
	} else {
		engine, args = engine.Dot("Call"), append(args, jen.Id(w.useCtx()))
	}
	args = append(args, jen.Op("&").Id(op))
	for _, tp := range w.tp { // another type argument, another call (K3)
		args = append(args, w.e.idem("Type").Types(jen.Id(tp.Name)).Call())
	}
	return stmts, engine.Call(append(args, parts...)...)
}
