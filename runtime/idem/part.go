package idem

import (
	"encoding"
	"encoding/binary"
	"fmt"
	"reflect"
	"strconv"
	"time"
)

// Part is one value of a key or of a fingerprint. The zero Part is missing: in a
// key that is ErrMissingKey (K4), in a fingerprint it is left out (K5). A Part
// belongs to the call that made it and is not kept.
type Part struct {
	kind partKind
	size uint8  // of an inline array
	num  uint64 // integer, bool, or the first 8 bytes of an inline array
	tail uint64 // the next 8 bytes of an inline array
	str  string
	raw  []byte
	val  any // partValue: the value; partBroken: the error
}

type partKind uint8

const (
	partMissing partKind = iota
	partString
	partBytes
	partArray
	partInt
	partUint
	partBool
	partValue
	partBroken
)

// String makes a part of a string; "" is missing.
func String[T ~string](v T) Part {
	if v == "" {
		return Part{}
	}
	return Part{kind: partString, str: string(v)}
}

// Bytes makes a part of bytes; nil and empty are missing.
func Bytes[T ~[]byte](v T) Part {
	if len(v) == 0 {
		return Part{}
	}
	return Part{kind: partBytes, raw: v}
}

// Signed are the signed integer types.
type Signed interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64
}

// Unsigned are the unsigned integer types.
type Unsigned interface {
	~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

// Int makes a part of a signed integer; 0 is present in a key.
func Int[T Signed](v T) Part { return Part{kind: partInt, num: uint64(int64(v))} }

// Uint makes a part of an unsigned integer; 0 is present in a key.
func Uint[T Unsigned](v T) Part { return Part{kind: partUint, num: uint64(v)} }

// Bool makes a part of a bool; false is present in a key.
func Bool[T ~bool](v T) Part {
	if v {
		return Part{kind: partBool, num: 1}
	}
	return Part{kind: partBool}
}

// ByteArray are byte arrays of 1 to 64 bytes, and byte slices for longer ones.
type ByteArray interface {
	~[]byte |
		~[1]byte | ~[2]byte | ~[3]byte | ~[4]byte | ~[5]byte | ~[6]byte | ~[7]byte | ~[8]byte |
		~[9]byte | ~[10]byte | ~[11]byte | ~[12]byte | ~[13]byte | ~[14]byte | ~[15]byte | ~[16]byte |
		~[17]byte | ~[18]byte | ~[19]byte | ~[20]byte | ~[21]byte | ~[22]byte | ~[23]byte | ~[24]byte |
		~[25]byte | ~[26]byte | ~[27]byte | ~[28]byte | ~[29]byte | ~[30]byte | ~[31]byte | ~[32]byte |
		~[33]byte | ~[34]byte | ~[35]byte | ~[36]byte | ~[37]byte | ~[38]byte | ~[39]byte | ~[40]byte |
		~[41]byte | ~[42]byte | ~[43]byte | ~[44]byte | ~[45]byte | ~[46]byte | ~[47]byte | ~[48]byte |
		~[49]byte | ~[50]byte | ~[51]byte | ~[52]byte | ~[53]byte | ~[54]byte | ~[55]byte | ~[56]byte |
		~[57]byte | ~[58]byte | ~[59]byte | ~[60]byte | ~[61]byte | ~[62]byte | ~[63]byte | ~[64]byte
}

// Array makes a part of a byte array, such as a UUID; all zero is missing.
// Arrays of more than 64 bytes are passed as a slice of them.
func Array[T ByteArray](v T) Part {
	n := len(v)
	zero := true
	for i := range n {
		zero = zero && v[i] == 0
	}
	if zero {
		return Part{}
	}
	if n > 16 {
		raw := make([]byte, n)
		for i := range n {
			raw[i] = v[i]
		}
		return Part{kind: partBytes, raw: raw}
	}
	var buf [16]byte
	for i := range n {
		buf[i] = v[i]
	}
	return Part{
		kind: partArray, size: uint8(n),
		num: binary.BigEndian.Uint64(buf[:8]), tail: binary.BigEndian.Uint64(buf[8:]),
	}
}

// Type makes a key part of a type: calls of a generic method with other type
// arguments are other calls (K3).
func Type[T any]() Part {
	t := reflect.TypeFor[T]()
	if t.PkgPath() == "" {
		return String(t.String())
	}
	return String(t.PkgPath() + "." + t.Name())
}

// Text makes a part of a value's text form. A nil pointer, a value whose IsZero
// method says so, and empty text are missing. A time counts as its instant,
// whatever its zone.
func Text(v encoding.TextMarshaler) Part {
	if absent(v) {
		return Part{}
	}
	switch t := v.(type) {
	case time.Time:
		v = t.UTC()
	case *time.Time:
		v = t.UTC()
	}
	text, err := v.MarshalText()
	if err != nil {
		return Part{kind: partBroken, val: &ValueError{Type: reflect.TypeOf(v).String(), Reason: err.Error(), Err: err}}
	}
	return Bytes(text)
}

// Stringer makes a part of a value's String method. A nil pointer, a value whose
// IsZero method says so, and "" are missing.
func Stringer(v fmt.Stringer) Part {
	if absent(v) {
		return Part{}
	}
	return String(v.String())
}

// Value makes a fingerprint part of any value, by its canonical form (K5). It
// has no place in a key: there it is a missing part.
func Value(v any) Part {
	if v == nil {
		return Part{}
	}
	return Part{kind: partValue, val: v}
}

// absent tells a nil pointer or a zero value apart from one that has a text.
func absent(v any) bool {
	if v == nil {
		return true
	}
	if r := reflect.ValueOf(v); (r.Kind() == reflect.Pointer || r.Kind() == reflect.Map || r.Kind() == reflect.Slice) && r.IsNil() {
		return true
	}
	z, ok := v.(interface{ IsZero() bool })
	return ok && z.IsZero()
}

// appendKey appends the bytes that stand in a key for a part that is neither
// text nor bytes: equal bytes are equal keys (K2). Integers and bools are
// written as text.
func (p *Part) appendKey(b []byte) []byte {
	switch p.kind {
	case partArray:
		var buf [16]byte
		binary.BigEndian.PutUint64(buf[:8], p.num)
		binary.BigEndian.PutUint64(buf[8:], p.tail)
		return append(b, buf[:p.size]...)
	case partInt:
		return strconv.AppendInt(b, int64(p.num), 10)
	case partUint:
		return strconv.AppendUint(b, p.num, 10)
	case partBool:
		return strconv.AppendBool(b, p.num == 1)
	}
	return b
}
