package check

import (
	"go/types"
	"slices"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
)

// lockSuffix makes the operation of a lock that has a key of its own.
const lockSuffix = "#lock"

// lockLayer checks //idem:lock and builds its layer.
func (m *method) lockLayer() {
	args := m.g.lock
	if args == nil {
		return
	}
	l := &model.Lock{Pos: m.g.lockPos, TTL: int64(args.TTL.V), Wait: int64(args.Wait.V), Alone: args.Alone.Set}
	m.model.Lock = l
	var parts []part
	parts, l.Key = m.keyParts(args.Key)
	if l.SameKey = len(parts) > 0 && slices.EqualFunc(parts, m.recordKey, samePart); !l.SameKey {
		l.Op = m.model.OpName + lockSuffix
		m.takeOperation(l.Op, m.g.lockPos)
	}
	if args.Check.Set {
		l.Check = m.checkMethod(args.Check, parts)
	}
	m.alone("lock", m.g.lockPos, args.Alone)
}

// samePart tells whether two key parts are one expression.
func samePart(a, b part) bool {
	return a.Kind == b.Kind && a.Deref == b.Deref && codeText(a.Expr) == codeText(b.Expr)
}

// checkMethod resolves check=: as lookup=, with a bool before the error that tells
// whether the results were found. It is asked before the transaction begins.
func (m *method) checkMethod(arg directive.Val[string], keys []part) *model.Lookup {
	fn := m.lookupFunc(asCheck, arg)
	if fn == nil {
		return nil
	}
	c := m.newLookup(asCheck, arg, fn, keys)
	n := fn.Results().Len()
	if n < 2 || !isError(fn.Results().At(n-1).Type()) || !types.Identical(fn.Results().At(n-2).Type(), types.Typ[types.Bool]) || !c.sameResults(n-2) {
		m.fail(diag.New(diag.CodeCheckSignature, arg.Pos, "%s returns %s, but a check of %s returns %s", arg.V, m.resultText(fn), m.model.Name, c.wanted()).
			WithHint("the results of %s, whether they were found, and an error", m.model.Name))
		return nil
	}
	return c.arguments(&model.Lookup{Pos: arg.Pos, Method: arg.V, Error: true})
}

// wanted are the results of a check method.
func (l *lookupMatch) wanted() string {
	var vars []*types.Var
	for i := range l.model.Results {
		vars = append(vars, l.guarded.Results().At(i))
	}
	for _, t := range []types.Type{types.Typ[types.Bool], types.Universe.Lookup("error").Type()} {
		vars = append(vars, types.NewParam(0, nil, "", t))
	}
	return l.resultText(types.NewSignatureType(nil, nil, nil, nil, types.NewTuple(vars...), false))
}
