package idem

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"time"
)

// Owner is the value that tells one execution from every other: a store
// compares it, together with the fence, before it renews, completes or releases
// a claim (C3). The core makes a new one for each guarded call.
type Owner [16]byte

// NewOwner makes an owner value from 128 random bits. They keep executions apart and
// are no secret, so they come from the fast generator, which the runtime seeds for each
// process from the system's.
func NewOwner() (o Owner) {
	binary.LittleEndian.PutUint64(o[:8], rand.Uint64())
	binary.LittleEndian.PutUint64(o[8:], rand.Uint64())
	return o
}

// String returns the owner in hexadecimal, for logs.
func (o Owner) String() string { return hex.EncodeToString(o[:]) }

// Claim is what a store is asked for: make the record of Key ours, or tell what
// stands there. A claim repeated with the same Owner gives the same answer (C16).
type Claim struct {
	Key         Key
	Owner       Owner
	Fingerprint Fingerprint // zero: none; kept in the record
	// Lease is how long the claim is valid without a renewal; 0 in transaction
	// mode, where the transaction itself is the lease.
	Lease time.Duration
	// Retention is how long the record of a completed call is kept, counted
	// from its completion; Never = for ever. In lease mode Complete carries it.
	Retention time.Duration
	// Wait bounds how long a transactional store may block on a winner whose
	// transaction is still open; 0 = answer at once (C7). RecordStore.Claim
	// never blocks and ignores it: the core waits.
	Wait time.Duration
	// Orphan is what a later claim finds when this owner vanishes (C17). It is
	// stored in the record; OrphanNone in transaction mode.
	Orphan Orphan
	// Look only looks: nothing is written, and where a claim would have been
	// fresh the status is Absent.
	Look bool
}

// ClaimStatus is a store's answer to a claim.
type ClaimStatus uint8

// Claim statuses. The zero value is none of them.
const (
	// Fresh: the key is ours, by this claim or by an earlier one of the same owner.
	Fresh ClaimStatus = iota + 1
	// Running: another owner holds a live lease or has an open transaction.
	Running
	// Done: the record is completed; Record.Outcome says how. In transaction
	// mode also for a record that this same owner committed (T8).
	Done
	// Held: the owner vanished and the record's policy is OrphanHold.
	Held
	// Absent: nothing stands there; answered to Look and Lookup alone.
	Absent
)

// String returns the status in lower case.
func (s ClaimStatus) String() string {
	if int(s) < len(claimStatusNames) {
		return claimStatusNames[s]
	}
	return claimStatusNames[0]
}

var claimStatusNames = [...]string{"invalid", "fresh", "running", "done", "held", "absent"}

// Found is what stands under a key after a claim or a look-up.
type Found struct {
	Status ClaimStatus
	// Record is the record as it stands; its zero value when Absent. When Fresh
	// only Owner and Fence must be set.
	Record Record
}

// Record is one stored idempotency record.
type Record struct {
	Owner       Owner
	Fence       int64 // grows by at least 1 with every new owner of a live record
	Fingerprint Fingerprint
	Orphan      Orphan
	Outcome     Outcome // zero unless Done
	// LeaseLeft is the rest of the owner's lease by the store's clock (C8); 0
	// when it has none or is unknown.
	LeaseLeft time.Duration
}

// OutcomeKind says how a call ended, as far as a record knows.
type OutcomeKind uint8

// Outcome kinds. The zero value means: not completed. The numbers are stored.
const (
	Succeeded OutcomeKind = iota + 1 // Data is the encoded result
	Failed                           // Data is the encoded error (Final, errors=store)
	Oversize                         // done, but the result was too large to keep (C9)
)

// Outcome is what a completed record keeps. A store treats it as opaque. Nil
// and empty Data are the same to a store.
type Outcome struct {
	Kind  OutcomeKind
	Codec string // name of the codec that made Data, at most 32 bytes of ASCII
	Data  []byte
}

// Hold names a claim that somebody owns: what Renew, Complete and Release compare.
type Hold struct {
	Key   Key
	Owner Owner
	Fence int64
}

// Resolution decides a held record (C17).
type Resolution struct {
	// Rerun frees the key: the next call runs the method. Otherwise Outcome is
	// stored as if the vanished owner had completed with it.
	Rerun     bool
	Outcome   Outcome
	Retention time.Duration // of Outcome, from now; Never = for ever
}

// RecordStore keeps idempotency records in lease mode. Each method is one
// atomic statement or script (C1). Implementations are safe for concurrent use
// and decide expiry by their own clock alone (C8).
//
// Errors: a store that can't be reached wraps ErrStoreUnavailable; a claim that
// is not this owner's any more is ErrLeaseLost. Driver errors of a lost insert
// race never surface (C11).
type RecordStore interface {
	// Claim makes the key ours or tells what stands there. It never blocks on
	// another owner. A record whose lease ran out is taken over with a higher
	// fence when its policy is OrphanRerun, and is Held when it is OrphanHold; a
	// completed record past its retention counts as absent (C11). Of a vanished
	// owner with another payload (Fingerprint.Differs) nothing is taken over: the
	// answer is Running with its record, without a rest of a lease (K5).
	Claim(ctx context.Context, c Claim) (Found, error)
	// Renew sets the lease to lease from now. A stale owner, a completed or a
	// missing record is ErrLeaseLost; nothing is ever re-created (C3). A lease
	// that ran out but that nobody took over is still its owner's.
	Renew(ctx context.Context, h Hold, lease time.Duration) error
	// Complete stores the outcome for retention from now. Repeated with the same
	// hold it succeeds again and changes nothing (C16). A stale owner is
	// ErrLeaseLost and changes nothing.
	Complete(ctx context.Context, h Hold, o Outcome, retention time.Duration) error
	// Release removes a running claim, so that the next call runs the method.
	// When the record is gone already it succeeds (C16); a record of another
	// owner, or a completed one, is ErrLeaseLost and stays.
	Release(ctx context.Context, h Hold) error
	// Lookup tells what stands under a key without writing: Running, Done, Held
	// or Absent.
	Lookup(ctx context.Context, k Key) (Found, error)
	// Resolve decides a held record. A record that is not held, or is missing,
	// is ErrNotHeld and stays as it is. A vanished owner that comes back later
	// gets ErrLeaseLost.
	Resolve(ctx context.Context, k Key, r Resolution) error
	// Prune deletes at most limit records that have expired and returns how
	// many. Held records never expire (C13).
	Prune(ctx context.Context, limit int) (int, error)
}
