package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/templates/names"
)

// change is idem.Change[Status].
func (b *machineBuilder) change() *jen.Statement { return b.idem("Change").Types(b.typ()) }

// guardMethod declares a method of the guard.
func (b *machineBuilder) guardMethod(lines []string, recv, name string, params []jen.Code, results *jen.Statement, body ...jen.Code) jen.Code {
	receiver := jen.Id(b.m.guard)
	if recv != "" {
		receiver = jen.Id(recv).Id(b.m.guard)
	}
	return doc(lines...).Line().Func().Params(receiver).Id(name).Params(params...).Add(results).Block(body...)
}

// eventFuncs declares what fires an event: on one row, on many, with a key of its own.
func (b *machineBuilder) eventFuncs(i int) []jen.Code {
	decls := []jen.Code{b.eventFunc(i)}
	if b.hasBatch(b.m.Events[i]) {
		decls = append(decls, b.batchFunc(i))
	}
	if b.m.once[i] != "" {
		decls = append(decls, b.onceOp(i), b.onceFunc(i))
	}
	return decls
}

// hasBatch tells whether an event has a form for many rows: one with a target that
// the caller names goes one row at a time.
func (b *machineBuilder) hasBatch(ev *model.Event) bool { return !ev.Dynamic }

// eventFunc declares the function of one event on one row.
func (b *machineBuilder) eventFunc(i int) jen.Code {
	ev := b.m.Events[i]
	c, params := b.call(ev.Params, b.m.events[i])
	to := ""
	if ev.Dynamic {
		to = c.local(ev.Target)
	}
	g := b.receiver()
	ctx, db, id := c.rowParams("id", false)
	args := []jen.Code{jen.Id(ctx), jen.Id(db), jen.Id(b.m.events[i]), jen.Id(id)}
	fire := b.m.fire
	if ev.Dynamic {
		c.add(to, b.typ(), "state", false)
		args, fire = append(args, jen.Id(to)), b.m.fireTo
	}
	version, fence := c.addSQL(ev.Params, params, true)
	lines := b.eventDoc(b.m.methods[i], ev, params, to, version, fence)
	return b.guardMethod(lines, g, b.m.methods[i], c.signature(), jen.Params(b.change(), jen.Error()),
		jen.Return(jen.Id(g).Dot(fire).Call(append(args, c.args()...)...)))
}

// batchFunc declares the function of one event on many rows.
func (b *machineBuilder) batchFunc(i int) jen.Code {
	ev := b.m.Events[i]
	c, params := b.call(ev.Params, b.m.events[i])
	g := b.receiver()
	ctx, db, ids := c.rowParams("ids", true)
	c.addSQL(ev.Params, params, false)
	name := b.m.batches[i]
	line := name + " is " + b.m.methods[i] + " on many rows: a result for each of " + ids + ", in their order."
	if b.m.Version != "" {
		line += " Versions are not compared; they go up by one all the same."
	}
	args := append([]jen.Code{jen.Id(ctx), jen.Id(db), jen.Id(b.m.events[i]), jen.Id(ids)}, c.args()...)
	return b.guardMethod([]string{line}, g, name, c.signature(), jen.Params(jen.Index().Add(b.result()), jen.Error()),
		jen.Return(jen.Id(g).Dot(b.m.fireAll).Call(args...)))
}

// result is idem.BatchResult[Status].
func (b *machineBuilder) result() *jen.Statement { return b.idem("BatchResult").Types(b.typ()) }

// helpers declares what the functions of events share.
func (b *machineBuilder) helpers() []jen.Code {
	var decls []jen.Code
	dynamic, batch := false, false
	for _, ev := range b.m.Events {
		dynamic = dynamic || ev.Dynamic
		batch = batch || b.hasBatch(ev)
	}
	if batch { // there is an event with targets of its own
		decls = append(decls, b.fireFunc())
	}
	if dynamic {
		decls = append(decls, b.fireToFunc())
	}
	if batch {
		decls = append(decls, b.fireAllFunc())
	}
	return append(decls, b.changedFunc())
}

// passes tells whether any event passes arguments behind the key.
func (b *machineBuilder) passes(of func(*model.Event) bool) bool {
	if b.m.Version != "" || b.m.Fence != "" {
		return true
	}
	for _, ev := range b.m.Events {
		if of(ev) && len(ev.Params) > 0 {
			return true
		}
	}
	return false
}

// receiver is the receiver of the guard's methods, the same throughout: no
// parameter of any of them is called so.
func (b *machineBuilder) receiver() string {
	used := names.NewSet()
	names.ForEachSQLParam(&model.Package{Machines: []*model.Machine{b.m.Machine}}, func(p model.SQLParam) { used.Add(p.Name) })
	if !used.Has("g") {
		return b.table.Local("g", used)
	}
	return b.table.Local("guard", used)
}

// helper is a method that passes arguments on to the runtime.
type helper struct {
	b                   *machineBuilder
	g, ctx, db, e, args string
	params              []jen.Code
}

// helper starts one: (ctx, db, e, …, args ...any).
func (b *machineBuilder) helper(between []jen.Code, variadic bool) *helper {
	h := &helper{b: b, g: b.receiver(), ctx: b.name("ctx"), db: b.name("db"), e: b.name("e")}
	h.params = []jen.Code{jen.Id(h.ctx).Add(b.ctxType()), jen.Id(h.db).Add(b.idem("DB")), jen.Id(h.e).Id(b.m.event)}
	h.params = append(h.params, between...)
	if variadic {
		h.args = b.name("args")
		h.params = append(h.params, jen.Id(h.args).Op("...").Id("any"))
	}
	return h
}

// run calls a function of the runtime with the machine and the event.
func (h *helper) run(name string, args ...jen.Code) *jen.Statement {
	list := append([]jen.Code{
		jen.Id(h.ctx), jen.Id(h.db), jen.Id(h.g).Dot(h.b.m.dialect),
		jen.Op("&").Id(h.b.m.data), jen.Op("&").Id(h.b.m.eventData).Index(jen.Id(h.e)),
	}, args...)
	if h.args != "" {
		list = append(list, jen.Id(h.args).Op("..."))
	}
	return h.b.idem(name).Call(list...)
}

func (b *machineBuilder) fireFunc() jen.Code {
	id := b.name("id")
	h := b.helper([]jen.Code{jen.Id(id).Add(b.keyType())}, b.passes(func(ev *model.Event) bool { return !ev.Dynamic }))
	return b.guardMethod([]string{b.m.fire + " runs the guarded update of an event and says what happened."},
		h.g, b.m.fire, h.params, jen.Params(b.change(), jen.Error()),
		jen.Return(jen.Id(b.m.changed).Call(h.run("FireEvent", jen.Id(id)))))
}

func (b *machineBuilder) fireToFunc() jen.Code {
	id, to := b.name("id"), b.name("to")
	h := b.helper([]jen.Code{jen.Id(id).Add(b.keyType()), jen.Id(to).Add(b.typ())}, b.passes(func(ev *model.Event) bool { return ev.Dynamic }))
	return b.guardMethod([]string{b.m.fireTo + " is " + b.m.fire + " for an event whose target the caller names."},
		h.g, b.m.fireTo, h.params, jen.Params(b.change(), jen.Error()),
		jen.Return(jen.Id(b.m.changed).Call(h.run("FireTo", jen.Id(b.m.index).Call(jen.Id(to)), jen.Id(id)))))
}

func (b *machineBuilder) fireAllFunc() jen.Code {
	ids := b.name("ids")
	variadic := b.m.Fence != ""
	for _, ev := range b.m.Events {
		variadic = variadic || b.hasBatch(ev) && len(ev.Params) > 0
	}
	h := b.helper([]jen.Code{jen.Id(ids).Index().Add(b.keyType())}, variadic)
	return b.guardMethod([]string{b.m.fireAll + " runs the guarded update of an event on many rows."},
		h.g, b.m.fireAll, h.params, jen.Params(jen.Index().Add(b.result()), jen.Error()),
		jen.Return(h.run("FireAll", jen.Id(b.m.changed), jen.Id(ids))))
}

// changedFunc declares the function that says what happened in terms of the states.
func (b *machineBuilder) changedFunc() jen.Code {
	f, err := b.name("f"), b.name("err")
	fields := []jen.Code{
		jen.Id("From").Op(":").Id(b.m.values).Index(jen.Id(f).Dot("From")),
		jen.Id("To").Op(":").Id(b.m.values).Index(jen.Id(f).Dot("To")),
	}
	if b.m.Version != "" {
		fields = append(fields, jen.Id("Version").Op(":").Id(f).Dot("Version"))
	}
	return doc(b.m.changed+" says in states what was fired.").Line().
		Func().Id(b.m.changed).Params(jen.Id(f).Add(b.idem("Fired")), jen.Id(err).Error()).Params(b.change(), jen.Error()).Block(
		jen.If(jen.Id(err).Op("!=").Nil()).Block(jen.Return(b.change().Values(), jen.Id(err))),
		jen.Return(b.change().Values(fields...), jen.Nil()),
	)
}

// allowedFunc declares the list of events by state.
func (b *machineBuilder) allowedFunc() jen.Code {
	s := b.name("s")
	_, results, body := b.eventsOf(s)
	return b.guardMethod([]string{b.m.allowed + " returns the events that may leave the state; the slice is the caller's."},
		"", b.m.allowed, []jen.Code{jen.Id(s).Add(b.typ())}, results, b.allowedBody(s, body)...)
}

// allowedBody asks the state, unless its type has an answer of its own.
func (b *machineBuilder) allowedBody(s string, body []jen.Code) []jen.Code {
	switch {
	case !b.m.Methods:
		return []jen.Code{jen.Return(jen.Id(b.m.funcs[questionIndex("Events")]).Call(jen.Id(s)))}
	case b.hasMethod("Events"):
		return body
	}
	return []jen.Code{jen.Return(jen.Id(s).Dot("Events").Call())}
}

// createFunc declares the function that inserts a row.
func (b *machineBuilder) createFunc() jen.Code {
	c, params := b.call(b.m.CreateParams)
	g := b.receiver()
	ctx, db, id := c.rowParams("id", false)
	c.addOwn(b.m.CreateParams, params)
	args := append([]jen.Code{jen.Id(ctx), jen.Id(db), jen.Id(g).Dot(b.m.dialect), jen.Op("&").Id(b.m.data), jen.Id(id)}, c.args()...)
	return b.guardMethod(b.createDoc(params), g, b.m.create, c.signature(), jen.Error(),
		jen.Return(b.idem("CreateRow").Call(args...)))
}
