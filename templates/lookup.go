package templates

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
)

// lookup asks the method named by lookup= for the answer.
func (w *wrapper) lookup(l *model.Lookup) block {
	return w.single(w.next(l.Method).Call(w.lookupArgs(l)...), l.Error)
}

func (w *wrapper) lookupArgs(l *model.Lookup) []jen.Code {
	args := make([]jen.Code, len(l.Args))
	for i, a := range l.Args {
		switch {
		case a.Ctx:
			args[i] = jen.Id(w.useCtx())
		case a.Tx:
			args[i] = jen.Id(w.useTx())
		case a.Param >= 0:
			args[i] = jen.Id(w.sc.Params[a.Param])
			if a.Spread {
				args[i] = jen.Add(args[i]).Op("...")
			}
		default:
			args[i] = w.frozenPart(*a.Part)
		}
	}
	return args
}

// freezeLookups holds what look-ups are asked for in variables: they run when the
// method may have changed what it was read from (K1).
func (w *wrapper) freezeLookups() []jen.Code {
	var stmts []jen.Code
	for _, l := range lookupsOf(w.m.Method) {
		for _, a := range l.Args {
			if a.Part != nil && w.frozenPart(*a.Part) == nil {
				_, more := w.rowKey(*a.Part)
				stmts = append(stmts, more...)
			}
		}
	}
	return stmts
}

// frozenPart is a part of the key that can't change any more: a plain parameter, or a
// variable that holds it; nil for none.
func (w *wrapper) frozenPart(p model.Part) *jen.Statement {
	for _, h := range w.hoisted {
		if h.text == p.Text && !h.part {
			return jen.Id(h.name)
		}
	}
	if isParam(p) {
		return w.value(p)
	}
	return nil
}

// lookupsOf are all methods beside a guarded one that its layers call.
func lookupsOf(m *model.Method) []*model.Lookup {
	list := []*model.Lookup{recordLookup(m)}
	if m.Fire != nil {
		list = append(list, m.Fire.Lookup)
	}
	if m.Lock != nil {
		list = append(list, m.Lock.Check)
	}
	if m.Unique != nil {
		list = append(list, m.Unique.Lookup)
	}
	return slices.DeleteFunc(list, func(l *model.Lookup) bool { return l == nil })
}

// single turns a call that returns the method's results, with or without an
// error, into a block with one result.
func (w *wrapper) single(call *jen.Statement, hasError bool) block {
	switch n := len(w.m.Results); {
	case n == 0 && hasError:
		return w.nothing(call)
	case n == 0:
		return block{stmts: []jen.Code{call}, result: []jen.Code{w.zeroResult(), jen.Nil()}}
	case n == 1 && hasError:
		return block{result: []jen.Code{call}}
	case n == 1:
		return block{result: []jen.Code{call, jen.Nil()}}
	default:
		vars, fields := w.resultVars()
		err := jen.Nil()
		if hasError {
			vars = append(vars, jen.Id(w.errName()))
			err = jen.Id(w.errName())
		}
		return block{
			stmts:  []jen.Code{jen.List(vars...).Op(":=").Add(call)},
			result: []jen.Code{w.resultType().Values(fields...), err},
		}
	}
}

// resultVars are variables for several results, and the fields that keep them.
func (w *wrapper) resultVars() (vars, fields []jen.Code) {
	for i := range w.m.Results {
		vars = append(vars, jen.Id(w.resultVar(i)))
		fields = append(fields, jen.Id(resultField(i)).Op(":").Id(w.resultVar(i)))
	}
	return vars, fields
}
