package check

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
)

// handlerText is the one signature of HTTP handlers.
const handlerText = "func(http.ResponseWriter, *http.Request)"

// Where a handler has its parameters.
const (
	paramWriter  = 0
	paramRequest = 1
)

// handler refuses what is no HTTP handler.
func (m *method) handler(ft *ast.FuncType) bool {
	if m.sig.Results().Len() > 0 {
		m.fail(diag.New(diag.CodeHandler, m.p.Pos(ft.Results.List[0].Type.Pos()), "%s returns %s, but an HTTP handler is %s", m.title, m.resultText(m.sig), handlerText).
			WithHint("answer through the http.ResponseWriter, or guard the method that the handler calls"))
		return false
	}
	p := m.sig.Params()
	if p.Len() == 2 && !m.sig.Variadic() && m.sig.TypeParams().Len() == 0 && isNamed(p.At(paramWriter).Type(), "net/http", "ResponseWriter") {
		if ptr, ok := types.Unalias(p.At(paramRequest).Type()).(*types.Pointer); ok && isNamed(ptr.Elem(), "net/http", "Request") {
			return true
		}
	}
	m.fail(diag.New(diag.CodeHandler, m.model.Pos, "%s is %s, but an HTTP handler is %s", m.title, m.typeText(m.sig), handlerText).
		WithHint("guard the method that the handler calls by //idem:once"))
	return false
}

// requestLayer checks //idem:request and builds its layer.
func (m *method) requestLayer() {
	args := m.g.request
	if args == nil {
		return
	}
	r := &model.Request{
		Pos: m.g.requestPos, Header: args.Header.V, TTL: int64(args.TTL.V), Lease: int64(args.Lease.V), Wait: int64(args.Wait.V),
		Orphan: orphanOf(args.Orphan.V), MaxBody: int64(args.MaxBody.V), MaxResult: int64(args.MaxResult.V), Required: args.Required.Set,
	}
	m.model.Request = r
	for _, name := range args.Methods.Elems {
		r.Methods = append(r.Methods, name.Text)
	}
	for _, name := range args.Headers.Elems {
		r.Headers = append(r.Headers, name.Text)
	}
	if args.Principal.Set {
		r.Principal = m.principal(args.Principal.V)
	}
}

// principal checks principal=, which is asked before the handler runs: it may not
// touch the response, and the request is always there.
func (m *method) principal(e directive.Expr) *model.StringExpr {
	p := m.stringExpr("principal=", e)
	if p == nil {
		return nil
	}
	uses := func(i int) bool {
		return slices.ContainsFunc(p.Expr, func(t model.Tok) bool { return t.Kind == model.TokParam && t.Index == i })
	}
	switch {
	case uses(paramWriter):
		m.fail(diag.New(diag.CodeStringExpr, e.Pos, "principal= can't use %s: it is asked before there is a response", m.model.Params[paramWriter].Name).
			WithHint("use the request and the receiver"))
		return nil
	case !uses(paramRequest):
		m.fail(diag.New(diag.CodeStringExpr, e.Pos, "%s does not depend on the request: every request would be one account's", e.Text).
			WithHint("use the request, as in %s.Header.Get(…) or a function of it", m.paramText(paramRequest)))
		return nil
	}
	p.Guards = slices.DeleteFunc(p.Guards, func(c model.Code) bool {
		return len(c) == 1 && c[0].Kind == model.TokParam
	})
	if len(p.Guards) == 0 {
		p.Guards = nil
	}
	return p
}
