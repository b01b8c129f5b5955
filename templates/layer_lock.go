package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
)

// lockLayer is a distributed lock with double check. Its key is the record's own, or
// of an operation beside it.
var lockLayer = layer{
	on: func(m *model.Method) bool { return m.Lock != nil },
	needs: func(e *emitter, m *model.Method) []part {
		parts := []part{e.enginePart(), e.locksPart()}
		switch {
		case checksRecord(m):
			parts = append(parts, e.recordPart(m))
		case m.Tx():
			parts = append(parts, e.txPart(m))
		}
		return parts
	},
	prepare: func(w *wrapper) []jen.Code {
		l := w.m.Lock
		var stmts []jen.Code
		call := w.call
		if !l.SameKey {
			more, frozen := w.keyedCall(w.m.lockCallOp, l.Key)
			call = w.sc.Local("lockCall")
			stmts = append(more, jen.Id(call).Op(":=").Add(frozen))
		}
		if w.call == "" && w.m.Token == nil {
			w.call = call
		}
		fields := []jen.Code{
			jen.Id("Store").Op(":").Add(w.part("locks")),
			jen.Id("Op").Op(":").Op("&").Id(w.m.lockOp),
			jen.Id("Call").Op(":").Id(call),
		}
		if checksRecord(w.m.Method) {
			fields = append(fields, jen.Id("Records").Op(":").Add(w.part(w.e.recordPart(w.m.Method).id)))
		}
		fields = append(fields, w.bareTx(checksRecord(w.m.Method))...)
		w.lock = w.sc.Local("lock")
		return append(stmts, jen.Id(w.lock).Op(":=").Add(w.e.idem("Locked")).Values(fields...))
	},
	wrap: func(w *wrapper, inner func() block) block {
		args := []jen.Code{jen.Id(w.useCtx()), jen.Id(w.lock), jen.Id(w.call)}
		name := "Lock"
		switch {
		case w.m.Lock.Check != nil:
			args = append(args, w.checkClosure(w.m.Lock.Check))
		case recordLookup(w.m.Method) != nil:
			name += "Or"
			args = append(args, w.outerLookup())
		default:
			args = append(args, jen.Nil())
		}
		return block{result: []jen.Code{w.e.idem(name).Call(append(args, w.closure(inner))...)}}
	},
	label: func(m *model.Method) string {
		text := "lock (key " + keyText(m.Lock.Key)
		if m.Lock.Check != nil {
			text += ", check " + m.Lock.Check.Method
		}
		return text + ")"
	},
}

// checksRecord tells whether the record inside is the check of the lock.
func checksRecord(m *model.Method) bool { return m.Lock.Check == nil && recordOf(m) != nil }

// checkClosure writes func(ctx context.Context) (R, bool, error) around the check.
func (w *wrapper) checkClosure(check *model.Lookup) *jen.Statement {
	ctx, ctxUsed := w.ctx, w.ctxUsed
	w.ctx, w.ctxUsed = w.inner, false
	call := w.next(check.Method).Call(w.lookupArgs(check)...)
	var body []jen.Code
	switch n := len(w.m.Results); n {
	case 0:
		found := w.sc.Local("found")
		body = []jen.Code{
			jen.List(jen.Id(found), jen.Id(w.errName())).Op(":=").Add(call),
			jen.Return(w.zeroResult(), jen.Id(found), jen.Id(w.errName())),
		}
	case 1:
		body = []jen.Code{jen.Return(call)}
	default:
		vars, fields := w.resultVars()
		found := w.sc.Local("found")
		body = []jen.Code{
			jen.List(append(vars, jen.Id(found), jen.Id(w.errName()))...).Op(":=").Add(call),
			jen.Return(w.resultType().Values(fields...), jen.Id(found), jen.Id(w.errName())),
		}
	}
	param := jen.Id(orBlank(w.ctx, w.ctxUsed)).Add(w.e.ctxType())
	w.ctx, w.ctxUsed = ctx, ctxUsed
	long := len(w.m.Results) == 1 && w.e.multiline(w.m.Results[0].Type)
	return jen.Func().Params(param).Add(parens([]jen.Code{w.resultType(), jen.Bool(), jen.Error()}, long)).Block(body...)
}

// lockOperations declare the idem.LockOp of a method, and the operation of a key that
// is the lock's own.
func (e *emitter) lockOperations(m *methodPlan, tps []model.TypeParam) []jen.Code {
	l := m.Lock
	var decls []jen.Code
	if m.lockCallOp != "" {
		fields := fieldList{field("Name", lit(l.Op)), field("Key", e.keyTexts(tps, l.Key))}
		decls = append(decls, doc(m.lockCallOp+" has the key of the lock of "+m.title+".").Line().
			Var().Id(m.lockCallOp).Op("=").Add(e.idem("Op")).Add(rows(fields...)))
	}
	var fields fieldList
	fields.set(l.TTL != 0, "TTL", func() jen.Code { return e.duration(l.TTL) })
	fields.set(l.Wait != 0, "Wait", func() jen.Code { return e.duration(l.Wait) })
	fields.set(m.Tx(), "Tx", func() jen.Code { return jen.True() })
	return append(decls, doc(m.lockOp+" is the lock of "+m.title+".").Line().
		Var().Id(m.lockOp).Op("=").Add(e.idem("LockOp")).Add(rows(fields...)))
}
