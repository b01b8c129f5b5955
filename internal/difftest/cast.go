package difftest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/big"
	mrand "math/rand/v2"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Keys, Owners and Prints are how many of each a history knows. Print 0 is none,
// Prints-1 is one of another version of the canonical form.
const (
	Keys   = 2
	Owners = 4
	Prints = 4
)

// Cast are the keys and owners of one play; the numbers of a history stand for them.
type Cast struct {
	keys   [Keys]idem.Key
	owners [Owners]idem.Owner
	fences [Keys][Owners]int64 // what an owner was told last
}

// NewCast makes keys and owners that no other play has.
func NewCast() *Cast {
	c := &Cast{}
	op := idem.Op{Name: "difftest/" + rand.Text()}
	engine := idem.New(idem.GlobalScope)
	for i := range c.keys {
		c.keys[i] = engine.Call(context.Background(), &op, idem.Int(i)).Key()
	}
	for i := range c.owners {
		c.owners[i] = idem.NewOwner()
	}
	return c
}

// Key is the key of a number.
func (c *Cast) Key(i int) idem.Key { return c.keys[i] }

// Owner is the owner of a number.
func (c *Cast) Owner(i int) idem.Owner { return c.owners[i] }

// Fence is what an owner was told last about a key, 1 when nothing.
func (c *Cast) Fence(key, owner int) int64 { return max(c.fences[key][owner], 1) }

// Told notes what an owner was told.
func (c *Cast) Told(key, owner int, fence int64) { c.fences[key][owner] = fence }

// Print is the fingerprint of a number.
func Print(i int) idem.Fingerprint {
	switch i {
	case 0:
		return idem.Fingerprint{}
	case Prints - 1:
		return idem.Fingerprint{0: 200, 32: 1}
	}
	return idem.Fingerprint{0: 1, 1: byte(i), 32: 0xff}
}

// PrintsDiffer is what Fingerprint.Differs says: both are there, of one version, and
// not the same.
func PrintsDiffer(a, b int) bool {
	return a != b && a != 0 && b != 0 && (a == Prints-1) == (b == Prints-1)
}

// NameOwner is an owner in the words of an answer.
func (c *Cast) NameOwner(o idem.Owner) string {
	for i := range c.owners {
		if c.owners[i] == o {
			return OwnerWord(i)
		}
	}
	if o == (idem.Owner{}) {
		return "owner=none"
	}
	return "owner=stranger"
}

// OwnerWord is the owner of a number in the words of an answer.
func OwnerWord(i int) string { return fmt.Sprintf("owner=%d", i) }

// NamePrint is a fingerprint in the words of an answer.
func NamePrint(f idem.Fingerprint) string {
	for i := range Prints {
		if Print(i) == f {
			return PrintWord(i)
		}
	}
	return "print=" + new(big.Int).SetBytes(f[:]).Text(16)
}

// PrintWord is the fingerprint of a number in the words of an answer.
func PrintWord(i int) string { return fmt.Sprintf("print=%d", i) }

// Words of answers without anything else.
const (
	OK       = "ok"
	Lost     = "lease lost"
	LockLost = "lock lost"
	NotHeld  = "not held"
)

// NameError is an error in the words of an answer; nil is OK.
func NameError(err error) string {
	switch {
	case err == nil:
		return OK
	case errors.Is(err, idem.ErrLeaseLost):
		return Lost
	case errors.Is(err, idem.ErrLockLost):
		return LockLost
	case errors.Is(err, idem.ErrNotHeld):
		return NotHeld
	}
	return "error: " + err.Error()
}

// Outcome is an outcome in the words of an answer.
func Outcome(o *idem.Outcome) string {
	if len(o.Data) <= 40 {
		return fmt.Sprintf("kind=%d codec=%q data=%q", o.Kind, o.Codec, o.Data)
	}
	return fmt.Sprintf("kind=%d codec=%q data=%x", o.Kind, o.Codec, sha256.Sum256(o.Data))
}

// Pick draws one of several; one that stands there twice comes twice as often.
func Pick[T any](r *mrand.Rand, from ...T) T { return from[r.IntN(len(from))] }
