package idem

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// What encoding/json writes for a byte that is not UTF-8, and for nothing. What
// has neither in it lost nothing that lossyJSON knows of.
var (
	replaced = []byte(`\ufffd`)
	null     = []byte("null")
)

// lossyJSON tells what of v its JSON does not bring back. It walks v only where
// data gives a reason to.
func lossyJSON(v any, data []byte) error {
	if !bytes.Contains(data, replaced) && !bytes.Contains(data, null) {
		return nil
	}
	return lossy(reflect.ValueOf(v))
}

var jsonType = reflect.TypeFor[json.Marshaler]()

// lossy walks what encoding/json does. Cycles were refused by it before.
func lossy(v reflect.Value) error {
	if !v.IsValid() {
		return nil
	}
	t := v.Type()
	switch {
	case v.Kind() == reflect.Pointer:
		return lossyPointer(v)
	case v.Kind() == reflect.Interface:
		return lossy(v.Elem())
	case t.Implements(jsonType), v.CanAddr() && reflect.PointerTo(t).Implements(jsonType):
		return nil // the type reads what it writes
	case t.Implements(textType), v.CanAddr() && reflect.PointerTo(t).Implements(textType):
		return lossyText(v)
	}
	switch v.Kind() {
	case reflect.String:
		return utf8Only(t, v.String())
	case reflect.Struct:
		return lossyStruct(v)
	case reflect.Map:
		return lossyMap(v)
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return nil
		}
		for i := range v.Len() {
			if err := lossy(v.Index(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

func utf8Only(t reflect.Type, s string) error {
	if utf8.ValidString(s) {
		return nil
	}
	return fmt.Errorf("idem: JSON can't hold a %v that is not UTF-8", t)
}

// lossyPointer refuses a pointer that is not nil and comes back as nil.
func lossyPointer(v reflect.Value) error {
	if v.IsNil() {
		return nil
	}
	if err := lossy(v.Elem()); err != nil {
		return err
	}
	if v.Elem().Kind() == reflect.Struct && !v.Type().Implements(jsonType) || !v.CanInterface() {
		return nil
	}
	if data, err := json.Marshal(v.Interface()); err == nil && bytes.Equal(data, null) {
		return fmt.Errorf("idem: JSON turns a %v to null into a nil one", v.Type())
	}
	return nil
}

func lossyText(v reflect.Value) error {
	m, ok := v.Interface().(encoding.TextMarshaler)
	if !ok {
		m = v.Addr().Interface().(encoding.TextMarshaler)
	}
	text, err := m.MarshalText()
	if err != nil {
		return err
	}
	return utf8Only(v.Type(), string(text))
}

func lossyStruct(v reflect.Value) error {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		tag := f.Tag.Get("json")
		if tag == "-" || !f.IsExported() && !f.Anonymous || strings.Contains(tag, ",omitempty") && empty(v.Field(i)) {
			continue
		}
		if !v.Field(i).CanInterface() { // an embedded struct of an unexported type
			if v.Field(i).Kind() == reflect.Struct {
				if err := lossyStruct(v.Field(i)); err != nil {
					return err
				}
			}
			continue
		}
		if err := lossy(v.Field(i)); err != nil {
			return err
		}
	}
	return nil
}

// empty tells what omitempty leaves out.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String, reflect.Map, reflect.Slice, reflect.Array:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

func lossyMap(v reflect.Value) error {
	for iter := v.MapRange(); iter.Next(); {
		key := iter.Key()
		switch {
		case key.Kind() == reflect.String:
			if err := utf8Only(key.Type(), key.String()); err != nil {
				return err
			}
		case key.Type().Implements(textType):
			if err := lossyText(key); err != nil {
				return err
			}
		}
		if err := lossy(iter.Value()); err != nil {
			return err
		}
	}
	return nil
}
