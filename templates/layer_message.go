package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
)

// messageLayer is the dedupe record of a consumer method: by lease, or in the method's
// transaction. The method has no result, and the functions inside return an error alone.
var messageLayer = layer{
	on:      func(m *model.Method) bool { return m.Message != nil },
	needs:   func(e *emitter, m *model.Method) []part { return []part{e.enginePart(), e.recordPart(m)} },
	prepare: func(w *wrapper) []jen.Code { return w.prepareCall() },
	wrap: func(w *wrapper, inner func() block) block {
		name, closure := "Message", w.bareClosure
		if w.m.Tx() {
			name, closure = "MessageTx", w.bareTxClosure
		}
		call := w.e.idem(name).Call(jen.Id(w.useCtx()), w.part(w.e.recordPart(w.m.Method).id), jen.Id(w.call), closure(inner))
		return w.nothing(call)
	},
	label: func(m *model.Method) string {
		o := recordOf(m)
		text := "message (key " + keyText(m.Message.Key)
		if m.Message.Consumer != "" {
			text += ", consumer " + m.Message.Consumer
		}
		if m.Scope != nil {
			text += ", scope " + m.ScopeText
		}
		if !m.Tx() {
			text += ", lease " + span(leaseOf(o)) + ", orphan " + orphanWords[o.Orphan]
		}
		return text + ")"
	},
	inTx: true,
}
