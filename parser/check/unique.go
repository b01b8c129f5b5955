package check

import (
	"go/types"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
)

// uniqueLayer checks //idem:unique and builds its layer.
func (m *method) uniqueLayer() {
	args := m.g.unique
	if args == nil {
		return
	}
	u := &model.Unique{Pos: m.g.uniquePos, Index: args.Index.V.Name}
	m.model.Unique = u
	for _, c := range args.Index.V.Columns {
		u.Columns = append(u.Columns, c.Text)
	}
	if args.Lookup.Set {
		u.Lookup = m.uniqueLookup(args.Lookup)
	}
}

// uniqueLookup resolves lookup= of unique, which must be able to say that it found
// nothing: the method's own error stands then.
func (m *method) uniqueLookup(arg directive.Val[string]) *model.Lookup {
	fn := m.lookupFunc(asLookup, arg)
	if fn == nil {
		return nil
	}
	keys := m.recordKey
	if m.fireKeyPart.Expr != nil {
		keys = append(keys[:len(keys):len(keys)], m.fireKeyPart)
	}
	l := m.newLookup(asLookup, arg, fn, keys).match()
	if l == nil || l.Error {
		return l
	}
	if n := fn.Results().Len(); n == 1 && canBeNil(fn.Results().At(0).Type()) {
		return l
	}
	m.fail(diag.New(diag.CodeUniqueLookup, arg.Pos, "%s returns %s, which can't say that it found nothing", arg.V, m.resultText(fn)).
		WithHint("let it return error last: the error of %s stands then", m.model.Name))
	return nil
}

// canBeNil tells whether nil is a value of type t whatever it stands for.
func canBeNil(t types.Type) bool {
	if isTypeParam(t) {
		return false
	}
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Interface, *types.Signature, *types.Chan:
		return true
	}
	return false
}
