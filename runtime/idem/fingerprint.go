package idem

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"time"
)

// Fingerprint tells whether a retry carries the payload of the first call: a
// version byte and a SHA-256 of the canonical form of the arguments (K5). The
// zero Fingerprint is none and matches every other.
type Fingerprint [33]byte

// fingerprintVersion is the version of the canonical form.
const fingerprintVersion = 1

// String returns the version and the first bytes of the hash, or "none".
func (f Fingerprint) String() string {
	if f == (Fingerprint{}) {
		return "none"
	}
	return "v" + strconv.Itoa(int(f[0])) + ":" + hex.EncodeToString(f[1:9])
}

// matching says how two fingerprints of one key compare.
type matching uint8

const (
	matchSame    matching = iota // equal, or one of them is none
	matchVersion                 // of different versions: not comparable
	matchOther                   // another payload
)

// compare tells whether a record's fingerprint is that of the call.
func (f *Fingerprint) compare(stored *Fingerprint) matching {
	switch {
	case *f == *stored, f[0] == 0, stored[0] == 0:
		return matchSame
	case f[0] != stored[0]:
		return matchVersion
	}
	return matchOther
}

// Differs tells whether a record with the fingerprint stored is of another
// payload. None, and one of another version, differs from nothing (K5). A store
// asks it before a claim takes over what a vanished owner left.
func (f Fingerprint) Differs(stored Fingerprint) bool { return f.compare(&stored) == matchOther }

// makeFingerprint hashes the arguments by position; zero ones are left out, so
// that a new parameter at the end does not change what older calls hash to.
func makeFingerprint(e *Engine, op *Op, parts []Part) (Fingerprint, error) {
	var stack [512]byte
	b := stack[:0]
	for i := range parts {
		mark := len(b)
		b = binary.AppendUvarint(b, uint64(i))
		var zero bool
		var err error
		if b, zero, err = appendPart(b, &parts[i], e); err != nil {
			return Fingerprint{}, &KeyError{Op: op.Name, Part: "argument " + strconv.Itoa(i+1), Err: err}
		}
		if zero {
			b = b[:mark]
		}
	}
	sum := sha256.Sum256(b)
	var f Fingerprint
	f[0] = fingerprintVersion
	copy(f[1:], sum[:])
	return f, nil
}

// appendPart appends a part's canonical form and tells whether it is zero.
func appendPart(b []byte, p *Part, e *Engine) ([]byte, bool, error) {
	switch p.kind {
	case partMissing:
		return b, true, nil
	case partBroken:
		return b, false, p.val.(error)
	case partString:
		return appendText(b, p.str), false, nil
	case partBytes:
		return appendText(b, p.raw), false, nil
	case partInt, partUint:
		var digits [20]byte
		return appendNumber(b, p.appendKey(digits[:0])), p.num == 0, nil
	case partBool:
		return appendBool(b, p.num == 1), p.num == 0, nil
	case partValue:
		if at, ok := p.val.(time.Time); ok { // the most common one, without reflection
			return appendTime(b, at), at.IsZero(), nil
		}
		form, zero, err := canonical(p.val, e.shapes)
		return append(b, form...), zero, err
	}
	var raw [16]byte
	return appendText(b, p.appendKey(raw[:0])), false, nil
}
