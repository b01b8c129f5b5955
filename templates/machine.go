package templates

import (
	"fmt"
	"slices"
	"strings"

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

// tables declares the states by index and the bit sets over them.
func (b *machineBuilder) tables() []jen.Code {
	m := b.m
	var values, sources, targets, cases []jen.Code
	out := make([][]int, len(m.States))
	for i, ev := range m.Events {
		var from []int
		for _, edge := range byFrom(ev.Edges) {
			from = append(from, edge.From)
			if !slices.Contains(out[edge.From], edge.To) {
				out[edge.From] = append(out[edge.From], edge.To)
			}
		}
		sources = append(sources, b.bitRow(jen.Id(m.events[i]), from, ""))
	}
	for i, s := range m.States {
		values = append(values, b.code(s.Const))
		cases = append(cases, jen.Case(b.code(s.Const)).Block(jen.Return(jen.Lit(i))))
		slices.Sort(out[i])
		if len(out[i]) > 0 || i == len(m.States)-1 {
			targets = append(targets, b.bitRow(jen.Lit(i), out[i], s.Ident+": "))
		}
	}
	s, e, i := b.name("s"), b.name("e"), b.name("i")
	return []jen.Code{
		doc(m.values + " are the states; an index below is a place in it.").Line().
			Var().Id(m.values).Op("=").Index(jen.Op("...")).Add(b.typ()).Values(values...),
		doc(m.sources + " has the states that each event may leave, as a bit set.").Line().
			Var().Id(m.sources).Op("=").Index(jen.Op("...")).Add(b.set()).Add(rows(sources...)),
		doc(m.targets + " has the states that each state may go to, as a bit set.").Line().
			Var().Id(m.targets).Op("=").Index(jen.Op("...")).Add(b.set()).Add(rows(targets...)),
		doc(m.index+" is the index of a state, -1 for an unknown one.").Line().
			Func().Id(m.index).Params(jen.Id(s).Add(b.typ())).Int().Block(
			jen.Switch(jen.Id(s)).Block(cases...),
			jen.Return(jen.Lit(-1)),
		),
		doc(m.allows+" tells whether the event may leave the state with the index.").Line().
			Func().Id(m.allows).Params(jen.Id(e).Id(m.event), jen.Id(i).Int()).Bool().Block(
			jen.Return(jen.Id(i).Op(">=").Lit(0).Op("&&").Id("int").Call(jen.Id(e)).Op("<").Len(jen.Id(m.sources)).
				Op("&&").Add(b.has(jen.Id(m.sources).Index(jen.Id(e)), jen.Id(i)))),
		),
	}
}

// words is the number of words of a bit set of the machine's states.
func (b *machineBuilder) words() int { return (len(b.m.States) + 63) / 64 }

// set is the type of a bit set: one word, or an array of them beyond 64 states.
func (b *machineBuilder) set() *jen.Statement {
	if b.words() == 1 {
		return jen.Uint64()
	}
	return jen.Index(jen.Lit(b.words())).Uint64()
}

// has tests bit i of a set.
func (b *machineBuilder) has(set, i *jen.Statement) *jen.Statement {
	if b.words() == 1 {
		return set.Op(">>").Add(i).Op("&").Lit(1).Op("!=").Lit(0)
	}
	return set.Index(jen.Add(i).Op("/").Lit(64)).Op(">>").Parens(jen.Add(i).Op("%").Lit(64)).Op("&").Lit(1).Op("!=").Lit(0)
}

// bitRow is one element of a table of bit sets, with the states it stands for.
func (b *machineBuilder) bitRow(key *jen.Statement, states []int, who string) jen.Code {
	var idents []string
	for _, i := range states {
		idents = append(idents, b.m.States[i].Ident)
	}
	r := row(key.Op(":").Add(b.bits(states)))
	if len(idents) == 0 || len(idents) > 8 {
		return r
	}
	return r.Comment("// " + who + strings.Join(idents, ", "))
}

// bits writes a bit set.
func (b *machineBuilder) bits(states []int) *jen.Statement {
	words := bitWords(states, b.words())
	if len(words) == 1 {
		return jen.Id(words[0])
	}
	return jen.Values(ids(words...)...)
}

// bitWords writes bit sets word by word, in hexadecimal.
func bitWords(states []int, n int) []string {
	words := make([]uint64, n)
	for _, s := range states {
		words[s/64] |= 1 << (s % 64)
	}
	out := make([]string, n)
	for i, w := range words {
		out[i] = fmt.Sprintf("%#x", w)
	}
	return out
}
