package templates

import (
	"bytes"
	"go/format"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/templates/names"
)

// form is one of the signatures that a guarded method has in generated code.
type form uint8

const (
	plain  form = iota // without the transaction, as callers see it
	joined             // as declared: PayTx
	shared             // plain, with a context in front
)

// signature writes the parameters and the results of a form.
func (w *wrapper) signature(f form) *jen.Statement {
	kept := w.kept(f)
	var params []jen.Code
	long := false
	if f == shared {
		params = append(params, jen.Id(w.ctx).Add(w.e.ctxType()))
	}
	for n, i := range kept {
		p, name := w.m.Params[i], jen.Id(w.sc.Params[i])
		long = long || w.e.multiline(p.Type)
		variadic := func(i int) bool { return w.m.Variadic && i == len(w.m.Params)-1 }
		switch {
		case variadic(i):
			params = append(params, name.Op("...").Add(w.e.code(p.Type)))
		case n+1 < len(kept) && names.Same(p.Type, w.m.Params[kept[n+1]].Type) && !variadic(kept[n+1]):
			params = append(params, name) // from, to string
		default:
			params = append(params, name.Add(w.e.code(p.Type)))
		}
	}
	if w.m.Request != nil {
		return parens(params, long)
	}
	var results []jen.Code
	for _, r := range w.m.Results {
		results = append(results, w.e.code(r.Type))
	}
	if len(results) == 0 {
		return parens(params, long).Error()
	}
	last := w.e.anyMultiline(w.m.Results)
	return parens(params, long && !last).Add(parens(append(results, jen.Error()), last))
}

// parens writes a list in parentheses. Where a type in it takes several lines, the
// list that ends the signature closes on a line of its own, as gofumpt has it.
func parens(list []jen.Code, long bool) *jen.Statement {
	if long {
		return jen.Custom(jen.Options{Open: "(", Close: ",\n)", Separator: ","}, list...)
	}
	return jen.Params(list...)
}

// multiline tells whether gofmt writes a type on several lines: a struct or an
// interface without a name.
func (e *emitter) multiline(c model.Code) bool {
	text := e.table.Code(c)
	if !strings.Contains(text, "struct") && !strings.Contains(text, "interface") {
		return false
	}
	src, err := format.Source([]byte("type _ " + text))
	return err == nil && bytes.Contains(bytes.TrimSpace(src), []byte("\n"))
}

func (e *emitter) anyMultiline(list []model.Param) bool {
	for _, p := range list {
		if e.multiline(p.Type) {
			return true
		}
	}
	return false
}

// kept are the indices of the parameters that a form has.
func (w *wrapper) kept(f form) []int {
	var list []int
	for i := range w.m.Params {
		if f == joined || i != w.m.TxParam {
			list = append(list, i)
		}
	}
	return list
}

// forward passes the parameters of the plain form on, with ctx in place of the
// context, or in front where the form has none.
func (w *wrapper) forward(ctx jen.Code) []jen.Code {
	var list []jen.Code
	if w.m.CtxParam < 0 {
		list = append(list, ctx)
	}
	for _, i := range w.kept(plain) {
		arg := jen.Id(w.sc.Params[i])
		switch {
		case i == w.m.CtxParam:
			list = append(list, ctx)
		case w.m.Variadic && i == len(w.m.Params)-1:
			list = append(list, arg.Op("..."))
		default:
			list = append(list, arg)
		}
	}
	return list
}

// join puts the caller's transaction into the context.
func (w *wrapper) join() *jen.Statement {
	ctx := jen.Id(w.ctx)
	if w.m.CtxParam < 0 {
		ctx = w.background()
	}
	tx := jen.Id(w.tx)
	if w.m.TxCtx {
		tx = jen.Struct().Values()
	}
	return w.e.idem("Join").Call(ctx, w.part(txID(w.m.Method)), tx)
}

// resultStruct declares the struct that keeps several results.
func (w *wrapper) resultStruct() []jen.Code {
	if w.m.result == "" {
		return nil
	}
	var fields []jen.Code
	for i, r := range w.m.Results {
		fields = append(fields, jen.Id(resultField(i)).Add(w.e.code(r.Type)))
	}
	return []jen.Code{
		doc(w.m.result + " is how the results of " + w.m.title + " are kept.").Line().
			Type().Id(w.m.result).Add(w.e.typeParams(w.tp)).Struct(fields...),
	}
}
