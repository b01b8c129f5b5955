package sqlstore

import (
	"context"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/internal/sqlpipe"
)

// Join claims and runs body inside a transaction of the caller's, under a
// savepoint: whatever goes wrong, nothing of claim, guard and body stays, and
// the caller's own work does. Two statements more than InTx: the savepoint and
// its release. Beginning, ending and retrying stay the caller's.
func (s *TxStore[T]) Join(ctx context.Context, tx T, c idem.Claim, body func(ctx context.Context, tx T) (idem.Outcome, error)) (found idem.Found, err error) {
	if c.Look {
		return s.records.lookup(ctx, s.use(ctx, tx), c.Key)
	}
	sc, inside := ctx.Value(scopeKey{s}).(*scope)
	if !inside || !sc.of(tx) { // a caller's transaction, or another than the context was made in
		sc = &scope{}
		sc.begun(tx)
		ctx = s.enter(ctx, sc)
		defer func() { sc.end(&s.flights) }()
	}
	p := newPatience(c.Wait)
	if found, busy, err := s.giveWay(ctx, c, sc, p); busy || err != nil {
		return found, err
	}
	db := s.part(ctx, tx)
	point := s.savepointOf(db, c)
	if err := point.set(ctx); err != nil {
		return idem.Found{}, s.records.fault(ctx, "savepoint", err)
	}
	f, _ := s.flights.enter(c)
	open, inner := true, sc.count()
	if f != nil {
		sc.add(&s.flights, c.Key, f)
	}
	defer func() {
		if open { // an error, a panic or runtime.Goexit
			err = s.undo(ctx, point, err)
			sc.endFrom(&s.flights, inner)
		}
	}()
	found, err = s.records.claimPatiently(ctx, db, c, p, point)
	if err != nil {
		return idem.Found{}, err
	}
	if found.Status == idem.Fresh {
		found, err = s.run(ctx, tx, db, c, found, f, body)
		if own, isOwn := err.(ownError); isOwn {
			return found, own.error
		}
		if err != nil {
			return found, s.records.bodyFault(err)
		}
	}
	settle, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.records.settle)
	defer cancel()
	if err := point.release(settle); err != nil {
		if own, isOwn := err.(ownError); isOwn { // of a statement that went with it
			return found, own.error
		}
		return found, s.records.fault(settle, "release savepoint", err)
	}
	open = false
	return found, nil
}

// giveWay answers for a key that a transaction of this process has written, as
// far as the claim doesn't want to wait. The transaction that is joined never
// ends while a call inside it waits: one that meets its own key is told at
// once that it is running, or finds its outcome.
func (s *TxStore[T]) giveWay(ctx context.Context, c idem.Claim, sc *scope, p *patience) (found idem.Found, busy bool, err error) {
	for {
		other, stage := s.flights.claimedBy(c.Key)
		switch {
		case other == nil, stage == completed && sc.owns(other):
			return found, false, nil
		case sc.owns(other):
			return other.running(), true, nil
		}
		over, err := p.wait(ctx, other)
		if err != nil {
			return found, true, err
		}
		if !over {
			return other.running(), true, nil
		}
	}
}

// undo rolls back to the savepoint, on a context that the caller's end does
// not reach. If even that fails the caller's transaction is lost, and is told.
func (s *TxStore[T]) undo(ctx context.Context, point savepoint, reason error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.records.settle)
	defer cancel()
	if err := point.rollback(ctx); err != nil {
		return &storeError{doing: "roll back to savepoint, the transaction must be rolled back", kind: reason, err: err}
	}
	return reason
}

// savepoint is one savepoint of a transaction.
type savepoint interface {
	set(ctx context.Context) error
	release(ctx context.Context) error
	// stands fails if the server has rolled back all of the transaction meanwhile.
	stands(ctx context.Context) error
	// rollback undoes everything since the savepoint and removes it.
	rollback(ctx context.Context) error
}

// savepointOf is the savepoint for a claim. Its name is made of the owner,
// which no other claim shares, in hexadecimal; a driver that pipelines sets its
// own.
func (s *TxStore[T]) savepointOf(db idem.DB, c idem.Claim) savepoint {
	if p, piped := db.(sqlpipe.Part); piped {
		return pipedSavepoint{p}
	}
	return &namedSavepoint{name: "idem_" + c.Owner.String(), db: db, gone: s.records.dialect.noSavepoint}
}

type namedSavepoint struct {
	name string
	db   idem.DB
	gone func(error) bool // see dialect.noSavepoint
}

func (p *namedSavepoint) set(ctx context.Context) error { return p.exec(ctx, "SAVEPOINT ") }

func (p *namedSavepoint) release(ctx context.Context) error {
	return p.exec(ctx, "RELEASE SAVEPOINT ")
}

func (p *namedSavepoint) stands(ctx context.Context) error {
	if p.gone == nil {
		return nil
	}
	return p.exec(ctx, "ROLLBACK TO SAVEPOINT ")
}

func (p *namedSavepoint) rollback(ctx context.Context) error {
	if err := p.exec(ctx, "ROLLBACK TO SAVEPOINT "); err != nil {
		return err
	}
	return p.release(ctx)
}

func (p *namedSavepoint) exec(ctx context.Context, verb string) error {
	_, err := p.db.Exec(ctx, verb+p.name)
	if err != nil && p.gone != nil && p.gone(err) {
		return ours(&storeError{doing: "savepoint", kind: idem.ErrRetryTransaction, err: err})
	}
	return err
}
