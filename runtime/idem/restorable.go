package idem

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
)

// The generator refuses results that JSON can't bring back as they were. What a type
// parameter stands for it can't see, so that types are looked at here, too, each once per
// engine: a duplicate is told that the result can't be read (C9) and never gets another.

// unrestorable tells why JSON does not bring values of a type back; "" when it does.
func unrestorable(cache *sync.Map, t reflect.Type) string {
	if why, known := cache.Load(t); known {
		return why.(string)
	}
	why := whyUnrestorable(t, map[reflect.Type]bool{})
	cache.Store(t, why)
	return why
}

var (
	unmarshalJSONType = reflect.TypeFor[json.Unmarshaler]()
	unmarshalTextType = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func whyUnrestorable(t reflect.Type, seen map[reflect.Type]bool) string {
	if seen[t] {
		return ""
	}
	seen[t] = true
	if p := reflect.PointerTo(t); p.Implements(unmarshalJSONType) || p.Implements(unmarshalTextType) {
		return "" // the type reads what it writes
	}
	switch t.Kind() {
	case reflect.Interface:
		return fmt.Sprintf("%v is an interface", t)
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return whyUnrestorable(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			switch {
			case f.Name == "_":
			case f.Anonymous || f.IsExported() && f.Tag.Get("json") != "-":
				if why := whyUnrestorable(f.Type, seen); why != "" {
					return why
				}
			default:
				return fmt.Sprintf("the field %s of %v is not in its JSON", f.Name, t)
			}
		}
	}
	return ""
}
