package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
)

// tokenLayer is a token that was issued in advance and works once. Where no record
// stands inside, the token is the key of the call, too.
var tokenLayer = layer{
	on: func(m *model.Method) bool { return m.Token != nil },
	needs: func(e *emitter, m *model.Method) []part {
		parts := []part{e.enginePart(), e.tokensPart()}
		switch {
		case recordOf(m) != nil:
			parts = append(parts, e.recordPart(m))
		case m.Tx():
			parts = append(parts, e.txPart(m))
		}
		return parts
	},
	prepare: func(w *wrapper) []jen.Code {
		stmts := w.presented()
		if w.call == "" {
			stmts = append(stmts, w.declareCall(w.frozenCall(w.m.op, jen.Id(w.token).Dot("Key").Call()))...)
		}
		return stmts
	},
	wrap: func(w *wrapper, inner func() block) block {
		name := "Token"
		args := []jen.Code{jen.Id(w.useCtx()), jen.Id(w.token), jen.Id(w.call)}
		if recordLookup(w.m.Method) != nil {
			name += "Or"
			args = append(args, w.outerLookup())
		}
		return block{result: []jen.Code{w.e.idem(name).Call(append(args, w.closure(inner))...)}}
	},
	label: func(m *model.Method) string {
		text := "token (" + tokenSource(m.Token)
		if m.Token.Bind != nil {
			text += ", bound to " + m.Token.Bind.Text
		}
		return text + ")"
	},
}

// tokenSource is where a token comes from, for people.
func tokenSource(t *model.Token) string {
	if t.Value != nil {
		return t.Value.Text
	}
	return "header " + t.Header
}

// presented freezes the token that the caller presents.
func (w *wrapper) presented() []jen.Code {
	t := w.m.Token
	var stmts []jen.Code
	token := w.e.idem("Header").Call(jen.Id(w.ctxIf(t.Value == nil)), lit(t.Header))
	if t.Value != nil {
		var more []jen.Code
		token, more = w.stringExpr(t.Value, "text", "which is refused")
		stmts = append(stmts, more...)
	}
	fields := []jen.Code{
		jen.Id("Store").Op(":").Add(w.part("tokens")),
		jen.Id("Op").Op(":").Op("&").Id(w.m.tokenOp),
		jen.Id("Token").Op(":").Add(token),
	}
	if t.Bind != nil {
		bind, more := w.stringExpr(t.Bind, "bind", "which is nobody")
		stmts = append(stmts, more...)
		fields = append(fields, jen.Id("Bind").Op(":").Add(bind))
	}
	if recordOf(w.m.Method) != nil {
		fields = append(fields, jen.Id("Records").Op(":").Add(w.part(w.e.recordPart(w.m.Method).id)))
	}
	fields = append(fields, w.bareTx(recordOf(w.m.Method) != nil)...)
	w.token = w.sc.Local("token")
	return append(stmts, jen.Id(w.token).Op(":=").Add(w.e.idem("Presented")).Values(fields...))
}

// bareTx names the store of a transaction that no Records names: a token or a lock is
// refused inside that transaction, whose end it would not wait for (X3, L1).
func (w *wrapper) bareTx(named bool) []jen.Code {
	if named || !w.m.Tx() {
		return nil
	}
	return []jen.Code{jen.Id("Tx").Op(":").Add(w.part(txID(w.m.Method)))}
}

// ctxIf is the context's name, marked as used if it is.
func (w *wrapper) ctxIf(used bool) string {
	if used {
		return w.useCtx()
	}
	return w.ctx
}

// stringExpr writes an expression that is "" where something on the way to it is nil.
func (w *wrapper) stringExpr(x *model.StringExpr, wish, empty string) (*jen.Statement, []jen.Code) {
	guards := w.unproven(x.Guards)
	if len(guards) == 0 {
		return w.code(x.Expr), nil
	}
	name := w.sc.Local(wish)
	return jen.Id(name), []jen.Code{
		jen.Var().Id(name).String().Comment("// stays empty, " + empty + ", while " + w.nils(guards)),
		w.ifPresent(guards, func() jen.Code { return jen.Id(name).Op("=").Add(w.code(x.Expr)) }),
	}
}

// knows tells whether something inside a token knows that an effect took place: a
// record, the state of a row or a unique index. A transaction alone does not: after a
// commit whose caller vanished it would run again.
func knows(m *model.Method) bool { return recordOf(m) != nil || m.Fire != nil || m.Unique != nil }

// tokenOperation declares the idem.TokenOp of a method: only what is set.
func (e *emitter) tokenOperation(m *methodPlan) jen.Code {
	t := m.Token
	fields := fieldList{field("From", lit(tokenSource(t)))}
	fields.set(t.Lease != 0, "Lease", func() jen.Code { return e.duration(t.Lease) })
	fields.set(t.Keep != 0, "Keep", func() jen.Code { return e.retention(t.Keep) })
	fields.set(t.Burn, "Burn", func() jen.Code { return jen.True() })
	fields.set(m.Tx(), "Tx", func() jen.Code { return jen.True() })
	fields.set(knows(m.Method), "Retake", func() jen.Code { return jen.True() })
	return doc(m.tokenOp + " is the token of " + m.title + ".").Line().
		Var().Id(m.tokenOp).Op("=").Add(e.idem("TokenOp")).Add(rows(fields...))
}
