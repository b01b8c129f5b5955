package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/templates/names"
)

// drift declares lines that stop compiling when a constant changes its value:
// the generated SQL holds the old one.
func (b *machineBuilder) drift() []jen.Code {
	var lines []jen.Code
	var seen []string
	for _, s := range b.m.States {
		if s.Constant {
			lines = append(lines, b.driftLine(s.Const, s.Value, b.m.Base == model.KindBool))
			seen = append(seen, names.Identity(s.Const))
		}
	}
	states := len(lines)
	known := names.NewSet(seen)
	for _, tok := range machineConstants(b.m.Machine) {
		if id := names.Identity(tok.Const); !known.Has(id) {
			known.Add(id)
			lines = append(lines, b.driftLine(tok.Const, tok.Literal, tok.Value.Bool))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	what := "a state of " + b.m.Name
	switch {
	case states == 0:
		what = "a constant in the SQL of " + b.m.Name
	case len(lines) > states:
		what += ", or a constant in its SQL,"
	}
	return []jen.Code{
		doc("A line that does not compile here says that "+what+" has another value than this file was",
			"generated for: run go generate, and migrate the rows that hold the old value.").Line().
			Var().Defs(lines...),
	}
}

// driftLine compares a constant with the literal that it was.
func (e *emitter) driftLine(c model.Code, literal string, boolean bool) jen.Code {
	holds := e.code(c).Op("==").Id(literal)
	if boolean { // comparing with true or false is what a linter would strike out
		holds = jen.Bool().Call(e.code(c))
		if literal == "false" {
			holds = jen.Op("!").Add(holds)
		}
	}
	entry := jen.Map(jen.Bool()).Struct().Values(jen.False().Op(":").Values(), holds.Op(":").Values())
	return jen.Id("_").Op("=").Add(entry)
}

// machineConstants are the constants of Go in the SQL of a machine, in the order
// of writing, with repeats.
func machineConstants(m *model.Machine) []model.FragToken {
	var list []model.FragToken
	add := func(f model.Frag) {
		for _, tok := range f {
			if tok.Kind == model.FragValue && tok.Const != nil {
				list = append(list, tok)
			}
		}
	}
	set := func(assigns []model.Assign) {
		for _, a := range assigns {
			add(a.Expr)
		}
	}
	add(m.Where)
	set(m.Same)
	set(m.Create)
	for _, ev := range m.Events {
		set(ev.Set)
		add(ev.Where)
	}
	return list
}
