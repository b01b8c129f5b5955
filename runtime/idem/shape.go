package idem

import (
	"cmp"
	"encoding"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

// shape is what the canonical walk knows about a type, made once per engine.
type shape struct {
	// special does types that are not walked: times, numbers, texts, contexts.
	special func(w *walker, v reflect.Value) (zero bool, err error)
	fields  []field // of a struct, by name
	// promoters are the embedded fields that may be where the MarshalText of a
	// struct comes from.
	promoters []int
	// zeroText is the text of the zero value, where it has one.
	zeroText []byte
	hasZero  bool
}

// field is one field that counts.
type field struct {
	name   string
	index  int
	hidden bool // unexported
	plain  bool // only what is plain data counts in it
}

// plainKey is the key of a type's shape inside an unexported field that stands
// beside exported ones.
type plainKey struct{ t reflect.Type }

// shapeOf returns a type's shape, from the cache or new.
func shapeOf(cache *sync.Map, t reflect.Type, plain bool) *shape {
	var key any = t
	if plain {
		key = plainKey{t}
	}
	if s, ok := cache.Load(key); ok {
		return s.(*shape)
	}
	s, _ := cache.LoadOrStore(key, newShape(t, plain))
	return s.(*shape)
}

func newShape(t reflect.Type, plain bool) *shape {
	switch {
	case t == timeType:
		return &shape{special: func(w *walker, v reflect.Value) (bool, error) {
			at := v.Interface().(time.Time)
			w.b = appendTime(w.b, at)
			return at.IsZero(), nil
		}}
	case t == numberType:
		return &shape{special: (*walker).number}
	case t == rawType:
		return &shape{special: (*walker).raw}
	case isContext(t):
		return &shape{special: func(w *walker, _ reflect.Value) (bool, error) {
			w.b = append(w.b, tagNil)
			return true, nil
		}}
	case t.Kind() == reflect.Interface:
		return &shape{} // its value has a shape
	case t.Kind() == reflect.Pointer:
		// What it points to decides, except that *T alone may have the method.
		return &shape{}
	}
	s := &shape{}
	if t.Kind() == reflect.Struct {
		s.fields = fieldsOf(t, plain)
	}
	if marshalsText(t) {
		s.special = func(w *walker, v reflect.Value) (bool, error) { return w.text(v, s) }
		s.zeroText, s.hasZero = textOfZero(t)
		if t.Kind() == reflect.Struct {
			s.promoters = promotersOf(t)
		}
	}
	return s
}

// marshalsText tells whether t or its pointer has a MarshalText method.
func marshalsText(t reflect.Type) bool {
	return t.Implements(textType) || t.Kind() != reflect.Interface && reflect.PointerTo(t).Implements(textType)
}

// isContext tells contexts, which are no data. A struct that embeds one beside
// exported fields of its own is not a context, though it has the methods.
func isContext(t reflect.Type) bool {
	if !t.Implements(contextType) {
		return false
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return true
	}
	embeds, others := false, false
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous && f.Type.Implements(contextType) {
			embeds = true
		} else {
			others = others || f.IsExported()
		}
	}
	return !embeds || !others
}

// promotersOf lists the embedded fields of a struct that marshal to text.
func promotersOf(t reflect.Type) []int {
	var list []int
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous && marshalsText(f.Type) {
			list = append(list, i)
		}
	}
	return list
}

// textOfZero is the text of a type's zero value, if it has one.
func textOfZero(t reflect.Type) (text []byte, ok bool) {
	defer func() {
		if recover() != nil {
			text, ok = nil, false
		}
	}()
	text, err := marshaler(reflect.New(t).Elem()).MarshalText()
	return text, err == nil
}

// marshaler is the TextMarshaler that v or its address is. v can be addressed.
func marshaler(v reflect.Value) encoding.TextMarshaler {
	if m, ok := v.Interface().(encoding.TextMarshaler); ok {
		return m
	}
	return v.Addr().Interface().(encoding.TextMarshaler)
}

// fieldsOf lists the fields that count: the exported and embedded ones, and of
// the unexported ones beside them those that hold plain data (see isPlain), in
// which again only plain data counts. So the amount that a value type hides
// beside its currency counts, and locks, caches and connections don't. A struct
// without exported fields counts with all that it hides. Inside a plain field
// only plain fields count, exported or not.
func fieldsOf(t reflect.Type, plain bool) []field {
	var fields, hidden []field
	exported := false
	for i := range t.NumField() {
		f := t.Field(i)
		at := field{name: f.Name, index: i, hidden: !f.IsExported(), plain: plain}
		switch {
		case f.Name == "_" || bookkeeping(f) || plain && !isPlain(f.Type):
		case plain || !at.hidden || f.Anonymous:
			fields, exported = append(fields, at), true
		default:
			hidden = append(hidden, at)
		}
	}
	for _, at := range hidden {
		if exported {
			if !isPlain(t.Field(at.index).Type) {
				continue
			}
			at.plain = true
		}
		fields = append(fields, at)
	}
	slices.SortFunc(fields, func(a, b field) int { return cmp.Compare(a.name, b.name) })
	return fields
}

// isPlain tells types that hold their data themselves: booleans, numbers and
// strings, what marshals to text by a method, structs, and arrays and slices of
// these. Maps, pointers, interfaces, functions and channels, which in unexported
// fields are caches and connections more often than data, are not plain.
func isPlain(t reflect.Type) bool {
	for range 8 { // type T []T never ends
		if t.Kind() != reflect.Array && t.Kind() != reflect.Slice {
			break
		}
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Array, reflect.Slice:
		return false
	case reflect.Map, reflect.Pointer, reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Uintptr:
		return false
	}
	return !isContext(t)
}

// bookkeeping tells fields that are no data even where all others are hidden:
// locks, atomics, and what generated protobuf messages keep for themselves.
func bookkeeping(f reflect.StructField) bool {
	pkg := f.Type.PkgPath()
	return pkg == "sync" || pkg == "sync/atomic" || pkg == "internal/sync" ||
		strings.HasPrefix(pkg, "google.golang.org/protobuf/") && !f.IsExported() ||
		strings.HasPrefix(f.Name, "XXX_") ||
		f.Name == "sizeCache" || f.Name == "unknownFields"
}
