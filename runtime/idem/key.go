package idem

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Key names one record in every store: scope, operation and key parts (K3). Only
// Hash decides whether two keys are equal (K2); one function makes it (K6).
type Key struct {
	Hash [32]byte
	// Readable is for people: scope, operation and parts, at most MaxReadable
	// bytes of valid, printable UTF-8. Different keys may share it.
	Readable string
}

// MaxReadable bounds Key.Readable, in bytes.
const MaxReadable = 128

// String returns the readable form and the first bytes of the hash.
func (k Key) String() string {
	return k.Readable + "#" + hex.EncodeToString(k.Hash[:6])
}

// keyVersion is the first byte of what a key hashes.
const keyVersion = 1

// makeKey is the one function that makes storage keys (K6). Every piece is
// length-prefixed, so that no two lists of pieces share their bytes.
func makeKey(scope string, op *Op, parts []Part) (Key, error) {
	if len(parts) == 0 {
		return Key{}, &KeyError{Op: op.Name, Part: "the key", Err: ErrMissingKey}
	}
	var stack [384]byte
	b := append(stack[:0], keyVersion)
	b = appendPiece(b, scope)
	b = appendPiece(b, op.Name)
	var text [2 * MaxReadable]byte
	r := appendReadable(text[:0], scope)
	if scope != "" {
		r = append(r, ' ')
	}
	r = appendReadable(r, op.Name[strings.LastIndexByte(op.Name, '/')+1:])
	sep := byte(' ')
	for i := range parts {
		p := &parts[i]
		switch p.kind {
		case partMissing, partValue:
			return Key{}, &KeyError{Op: op.Name, Part: partName(op, i), Err: ErrMissingKey}
		case partBroken:
			return Key{}, &KeyError{Op: op.Name, Part: partName(op, i), Err: p.val.(error)}
		}
		var small [24]byte // no integer, bool or inline array is longer
		start := len(b)
		switch p.kind {
		case partString:
			b = appendPiece(b, p.str)
		case partBytes:
			b = appendPiece(b, p.raw)
		default:
			b = appendPiece(b, p.appendKey(small[:0]))
		}
		if len(r) < MaxReadable {
			r = append(r, sep)
			_, n := binary.Uvarint(b[start:])
			r = appendReadable(r, b[start+n:])
		}
		sep = ','
	}
	return Key{Hash: sha256.Sum256(b), Readable: string(cut(r, MaxReadable))}, nil
}

// partName is the key expression as written, or its position.
func partName(op *Op, i int) string {
	if i < len(op.Key) {
		return op.Key[i]
	}
	return "part " + strconv.Itoa(i+1)
}

// appendPiece appends a length-prefixed string.
func appendPiece[T string | []byte](b []byte, s T) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

// appendReadable appends the beginning of s with everything that can't be
// printed replaced.
func appendReadable[T string | []byte](b []byte, s T) []byte {
	s = s[:min(len(s), MaxReadable)]
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			for _, r := range string(s) {
				b = appendRune(b, r)
			}
			return b
		}
	}
	return append(b, s...)
}

func appendRune(b []byte, r rune) []byte {
	switch {
	case r < utf8.RuneSelf && r >= ' ' && r != 0x7f:
		return append(b, byte(r))
	case r == utf8.RuneError || !unicode.IsPrint(r):
		return append(b, '?')
	}
	return utf8.AppendRune(b, r)
}

// cut shortens b to at most n bytes without splitting a rune.
func cut(b []byte, n int) []byte {
	if len(b) <= n {
		return b
	}
	for n > 0 && !utf8.RuneStart(b[n]) {
		n--
	}
	return b[:n]
}
