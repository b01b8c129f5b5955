package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/templates/names"
)

// fireLayer is the guarded update of a state machine, before the method.
var fireLayer = layer{
	on: func(m *model.Method) bool { return m.Fire != nil },
	needs: func(e *emitter, m *model.Method) []part {
		return []part{e.txPart(m), e.guardPart(m)}
	},
	prepare: func(w *wrapper) []jen.Code {
		key, stmts := w.rowKey(w.m.Fire.Key)
		w.fireArgs = []jen.Code{key}
		for _, a := range w.m.Fire.Args {
			arg, frozen := w.fireArg(a)
			w.fireArgs, stmts = append(w.fireArgs, arg), append(stmts, frozen...)
		}
		return stmts
	},
	wrap: func(w *wrapper, inner func() block) block {
		f := w.m.Fire
		guard := w.part(w.e.guardPart(w.m.Method).id)
		use := w.part(txID(w.m.Method)).Dot("Use").Call(jen.Id(w.useCtx()), jen.Id(w.useTx()))
		fire := guard.Dot(names.Upper(f.Event.Ident)).Call(append([]jen.Code{jen.Id(w.useCtx()), use}, w.fireArgs...)...)

		err := w.errName()
		var refused []jen.Code
		switch {
		case f.Lookup != nil:
			refused = append(refused, w.ifApplied(w.lookup(f.Lookup)))
		case len(w.m.Results) == 0:
			refused = append(refused, w.ifApplied(w.nothing(jen.Nil())))
		}
		decl, zero := w.declaredZero()
		refused = append(refused, w.returns(block{stmts: decl, result: []jen.Code{zero, jen.Id(err)}})...)

		stmt := jen.If(jen.List(jen.Id("_"), jen.Id(err)).Op(":=").Add(fire), jen.Id(err).Op("!=").Nil()).Block(refused...)
		in := inner()
		return block{stmts: append([]jen.Code{stmt}, in.stmts...), result: in.result}
	},
	label: func(m *model.Method) string {
		text := "fire " + m.Fire.Machine.Name + "." + m.Fire.Event.Name + " (key " + m.Fire.Key.Text
		for _, a := range m.Fire.Args {
			switch {
			case a.AnyVersion:
				text += ", any version"
			case a.LockFence:
				text += ", fence of the lock"
			case a.Text == a.Name:
				text += ", " + a.Name
			default:
				text += ", " + a.Name + " " + a.Text
			}
		}
		return text + ")"
	},
	inTx: true,
}

// ifApplied answers an event that was applied before.
func (w *wrapper) ifApplied(answer block) jen.Code {
	return jen.If(w.e.idem("AlreadyApplied").Call(jen.Id(w.errName()))).Block(w.returns(answer)...)
}
