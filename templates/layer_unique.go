package templates

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
)

// The unique layer stands in two places. Without a transaction it is around the method
// itself, so that a record inside keeps the look-up's answer. In a transaction, which
// the violation ends, it is around that: the look-up needs a new one.

// uniqueTxLayer is the unique index of a method in transaction mode.
var uniqueTxLayer = layer{
	on: func(m *model.Method) bool { return m.Unique != nil && m.Tx() },
	needs: func(e *emitter, m *model.Method) []part {
		return []part{e.enginePart(), e.txPart(m), e.violationPart()}
	},
	wrap: func(w *wrapper, inner func() block) block {
		l := w.m.Unique.Lookup
		return block{result: []jen.Code{w.e.idem("UniqueTx").Call(
			jen.Id(w.useCtx()), w.part("engine"), w.part(txID(w.m.Method)), jen.Op("&").Id(w.m.uniqueOp), w.part("violation"),
			w.txClosure(func() block { return w.lookup(l) }),
			w.closure(inner),
		)}}
	},
	label: func(*model.Method) string { return "" }, // said by uniqueLayer, in its place in the order
}

// uniqueLayer is the unique index of a method without a transaction.
var uniqueLayer = layer{
	on: func(m *model.Method) bool { return m.Unique != nil },
	needs: func(e *emitter, _ *model.Method) []part {
		return []part{e.enginePart(), e.violationPart()}
	},
	wrap: func(w *wrapper, inner func() block) block {
		if w.m.Tx() {
			return inner()
		}
		l := w.m.Unique.Lookup
		return block{result: []jen.Code{w.e.idem("Unique").Call(
			jen.Id(w.useCtx()), w.part("engine"), jen.Op("&").Id(w.m.uniqueOp), w.part("violation"),
			w.closure(func() block { return w.lookup(l) }),
			w.closure(inner),
		)}}
	},
	label: func(m *model.Method) string { return "unique (index " + indexText(m.Unique) + ")" },
	inTx:  true,
}

// indexText is a unique index with its columns, for people.
func indexText(u *model.Unique) string {
	if len(u.Columns) == 0 {
		return u.Index
	}
	return u.Index + " on " + strings.Join(u.Columns, ", ")
}

// uniqueOperation declares the idem.UniqueOp of a method.
func (e *emitter) uniqueOperation(m *methodPlan) jen.Code {
	u := m.Unique
	fields := fieldList{field("Name", lit(m.OpName)), field("Index", lit(u.Index))}
	fields.set(len(u.Columns) > 0, "Columns", func() jen.Code { return textList(u.Columns) })
	return doc(m.uniqueOp + " is the unique index that guards " + m.title + ".").Line().
		Var().Id(m.uniqueOp).Op("=").Add(e.idem("UniqueOp")).Add(rows(fields...))
}
