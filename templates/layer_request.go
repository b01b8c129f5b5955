package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/templates/names"
)

// requestLayer is the gate in front of an HTTP handler: alone on its method, which has
// no error to return. Gate and handler are one call: see served.
var requestLayer = layer{
	on: func(m *model.Method) bool { return m.Request != nil },
	needs: func(e *emitter, m *model.Method) []part {
		engine, records := e.enginePart(), e.recordsPart()
		engine.transient, records.transient = true, true
		return []part{engine, records, e.gatePart(m)}
	},
	label: func(m *model.Method) string { return "request (header " + m.Request.Header + ")" },
}

// gatePart is the gate of a handler.
func (e *emitter) gatePart(m *model.Method) part {
	return part{
		id: "gate " + m.Name, rank: rankMade, want: names.Lower(m.Name) + "Gate",
		typ: jen.Op("*").Add(e.use(httpidemPath, "Gate")),
		made: func(in making) *jen.Statement {
			return e.use(httpidemPath, "New").Call(in.part("engine"), in.part("records"), e.route(m, in))
		},
	}
}

// served is the body of a guarded handler.
func (w *wrapper) served() []jen.Code {
	gate := w.part(w.e.gatePart(w.m.Method).id)
	return []jen.Code{gate.Dot("Serve").Call(jen.Id(w.sc.Params[0]), jen.Id(w.sc.Params[1]), w.next(w.m.Name))}
}

// route writes the httpidem.Route of a handler.
func (e *emitter) route(m *model.Method, in making) *jen.Statement {
	r := m.Request
	fields := fieldList{field("Name", lit(m.OpName)), field("Header", lit(r.Header))}
	fields.set(r.Required, "Required", func() jen.Code { return jen.True() })
	fields.set(len(r.Methods) > 0, "Methods", func() jen.Code { return textList(r.Methods) })
	fields.set(len(r.Headers) > 0, "Headers", func() jen.Code { return textList(r.Headers) })
	fields.set(r.Principal != nil, "Principal", func() jen.Code { return e.principal(m, in) })
	fields.set(r.TTL != 0, "TTL", func() jen.Code { return e.retention(r.TTL) })
	fields.set(r.Lease != 0, "Lease", func() jen.Code { return e.duration(r.Lease) })
	fields.set(r.Wait != 0, "Wait", func() jen.Code { return e.duration(r.Wait) })
	fields.set(r.Orphan != model.OrphanNone, "Orphan", func() jen.Code { return e.idem(orphanNames[r.Orphan]) })
	fields.set(r.MaxBody != 0, "MaxBody", func() jen.Code { return jen.Id(byteSize(r.MaxBody)) })
	fields.set(r.MaxResult != 0, "MaxResult", func() jen.Code { return jen.Id(byteSize(r.MaxResult)) })
	return e.use(httpidemPath, "Route").Add(rows(fields...))
}

// principal writes the function that tells whom a key belongs to. It stands in the
// constructor, where the wrapped value is a parameter.
func (e *emitter) principal(m *model.Method, in making) jen.Code {
	sc := e.table.Scope(m, nil)
	sc.Recv = in.next
	x := m.Request.Principal
	w := wrapper{e: e, sc: sc}
	body := w.requirePresent(x.Guards, func() []jen.Code { return []jen.Code{jen.Return(jen.Lit(""))} })
	body = append(body, jen.Return(w.code(x.Expr)))
	return jen.Func().Params(jen.Id(sc.Params[1]).Add(e.code(m.Params[1].Type))).String().Block(body...)
}

// requestRecord is the record of a request.
func requestRecord(r *model.Request) *model.Once {
	return &model.Once{TTL: r.TTL, Lease: r.Lease, Orphan: r.Orphan}
}

// principalText is whom a key belongs to, for people.
func principalText(r *model.Request) string {
	if r.Principal == nil {
		return ""
	}
	return " and " + r.Principal.Text
}
