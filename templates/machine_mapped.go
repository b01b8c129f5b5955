package templates

import (
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
)

// Where values= says what the column holds, the codecs of the column go through
// a table by index. What encoding/json writes is the Go value all the same.

// columnWire is how the column's values are read and written.
func (b *machineBuilder) columnWire() wire {
	switch v := b.m.States[0].SQL; {
	case v.Bool:
		return wires[model.KindBool]
	case v.Number:
		for _, s := range b.m.States {
			if _, err := strconv.ParseInt(s.SQL.Text, 10, 64); err != nil {
				return wires[model.KindUint]
			}
		}
		return wires[model.KindInt]
	}
	return wires[model.KindString]
}

// columnLiteral is the Go literal of what the column holds.
func columnLiteral(v model.SQLValue) *jen.Statement {
	if v.Number || v.Bool {
		return jen.Id(v.Text)
	}
	return lit(v.Text)
}

// columnText turns a value of the column into a string.
func (b *machineBuilder) columnText(v string) *jen.Statement {
	switch w := b.columnWire(); {
	case w.conv == "":
		return jen.Id(v)
	case w.base:
		return b.use("strconv", "Format"+w.conv).Call(jen.Id(v), jen.Lit(10))
	default:
		return b.use("strconv", "Format"+w.conv).Call(jen.Id(v))
	}
}

// columnValues declares what the column holds, by index.
func (b *machineBuilder) columnValues() jen.Code {
	var list []jen.Code
	for _, s := range b.m.States {
		list = append(list, columnLiteral(s.SQL))
	}
	return doc(b.m.columns + " are the states as the column " + b.m.Column + " holds them, by index.").Line().
		Var().Id(b.m.columns).Op("=").Index(jen.Op("...")).Id(b.columnWire().wide).Values(list...)
}

// ofColumn declares the function from the column's value to the state.
func (b *machineBuilder) ofColumn() jen.Code {
	i, c, v := b.name("i"), b.name("c"), b.name("v")
	return doc(b.m.ofColumn+" returns the state that the column holds as v; idem.ErrUnknownState for any other value.").Line().
		Func().Id(b.m.ofColumn).Params(jen.Id(v).Id(b.columnWire().wide)).Params(b.typ(), jen.Error()).Block(
		jen.For(jen.List(jen.Id(i), jen.Id(c)).Op(":=").Range().Id(b.m.columns)).Block(
			jen.If(jen.Id(c).Op("==").Id(v)).Block(jen.Return(jen.Id(b.m.values).Index(jen.Id(i)), jen.Nil())),
		),
		jen.Return(jen.Id(b.wire().zero), b.unknown(b.columnText(v))),
	)
}

func (b *machineBuilder) parseColumn() jen.Code {
	w, text, v, err := b.columnWire(), b.name("text"), b.name("v"), b.name("err")
	const about = "returns the state that the column holds as this text; idem.ErrUnknownState for any other."
	if w.conv == "" {
		return b.parser(about, text, []jen.Code{jen.Return(jen.Id(b.m.ofColumn).Call(jen.Id(text)))})
	}
	args := []jen.Code{jen.Id(text)}
	if w.base {
		args = append(args, jen.Lit(10), jen.Lit(64))
	}
	return b.parser(about, text, []jen.Code{
		jen.List(jen.Id(v), jen.Id(err)).Op(":=").Add(b.use("strconv", "Parse"+w.conv)).Call(args...),
		jen.If(jen.Id(err).Op("!=").Nil()).Block(jen.Return(jen.Id(b.wire().zero), b.unknown(jen.Id(text)))),
		jen.Return(jen.Id(b.m.ofColumn).Call(jen.Id(v))),
	})
}

func (b *machineBuilder) scanColumn() jen.Code {
	s, src, v, state, err := b.name("s"), b.name("src"), b.name("v"), b.name("state"), b.name("err")
	failed := func() jen.Code { return jen.If(jen.Id(err).Op("!=").Nil()).Block(jen.Return(jen.Id(err))) }
	return b.method("reads a column (sql.Scanner); NULL and unknown values are idem.ErrUnknownState.",
		jen.Id(s).Op("*"), "Scan", []jen.Code{jen.Id(src).Id("any")}, jen.Error(),
		jen.List(jen.Id(v), jen.Id(err)).Op(":=").Add(b.idem(b.columnWire().scan)).Call(lit(b.m.Name), jen.Id(src)),
		failed(),
		jen.List(jen.Id(state), jen.Id(err)).Op(":=").Id(b.m.ofColumn).Call(jen.Id(v)),
		failed(),
		jen.Op("*").Id(s).Op("=").Id(state),
		jen.Return(jen.Nil()),
	)
}

func (b *machineBuilder) valueColumn() jen.Code {
	s, i, w := b.name("s"), b.name("i"), b.columnWire()
	value := jen.Id(b.m.columns).Index(jen.Id(i))
	if w.column != w.wide {
		value = jen.Id(w.column).Call(value)
	}
	return b.method("writes a column (driver.Valuer); what is no state is idem.ErrUnknownState.",
		jen.Id(s), "Value", nil, jen.Params(b.use("database/sql/driver", "Value"), jen.Error()),
		jen.Id(i).Op(":=").Add(b.indexOf(s)),
		jen.If(jen.Id(i).Op("<").Lit(0)).Block(jen.Return(jen.Nil(), b.unknown(b.text(b.wide(s))))),
		jen.Return(value, jen.Nil()),
	)
}

// unmarshalMappedText reads the Go value, which is what encoding/json writes as
// the key of a map: the parser reads what the column holds.
func (b *machineBuilder) unmarshalMappedText() jen.Code {
	w, s, text, v, state, err := b.wire(), b.name("s"), b.name("text"), b.name("v"), b.name("state"), b.name("err")
	about := "reads the Go value of a state as text; any other is idem.ErrUnknownState."
	bad := b.notKnown(state, v)
	var body []jen.Code
	if w.conv == "" {
		body = append(body, jen.Id(state).Op(":=").Add(b.convert(jen.Id(text))))
	} else {
		args := []jen.Code{jen.String().Call(jen.Id(text))}
		if w.base {
			args = append(args, jen.Lit(10), jen.Lit(64))
		}
		body = append(body,
			jen.List(jen.Id(v), jen.Id(err)).Op(":=").Add(b.use("strconv", "Parse"+w.conv)).Call(args...),
			jen.Id(state).Op(":=").Add(b.convert(jen.Id(v))),
		)
		bad = jen.Id(err).Op("!=").Nil().Op("||").Add(bad)
	}
	if !b.zeroIsState() {
		about = "reads the Go value of a state as text, or the zero value, which is none; any other is idem.ErrUnknownState."
		zero := w.zero
		if w.conv != "" {
			zero = `"` + zero + `"`
			bad = jen.Parens(bad)
		}
		bad = jen.String().Call(jen.Id(text)).Op("!=").Id(zero).Op("&&").Add(bad)
	}
	body = append(body,
		jen.If(bad).Block(jen.Return(b.unknown(jen.String().Call(jen.Id(text))))),
		jen.Op("*").Id(s).Op("=").Id(state),
		jen.Return(jen.Nil()),
	)
	return b.method(about, jen.Id(s).Op("*"), "UnmarshalText", []jen.Code{jen.Id(text).Index().Byte()}, jen.Error(), body...)
}
