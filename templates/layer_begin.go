package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
)

// beginLayer is the transaction of a method whose record does not open it already.
var beginLayer = layer{
	on: func(m *model.Method) bool { return m.Tx() && recordOf(m) == nil },
	needs: func(e *emitter, m *model.Method) []part {
		return []part{e.enginePart(), e.txPart(m)}
	},
	wrap: func(w *wrapper, inner func() block) block {
		args := []jen.Code{jen.Id(w.useCtx()), w.part("engine"), w.part(txID(w.m.Method)), w.txClosure(inner)}
		return block{result: []jen.Code{w.e.idem("Tx").Call(args...)}}
	},
	label: func(*model.Method) string { return "" },
}
