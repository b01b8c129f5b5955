package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
)

// onceOp declares the operation of an event with a key of its own.
func (b *machineBuilder) onceOp(i int) jen.Code {
	fields := []jen.Code{
		field("Name", lit(b.pkg.Path+"."+b.m.events[i])),
		field("Key", jen.Index().String().Values(lit("key"))),
	}
	if ttl := b.m.Events[i].TTL; ttl != 0 {
		fields = append(fields, field("TTL", b.retention(ttl)))
	}
	return doc(b.m.ops[i] + " is the operation of " + b.m.once[i] + ".").Line().
		Var().Id(b.m.ops[i]).Op("=").Add(b.idem("Op")).Add(rows(fields...))
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

	lines := []string{
		b.m.once[i] + " is " + b.m.methods[i] + " of " + b.m.guard + ", at most once per " + key + ": a second call with it, within " + span(ttlOf(&model.Once{TTL: ev.TTL})) + ", gets the change",
		"that the first one made, and idem.ErrKeyReused for another " + id + ". An event that was not applied leaves no record.",
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
		jen.Id(call).Op(":=").Id(engine).Dot("Call").Call(jen.Id(ctx), jen.Op("&").Id(b.m.ops[i]), b.idem("String").Call(jen.Id(key))).
			Dot("Match").Call(b.idem(partMakers[b.m.KeyKind]).Call(jen.Id(id))),
		jen.Return(jen.Id(b.m.changed).Call(b.idem("FireOnce").Call(args...))),
	)
}
