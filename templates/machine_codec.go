package templates

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
)

// wire is how states of one kind are read and written.
type wire struct {
	scan   string // the runtime's reader of a column
	wide   string // the type that it returns, and that strconv takes
	column string // the type that driver.Value takes
	conv   string // the suffix of strconv's functions; "" for texts, which need none
	base   bool   // strconv's functions take a base
	zero   string // the zero value, as a literal and as a text
}

// wires has one row per base kind.
var wires = [...]wire{
	model.KindString: {scan: "ScanText", wide: "string", column: "string", zero: `""`},
	model.KindInt:    {scan: "ScanInt", wide: "int64", column: "int64", conv: "Int", base: true, zero: "0"},
	model.KindUint:   {scan: "ScanUint", wide: "uint64", column: "int64", conv: "Uint", base: true, zero: "0"},
	model.KindBool:   {scan: "ScanBool", wide: "bool", column: "bool", conv: "Bool", zero: "false"},
}

func (b *machineBuilder) wire() wire { return wires[b.m.Base] }

// unknown is the typed error for a text that is no state.
func (b *machineBuilder) unknown(text jen.Code) *jen.Statement {
	return b.idem("UnknownState").Call(lit(b.m.Name), text)
}

// convert turns v into a state.
func (b *machineBuilder) convert(v jen.Code) *jen.Statement { return b.typ().Parens(v) }

// text turns a wide value into a string.
func (b *machineBuilder) text(v *jen.Statement) *jen.Statement {
	switch w := b.wire(); {
	case w.conv == "":
		return v
	case w.base:
		return b.use("strconv", "Format"+w.conv).Call(v, jen.Lit(10))
	default:
		return b.use("strconv", "Format"+w.conv).Call(v)
	}
}

// wide widens a state.
func (b *machineBuilder) wide(s string) *jen.Statement { return jen.Id(b.wire().wide).Call(jen.Id(s)) }

// known tells whether the wide value v became the state s without loss, and s is a state.
func (b *machineBuilder) known(s, v string) *jen.Statement {
	if b.wire().base {
		return b.wide(s).Op("==").Id(v).Op("&&").Add(b.indexOf(s)).Op(">=").Lit(0)
	}
	return b.indexOf(s).Op(">=").Lit(0)
}

// notKnown is the opposite of known.
func (b *machineBuilder) notKnown(s, v string) *jen.Statement {
	if b.wire().base {
		return b.wide(s).Op("!=").Id(v).Op("||").Add(b.indexOf(s)).Op("<").Lit(0)
	}
	return b.indexOf(s).Op("<").Lit(0)
}

// parse declares the parser of a state's text: the one that the column holds.
func (b *machineBuilder) parse() jen.Code {
	if mapped(b.m.Machine) {
		return b.parseColumn()
	}
	w, text, v, s, err := b.wire(), b.name("text"), b.name("v"), b.name("s"), b.name("err")
	var body []jen.Code
	if w.conv == "" {
		body = append(body, jen.If(
			jen.Id(s).Op(":=").Add(b.convert(jen.Id(text))),
			b.indexOf(s).Op(">=").Lit(0),
		).Block(jen.Return(jen.Id(s), jen.Nil())))
	} else {
		args := []jen.Code{jen.Id(text)}
		if w.base {
			args = append(args, jen.Lit(10), jen.Lit(64))
		}
		body = append(body,
			jen.List(jen.Id(v), jen.Id(err)).Op(":=").Add(b.use("strconv", "Parse"+w.conv)).Call(args...),
			jen.If(
				jen.Id(s).Op(":=").Add(b.convert(jen.Id(v))),
				jen.Id(err).Op("==").Nil().Op("&&").Add(b.known(s, v)),
			).Block(jen.Return(jen.Id(s), jen.Nil())),
		)
	}
	body = append(body, jen.Return(jen.Id(w.zero), b.unknown(jen.Id(text))))
	return b.parser("returns the state with this text; idem.ErrUnknownState for any other.", text, body)
}

// parser declares the parser with its body.
func (b *machineBuilder) parser(about, text string, body []jen.Code) jen.Code {
	return doc(b.m.parse+" "+about).Line().
		Func().Id(b.m.parse).Params(jen.Id(text).String()).Params(b.typ(), jen.Error()).Block(body...)
}

// codecs declares the column and wire forms of a type of the package. Each pair
// belongs together: where the type has one of it, both stay the user's. What
// encoding/json writes stays as it is without idemgen, struct tags included, so
// there are readers, which refuse what is no state, and no writers.
func (b *machineBuilder) codecs() []jen.Code {
	if !b.m.Methods {
		return nil
	}
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(b.m.HasMethods, n) })
	}
	var decls []jen.Code
	switch {
	case has("Scan", "Value"):
	case mapped(b.m.Machine):
		decls = append(decls, b.scanColumn(), b.valueColumn())
	default:
		decls = append(decls, b.scan(), b.value())
	}
	if !has("MarshalText", "UnmarshalText", "MarshalJSON", "UnmarshalJSON") {
		decls = append(decls, b.unmarshalText(), b.unmarshalJSON())
	}
	return decls
}

// method declares a method on the state's type.
func (b *machineBuilder) method(about string, recv *jen.Statement, name string, params []jen.Code, results *jen.Statement, body ...jen.Code) jen.Code {
	return doc(name + " " + about).Line().
		Func().Params(recv.Add(b.typ())).Id(name).Params(params...).Add(results).Block(body...)
}

func (b *machineBuilder) scan() jen.Code {
	s, src, v, state, err := b.name("s"), b.name("src"), b.name("v"), b.name("state"), b.name("err")
	return b.method("reads a column (sql.Scanner); NULL and unknown values are idem.ErrUnknownState.",
		jen.Id(s).Op("*"), "Scan", []jen.Code{jen.Id(src).Id("any")}, jen.Error(),
		jen.List(jen.Id(v), jen.Id(err)).Op(":=").Add(b.idem(b.wire().scan)).Call(lit(b.m.Name), jen.Id(src)),
		jen.If(jen.Id(err).Op("!=").Nil()).Block(jen.Return(jen.Id(err))),
		jen.Id(state).Op(":=").Add(b.convert(jen.Id(v))),
		jen.If(b.notKnown(state, v)).Block(jen.Return(b.unknown(b.text(jen.Id(v))))),
		jen.Op("*").Id(s).Op("=").Id(state),
		jen.Return(jen.Nil()),
	)
}

func (b *machineBuilder) value() jen.Code {
	s := b.name("s")
	return b.method("writes a column (driver.Valuer); what is no state is idem.ErrUnknownState.",
		jen.Id(s), "Value", nil, jen.Params(b.use("database/sql/driver", "Value"), jen.Error()),
		jen.If(b.indexOf(s).Op("<").Lit(0)).Block(jen.Return(jen.Nil(), b.unknown(b.text(b.wide(s))))),
		jen.Return(jen.Id(b.wire().column).Call(jen.Id(s)), jen.Nil()),
	)
}

func (b *machineBuilder) unmarshalText() jen.Code {
	if mapped(b.m.Machine) {
		return b.unmarshalMappedText()
	}
	s, text, state, err := b.name("s"), b.name("text"), b.name("state"), b.name("err")
	bad := jen.Id(err).Op("!=").Nil()
	about := "reads the text of a state; any other is idem.ErrUnknownState."
	if !b.zeroIsState() {
		about = "reads the text of a state, or of the zero value, which is none; any other is idem.ErrUnknownState."
		zeroText := b.wire().zero
		if b.wire().conv != "" {
			zeroText = `"` + zeroText + `"`
		}
		bad = bad.Op("&&").String().Call(jen.Id(text)).Op("!=").Id(zeroText)
	}
	return b.method(about, jen.Id(s).Op("*"), "UnmarshalText", []jen.Code{jen.Id(text).Index().Byte()}, jen.Error(),
		jen.List(jen.Id(state), jen.Id(err)).Op(":=").Id(b.m.parse).Call(jen.String().Call(jen.Id(text))),
		jen.If(bad).Block(jen.Return(jen.Id(err))),
		jen.Op("*").Id(s).Op("=").Id(state),
		jen.Return(jen.Nil()),
	)
}

func (b *machineBuilder) unmarshalJSON() jen.Code {
	s, data, v, state, err := b.name("s"), b.name("data"), b.name("v"), b.name("state"), b.name("err")
	bad := b.indexOf(state).Op("<").Lit(0)
	if !b.zeroIsState() {
		bad = jen.Id(state).Op("!=").Id(b.wire().zero).Op("&&").Add(bad)
	}
	var quoted jen.Code = jen.Null()
	if b.wire().conv != "" {
		quoted = jen.If(jen.Len(jen.Id(data)).Op(">").Lit(1).Op("&&").Id(data).Index(jen.Lit(0)).Op("==").LitRune('"')).Block(
			jen.Comment("// the key of a map"),
			jen.Return(jen.Id(s).Dot("UnmarshalText").Call(jen.Id(data).Index(jen.Lit(1).Op(":").Len(jen.Id(data)).Op("-").Lit(1)))),
		)
	}
	return b.method("reads what encoding/json writes; null changes nothing, a value that is no state is idem.ErrUnknownState.",
		jen.Id(s).Op("*"), "UnmarshalJSON", []jen.Code{jen.Id(data).Index().Byte()}, jen.Error(),
		quoted,
		jen.Var().Id(v).Op("*").Id(b.m.BaseType),
		jen.If(
			jen.Id(err).Op(":=").Add(b.use("encoding/json", "Unmarshal")).Call(jen.Id(data), jen.Op("&").Id(v)),
			jen.Id(err).Op("!=").Nil().Op("||").Id(v).Op("==").Nil(),
		).Block(jen.Return(jen.Id(err))),
		jen.Id(state).Op(":=").Add(b.convert(jen.Op("*").Id(v))),
		jen.If(bad).Block(jen.Return(b.unknown(b.text(b.wide(state))))),
		jen.Op("*").Id(s).Op("=").Id(state),
		jen.Return(jen.Nil()),
	)
}

// zeroIsState tells whether the zero value of the type is a declared state. Where
// it is not, a zero field of a struct must still survive being written and read.
func (b *machineBuilder) zeroIsState() bool {
	if b.m.Base == model.KindBool {
		return true
	}
	return slices.ContainsFunc(b.m.States, func(s *model.State) bool { return s.Value == b.wire().zero })
}
