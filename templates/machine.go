package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/templates/names"
)

// machine declares everything of a state machine.
func (e *emitter) machine(m *machinePlan) []jen.Code {
	b := &machineBuilder{emitter: e, m: m, local: names.NewSet()}
	decls := b.events()
	decls = append(decls, b.drift()...)
	decls = append(decls, b.tables()...)
	decls = append(decls, b.questions()...)
	if mapped(m.Machine) {
		decls = append(decls, b.columnValues(), b.ofColumn())
	}
	decls = append(decls, b.parse(), b.list())
	decls = append(decls, b.codecs()...)
	return append(decls, b.guard()...)
}

// machineBuilder holds what the declarations of one machine share.
type machineBuilder struct {
	*emitter
	m     *machinePlan
	local names.Set
}

// name is a local of a generated function: it hides neither package scope, where
// the states live, nor an import.
func (b *machineBuilder) name(want string) string { return b.table.Local(want) }

// typ is the Go type of a state.
func (b *machineBuilder) typ() *jen.Statement { return b.code(b.m.Type) }

// events declares the event type, its constants and their names.
func (b *machineBuilder) events() []jen.Code {
	m := b.m
	var consts, labels []jen.Code
	for i, ev := range m.Events {
		c := jen.Id(m.events[i])
		if i == 0 {
			c = c.Id(m.event).Op("=").Iota().Op("+").Lit(1)
		}
		c = c.Comment("// " + moveText(m.Machine, ev))
		consts = append(consts, c)
		labels = append(labels, jen.Case(jen.Id(m.events[i])).Block(jen.Return(lit(ev.Name))))
	}
	base := jen.Uint8()
	if len(m.Events) >= 255 {
		base = jen.Uint16()
	}
	e := b.name("e")
	return []jen.Code{
		doc(m.event + " is an event of the state machine " + m.Name + ". The zero value is none.").Line().
			Type().Id(m.event).Add(base),
		doc("Events of " + m.Name + ".").Line().Const().Defs(consts...),
		doc("String returns the event's name, \"\" for none.").Line().
			Func().Params(jen.Id(e).Id(m.event)).Id("String").Params().String().Block(
			jen.Switch(jen.Id(e)).Block(labels...),
			jen.Return(jen.Lit("")),
		),
	}
}
