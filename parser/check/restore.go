package check

import (
	"fmt"
	"go/types"
	"reflect"
	"strings"
)

// restorable tells why JSON can't bring a value of type t back as it was, or ""
// when it can (G2, C10). pkg is the package of the guarded method.
func restorable(t types.Type, pkg *types.Package) string {
	r := restorer{pkg: pkg, seen: map[types.Type]bool{}}
	return r.why(t, typeText(t, pkg), false)
}

type restorer struct {
	pkg  *types.Package
	seen map[types.Type]bool
}

// why looks into a type; path names it in the message, and addressable tells
// whether methods of its pointer are found by the encoder.
func (r *restorer) why(t types.Type, path string, addressable bool) string {
	if _, isParam := types.Unalias(t).(*types.TypeParam); isParam || r.seen[t] {
		return "" // what a type parameter stands for is its user's choice
	}
	r.seen[t] = true
	if done, why := selfMarshaling(t, path, addressable); done {
		return why
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsComplex != 0 || u.Kind() == types.UnsafePointer || u.Kind() == types.Invalid {
			return path + " has no JSON form"
		}
	case *types.Pointer:
		return r.why(u.Elem(), strings.TrimPrefix(path, "*"), true)
	case *types.Slice:
		return r.why(u.Elem(), r.element(path, u.Elem()), true)
	case *types.Array:
		return r.why(u.Elem(), r.element(path, u.Elem()), addressable)
	case *types.Map:
		return r.mapType(u, path)
	case *types.Struct:
		return r.structType(u, path, addressable)
	case *types.Interface:
		return path + " is an interface"
	case *types.Chan:
		return path + " is a channel"
	case *types.Signature:
		return path + " is a function"
	}
	return ""
}

// element is the path of what a list or map holds: Rows[] in a field, and the
// type itself where the path is a type without a name.
func (r *restorer) element(path string, elem types.Type) string {
	if strings.HasPrefix(path, "[") || strings.HasPrefix(path, "map[") {
		return typeText(elem, r.pkg)
	}
	return path + "[]"
}

func (r *restorer) mapType(m *types.Map, path string) string {
	key := m.Key()
	b, basic := key.Underlying().(*types.Basic)
	switch {
	case basic && b.Info()&(types.IsString|types.IsInteger) != 0:
	case has(key, marshalText) && has(types.NewPointer(key), unmarshalText):
	case isTypeParam(key):
	default:
		return fmt.Sprintf("the keys of %s are %s", path, typeText(key, r.pkg))
	}
	return r.why(m.Elem(), r.element(path, m.Elem()), false)
}

func (r *restorer) structType(s *types.Struct, path string, addressable bool) string {
	names := map[string]string{}
	for i := range s.NumFields() {
		f := s.Field(i)
		if f.Name() == "_" {
			continue
		}
		where := path + "." + f.Name()
		tag := reflect.StructTag(s.Tag(i)).Get("json")
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case tag == "-":
			return fmt.Sprintf(`field %s is left out by json:"-"`, where)
		case f.Embedded() && name == "":
			if why := r.embedded(f, where, addressable); why != "" {
				return why
			}
			continue
		case !f.Exported():
			return fmt.Sprintf("field %s is unexported", where)
		}
		if name == "" {
			name = f.Name()
		}
		if other, twice := names[name]; twice {
			return fmt.Sprintf("fields %s and %s share the JSON name %q", other, where, name)
		}
		names[name] = where
		if strings.Contains(","+options+",", ",string,") {
			continue
		}
		if why := r.why(f.Type(), where, addressable); why != "" {
			return why
		}
	}
	return ""
}

// embedded follows what encoding/json does with embedded fields: the exported
// fields of a struct are promoted, also out of an unexported type, but not
// through a pointer to one.
func (r *restorer) embedded(f *types.Var, where string, addressable bool) string {
	t := types.Unalias(f.Type())
	ptr, pointer := t.(*types.Pointer)
	if pointer {
		t = types.Unalias(ptr.Elem())
	}
	_, isStruct := t.Underlying().(*types.Struct)
	switch {
	case !f.Exported() && pointer:
		return fmt.Sprintf("embedded field %s is a pointer to an unexported type", where)
	case !f.Exported() && !isStruct:
		return fmt.Sprintf("embedded field %s is unexported", where)
	}
	return r.why(f.Type(), where, addressable || pointer)
}

// codecMethod is a method that encoding/json calls.
type codecMethod struct {
	name string
	in   bool // takes []byte
	out  bool // returns []byte
}

var (
	marshalJSON   = codecMethod{"MarshalJSON", false, true}
	unmarshalJSON = codecMethod{"UnmarshalJSON", true, false}
	marshalText   = codecMethod{"MarshalText", false, true}
	unmarshalText = codecMethod{"UnmarshalText", true, false}
)

// has tells whether the method set of t has the method with its signature.
func has(t types.Type, m codecMethod) bool {
	return hasMethod(t, m.name, func(s *types.Signature) bool {
		in, out := s.Params(), s.Results()
		switch {
		case m.in != (in.Len() == 1) || in.Len() > 1 || m.in && !isByteSlice(in.At(0).Type()):
			return false
		case m.out:
			return out.Len() == 2 && isByteSlice(out.At(0).Type()) && isError(out.At(1).Type())
		}
		return out.Len() == 1 && isError(out.At(0).Type())
	})
}

// selfMarshaling decides types that bring their own JSON or text form; done is
// false for all others.
func selfMarshaling(t types.Type, path string, addressable bool) (done bool, why string) {
	if _, isInterface := t.Underlying().(*types.Interface); isInterface {
		return false, ""
	}
	base := t
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		base = p.Elem()
		addressable = true
	}
	ptr := types.NewPointer(base)
	for _, pair := range []struct{ out, in codecMethod }{{marshalJSON, unmarshalJSON}, {marshalText, unmarshalText}} {
		switch onValue, onPointer, reads := has(base, pair.out), has(ptr, pair.out), has(ptr, pair.in); {
		case !onPointer && !reads:
			continue
		case onPointer && !reads:
			return true, fmt.Sprintf("%s has %s and no %s", path, pair.out.name, pair.in.name)
		case !onPointer:
			return true, fmt.Sprintf("%s has %s and no %s", path, pair.in.name, pair.out.name)
		case !onValue && !addressable:
			return true, fmt.Sprintf("%s has %s on its pointer only and is not reached through one", path, pair.out.name)
		}
		for _, m := range []codecMethod{pair.out, pair.in} {
			if from, lost := promotedPast(base, m.name); lost != "" {
				return true, fmt.Sprintf("%s has %s from its embedded field %s, which says nothing of the field %s", path, m.name, from, lost)
			}
		}
		return true, ""
	}
	return false, ""
}

// promotedPast tells whether the method of a struct is one of its embedded field
// from, though it has another field lost, of which that method knows nothing.
func promotedPast(t types.Type, method string) (from, lost string) {
	_, index, _ := types.LookupFieldOrMethod(t, true, nil, method)
	for _, at := range index[:max(len(index)-1, 0)] {
		if p, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		s, ok := t.Underlying().(*types.Struct)
		if !ok {
			return "", ""
		}
		for i := range s.NumFields() {
			if f := s.Field(i); i != at && f.Name() != "_" {
				return s.Field(at).Name(), f.Name()
			}
		}
		t = s.Field(at).Type()
	}
	return "", ""
}

func isTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

// notCodec says what a type lacks to be an idem.Codec, or "".
func notCodec(t types.Type) string {
	isAny := func(t types.Type) bool {
		i, ok := types.Unalias(t).Underlying().(*types.Interface)
		return ok && i.Empty()
	}
	for _, m := range []struct {
		text, name string
		ok         func(in, out *types.Tuple) bool
	}{
		{"Name() string", "Name", func(in, out *types.Tuple) bool {
			return in.Len() == 0 && out.Len() == 1 && types.Identical(out.At(0).Type(), types.Typ[types.String])
		}},
		{"Encode(v any) ([]byte, error)", "Encode", func(in, out *types.Tuple) bool {
			return in.Len() == 1 && isAny(in.At(0).Type()) && out.Len() == 2 && isByteSlice(out.At(0).Type()) && isError(out.At(1).Type())
		}},
		{"Decode(data []byte, v any) error", "Decode", func(in, out *types.Tuple) bool {
			return in.Len() == 2 && isByteSlice(in.At(0).Type()) && isAny(in.At(1).Type()) && out.Len() == 1 && isError(out.At(0).Type())
		}},
	} {
		if !hasMethod(t, m.name, func(s *types.Signature) bool { return m.ok(s.Params(), s.Results()) }) {
			return "it has no method " + m.text
		}
	}
	return ""
}
