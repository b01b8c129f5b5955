package templates

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
)

// question is something that a state can be asked: a method of its type where
// that is the package's own, else a function that takes the state first.
type question struct {
	name string
	doc  string
	// build returns the parameters beside the state, the results and the body.
	build func(b *machineBuilder, s string) (params []jen.Code, results *jen.Statement, body []jen.Code)
}

// machineQuestions are all of them, in the order that they are declared.
var machineQuestions = []question{
	{"Valid", "tells whether it is a declared state.", (*machineBuilder).valid},
	{"Final", "tells whether it is a final state: nothing leads out of it.", (*machineBuilder).final},
	{"Can", "tells whether the event may leave the state.", (*machineBuilder).can},
	{"CanTransition", "tells whether some event leads from the state to another.", (*machineBuilder).canTransition},
	{"Next", "returns the state that the event leads to; the state itself and false where it may not leave it.", (*machineBuilder).nextState},
	{"Events", "returns the events that may leave the state; the slice is the caller's.", (*machineBuilder).eventsOf},
}

// questions declares those that the state's type does not have already.
func (b *machineBuilder) questions() []jen.Code {
	var decls []jen.Code
	for i, q := range machineQuestions {
		s := b.name("s")
		params, results, body := q.build(b, s)
		state := jen.Id(s).Add(b.typ())
		about := q.doc
		if q.name == "Next" && b.hasDynamic() {
			about = "returns the state that the event leads to; the state itself and false where it may not leave it, and for an event whose target the caller names."
		}
		switch {
		case !b.m.Methods:
			name := b.m.funcs[i]
			decls = append(decls, doc(name+" "+about).Line().
				Func().Id(name).Params(append([]jen.Code{state}, params...)...).Add(results).Block(body...))
		case !b.hasMethod(q.name):
			decls = append(decls, doc(q.name+" "+about).Line().
				Func().Params(state).Id(q.name).Params(params...).Add(results).Block(body...))
		}
	}
	return decls
}

// hasDynamic tells whether the caller names the target of some event.
func (b *machineBuilder) hasDynamic() bool {
	return slices.ContainsFunc(b.m.Events, func(ev *model.Event) bool { return ev.Dynamic })
}

// hasMethod tells whether the type has a method of its own.
func (b *machineBuilder) hasMethod(name string) bool { return slices.Contains(b.m.HasMethods, name) }

// questionIndex is the place of a question in the list.
func questionIndex(name string) int {
	return slices.IndexFunc(machineQuestions, func(q question) bool { return q.name == name })
}

// indexOf is the index of the state s.
func (b *machineBuilder) indexOf(s string) *jen.Statement { return jen.Id(b.m.index).Call(jen.Id(s)) }

func (b *machineBuilder) valid(s string) ([]jen.Code, *jen.Statement, []jen.Code) {
	return nil, jen.Bool(), []jen.Code{jen.Return(b.indexOf(s).Op(">=").Lit(0))}
}

func (b *machineBuilder) final(s string) ([]jen.Code, *jen.Statement, []jen.Code) {
	i := b.name("i")
	return nil, jen.Bool(), []jen.Code{
		jen.Id(i).Op(":=").Add(b.indexOf(s)),
		jen.Return(jen.Id(i).Op(">=").Lit(0).Op("&&").Id(b.m.data).Dot("States").Index(jen.Id(i)).Dot("Final")),
	}
}

func (b *machineBuilder) can(s string) ([]jen.Code, *jen.Statement, []jen.Code) {
	e := b.name("e")
	return []jen.Code{jen.Id(e).Id(b.m.event)}, jen.Bool(), []jen.Code{
		jen.Return(jen.Id(b.m.allows).Call(jen.Id(e), b.indexOf(s))),
	}
}

func (b *machineBuilder) canTransition(s string) ([]jen.Code, *jen.Statement, []jen.Code) {
	to, i, j := b.name("to"), b.name("i"), b.name("j")
	return []jen.Code{jen.Id(to).Add(b.typ())}, jen.Bool(), []jen.Code{
		jen.List(jen.Id(i), jen.Id(j)).Op(":=").List(b.indexOf(s), b.indexOf(to)),
		jen.Return(jen.Id(i).Op(">=").Lit(0).Op("&&").Id(j).Op(">=").Lit(0).
			Op("&&").Add(b.has(jen.Id(b.m.targets).Index(jen.Id(i)), jen.Id(j)))),
	}
}

func (b *machineBuilder) nextState(s string) ([]jen.Code, *jen.Statement, []jen.Code) {
	e, i, to := b.name("e"), b.name("i"), b.name("to")
	table := func() *jen.Statement { return jen.Id(b.m.next).Index(jen.Id(e)) }
	unsigned := func(x jen.Code) *jen.Statement { return jen.Id("uint").Call(x) }
	return []jen.Code{jen.Id(e).Id(b.m.event)}, jen.Params(b.typ(), jen.Bool()), []jen.Code{
		jen.Comment("An index of -1, as an unsigned number, is beyond them all."),
		jen.If(jen.Id(i).Op(":=").Add(b.indexOf(s)), jen.Id("int").Call(jen.Id(e)).Op("<").Len(jen.Id(b.m.next)).
			Op("&&").Add(unsigned(jen.Id(i))).Op("<").Add(unsigned(jen.Len(table())))).Block(
			jen.If(jen.Id(to).Op(":=").Add(table()).Index(jen.Id(i)), jen.Id(to).Op(">").Lit(0)).Block(
				jen.Return(b.valueAt(to), jen.True()),
			),
		),
		jen.Return(jen.Id(s), jen.False()),
	}
}

// valueAt is the state whose index + 1 the variable to holds.
func (b *machineBuilder) valueAt(to string) *jen.Statement {
	index := jen.Id(to).Op("-").Lit(1)
	if _, ok := b.consecutive(); ok {
		return b.code(b.m.States[0].Const).Op("+").Add(b.typ()).Call(index)
	}
	return jen.Id(b.m.values).Index(index)
}

func (b *machineBuilder) eventsOf(s string) ([]jen.Code, *jen.Statement, []jen.Code) {
	e, i, list := b.name("e"), b.name("i"), b.name("list")
	return nil, jen.Index().Id(b.m.event), []jen.Code{
		jen.Id(i).Op(":=").Add(b.indexOf(s)),
		jen.Var().Id(list).Index().Id(b.m.event),
		jen.For(jen.Id(e).Op(":=").Id(b.m.events[0]), jen.Id("int").Call(jen.Id(e)).Op("<").Len(jen.Id(b.m.sources)), jen.Id(e).Op("++")).Block(
			jen.If(jen.Id(b.m.allows).Call(jen.Id(e), jen.Id(i))).Block(
				jen.Id(list).Op("=").Append(jen.Id(list), jen.Id(e)),
			),
		),
		jen.Return(jen.Id(list)),
	}
}

// list declares the function that returns all states.
func (b *machineBuilder) list() jen.Code {
	return doc(b.m.states + " returns all states in the order of their declaration; the slice is the caller's.").Line().
		Func().Id(b.m.states).Params().Index().Add(b.typ()).Block(
		jen.Return(jen.Append(jen.Index().Add(b.typ()).Parens(jen.Nil()), jen.Id(b.m.values).Index(jen.Op(":")).Op("..."))),
	)
}
