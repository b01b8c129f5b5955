package check

import (
	"go/types"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
)

// kindOf says how a value of type t becomes a part of a key or fingerprint.
// KindOther is anything that has no direct form. Pointers are KindOther unless
// the pointer itself marshals to text.
func kindOf(t types.Type) model.Kind {
	switch {
	case t == nil:
		return model.KindOther
	case isContext(t):
		return model.KindContext
	}
	if tp, ok := types.Unalias(t).(*types.TypeParam); ok {
		return kindOfTypeParam(tp)
	}
	text := marshalsText(t)
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if k := basicKind(u); k != model.KindOther {
			return k
		}
	case *types.Slice:
		switch {
		case isNamed(t, "encoding/json", "RawMessage"):
			return model.KindOther // what counts is its value, not its bytes (K5)
		case isByte(u.Elem()) && !text:
			return model.KindBytes
		case !text && onlyFuncs(u.Elem()):
			return model.KindFunc
		}
	case *types.Array:
		switch {
		case isByte(u.Elem()) && 1 <= u.Len() && u.Len() <= 64: // what idem.Array takes
			return model.KindByteArray
		case !text && onlyFuncs(u.Elem()):
			return model.KindFunc
		}
	case *types.Signature, *types.Chan:
		return model.KindFunc
	case *types.Interface:
		return model.KindOther
	}
	if text {
		return model.KindText
	}
	return model.KindOther
}

// onlyFuncs tells whether elements of type t are functions or channels, however
// deep in slices and arrays: a list of them (functional options) has no value
// that two calls could share, so it is forwarded and never matched.
func onlyFuncs(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Signature, *types.Chan:
		return true
	case *types.Slice:
		return onlyFuncs(u.Elem())
	case *types.Array:
		return onlyFuncs(u.Elem())
	}
	return false
}

func basicKind(b *types.Basic) model.Kind {
	switch info := b.Info(); {
	case info&types.IsString != 0:
		return model.KindString
	case info&types.IsUnsigned != 0 && b.Kind() != types.UnsafePointer:
		return model.KindUint
	case info&types.IsInteger != 0:
		return model.KindInt
	case info&types.IsBoolean != 0:
		return model.KindBool
	}
	return model.KindOther
}

func isByte(t types.Type) bool {
	b, ok := types.Unalias(t).(*types.Basic) // the runtime's constructors take []byte and its kin, not []MyByte
	return ok && b.Kind() == types.Uint8
}

// kindOfTypeParam is the kind that all types of a constraint share.
func kindOfTypeParam(tp *types.TypeParam) model.Kind {
	iface, ok := tp.Constraint().Underlying().(*types.Interface)
	if !ok {
		return model.KindOther
	}
	kind, found := constraintKind(iface, map[*types.Interface]bool{})
	switch {
	case found:
		return kind
	case marshalsText(iface):
		return model.KindText
	}
	return model.KindOther
}

// constraintKind looks for a union all whose terms have one kind; an interface
// that embeds several restricts further, so one such union is enough.
func constraintKind(iface *types.Interface, seen map[*types.Interface]bool) (model.Kind, bool) {
	if seen[iface] {
		return model.KindOther, false
	}
	seen[iface] = true
	for i := range iface.NumEmbeddeds() {
		var terms []types.Type
		switch e := types.Unalias(iface.EmbeddedType(i)).(type) {
		case *types.Union:
			for j := range e.Len() {
				terms = append(terms, e.Term(j).Type())
			}
		default:
			terms = append(terms, e)
		}
		kind, all := model.KindOther, len(terms) > 0
		for j, t := range terms {
			k := model.KindOther
			if in, ok := t.Underlying().(*types.Interface); ok {
				k, _ = constraintKind(in, seen)
			} else {
				k = kindOf(t.Underlying())
			}
			if k == model.KindByteArray { // no union of arrays fits the runtime's own
				k = model.KindOther
			}
			if j == 0 {
				kind = k
			}
			all = all && k == kind && k != model.KindOther
		}
		if all {
			return kind, true
		}
	}
	return model.KindOther, false
}

// marshalsText tells whether t itself (not its address) is an
// encoding.TextMarshaler by a method that speaks for all of it: one that comes
// from an embedded field says nothing of the other fields (K5).
func marshalsText(t types.Type) bool {
	if !has(t, marshalText) {
		return false
	}
	_, lost := promotedPast(t, marshalText.name)
	return lost == ""
}

// hasMethod tells whether the method set of t has an exported method with a
// fitting signature.
func hasMethod(t types.Type, name string, ok func(*types.Signature) bool) bool {
	if t == nil {
		return false
	}
	switch types.Unalias(t).(type) {
	case *types.Named, *types.Pointer, *types.Interface, *types.Struct, *types.TypeParam:
	default:
		return false
	}
	obj, _, _ := types.LookupFieldOrMethod(t, false, nil, name)
	fn, isFunc := obj.(*types.Func)
	return isFunc && ok(fn.Signature())
}

func isByteSlice(t types.Type) bool {
	s, ok := types.Unalias(t).(*types.Slice)
	return ok && isByte(s.Elem())
}

func isError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

// implementsError tells whether values of type t are errors.
func implementsError(t types.Type) bool {
	iface, ok := types.Universe.Lookup("error").Type().Underlying().(*types.Interface)
	return ok && types.Implements(t, iface)
}

// isContext tells whether t is context.Context itself.
func isContext(t types.Type) bool { return isNamed(t, "context", "Context") }

// isNamed tells whether t, seen through aliases, is the named type of a package.
func isNamed(t types.Type, path, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return false
	}
	return n.Obj().Name() == name && n.Obj().Pkg().Path() == path
}

// unresolved tells whether a part of t could not be resolved. It does not look
// into the declarations of named types further than their first level.
func unresolved(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case nil:
		return true
	case *types.Basic:
		return t.Kind() == types.Invalid
	case *types.Pointer:
		return unresolved(t.Elem())
	case *types.Slice:
		return unresolved(t.Elem())
	case *types.Array:
		return unresolved(t.Elem())
	case *types.Chan:
		return unresolved(t.Elem())
	case *types.Map:
		return unresolved(t.Key()) || unresolved(t.Elem())
	case *types.Tuple:
		for i := range t.Len() {
			if unresolved(t.At(i).Type()) {
				return true
			}
		}
	case *types.Signature:
		return unresolved(t.Params()) || unresolved(t.Results())
	case *types.Struct:
		for i := range t.NumFields() {
			if unresolved(t.Field(i).Type()) {
				return true
			}
		}
	case *types.Named:
		for i := range t.TypeArgs().Len() {
			if unresolved(t.TypeArgs().At(i)) {
				return true
			}
		}
		b, ok := t.Underlying().(*types.Basic)
		return ok && b.Kind() == types.Invalid
	}
	return false
}

// typeText names a type in a message: other packages by their names.
func (c *checker) typeText(t types.Type) string { return typeText(t, c.p.Types) }

func typeText(t types.Type, own *types.Package) string {
	if t == nil {
		return "unknown type"
	}
	text := types.TypeString(t, func(p *types.Package) string {
		if p == own {
			return ""
		}
		return p.Name()
	})
	return strings.ReplaceAll(text, "interface{}", "any")
}
