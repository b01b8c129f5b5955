package templates

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
)

// onceOp declares the operation of an event with a key of its own.
func (b *machineBuilder) onceOp(i int) jen.Code {
	fields := []jen.Code{
		field("Name", lit(b.pkg.Path+"."+b.m.events[i])),
		field("Key", jen.Index().String().Values(b.onceKeyNames(i)...)),
	}
	if ttl := b.m.Events[i].TTL; ttl != 0 {
		fields = append(fields, field("TTL", b.retention(ttl)))
	}
	return doc(b.m.ops[i] + " is the operation of " + b.m.once[i] + ".").Line().
		Var().Id(b.m.ops[i]).Op("=").Add(b.idem("Op")).Add(rows(fields...))
}

// onceKeyNames are the parts of the key, for messages.
func (b *machineBuilder) onceKeyNames(i int) []jen.Code {
	list := []jen.Code{lit("key")}
	for j, p := range b.m.Events[i].Params {
		if b.inOnceKey(j, p) {
			list = append(list, lit(p.Name))
		}
	}
	return list
}

// inOnceKey tells whether a parameter is part of the key: those that the machine's
// where= compares a column with by equality, which say whose row it is, are, so that
// no tenant gets another's change. What it compares otherwise, such as the time with
// a deadline, says nothing of that, and a retry may bring another value.
func (b *machineBuilder) inOnceKey(j int, p model.SQLParam) bool {
	same := func(a model.Assign) bool {
		return slices.ContainsFunc(a.Expr, func(t model.FragToken) bool { return t.Kind == model.FragParam && t.Param == j })
	}
	return p.Kind != model.KindOther && !isTime(p.Type) && slices.ContainsFunc(b.m.Same, same)
}

// onceMatched tells whether a parameter is compared (K5): all are but times, which
// a retry makes anew.
func (b *machineBuilder) onceMatched(j int, p model.SQLParam) bool {
	return !b.inOnceKey(j, p) && !isTime(p.Type)
}

// isTime tells time.Time and what holds nothing else.
func isTime(c model.Code) bool {
	for _, t := range c {
		if t.Kind == model.TokQual && (t.Import.Path == "time" && t.Text == "Time" || t.Import.Path == "database/sql" && t.Text == "NullTime") {
			return true
		}
	}
	return false
}

// onceFunc declares the event with a key of its own. It is a function: a method
// can't have the type parameter of the transaction.
func (b *machineBuilder) onceFunc(i int) jen.Code {
	ev := b.m.Events[i]
	c, params := b.call(ev.Params, b.m.ops[i], b.m.data, b.m.eventData, b.m.events[i], b.m.changed)
	ctx, engine, store, key, id := c.local("ctx"), c.local("engine"), c.local("store"), c.local("key"), c.local("id")
	tx, call := c.local("T"), c.local("call")
	c.add(ctx, b.ctxType(), "context", false)
	c.add(engine, jen.Op("*").Add(b.idem("Engine")), "engine", false)
	c.add(store, b.idem("TxStore").Types(jen.Id(tx)), "store", false)
	c.add(key, jen.String(), "string", false)
	c.add(id, b.keyType(), identity(b.keyCode()), false)
	version, fence := c.addSQL(ev.Params, params, true)

	keyParts := []jen.Code{b.idem("String").Call(jen.Id(key))}
	matchParts := []jen.Code{b.idem(partMakers[b.m.KeyKind]).Call(jen.Id(id))}
	var matched []string
	for j, p := range ev.Params {
		part := b.idem(partMakers[p.Kind]).Call(jen.Id(params[j]))
		switch {
		case b.inOnceKey(j, p):
			keyParts = append(keyParts, part)
		case b.onceMatched(j, p):
			matchParts = append(matchParts, part)
			matched = append(matched, params[j])
		}
	}
	lines := []string{
		b.m.once[i] + " is " + b.m.methods[i] + " of " + b.m.guard + ", at most once per " + key + ": a second call with it, " + within(ttlOf(&model.Once{TTL: ev.TTL})) + ", gets the change",
		"that the first one made, and idem.ErrKeyReused for " + matchedText(append([]string{id}, matched...)) + ". An event that was not applied leaves no record.",
	}
	what := b.conditions(ev, params, version, fence)
	if b.m.History != nil {
		what = what[:len(what)-1] // the record changes the count of statements
	}
	lines = append(lines, what...)
	lines = append(lines, "Outside a transaction of "+store+" all of it is one statement on Postgres; else record and update are in one transaction.")
	args := append([]jen.Code{
		jen.Id(ctx), jen.Id(store), jen.Id(call), jen.Op("&").Id(b.m.data),
		jen.Op("&").Id(b.m.eventData).Index(jen.Id(b.m.events[i])), jen.Id(id),
	}, c.args()...)
	return doc(lines...).Line().
		Func().Id(b.m.once[i]).Types(jen.Id(tx).Id("any")).Params(c.signature()...).Params(b.change(), jen.Error()).Block(
		jen.Id(call).Op(":=").Id(engine).Dot("Call").Call(append([]jen.Code{jen.Id(ctx), jen.Op("&").Id(b.m.ops[i])}, keyParts...)...).
			Dot("Match").Call(matchParts...),
		jen.Return(jen.Id(b.m.changed).Call(b.idem("FireOnce").Call(args...))),
	)
}

// within is a retention in a sentence.
func within(ttl int64) string {
	if ttl == model.Never {
		return "at any time"
	}
	return "within " + span(ttl)
}

// matchedText lists what a second call must repeat: another id, amount or note.
func matchedText(list []string) string {
	text := "another " + list[0]
	for i, name := range list[1:] {
		sep := ", "
		if i == len(list)-2 {
			sep = " or "
		}
		text += sep + name
	}
	return text
}
