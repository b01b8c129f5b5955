package templates

import (
	"github.com/dave/jennifer/jen"
)

// function declares the guarded form of a plain function: a constructor that
// takes the parts and returns the function.
func (e *emitter) function(f *funcPlan) []jen.Code {
	outer := []string{f.Name}
	for _, l := range lookupsOf(f.Method) {
		outer = append(outer, l.Method)
	}
	b := &funcBuilder{emitter: e, f: f, parts: e.partsOf([]*methodPlan{&f.methodPlan})}
	w := newWrapper(e, &f.methodPlan, f.TypeParams, outer...)
	b.w = w
	for _, p := range f.Params {
		w.sc.Avoid(p.Type) // the returned function's signature stands inside the constructor
	}
	for i, p := range b.parts {
		want := p.want
		if p.rank == rankTx {
			want = "store" // tx is the transaction inside
		}
		b.parts[i].name = w.sc.Local(want)
	}
	w.part = func(id string) *jen.Statement { return jen.Id(partName(b.parts, id)) }
	w.next = func(name string) *jen.Statement {
		if name == f.Name {
			return jen.Id(name).Add(typeArgs(f.TypeParams))
		}
		return jen.Id(name)
	}
	decls := append(e.operations(&f.methodPlan, w.tp), w.resultStruct()...)
	return append(decls, b.forms()...)
}

// funcBuilder holds what the forms of one function share.
type funcBuilder struct {
	*emitter
	f     *funcPlan
	w     *wrapper
	parts []part
}

// forms declares IdempotentName, and IdempotentNameTx where there is a transaction.
func (b *funcBuilder) forms() []jen.Code {
	f, w := b.f, b.w
	if f.joined == "" {
		body := w.body()
		if f.CtxParam < 0 && w.ctxUsed {
			body = append([]jen.Code{jen.Id(w.ctx).Op(":=").Add(w.background())}, body...)
		}
		decls := []jen.Code{b.declare(f.constructor, plain, w.doc(), b.made(), body)}
		if f.held != "" {
			decls = append(decls, b.heldCall())
		}
		return decls
	}
	var decls []jen.Code
	run := w.sc.Local("run")
	target := f.constructor
	if f.shared != "" {
		target = f.shared
	}
	start := []jen.Code{jen.Id(run).Op(":=").Id(target).Add(typeArgs(f.TypeParams)).Call(b.passed()...)}
	call := func(ctx jen.Code) []jen.Code { return []jen.Code{jen.Return(jen.Id(run).Call(w.forward(ctx)...))} }
	if f.shared == "" {
		decls = append(decls, b.declare(f.constructor, plain, w.doc(), b.made(), w.body()))
	} else {
		decls = append(decls, b.declare(f.constructor, plain, w.doc(), start, call(w.background())))
	}
	decls = append(decls, b.declare(f.joined, joined, w.joinedDoc(f.joined, f.constructor), start, call(w.join())))
	if f.shared != "" {
		lines := []string{f.shared + " is what " + f.constructor + " and " + f.joined + " share."}
		decls = append(decls, b.declare(f.shared, shared, lines, b.made(), w.body()))
	}
	return decls
}

// heldCall declares the function that names the record of a held call.
func (b *funcBuilder) heldCall() jen.Code {
	h := newWrapper(b.emitter, &b.f.methodPlan, b.f.TypeParams)
	for _, p := range b.f.Params {
		h.sc.Avoid(p.Type)
	}
	engine := h.sc.Local("engine")
	h.part = func(string) *jen.Statement { return jen.Id(engine) }
	return doc(h.heldDoc(b.f.constructor)...).Line().
		Func().Id(b.f.held).Add(b.typeParams(b.f.TypeParams)).
		Params(jen.Id(engine).Add(b.enginePart().typ)).Func().Add(h.heldSignature()).
		Block(jen.Return(jen.Func().Add(h.heldSignature()).Block(h.heldBody()...)))
}

// declare writes one constructor: setup runs once, body at each call.
func (b *funcBuilder) declare(name string, fm form, lines []string, setup, body []jen.Code) jen.Code {
	var params []jen.Code
	for _, p := range given(b.parts) {
		params = append(params, jen.Id(p.name).Add(p.typ))
	}
	signature := func() *jen.Statement { return jen.Func().Add(b.w.signature(fm)) }
	stmts := append(setup[:len(setup):len(setup)], jen.Return(signature().Block(body...)))
	return doc(lines...).Line().
		Func().Id(name).Add(b.typeParams(b.f.TypeParams)).Params(params...).Add(signature()).Block(stmts...)
}

// made builds the parts that are not given.
func (b *funcBuilder) made() []jen.Code {
	var stmts []jen.Code
	in := making{part: func(id string) *jen.Statement { return jen.Id(partName(b.parts, id)) }}
	for _, p := range b.parts {
		if p.made != nil {
			stmts = append(stmts, jen.Id(p.name).Op(":=").Add(p.made(in)))
		}
	}
	return stmts
}

// passed hands the given parts to another form.
func (b *funcBuilder) passed() []jen.Code {
	var args []jen.Code
	for _, p := range given(b.parts) {
		args = append(args, jen.Id(p.name))
	}
	return args
}
