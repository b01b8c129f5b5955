package idemtest

import (
	"context"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Records is a store of records in which the process can die: before and after each
// claim, completion and release.
func Records(p *Process, s idem.RecordStore) idem.RecordStore { return &dyingRecords{s, p} }

type dyingRecords struct {
	idem.RecordStore
	p *Process
}

func (s *dyingRecords) Claim(ctx context.Context, c idem.Claim) (idem.Found, error) {
	return around(s.p, c.Owner, "claim", func() (idem.Found, error) { return s.RecordStore.Claim(ctx, c) })
}

func (s *dyingRecords) Complete(ctx context.Context, h idem.Hold, o idem.Outcome, keep time.Duration) error {
	return settled(s.p, h.Owner, "complete", func() error { return s.RecordStore.Complete(ctx, h, o, keep) })
}

func (s *dyingRecords) Release(ctx context.Context, h idem.Hold) error {
	return settled(s.p, h.Owner, "release", func() error { return s.RecordStore.Release(ctx, h) })
}

func (s *dyingRecords) Renew(ctx context.Context, h idem.Hold, lease time.Duration) error {
	if err := s.p.alive(h.Owner); err != nil {
		return err
	}
	return s.RecordStore.Renew(ctx, h, lease)
}

// Tx is a store of records in transactions in which the process can die: before the
// transaction, between its claim and the method, between the method and the commit,
// and after the commit. A once event that the store runs in one statement has the
// steps before and after it.
func Tx[T any](p *Process, s idem.TxStore[T]) idem.TxStore[T] {
	d := &dyingTx[T]{s, p}
	if events, can := s.(idem.EventStore); can {
		return &dyingEvents[T]{d, events}
	}
	return d
}

type dyingTx[T any] struct {
	idem.TxStore[T]
	p *Process
}

func (s *dyingTx[T]) InTx(ctx context.Context, c idem.Claim, body func(ctx context.Context, tx T) (idem.Outcome, error)) (idem.Found, error) {
	return around(s.p, c.Owner, "transaction", func() (idem.Found, error) {
		return s.TxStore.InTx(ctx, c, func(ctx context.Context, tx T) (idem.Outcome, error) {
			s.p.step(c.Owner, "after claim")
			out, err := body(ctx, tx)
			s.p.step(c.Owner, "before commit")
			return out, err
		})
	})
}

func (s *dyingTx[T]) Begin(ctx context.Context, body func(ctx context.Context, tx T) error) error {
	var nobody idem.Owner
	return settled(s.p, nobody, "transaction", func() error {
		return s.TxStore.Begin(ctx, func(ctx context.Context, tx T) error {
			err := body(ctx, tx)
			s.p.step(nobody, "before commit")
			return err
		})
	})
}

func (s *dyingTx[T]) Keep(ctx context.Context, c idem.Claim, o idem.Outcome) (idem.Found, error) {
	return around(s.p, c.Owner, "keep", func() (idem.Found, error) { return s.TxStore.Keep(ctx, c, o) })
}

type dyingEvents[T any] struct {
	*dyingTx[T]
	events idem.EventStore
}

func (s *dyingEvents[T]) FireOnce(ctx context.Context, c idem.OnceCall) (idem.OnceFired, error) {
	return around(s.p, c.Claim.Owner, "once event", func() (idem.OnceFired, error) { return s.events.FireOnce(ctx, c) })
}

// Tokens is a store of tokens in which the process can die: before and after a token
// is consumed, finished, given back and burned.
func Tokens(p *Process, s idem.TokenStore) idem.TokenStore { return &dyingTokens{s, p} }

type dyingTokens struct {
	idem.TokenStore
	p *Process
}

func (s *dyingTokens) Consume(ctx context.Context, c idem.Consumption) (idem.TokenFound, error) {
	return around(s.p, c.Owner, "consume", func() (idem.TokenFound, error) { return s.TokenStore.Consume(ctx, c) })
}

func (s *dyingTokens) Finish(ctx context.Context, h idem.TokenHold) error {
	return settled(s.p, h.Owner, "finish", func() error { return s.TokenStore.Finish(ctx, h) })
}

func (s *dyingTokens) Restore(ctx context.Context, h idem.TokenHold) error {
	return settled(s.p, h.Owner, "restore", func() error { return s.TokenStore.Restore(ctx, h) })
}

func (s *dyingTokens) Burn(ctx context.Context, h idem.TokenHold) error {
	return settled(s.p, h.Owner, "burn", func() error { return s.TokenStore.Burn(ctx, h) })
}

// Locks is a locker in which the process can die: before and after a lock is acquired
// and released.
func Locks(p *Process, s idem.Locker) idem.Locker { return &dyingLocks{s, p} }

type dyingLocks struct {
	idem.Locker
	p *Process
}

func (s *dyingLocks) Acquire(ctx context.Context, r idem.LockRequest) (idem.LockFound, error) {
	return around(s.p, r.Owner, "acquire", func() (idem.LockFound, error) { return s.Locker.Acquire(ctx, r) })
}

func (s *dyingLocks) Release(ctx context.Context, h idem.Hold) error {
	return settled(s.p, h.Owner, "unlock", func() error { return s.Locker.Release(ctx, h) })
}

func (s *dyingLocks) Renew(ctx context.Context, h idem.Hold, ttl time.Duration) error {
	if err := s.p.alive(h.Owner); err != nil {
		return err
	}
	return s.Locker.Renew(ctx, h, ttl)
}
