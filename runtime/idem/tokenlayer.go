package idem

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"
)

// TokenOp describes the token layer of one operation: a constant of the generated
// code, read only and safe for concurrent use.
type TokenOp struct {
	// From names where the token comes from, for messages: "header X-Idempotent-Token".
	From string
	// Lease is how long a consumption is one call's alone; 0 = DefaultLease. Nothing
	// renews it: it must outlast the method.
	Lease time.Duration
	// Keep is how long the token is remembered after it was used; 0 = the retention
	// of the operation, Never = for ever.
	Keep time.Duration
	// Burn uses the token up when the method fails (onfail=burn); by default it is
	// given back after a certain rollback.
	Burn bool
	// Tx tells that the method runs in a transaction: what fails is rolled back, and
	// nothing of it is unknown but the reply of COMMIT.
	Tx bool
	// Retake takes over what a vanished owner consumed: a record or a transaction
	// inside knows whether its effect took place (X3).
	Retake bool
}

// Looker tells what stands under a key: every RecordStore and TxStore is one.
type Looker interface {
	Lookup(ctx context.Context, k Key) (Found, error)
}

// Presented is a token that a caller presents.
type Presented struct {
	Store TokenStore
	Op    *TokenOp
	Token string // "" is ErrTokenMissing
	Bind  string // session or principal that the token was issued to; "" = nobody
	// Records is where the once inside keeps its records; nil when there is none.
	Records Looker
	// Tx is the store that begins the transaction of a method without a record; nil
	// when Records does, or when there is none.
	Tx Looker
}

// Key is the key of a call that has none but its token: the token's hash (X4). It is a
// part without a token, too: Token then says ErrTokenMissing.
func (p Presented) Key() Part {
	id := HashToken(p.Token)
	return String(hex.EncodeToString(id[:]))
}

// Token runs a method whose caller presents a token that was issued in advance and
// works once (X3). The token is consumed in one step, and settled by what the
// method comes to: executed, replayed and Final finish it; a certain rollback, a
// call in progress and an outage give it back; where nobody knows what happened it
// stays consumed. A used token answers a repetition of its own call, same key and
// payload, by the stored result of the once inside, which is only looked up (X5).
//
// Errors, beside those of run: what was wrong with the call, ErrTokenMissing,
// ErrTokenUsed, ErrTokenExpired, ErrTokenUnknown, ErrTokenMismatch, ErrKeyReused,
// ErrInProgress, ErrOutcomeUnknown, ErrStoreUnavailable, and ErrInsideTransaction in an
// open transaction of Records or Tx. None shows the token (X4).
func Token[R any](ctx context.Context, p Presented, call Call, run func(context.Context) (R, error)) (R, error) {
	return TokenOr(ctx, p, call, nil, run)
}

// TokenOr is Token with a look-up that answers a repetition whose stored result is
// too large or unreadable (C9).
func TokenOr[R any](ctx context.Context, p Presented, call Call, lookup, run func(context.Context) (R, error)) (R, error) {
	var zero R
	if err := call.named(); err != nil {
		return zero, err
	}
	if p.Token == "" {
		return zero, fmt.Errorf("%w: %s: %s", ErrTokenMissing, call.op.Name, p.Op.From)
	}
	if p.Op.Tx && (insideOf(ctx, p.Records) || insideOf(ctx, p.Tx)) {
		return zero, fmt.Errorf("%w: %s: its token would be settled before the transaction is", ErrInsideTransaction, call.op.Name)
	}
	c := p.consumption(&call)
	found, err := p.Store.Consume(ctx, c)
	if err != nil {
		p.abandon(ctx, &call, &c, err)
		call.observe(ctx, Event{Kind: EventUnavailable, Err: err})
		return zero, fmt.Errorf("idem: %s: token: %w", call.op.Name, err)
	}
	if found.Status == TokenConsumed {
		call.engine.prune(ctx, p.Store)
		t := consumed{p: &p, call: &call, hold: TokenHold{Token: c.Token, Owner: c.Owner, Fence: found.Fence}}
		return runToken(ctx, &t, run)
	}
	rec, err := p.used(ctx, &call, &found)
	if err != nil {
		return zero, err
	}
	return replay(ctx, &call, &rec.Outcome, lookup)
}

// consumption is what the store is asked.
func (p *Presented) consumption(call *Call) Consumption {
	c := Consumption{
		Token: HashToken(p.Token), Owner: NewOwner(), Lease: p.Op.Lease, Key: call.key, Fingerprint: call.print,
		Retake: p.Op.Retake, Keep: p.Op.Keep,
	}
	if p.Bind != "" {
		c.Binding = BindTo(p.Bind)
	}
	if c.Lease == 0 {
		c.Lease = DefaultLease
	}
	if c.Keep == 0 {
		c.Keep = call.op.retention()
	}
	return c
}

// abandon gives back, in the background, a token whose consumption may have
// succeeded although its reply never came: the method will not run.
func (p *Presented) abandon(ctx context.Context, call *Call, c *Consumption, err error) {
	if ctx.Err() == nil && !errors.Is(err, ErrStoreUnavailable) {
		return
	}
	hold := TokenHold{Token: c.Token, Owner: c.Owner}
	store := p.Store
	ctx, cancel := call.engine.detached(ctx)
	go func() {
		defer cancel()
		_ = store.Restore(ctx, hold) // what fails here ends with the lease
	}()
}

// tokenErrors are what a token that can't be used any more says.
var tokenErrors = [tokenStatuses]error{
	TokenExpired: ErrTokenExpired, TokenUnknown: ErrTokenUnknown, TokenMismatch: ErrTokenMismatch,
}

// used answers for a token that was not consumed now: the record to replay, or why
// there is none (X2, X5).
func (p *Presented) used(ctx context.Context, call *Call, f *TokenFound) (Record, error) {
	if f.Status < tokenStatuses && tokenErrors[f.Status] != nil {
		return Record{}, fmt.Errorf("%w: %s", tokenErrors[f.Status], call.op.Name)
	}
	if f.KeyHash != call.key.Hash || call.print.compare(&f.Fingerprint) == matchOther {
		call.observe(ctx, Event{Kind: EventKeyReused})
		return Record{}, fmt.Errorf("%w: %s: the token was used for another call", ErrKeyReused, call.op.Name)
	}
	if p.Records != nil {
		found, err := p.Records.Lookup(ctx, call.key)
		if err != nil {
			call.observe(ctx, Event{Kind: EventUnavailable, Err: err})
			return Record{}, fmt.Errorf("idem: %s: look-up: %w", call.op.Name, err)
		}
		if found.Status != Absent {
			return found.Record, call.admit(ctx, &found)
		}
	}
	switch {
	case f.Status == TokenRunning:
		call.observe(ctx, Event{Kind: EventInProgress})
		return Record{}, call.inProgress(&Found{Record: Record{LeaseLeft: f.LeaseLeft}})
	case f.Status == TokenHeld && !p.Op.Retake:
		call.observe(ctx, Event{Kind: EventHeld})
		return Record{}, fmt.Errorf("%w: %s: the owner of the token vanished", ErrOutcomeUnknown, call.op.Name)
	case f.Status == TokenHeld: // it expired before it could be taken over, and nothing took effect
		return Record{}, fmt.Errorf("%w: %s", ErrTokenExpired, call.op.Name)
	case f.Status == TokenFinished || f.Status == TokenBurned:
		return Record{}, fmt.Errorf("%w: %s", ErrTokenUsed, call.op.Name)
	}
	return Record{}, fmt.Errorf("idem: %s: the token store answered with status %v", call.op.Name, f.Status)
}

// consumed is a token that this call consumed and must settle.
type consumed struct {
	p    *Presented
	call *Call
	hold TokenHold
}

// runToken runs the method and settles its token on every path, without recover.
func runToken[R any](ctx context.Context, t *consumed, run func(context.Context) (R, error)) (res R, err error) {
	settled := false
	defer func() {
		if !settled { // a panic or Goexit: a transaction was rolled back, else nobody knows
			t.settle(ctx, t.ofPanic())
		}
	}()
	res, err = run(ctx)
	settled = true
	t.settle(ctx, t.of(ctx, err))
	return res, err
}

// tokenEnd is what becomes of a consumed token.
type tokenEnd uint8

const (
	tokenStays tokenEnd = iota
	tokenFinish
	tokenRestore
	tokenBurn
)

// of is what the return of the method does to the token (X3).
func (t *consumed) of(ctx context.Context, err error) tokenEnd {
	switch {
	case err == nil:
		return tokenFinish
	case errors.Is(err, ErrCommitUnknown), errors.Is(err, ErrOutcomeUnknown), errors.Is(err, ErrLeaseLost):
		return tokenStays
	case errors.Is(err, ErrResultTooLarge), errors.Is(err, ErrResultUnreadable):
		return tokenFinish // done before
	case errors.Is(err, ErrInProgress), errors.Is(err, ErrLockHeld):
		return tokenRestore // another's turn: whatever ended the wait, and no failure to burn it for
	}
	switch do := t.call.verdict(ctx, err); {
	case do == StoreError:
		return tokenFinish
	case do == UnknownError && !t.p.Op.Tx:
		return tokenStays
	}
	if errors.Is(err, ErrStoreUnavailable) || errors.Is(err, ErrRetryTransaction) {
		return tokenRestore // of the layers inside: not the method's failure
	}
	return t.failed()
}

func (t *consumed) ofPanic() tokenEnd {
	if t.p.Op.Tx {
		return t.failed()
	}
	return tokenStays
}

// failed is the end of a call of which nothing took effect.
func (t *consumed) failed() tokenEnd {
	if t.p.Op.Burn {
		return tokenBurn
	}
	return tokenRestore
}

// settle ends the consumption, on a context that the caller's cancellation does not
// reach. The result stands whatever becomes of it: the observer is told.
func (t *consumed) settle(ctx context.Context, end tokenEnd) {
	var do func(context.Context, TokenHold) error
	switch end {
	case tokenFinish:
		do = t.p.Store.Finish
	case tokenRestore:
		do = t.p.Store.Restore
	case tokenBurn:
		do = t.p.Store.Burn
	default:
		return
	}
	detached, cancel := t.call.engine.detached(ctx)
	defer cancel()
	if err := do(detached, t.hold); err != nil {
		t.call.observe(ctx, Event{Kind: EventTokenUnsettled, Err: err})
	}
}
