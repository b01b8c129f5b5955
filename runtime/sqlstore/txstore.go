package sqlstore

import (
	"context"
	"errors"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/internal/sqlpipe"
)

// TxStore keeps idempotency records in transactions of any kind T. Make one
// with NewTx; Store contains one for *sql.Tx. It is safe for concurrent use.
type TxStore[T any] struct {
	records *records
	begin   BeginFunc[T]
	use     func(ctx context.Context, tx T) idem.DB
	replay  error              // what a body returns to end a transaction that only looked
	pipe    *sqlpipe.Driver[T] // nil: every statement is a round trip
	flights flights
}

// NewTx makes a store for a kind of transactions from two functions: begin
// runs a body in a transaction, and use gives the transaction as an idem.DB,
// for which DB is the usual adapter. For a transaction that travels in the
// context T is struct{}, and use finds it in its context. The tables are the
// same as Store's. It panics for a dialect that this version can't serve.
func NewTx[T any](d idem.Dialect, begin BeginFunc[T], use func(ctx context.Context, tx T) idem.DB, opts ...Option) *TxStore[T] {
	return &TxStore[T]{records: newRecords(d, opts), begin: begin, use: use}
}

// Dialect is the SQL dialect of the database.
func (s *TxStore[T]) Dialect() idem.Dialect { return s.records.dialect.id }

// Use adapts a transaction to what guards need.
func (s *TxStore[T]) Use(ctx context.Context, tx T) idem.DB { return s.use(ctx, tx) }

// InTx makes one attempt at a transaction of its own: begin, claim, body if
// the claim is Fresh, outcome, commit. The claim is its first statement and
// writes (T4). Errors are classed as idem.TxStore says; an error of body comes
// back as it is, one that a new transaction may cure as ErrRetryTransaction too.
func (s *TxStore[T]) InTx(ctx context.Context, c idem.Claim, body func(ctx context.Context, tx T) (idem.Outcome, error)) (idem.Found, error) {
	if c.Look {
		return s.Lookup(ctx, c.Key)
	}
	f, found, err := s.board(ctx, c)
	if f == nil {
		return found, err
	}
	sc := &scope{}
	sc.add(&s.flights, c.Key, f)
	defer sc.end(&s.flights)

	began, fresh := time.Now(), false
	err = s.transact(s.enter(ctx, sc), s.late(), func(ctx context.Context, tx T) error {
		found = idem.Found{}
		sc.begun(tx)
		db := s.whole(ctx, tx)
		got, err := s.records.claimTx(ctx, db, c)
		if err != nil {
			return ours(err)
		}
		if got.Status != idem.Fresh {
			found = got
			return errReplay
		}
		fresh = true
		found, err = s.run(ctx, tx, db, c, got, f, body)
		return err
	})
	if !fresh && s.records.dialect.fileLock && errors.Is(err, idem.ErrRetryTransaction) && time.Since(began) >= lockPatience {
		return idem.Found{Status: idem.Running}, nil
	}
	return found, err
}

// lockPatience tells a claim that the driver let wait for the file lock, until its
// busy timeout was over, from one that was refused at once. The first is not
// made again: another process is at work, perhaps on this very key, and waiting
// as long once more would stretch the claim's own wait (C7).
const lockPatience = 200 * time.Millisecond

// run runs the body of a fresh claim and stores its outcome, in a transaction
// that somebody else ends.
func (s *TxStore[T]) run(ctx context.Context, tx T, db idem.DB, c idem.Claim, got idem.Found, f *flight, body func(ctx context.Context, tx T) (idem.Outcome, error)) (idem.Found, error) {
	s.flights.reached(f, claimed)
	out, err := body(ctx, tx)
	if err != nil {
		return got, err
	}
	if ctx.Err() != nil {
		return got, ours(&storeError{doing: "transaction", kind: ended(ctx), err: errRolledBack})
	}
	// From here on the caller's context decides nothing any more.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.records.settle)
	defer cancel()
	hold := idem.Hold{Key: c.Key, Owner: c.Owner, Fence: got.Record.Fence}
	err = s.records.completeIn(ctx, db, hold, out, c.Retention)
	if errors.Is(err, idem.ErrLeaseLost) {
		err = claimGone()
	}
	got.Record.Outcome = out
	s.flights.reached(f, completed)
	return got, ours(err)
}

// Begin makes one attempt at a plain transaction around body. Keys that are
// claimed in it stay in the air until it ends.
func (s *TxStore[T]) Begin(ctx context.Context, body func(ctx context.Context, tx T) error) error {
	sc := &scope{}
	defer sc.end(&s.flights)
	return s.transact(s.enter(ctx, sc), s.begin, func(ctx context.Context, tx T) error {
		sc.begun(tx)
		return body(ctx, tx)
	})
}

// Keep stores an outcome in a transaction of its own (C12): one statement,
// whose loser gets the winner's record.
func (s *TxStore[T]) Keep(ctx context.Context, c idem.Claim, o idem.Outcome) (found idem.Found, err error) {
	err = s.outside(ctx, func(ctx context.Context, db idem.DB) error {
		found, err = s.records.keep(ctx, db, c, o)
		return err
	})
	return found, err
}

// Lookup tells what stands committed under a key.
func (s *TxStore[T]) Lookup(ctx context.Context, k idem.Key) (found idem.Found, err error) {
	err = s.outside(ctx, func(ctx context.Context, db idem.DB) error {
		found, err = s.records.lookup(ctx, db, k)
		return err
	})
	return found, err
}

// Prune deletes at most limit records that have expired, through an index, and
// returns how many (C13). A limit of 0 or less deletes nothing.
func (s *TxStore[T]) Prune(ctx context.Context, limit int) (n int, err error) {
	err = s.outside(ctx, func(ctx context.Context, db idem.DB) error {
		n, err = s.records.prune(ctx, db, limit)
		return err
	})
	return n, err
}

// outside runs one statement outside any transaction of a caller's, or where
// there is no handle for that, in a transaction around it.
func (s *TxStore[T]) outside(ctx context.Context, do func(ctx context.Context, db idem.DB) error) error {
	return s.records.repeat(ctx, func() error {
		if s.records.auto != nil {
			return do(ctx, s.records.auto)
		}
		return s.transact(ctx, s.begin, func(ctx context.Context, tx T) error { return ours(do(ctx, s.use(ctx, tx))) })
	})
}

var (
	errRolledBack = errors.New("rolled back")
	errClaimGone  = errors.New("the claim is gone: the transaction ended or lost its writes on the way")
	errSwallowed  = errors.New("begin returned nil though its body failed: it must roll back and return an error")
	errNeverRan   = errors.New("begin returned nil without running its body")
)

// ownError marks an error that is already classed, so that transact doesn't
// take it for a business error.
type ownError struct{ error }

func (e ownError) Unwrap() error { return e.error }

// ours marks a store's own error; nil stays nil.
func ours(err error) error {
	if err == nil {
		return nil
	}
	return ownError{err}
}

// transact makes one attempt at a transaction around body and classes what
// went wrong. What body said is handed out past begin, which may wrap errors or
// run its body several times.
func (s *TxStore[T]) transact(ctx context.Context, begin BeginFunc[T], body func(ctx context.Context, tx T) error) error {
	var ran, idle bool
	var said error
	err := begin(ctx, func(ctx context.Context, tx T) error {
		ran = true
		said = body(ctx, tx)
		if idle = said == errReplay; idle {
			said = nil
			return s.replay
		}
		return said
	})
	switch own, isOwn := said.(ownError); {
	case said != nil && err == nil:
		return &storeError{doing: "roll back", kind: said, err: errSwallowed}
	case isOwn:
		return own.error
	case said != nil:
		return s.records.bodyFault(said)
	case err == nil && !ran:
		return &storeError{doing: "begin", err: errNeverRan}
	case err == nil:
		return nil
	case !ran:
		return s.records.fault(ctx, "begin", err)
	case idle: // what the body found counts, whatever became of an empty commit
		return nil
	default:
		if own, isOwn := err.(ownError); isOwn { // of a statement that went with the commit
			return own.error
		}
		return s.records.commitFault(err)
	}
}
