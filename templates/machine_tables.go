package templates

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
)

// tables declares the states by index and the bit sets over them.
func (b *machineBuilder) tables() []jen.Code {
	m := b.m
	var values, sources, targets, next []jen.Code
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
		next = append(next, b.nextRow(i, ev))
	}
	for i, s := range m.States {
		values = append(values, b.code(s.Const))
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
		doc(m.next + " has the state that each event leads to from each state, as its index + 1; 0: the event may not leave it.").Line().
			Var().Id(m.next).Op("=").Index(jen.Op("...")).Index(jen.Lit(len(m.States))).Add(b.small()).Add(rows(next...)),
		doc(m.index + " is the index of a state, -1 for an unknown one.").Line().
			Func().Id(m.index).Params(jen.Id(s).Add(b.typ())).Int().Block(b.indexBody(s)...),
		doc(m.allows+" tells whether the event may leave the state with the index.").Line().
			Func().Id(m.allows).Params(jen.Id(e).Id(m.event), jen.Id(i).Int()).Bool().Block(
			jen.Return(jen.Id(i).Op(">=").Lit(0).Op("&&").Id("int").Call(jen.Id(e)).Op("<").Len(jen.Id(m.sources)).
				Op("&&").Add(b.has(jen.Id(m.sources).Index(jen.Id(e)), jen.Id(i)))),
		),
	}
}

// small is an unsigned type for the indices of states.
func (b *machineBuilder) small() *jen.Statement {
	if len(b.m.States) < 256 {
		return jen.Uint8()
	}
	return jen.Uint16()
}

// nextRow is where one event leads. An event whose target the caller names leads
// nowhere by itself.
func (b *machineBuilder) nextRow(i int, ev *model.Event) jen.Code {
	var to []jen.Code
	if !ev.Dynamic {
		for _, edge := range byFrom(ev.Edges) {
			to = append(to, jen.Lit(edge.From).Op(":").Lit(edge.To+1))
		}
	}
	r := row(jen.Id(b.m.events[i]).Op(":").Values(to...))
	if len(to) == 0 || len(to) > 8 {
		return r
	}
	return r.Comment("// " + moveText(b.m.Machine, ev))
}

// indexBody finds the index of the state s: by its distance from the first where the
// states are consecutive numbers.
func (b *machineBuilder) indexBody(s string) []jen.Code {
	states := b.m.States
	first, last := states[0], states[len(states)-1]
	if lower, ok := b.consecutive(); ok {
		outside := jen.Id(s).Op(">").Add(b.code(last.Const))
		if lower {
			outside = jen.Id(s).Op("<").Add(b.code(first.Const)).Op("||").Add(outside)
		}
		return []jen.Code{
			jen.If(outside).Block(jen.Return(jen.Lit(-1))),
			jen.Return(jen.Id("int").Call(jen.Id(s)).Op("-").Id("int").Call(b.code(first.Const))),
		}
	}
	var cases []jen.Code
	for i, st := range states {
		cases = append(cases, jen.Case(b.code(st.Const)).Block(jen.Return(jen.Lit(i))))
	}
	return []jen.Code{jen.Switch(jen.Id(s)).Block(cases...), jen.Return(jen.Lit(-1))}
}

// consecutive tells whether the states are constants that are consecutive numbers, which
// the lines of drift hold them to; lower, whether there are numbers below them.
func (b *machineBuilder) consecutive() (lower, ok bool) {
	if b.m.Base != model.KindInt && b.m.Base != model.KindUint {
		return false, false
	}
	var first, last int64
	for i, s := range b.m.States {
		n, err := strconv.ParseInt(s.Value, 10, 64)
		if err != nil || !s.Constant || i > 0 && n != first+int64(i) {
			return false, false
		}
		if i == 0 {
			first = n
		}
		last = n
	}
	for _, size := range []int{8, 16, 32, 64} { // a comparison that always holds is what a linter would strike out
		if last == 1<<(size-1)-1 || last == 1<<size-1 || first == -1<<(size-1) {
			return false, false
		}
	}
	return b.m.Base == model.KindInt || first > 0, true
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
