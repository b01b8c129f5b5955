package idem

import (
	"bytes"
	"context"
	"encoding"
	"encoding/binary"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"
	"unsafe"
)

// Tags of the canonical form. Every value starts with one and tells its own
// length, so that no two values share their bytes. Entries of structs and maps
// are pairs between tagOpen and tagClose, sorted; elements of lists are values
// after tagList and their count.
const (
	tagNil     = '0'
	tagText    = 's'
	tagNumber  = 'n'
	tagTrue    = 't'
	tagFalse   = 'f'
	tagTime    = 'z'
	tagComplex = 'c'
	tagList    = '['
	tagOpen    = '{'
	tagClose   = '}'
	tagRaw     = 'j' // bytes that claim to be JSON and are not
)

// Bounds of the canonical walk. Cycles are found by themselves; the bounds stop
// what is merely too deep or, through sharing, too large.
const (
	maxDepth = 500
	maxBytes = 64 << 20
)

// ValueError is a value without a canonical form: a cycle, or one too deep or
// too large, or whose MarshalText failed. errors.Is finds ErrUnhashable.
type ValueError struct {
	Type   string // Go type where it was found
	Reason string
	Err    error // of MarshalText, or nil
}

// Error tells type and reason.
func (e *ValueError) Error() string {
	return ErrUnhashable.Error() + ": " + e.Type + ": " + e.Reason
}

// Unwrap returns ErrUnhashable and Err.
func (e *ValueError) Unwrap() []error {
	if e.Err == nil {
		return []error{ErrUnhashable}
	}
	return []error{ErrUnhashable, e.Err}
}

func appendText[T string | []byte](b []byte, s T) []byte {
	b = append(b, tagText)
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

func appendNumber[T string | []byte](b []byte, digits T) []byte {
	b = append(b, tagNumber, byte(len(digits)))
	return append(b, digits...)
}

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, tagTrue)
	}
	return append(b, tagFalse)
}

// canonical makes the canonical form of v and tells whether v is zero: a zero
// field is left out by the struct that it stands in.
func canonical(v any, shapes *sync.Map) ([]byte, bool, error) {
	// A copy can be addressed, and so can the fields in it.
	r := reflect.ValueOf(v)
	p := reflect.New(r.Type()).Elem()
	p.Set(r)
	w := walker{b: make([]byte, 0, 256), shapes: shapes}
	zero, err := w.value(p, 0)
	return w.b, zero, err
}

// appendTime appends an instant: zone and monotonic reading do not count.
func appendTime(b []byte, t time.Time) []byte {
	b = append(b, tagTime)
	b = binary.AppendVarint(b, t.Unix())
	return binary.AppendUvarint(b, uint64(t.Nanosecond()))
}

// walker appends the canonical form of one value.
type walker struct {
	b      []byte
	shapes *sync.Map
	depth  int     // of the value that a special shape is asked for
	plain  bool    // inside an unexported field that stands beside exported ones
	path   []visit // pointers, maps and slices that the walk is inside of
}

type visit struct {
	ptr unsafe.Pointer
	typ reflect.Type
	len int
}

// enter notes a reference, and refuses one that the walk is inside of already.
func (w *walker) enter(v reflect.Value) error {
	at := visit{ptr: v.UnsafePointer(), typ: v.Type()}
	if v.Kind() == reflect.Slice {
		at.len = v.Len()
	}
	if slices.Contains(w.path, at) {
		return &ValueError{Type: v.Type().String(), Reason: "contains itself"}
	}
	w.path = append(w.path, at)
	return nil
}

func (w *walker) leave() { w.path = w.path[:len(w.path)-1] }

// value appends v and tells whether it is zero. v can be addressed.
func (w *walker) value(v reflect.Value, depth int) (zero bool, err error) {
	if depth > maxDepth {
		return false, &ValueError{Type: v.Type().String(), Reason: "too deep"}
	}
	if len(w.b) > maxBytes {
		return false, &ValueError{Type: v.Type().String(), Reason: "too large"}
	}
	s := shapeOf(w.shapes, v.Type(), w.plain)
	if s.special != nil {
		w.depth = depth
		if v.Kind() != reflect.Pointer || !v.IsNil() {
			return s.special(w, v)
		}
		w.b = append(w.b, tagNil)
		return true, nil
	}
	switch v.Kind() {
	case reflect.Bool:
		w.b = appendBool(w.b, v.Bool())
		return !v.Bool(), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		var digits [20]byte
		w.b = appendNumber(w.b, strconv.AppendInt(digits[:0], v.Int(), 10))
		return v.Int() == 0, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		var digits [20]byte
		w.b = appendNumber(w.b, strconv.AppendUint(digits[:0], v.Uint(), 10))
		return v.Uint() == 0, nil
	case reflect.Float32:
		return w.float(v.Float(), 32), nil
	case reflect.Float64:
		return w.float(v.Float(), 64), nil
	case reflect.Complex64, reflect.Complex128:
		bits := v.Type().Bits() / 2
		w.b = append(w.b, tagComplex)
		re, im := w.float(real(v.Complex()), bits), w.float(imag(v.Complex()), bits)
		return re && im, nil
	case reflect.String:
		w.b = appendText(w.b, v.String())
		return v.Len() == 0, nil
	case reflect.Pointer:
		return w.pointer(v, depth)
	case reflect.Interface:
		return w.iface(v, depth)
	case reflect.Struct:
		return w.structure(v, s, depth)
	case reflect.Map:
		return w.mapping(v, depth)
	case reflect.Slice, reflect.Array:
		return w.list(v, depth)
	}
	// Functions, channels and unsafe pointers are no data.
	w.b = append(w.b, tagNil)
	return true, nil
}

// float appends a float: the shortest text that reads back as the same number.
// All NaNs are one, and minus zero is zero.
func (w *walker) float(f float64, bits int) (zero bool) {
	if f == 0 {
		f = 0 // minus zero
	}
	format := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	var digits [32]byte
	w.b = appendNumber(w.b, strconv.AppendFloat(digits[:0], f, format, -1, bits))
	return f == 0
}

// pointer appends what v points to. A pointer to a zero value is not zero.
func (w *walker) pointer(v reflect.Value, depth int) (bool, error) {
	if v.IsNil() {
		w.b = append(w.b, tagNil)
		return true, nil
	}
	if err := w.enter(v); err != nil {
		return false, err
	}
	_, err := w.value(v.Elem(), depth+1)
	w.leave()
	return false, err
}

// iface appends the value in an interface. A zero value in it is not zero.
func (w *walker) iface(v reflect.Value, depth int) (bool, error) {
	if v.IsNil() {
		w.b = append(w.b, tagNil)
		return true, nil
	}
	p := reflect.New(v.Elem().Type()).Elem()
	p.Set(v.Elem())
	_, err := w.value(p, depth+1)
	return false, err
}

// structure appends the fields that are not zero, by name.
func (w *walker) structure(v reflect.Value, s *shape, depth int) (zero bool, err error) {
	w.b = append(w.b, tagOpen)
	zero = true
	for i := range s.fields {
		f := &s.fields[i]
		mark, plain := len(w.b), w.plain
		w.b = appendText(w.b, f.name)
		w.plain = f.plain
		fieldZero, err := w.value(fieldOf(v, f.index), depth+1)
		w.plain = plain
		if err != nil {
			return false, err
		}
		if fieldZero {
			w.b = w.b[:mark]
		} else {
			zero = false
		}
	}
	w.b = append(w.b, tagClose)
	return zero, nil
}

// fieldOf is a field of a struct that can be addressed, readable also where it is
// unexported.
func fieldOf(v reflect.Value, index int) reflect.Value {
	f := v.Field(index)
	return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
}

// mapping appends the entries of a map, sorted by the canonical form of their keys.
func (w *walker) mapping(v reflect.Value, depth int) (zero bool, err error) {
	if v.Len() == 0 {
		w.b = append(w.b, tagOpen, tagClose)
		return true, nil
	}
	if err := w.enter(v); err != nil {
		return false, err
	}
	start := len(w.b)
	key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
	spans := make([]span, 0, v.Len())
	for iter := v.MapRange(); iter.Next(); {
		key.SetIterKey(iter)
		elem.SetIterValue(iter)
		at := span{from: len(w.b)}
		if _, err := w.value(key, depth+1); err != nil {
			return false, err
		}
		if _, err := w.value(elem, depth+1); err != nil {
			return false, err
		}
		at.to = len(w.b)
		spans = append(spans, at)
	}
	// Keys tell their own length, so comparing whole entries sorts by key first.
	slices.SortFunc(spans, func(x, y span) int { return bytes.Compare(w.b[x.from:x.to], w.b[y.from:y.to]) })
	sorted := make([]byte, 0, len(w.b)-start+2)
	sorted = append(sorted, tagOpen)
	for _, at := range spans {
		sorted = append(sorted, w.b[at.from:at.to]...)
	}
	w.b = append(append(w.b[:start], sorted...), tagClose)
	w.leave()
	return false, nil
}

// span is one map entry in the walker's buffer.
type span struct{ from, to int }

// list appends the elements of a slice or array in order; bytes as text. An
// array of zeros is zero, a slice only when it is empty.
func (w *walker) list(v reflect.Value, depth int) (zero bool, err error) {
	slice := v.Kind() == reflect.Slice
	if v.Type().Elem().Kind() == reflect.Uint8 {
		raw := v.Bytes()
		w.b = appendText(w.b, raw)
		return len(raw) == 0 || !slice && v.IsZero(), nil
	}
	if slice && v.Len() > 0 {
		if err := w.enter(v); err != nil {
			return false, err
		}
		defer w.leave()
	}
	w.b = append(w.b, tagList)
	w.b = binary.AppendUvarint(w.b, uint64(v.Len()))
	zero = !slice || v.Len() == 0
	for i := range v.Len() {
		elemZero, err := w.value(v.Index(i), depth+1)
		if err != nil {
			return false, err
		}
		zero = zero && elemZero
	}
	return zero, nil
}

// text appends the text of what marshals to one. It is zero when the text is that
// of the zero value: a big.Int that became zero is as zero as a new one. A struct
// whose method is an embedded field's says nothing of its other fields by it, so
// it is walked.
func (w *walker) text(v reflect.Value, s *shape) (bool, error) {
	if nilPromoter(v, s) {
		return w.structure(v, s, w.depth)
	}
	text, err := marshaler(v).MarshalText()
	for _, i := range s.promoters {
		if own, ownErr := marshaler(fieldOf(v, i)).MarshalText(); bytes.Equal(own, text) && (err == nil) == (ownErr == nil) {
			return w.structure(v, s, w.depth)
		}
	}
	if err != nil {
		return false, &ValueError{Type: v.Type().String(), Reason: err.Error(), Err: err}
	}
	w.b = appendText(w.b, text)
	return s.hasZero && bytes.Equal(text, s.zeroText), nil
}

// nilPromoter tells a struct whose method may be that of a nil embedded field.
func nilPromoter(v reflect.Value, s *shape) bool {
	return slices.ContainsFunc(s.promoters, func(i int) bool {
		f := v.Field(i)
		return (f.Kind() == reflect.Pointer || f.Kind() == reflect.Interface) && f.IsNil()
	})
}

// raw appends a json.RawMessage as the value that it is: neither blanks nor the
// order of keys count. Bytes that encoding/json would read only in part, or not
// at all, count as they are.
func (w *walker) raw(v reflect.Value) (bool, error) {
	data := v.Bytes()
	if len(data) == 0 {
		w.b = append(w.b, tagNil)
		return true, nil
	}
	var value any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if !json.Valid(data) || !utf8.Valid(data) || bytes.Contains(bytes.ToLower(data), []byte(`\ud`)) || d.Decode(&value) != nil {
		w.b = append(w.b, tagRaw)
		w.b = appendText(w.b, data)
		return false, nil
	}
	plain := w.plain
	w.plain = false // the maps and lists here are made by the decoder
	_, err := w.value(reflect.ValueOf(&value).Elem(), w.depth+1)
	w.plain = plain
	return false, err
}

// number appends a json.Number by its digits: 1 and 1.0 are two payloads.
func (w *walker) number(v reflect.Value) (bool, error) {
	s := v.String()
	if len(s) > 255 {
		w.b = appendText(w.b, s)
		return false, nil
	}
	w.b = appendNumber(w.b, s)
	return s == "" || s == "0", nil
}

var (
	timeType    = reflect.TypeFor[time.Time]()
	numberType  = reflect.TypeFor[json.Number]()
	rawType     = reflect.TypeFor[json.RawMessage]()
	contextType = reflect.TypeFor[context.Context]()
	textType    = reflect.TypeFor[encoding.TextMarshaler]()
)
