package idem

import (
	"context"
	"time"
)

// Binding says who may present a token: a SHA-256 over a session or a principal,
// so that no store keeps either. The zero Binding binds to nobody; it is compared
// like any other, and a bound token can't be consumed without its binding.
type Binding [32]byte

// TokenGrant is what a store is asked to issue.
type TokenGrant struct {
	// Tokens are the tokens to issue, one or several at once. One that exists
	// already stays as it is, whatever became of it (C16).
	Tokens  []TokenID
	Binding Binding // of all of them
	// TTL is how long a token may be consumed, from now by the store's clock, at
	// least a millisecond.
	TTL time.Duration
	// Keep is how long after its TTL a token is remembered at least, so that used
	// and expired can be told from unknown (X2); 0 = DefaultTokenKeep, Never = for ever.
	Keep time.Duration
}

// DefaultTokenKeep is how long tokens are remembered beyond their TTL where a grant says
// nothing.
const DefaultTokenKeep = 24 * time.Hour

// Remembered is Keep, or its default.
func (g TokenGrant) Remembered() time.Duration {
	if g.Keep == 0 {
		return DefaultTokenKeep
	}
	return g.Keep
}

// Consumption is what a store is asked: make the token ours, or tell what became
// of it. Repeated with the same Owner it gets the same answer (C16).
type Consumption struct {
	Token   TokenID
	Binding Binding
	Owner   Owner
	// Lease is how long the consumption is this owner's alone, at least a
	// millisecond. Nothing renews it.
	Lease time.Duration
	// Key and Fingerprint are what the token is consumed for. A store keeps
	// Key.Hash alone (X5).
	Key         Key
	Fingerprint Fingerprint
	// Retake takes over, with the next fence, what an owner left whose lease ran
	// out: allowed only when a database layer stands inside, which knows whether
	// that owner's effect took place (X3).
	Retake bool
	// Keep is how long the token is remembered at least, from the end of the lease
	// and again from when it is settled: as long as the once inside keeps its
	// record (X2); Never = for ever.
	Keep time.Duration
}

// TokenStatus is a store's answer to a consumption.
type TokenStatus uint8

// Token statuses. The zero value is none of them.
const (
	// TokenConsumed: the token is ours, by this consumption or by an earlier one of
	// the same owner. It is to be settled: Finish, Restore or Burn.
	TokenConsumed TokenStatus = iota + 1
	// TokenRunning: another owner consumed it and its lease is live.
	TokenRunning
	// TokenHeld: another owner consumed it and vanished, and it was not taken over:
	// without Retake, or for another key or payload, or past the token's own expiry.
	TokenHeld
	// TokenFinished: it was used.
	TokenFinished
	// TokenBurned: it was used, the call failed, and it was not given back.
	TokenBurned
	// TokenExpired: nobody consumed it within its TTL.
	TokenExpired
	// TokenUnknown: it was never issued, or is not remembered any more.
	TokenUnknown
	// TokenMismatch: it was issued to another presenter, who can still use it.
	TokenMismatch
	tokenStatuses
)

// String returns the status in lower case.
func (s TokenStatus) String() string {
	if s < tokenStatuses {
		return tokenStatusNames[s]
	}
	return tokenStatusNames[0]
}

var tokenStatusNames = [tokenStatuses]string{
	"invalid", "consumed", "running", "held", "finished", "burned", "expired", "unknown", "mismatch",
}

// TokenFound is what stands behind a token after a consumption.
type TokenFound struct {
	Status TokenStatus
	// Owner and Fence are those of the consumption, KeyHash and Fingerprint what it
	// was for: set when Consumed, Running, Held, Finished or Burned, so that a used
	// token with another key or payload can be refused (X5). To whom the token was
	// not issued nothing is told.
	Owner       Owner
	Fence       int64
	KeyHash     [32]byte
	Fingerprint Fingerprint
	LeaseLeft   time.Duration // the rest of the lease by the store's clock, when Running
}

// TokenHold names a consumption that somebody owns: what Finish, Restore and Burn
// compare. Fence 0 compares the owner alone: to restore after a consumption whose
// reply was lost.
type TokenHold struct {
	Token TokenID
	Owner Owner
	Fence int64
}

// TokenStore keeps tokens that are issued in advance and consumed once:
//
//	ISSUED —Consume→ CONSUMED —Finish→ FINISHED, —Burn→ BURNED,
//	                          or —Restore→ ISSUED with the same expiry (X3)
//
// A store sees the hash of a token only (X4). Each method is one atomic statement
// or script for each token (X1) and may be repeated with the same owner (C16).
// Implementations are safe for concurrent use and decide expiry by their own clock
// alone (C8).
//
// Errors: a store that can't be reached wraps ErrStoreUnavailable; a consumption
// that is not this owner's any more is ErrLeaseLost, and nothing is changed. What
// a token is good for is a TokenStatus and never an error.
type TokenStore interface {
	// Issue makes the tokens consumable. After an error some of them may be; a
	// caller hands out none.
	Issue(ctx context.Context, g TokenGrant) error
	// Consume makes the token ours or tells what became of it. It compares, in this
	// order and in one step, whether the token is known, its binding, and its state:
	// a wrong presenter neither burns a token nor learns of its state (X2).
	Consume(ctx context.Context, c Consumption) (TokenFound, error)
	// Finish marks a consumption as used up: executed, replayed, or ended with a
	// Final error. Its owner may do so after its lease ran out, unless the token was
	// taken over.
	Finish(ctx context.Context, h TokenHold) error
	// Restore gives the token back after a certain rollback, a call that was in
	// progress, or an outage inside. It may be consumed again for what is left of
	// its TTL. A finished or burned token is ErrLeaseLost and stays so. Repeated it
	// succeeds until somebody consumes the token again.
	Restore(ctx context.Context, h TokenHold) error
	// Burn marks a consumption as used up although its call failed.
	Burn(ctx context.Context, h TokenHold) error
}
