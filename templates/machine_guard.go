package templates

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
)

// guard declares the machine as data with its SQL, and the guard over it.
func (b *machineBuilder) guard() []jen.Code {
	decls := []jen.Code{b.machineData(), b.eventInfos(), b.guardType(), b.guardConstructor()}
	for i := range b.m.Events {
		decls = append(decls, b.eventFuncs(i)...)
	}
	decls = append(decls, b.createFunc(), b.allowedFunc())
	return append(decls, b.helpers()...)
}

func (b *machineBuilder) guardType() jen.Code {
	return doc(b.guardDoc()...).Line().
		Type().Id(b.m.guard).Struct(jen.Id(b.m.dialect).Add(b.idem("Dialect")))
}

func (b *machineBuilder) guardConstructor() jen.Code {
	dialect := b.name("dialect")
	return doc(b.m.newGuard + " returns the guard that speaks a dialect of SQL.").Line().
		Func().Id(b.m.newGuard).Params(jen.Id(dialect).Add(b.idem("Dialect"))).Id(b.m.guard).
		Block(jen.Return(jen.Id(b.m.guard).Values(jen.Id(b.m.dialect).Op(":").Id(dialect))))
}

// keyCode is the Go type of the row's key.
func (b *machineBuilder) keyCode() model.Code {
	if b.m.KeyType == nil {
		return model.Text("string")
	}
	return b.m.KeyType
}

func (b *machineBuilder) keyType() *jen.Statement { return b.code(b.keyCode()) }

// proofs are the targets of the event that prove it (S2). A row may be in the
// initial state without any event.
func (b *machineBuilder) proofs(ev *model.Event) []int {
	return slices.DeleteFunc(slices.Clone(ev.Proofs), func(s int) bool { return b.m.States[s] == b.m.Initial })
}

// byFrom orders edges by source; of two from one source an explicit one wins
// over a wildcard one (S4).
func byFrom(edges []model.Edge) []model.Edge {
	edges = slices.Clone(edges)
	slices.SortStableFunc(edges, func(a, b model.Edge) int {
		if a.From != b.From {
			return a.From - b.From
		}
		return boolInt(a.Wildcard) - boolInt(b.Wildcard)
	})
	return slices.CompactFunc(edges, func(a, b model.Edge) bool { return a.From == b.From })
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
