package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/templates/names"
)

// service declares the wrapper of a struct or an interface with its operations.
func (e *emitter) service(s *servicePlan) []jen.Code {
	b := &serviceBuilder{emitter: e, s: s, parts: e.partsOf(s.methods)}
	b.nameParts()
	for _, m := range s.methods {
		w := newWrapper(e, m, s.TypeParams)
		b.wrappers = append(b.wrappers, w)
	}
	scopes := make([]*names.Scope, len(b.wrappers))
	for i, w := range b.wrappers {
		scopes[i] = w.sc
	}
	b.recv = names.Common([]string{"s", "svc", "w"}, scopes...)
	for _, w := range b.wrappers {
		b.bind(w)
	}

	var decls []jen.Code
	for _, w := range b.wrappers {
		decls = append(decls, e.operations(w.m, w.tp)...)
		decls = append(decls, w.resultStruct()...)
	}
	decls = append(decls, b.next(), b.wrapper())
	if check := b.implements(); check != nil {
		decls = append(decls, check)
	}
	decls = append(decls, b.constructor())
	for _, w := range b.wrappers {
		decls = append(decls, b.methods(w)...)
	}
	return decls
}

// bind tells a wrapper how to reach parts and the wrapped methods.
func (b *serviceBuilder) bind(w *wrapper) {
	w.sc.Recv = b.recv + "." + b.s.next
	w.part = b.part
	w.next = func(name string) *jen.Statement { return jen.Id(b.recv).Dot(b.s.next).Dot(name) }
}

// serviceBuilder holds what the declarations of one wrapper share.
type serviceBuilder struct {
	*emitter
	s        *servicePlan
	parts    []part
	wrappers []*wrapper
	recv     string
}

// nameParts gives every part its field: none of the wrapped type's members.
func (b *serviceBuilder) nameParts() {
	taken := names.NewSet(b.s.Members, []string{b.s.next})
	for _, m := range b.s.methods {
		taken.Add(m.Name, m.joined, m.shared, m.held)
	}
	for i := range b.parts {
		b.parts[i].name = names.Fresh(b.parts[i].want, taken)
		taken.Add(b.parts[i].name)
	}
}

func (b *serviceBuilder) part(id string) *jen.Statement {
	return jen.Id(b.recv).Dot(partName(b.parts, id))
}

// partName is the settled name of a part.
func partName(parts []part, id string) string {
	for _, p := range parts {
		if p.id == id {
			return p.name
		}
	}
	panic("no part " + id)
}

// wrapped is the type that the constructor takes: *Service, or API.
func (b *serviceBuilder) wrapped() *jen.Statement {
	t := jen.Id(b.s.Name).Add(typeArgs(b.s.TypeParams))
	if b.s.Interface {
		return t
	}
	return jen.Op("*").Add(t)
}

// next declares the alias that the wrapper embeds: from another package the
// unguarded methods are out of reach (G9).
func (b *serviceBuilder) next() jen.Code {
	return jen.Type().Id(b.s.next).Add(b.typeParams(b.s.TypeParams)).Op("=").
		Id(b.s.Name).Add(typeArgs(b.s.TypeParams))
}

func (b *serviceBuilder) wrapper() jen.Code {
	embedded := jen.Id(b.s.next).Add(typeArgs(b.s.TypeParams))
	if !b.s.Interface {
		embedded = jen.Op("*").Add(embedded)
	}
	fields := []jen.Code{embedded}
	for _, p := range b.parts {
		if !p.transient {
			fields = append(fields, jen.Id(p.name).Add(p.typ))
		}
	}
	return doc(b.s.wrapper + " guards the annotated methods of " + b.s.Name + "; all others pass through.").Line().
		Type().Id(b.s.wrapper).Add(b.typeParams(b.s.TypeParams)).Struct(fields...)
}

// implements checks that a wrapped interface whose signatures stay is still implemented.
func (b *serviceBuilder) implements() jen.Code {
	if !b.s.Interface || len(b.s.TypeParams) > 0 {
		return nil
	}
	for _, m := range b.s.methods {
		if m.TxParam >= 0 {
			return nil
		}
	}
	return jen.Var().Id("_").Id(b.s.Name).Op("=").Parens(jen.Op("*").Id(b.s.wrapper)).Parens(jen.Nil())
}

func (b *serviceBuilder) constructor() jen.Code {
	used := names.NewSet()
	for _, tp := range b.s.TypeParams { // they share the function's scope
		used.Add(tp.Name)
	}
	for _, w := range b.wrappers {
		if w.m.Request != nil { // its principal is a function with this parameter
			used.Add(w.sc.Params[1])
		}
	}
	local := func(want string) string {
		name := b.table.Local(want, used)
		used.Add(name)
		return name
	}
	next := local("next")
	params := []jen.Code{jen.Id(next).Add(b.wrapped())}
	vars := map[string]string{}
	for _, p := range given(b.parts) {
		vars[p.id] = local(p.name)
		params = append(params, jen.Id(vars[p.id]).Add(p.typ))
	}
	fields := []jen.Code{field(b.s.next, jen.Id(next))}
	in := making{part: func(id string) *jen.Statement { return jen.Id(vars[id]) }, next: next}
	for _, p := range b.parts {
		switch {
		case p.transient:
		case p.made != nil:
			fields = append(fields, field(p.name, p.made(in)))
		default:
			fields = append(fields, field(p.name, jen.Id(vars[p.id])))
		}
	}
	return doc(b.constructorDoc(vars)...).Line().
		Func().Id(b.s.constructor).Add(b.typeParams(b.s.TypeParams)).Params(params...).
		Op("*").Id(b.s.wrapper).Add(typeArgs(b.s.TypeParams)).
		Block(jen.Return(jen.Op("&").Id(b.s.wrapper).Add(typeArgs(b.s.TypeParams)).Add(rows(fields...))))
}

// method declares one method of the wrapper.
func (b *serviceBuilder) method(name string, signature *jen.Statement, lines []string, body []jen.Code) jen.Code {
	recv := jen.Id(b.recv).Op("*").Id(b.s.wrapper).Add(typeArgs(b.s.TypeParams))
	return doc(lines...).Line().Func().Params(recv).Id(name).Add(signature).Block(body...)
}

// methods declares a guarded method in all its forms.
func (b *serviceBuilder) methods(w *wrapper) []jen.Code {
	declare := func(name string, f form, lines []string, body ...jen.Code) jen.Code {
		return b.method(name, w.signature(f), lines, body)
	}
	m := w.m
	if m.joined == "" {
		body := w.body()
		if m.CtxParam < 0 && w.ctxUsed {
			body = append([]jen.Code{jen.Id(w.ctx).Op(":=").Add(w.background())}, body...)
		}
		decls := []jen.Code{declare(m.Name, plain, w.doc(), body...)}
		if m.held != "" {
			h := newWrapper(b.emitter, m, b.s.TypeParams)
			b.bind(h)
			decls = append(decls, b.method(m.held, h.heldSignature(), h.heldDoc(m.Name), h.heldBody()))
		}
		return decls
	}
	target := m.Name
	if m.shared != "" {
		target = m.shared
	}
	run := func(ctx jen.Code) jen.Code {
		return jen.Return(jen.Id(b.recv).Dot(target).Call(w.forward(ctx)...))
	}
	var decls []jen.Code
	if m.shared == "" {
		decls = append(decls, declare(m.Name, plain, w.doc(), w.body()...))
	} else {
		decls = append(decls, declare(m.Name, plain, w.doc(), run(w.background())))
	}
	decls = append(decls, declare(m.joined, joined, w.joinedDoc(m.joined, m.Name), run(w.join())))
	if m.shared != "" {
		decls = append(decls, declare(m.shared, shared, []string{m.shared + " is what " + m.Name + " and " + m.joined + " share."}, w.body()...))
	}
	return decls
}
