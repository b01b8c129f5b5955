package check

import (
	"go/types"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
)

// lookup resolves lookup=: a method of the same type, or a function of the same
// package for a plain function, with the same results, whose parameters the
// guarded call can fill. It returns nil after a diagnostic.
func (m *method) lookup(arg directive.Val[string], keys []part) *model.Lookup {
	if len(m.model.Results) == 0 {
		m.fail(diag.New(diag.CodeArgumentNeedsOther, arg.KeyPos, "lookup= has no effect: %s has no result beside its error", m.title).WithHint("remove it"))
		return nil
	}
	fn := m.lookupFunc(asLookup, arg)
	if fn == nil {
		return nil
	}
	return m.newLookup(asLookup, arg, fn, keys).match()
}

func (m *method) newLookup(as asked, arg directive.Val[string], fn *types.Signature, keys []part) *lookupMatch {
	return &lookupMatch{method: m, asked: as, at: arg.Pos, name: arg.V, fn: fn, guarded: m.instSignature(), keys: keys}
}

// asked says for which argument a method is looked up, and how that is reported.
type asked struct {
	arg                string // lookup or check
	unknown, signature diag.Code
	noTx               bool // it is called where no transaction has begun
}

var (
	asLookup = asked{arg: "lookup", unknown: diag.CodeLookupUnknown, signature: diag.CodeLookupSignature}
	asCheck  = asked{arg: "check", unknown: diag.CodeCheckUnknown, signature: diag.CodeCheckSignature, noTx: true}
)

// lookupFunc finds the method or function.
func (m *method) lookupFunc(as asked, arg directive.Val[string]) *types.Signature {
	if arg.V == m.model.Name {
		m.fail(diag.New(as.unknown, arg.Pos, "%s=%s names the guarded method itself", as.arg, arg.V))
		return nil
	}
	if m.svc == nil {
		fn, ok := m.p.Types.Scope().Lookup(arg.V).(*types.Func)
		if !ok {
			m.fail(diag.New(as.unknown, arg.Pos, "package %s has no function %s", m.p.Name, arg.V).WithSuggestion(arg.V, m.p.Types.Scope().Names()))
			return nil
		}
		return fn.Signature()
	}
	if sig := m.methodSignature(arg.V); sig != nil {
		return sig
	}
	m.fail(diag.New(as.unknown, arg.Pos, "%s has no method %s", m.svc.model.Name, arg.V).WithSuggestion(arg.V, m.svc.model.Members))
	return nil
}

// methodSignature is the signature of a method of the wrapped type, in terms of
// the type's own parameters; nil if there is none.
func (m *method) methodSignature(name string) *types.Signature {
	obj, _, _ := types.LookupFieldOrMethod(m.svc.typ, true, m.p.Types, name)
	fn, ok := obj.(*types.Func)
	if !ok {
		return nil
	}
	return fn.Signature()
}

func (m *method) instSignature() *types.Signature {
	if m.svc != nil {
		if sig := m.methodSignature(m.model.Name); sig != nil {
			return sig
		}
	}
	return m.sig
}

// lookupMatch fits a lookup method to a guarded one.
type lookupMatch struct {
	*method
	asked
	at          model.Pos
	name        string
	fn, guarded *types.Signature
	keys        []part
	used        []bool // key parts that are taken
}

func (l *lookupMatch) match() *model.Lookup {
	out := &model.Lookup{Pos: l.at, Method: l.name}
	n := l.fn.Results().Len()
	if n > 0 && isError(l.fn.Results().At(n-1).Type()) {
		out.Error = true
		n--
	}
	if !l.sameResults(n) {
		l.fail(diag.New(l.asked.signature, l.at, "%s returns %s, but %s returns %s", l.name, l.resultText(l.fn), l.model.Name, l.resultText(l.guarded)).
			WithHint("lookup= needs the same results"))
		return nil
	}
	return l.inTx(l.arguments(out))
}

// inTx refuses a look-up that would leave the transaction it is called in (T9).
func (l *lookupMatch) inTx(out *model.Lookup) *model.Lookup {
	if out == nil || l.model.TxParam < 0 || slices.ContainsFunc(out.Args, func(a model.LookupArg) bool { return a.Tx }) {
		return out
	}
	tx := l.typeText(l.guarded.Params().At(l.model.TxParam).Type())
	l.fail(diag.New(diag.CodeLookupTx, l.at, "%s takes no transaction, but it is called in that of %s", l.name, l.model.Name).
		WithHint("give it a parameter of type %s, or of an interface that this implements; _ where it needs no database", tx))
	return nil
}

// arguments fills the parameters of the method; nil after a diagnostic.
func (l *lookupMatch) arguments(out *model.Lookup) *model.Lookup {
	l.used = make([]bool, len(l.keys))
	params := l.fn.Params()
	for i := range params.Len() {
		if l.fn.Variadic() && i == params.Len()-1 {
			if arg, ok := l.variadic(params.At(i)); ok {
				out.Args = append(out.Args, arg)
			}
			break // nothing is a legal value for it
		}
		arg, ok := l.argument(params.At(i))
		if !ok {
			l.fail(diag.New(l.asked.signature, l.at, "%s can't be called: nothing fits its parameter %s", l.name, l.varText(params, i)).
				WithHint("it may take the context%s, parameters of %s by name and type, and parts of the key", l.txHint(), l.model.Name))
			return nil
		}
		out.Args = append(out.Args, arg)
	}
	return out
}

func (l *lookupMatch) txHint() string {
	if l.model.TxParam >= 0 && !l.noTx {
		return ", the transaction"
	}
	return ""
}

func (l *lookupMatch) sameResults(n int) bool {
	if n != len(l.model.Results) {
		return false
	}
	for i := range n {
		if !types.Identical(l.fn.Results().At(i).Type(), l.guarded.Results().At(i).Type()) {
			return false
		}
	}
	return true
}

// argument finds what a parameter of the lookup method gets: the context, the
// transaction, the guarded parameter of its name and type, or the next key part
// that fits.
func (l *lookupMatch) argument(v *types.Var) (model.LookupArg, bool) {
	t := v.Type()
	if isContext(t) {
		return model.LookupArg{Ctx: true, Param: -1}, true
	}
	tx := l.model.TxParam
	if tx >= 0 && !l.noTx && types.Identical(t, l.guarded.Params().At(tx).Type()) {
		return model.LookupArg{Tx: true, Param: -1}, true
	}
	if i := l.param(v.Name()); i >= 0 && i != l.model.CtxParam && i != tx && types.Identical(t, l.guarded.Params().At(i).Type()) {
		l.take(i)
		return model.LookupArg{Param: i}, true
	}
	if tx >= 0 && !l.noTx && implements(l.guarded.Params().At(tx).Type(), t) {
		return model.LookupArg{Tx: true, Param: -1}, true
	}
	return l.keyPart(t)
}

// implements tells whether a transaction is one of an interface with methods, such as
// the DBTX that queries are written against.
func implements(tx, t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && !isTypeParam(t) && i.NumMethods() > 0 && types.AssignableTo(tx, t)
}

// keyPart takes the next part of the key that can be assigned to t.
func (l *lookupMatch) keyPart(t types.Type) (model.LookupArg, bool) {
	for i, k := range l.keys {
		if l.used[i] {
			continue
		}
		from := k.typ
		if k.param >= 0 && !k.Deref {
			from = l.guarded.Params().At(k.param).Type()
		}
		if !types.AssignableTo(from, t) {
			continue
		}
		l.used[i] = true
		p := k.Part
		return model.LookupArg{Param: -1, Part: &p}, true
	}
	return model.LookupArg{}, false
}

// take marks the key part that is just a parameter as used, so that the next
// parameter gets another.
func (l *lookupMatch) take(param int) {
	for i, k := range l.keys {
		if k.param == param {
			l.used[i] = true
		}
	}
}

// variadic passes a variadic parameter on where both methods have it; else it
// gets the next key part that fits an element.
func (l *lookupMatch) variadic(v *types.Var) (model.LookupArg, bool) {
	last := len(l.model.Params) - 1
	if l.model.Variadic && last >= 0 && l.param(v.Name()) == last && types.Identical(v.Type(), l.guarded.Params().At(last).Type()) {
		return model.LookupArg{Param: last, Spread: true}, true
	}
	s, ok := v.Type().Underlying().(*types.Slice)
	if !ok {
		return model.LookupArg{}, false
	}
	return l.keyPart(s.Elem())
}

func (c *checker) resultText(s *types.Signature) string {
	var out []string
	for i := range s.Results().Len() {
		out = append(out, c.typeText(s.Results().At(i).Type()))
	}
	if len(out) == 0 {
		return "nothing"
	}
	return "(" + strings.Join(out, ", ") + ")"
}

func (c *checker) varText(t *types.Tuple, i int) string {
	v := t.At(i)
	if v.Name() == "" {
		return c.typeText(v.Type())
	}
	return v.Name() + " " + c.typeText(v.Type())
}
