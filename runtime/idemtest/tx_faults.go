package idemtest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/idemgen/idemgen/runtime/idem"
)

// What a database refuses, and replies that get lost.

func txFaultCases[T any]() []txCase[T] {
	return []txCase[T]{
		{"T3_RefusalIsRetryable", (*txs[T]).refusal},
		{"T3_RefusedCallRunsAgain", (*txs[T]).refusedAgain},
		{"T5_FailedCommitIsAnError", (*txs[T]).failedCommit},
		{"T5_CommitAnsweredByRollback", (*txs[T]).answeredByRollback},
		{"T5_HooksFollowTheCommit", (*txs[T]).hooks},
		{"T7_MemoryFollowsTheCommit", (*txs[T]).memory},
		{"T8_LostReplyOfACommit", (*txs[T]).lostReply},
		{"T8_LostCommit", (*txs[T]).lostCommit},
	}
}

// refusals are what makes a database refuse a transaction, as it refuses the
// victim of a deadlock.
var refusals = map[idem.Dialect]string{
	idem.Postgres: "DO $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = 'serialization_failure'; END $$",
	idem.MySQL:    "SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213, MESSAGE_TEXT = 'refused'",
}

// refuse has a database refuse the transaction.
func (s *txs[T]) refuse() func(ctx context.Context, tx T) error {
	s.Helper()
	if s.Refuse != nil {
		return s.Refuse
	}
	text := refusals[s.Store.Dialect()]
	if text == "" {
		s.Skip("the subject has no Refuse")
	}
	return func(ctx context.Context, tx T) error { return s.exec(ctx, tx, text) }
}

// deferred is a constraint that is found violated at the commit.
var deferred = []string{
	"CREATE TEMPORARY TABLE idemtest_parents (id INTEGER PRIMARY KEY) ON COMMIT DROP",
	"CREATE TEMPORARY TABLE idemtest_children (id INTEGER REFERENCES idemtest_parents DEFERRABLE INITIALLY DEFERRED) ON COMMIT DROP",
	"INSERT INTO idemtest_children VALUES (1)",
}

// failCommit makes the commit of a transaction fail.
func (s *txs[T]) failCommit() func(ctx context.Context, tx T) error {
	s.Helper()
	if s.FailCommit != nil {
		return s.FailCommit
	}
	if s.Store.Dialect() != idem.Postgres {
		s.Skip("the subject has no FailCommit")
	}
	return func(ctx context.Context, tx T) error {
		for _, text := range deferred {
			if err := s.exec(ctx, tx, text); err != nil {
				return err
			}
		}
		return nil
	}
}

// refusal: the error says that a new transaction may cure it, in every form of
// transaction, and nothing stays.
func (s *txs[T]) refusal() {
	refuse := s.refuse()
	c := s.claim("K")
	body := func(ctx context.Context, tx T) (idem.Outcome, error) {
		return outcome("K"), errors.Join(s.write(ctx, tx, "K"), refuse(ctx, tx))
	}
	_, err := s.Store.InTx(s.ctx, c, body)
	wants(s.T, "a refused call", err, idem.ErrRetryTransaction)
	s.nothing(c, "K")
	err = s.Store.Begin(s.ctx, func(ctx context.Context, tx T) error { _, err := body(ctx, tx); return err })
	wants(s.T, "a refused plain transaction", err, idem.ErrRetryTransaction)
	s.nothing(c, "K")
	err = s.Store.Begin(s.ctx, func(ctx context.Context, tx T) error {
		_, err := s.Store.Join(ctx, tx, c, body)
		wants(s.T, "a refused joined call", err, idem.ErrRetryTransaction)
		return err
	})
	wants(s.T, "a transaction with a refused call in it", err, idem.ErrRetryTransaction)
	s.nothing(c, "K")
	s.fresh(c, s.body("K"))
}

// refusedAgain: a guarded call that began its transaction makes a new one. In a
// caller's it doesn't.
func (s *txs[T]) refusedAgain() {
	refuse := s.refuse()
	v := s.service(s.Store, idem.Op{})
	var refused int
	v.during = func(ctx context.Context, tx T) error {
		if refused++; refused == 1 {
			return refuse(ctx, tx)
		}
		return nil
	}
	if got, err := v.pay(s.ctx, "K", 1); err != nil || got != 1 || v.runs.Load() != 2 {
		s.Errorf("refused once: %v, %v, %d runs", got, err, v.runs.Load())
	}
	s.has("K", 1)
	refused = 0
	err := s.Store.Begin(s.ctx, func(ctx context.Context, tx T) error {
		_, err := v.pay(idem.Join(ctx, s.Store, tx), "joined", 1)
		return err
	})
	if !errors.Is(err, idem.ErrRetryTransaction) || refused != 1 {
		s.Errorf("in a caller's transaction: %v, %d runs", err, refused)
	}
	s.has("joined", 0)
}

// failed checks the error of a transaction that was certainly not committed.
func (s *txs[T]) failed(what string, err error) {
	s.Helper()
	if err == nil || errors.Is(err, idem.ErrCommitUnknown) || errors.Is(err, idem.ErrRetryTransaction) {
		s.Errorf("%s: %v", what, err)
	}
}

func (s *txs[T]) failedCommit() {
	fail := s.failCommit()
	c := s.claim("K")
	_, err := s.Store.InTx(s.ctx, c, func(ctx context.Context, tx T) (idem.Outcome, error) {
		return outcome("K"), errors.Join(s.write(ctx, tx, "K"), fail(ctx, tx))
	})
	s.failed("a refused commit", err)
	s.nothing(c, "K")
	err = s.Store.Begin(s.ctx, func(ctx context.Context, tx T) error {
		return errors.Join(s.write(ctx, tx, "K"), fail(ctx, tx))
	})
	s.failed("a refused commit of a plain transaction", err)
	s.nothing(c, "K")
	s.fresh(c, s.body("K"))
}

// answeredByRollback: Postgres answers the COMMIT of a transaction in which a
// statement has failed with ROLLBACK, and calls it no error.
func (s *txs[T]) answeredByRollback() {
	if s.Store.Dialect() != idem.Postgres {
		s.Skip("a failed statement does not end the transaction")
	}
	swallow := func(ctx context.Context, tx T) {
		if s.exec(ctx, tx, "SELECT 1/0") == nil {
			s.Error("a division by zero succeeded")
		}
	}
	err := s.Store.Begin(s.ctx, func(ctx context.Context, tx T) error {
		defer swallow(ctx, tx)
		return s.write(ctx, tx, "K")
	})
	s.failed("a plain transaction with a swallowed error", err)
	c := s.claim("K")
	_, err = s.Store.InTx(s.ctx, c, func(ctx context.Context, tx T) (idem.Outcome, error) {
		defer swallow(ctx, tx)
		return outcome("K"), s.write(ctx, tx, "K")
	})
	s.failed("a call with a swallowed error", err)
	s.nothing(c, "K")
}

func (s *txs[T]) hooks() {
	v := s.service(s.Store, idem.Op{})
	fired, seen := 0, -1
	fail := errBusiness
	v.during = func(ctx context.Context, _ T) error {
		err := idem.AfterCommit(ctx, func(context.Context) { fired++; seen = s.effects("K") })
		return errors.Join(err, fail)
	}
	if _, err := v.pay(s.ctx, "K", 1); !errors.Is(err, errBusiness) || fired != 0 {
		s.Errorf("after a rollback: %v, %d hooks", err, fired)
	}
	fail = nil
	for range 2 {
		if _, err := v.pay(s.ctx, "K", 1); err != nil || fired != 1 || seen != 1 {
			s.Errorf("after the commit: %v, %d hooks, which see %d effects", err, fired, seen)
		}
	}
}

// memory: values that follow the database change when it has committed, and not
// when it refused to.
func (s *txs[T]) memory() {
	fail := s.failCommit()
	v := s.service(s.Store, idem.Op{})
	balance, refuse := 0, true
	v.during = func(ctx context.Context, tx T) error {
		err := idem.AfterCommit(ctx, func(context.Context) { balance++ })
		if refuse {
			err = errors.Join(err, fail(ctx, tx))
		}
		return err
	}
	if _, err := v.pay(s.ctx, "K", 1); err == nil || balance != 0 {
		s.Errorf("after a refused commit: %v, balance %d", err, balance)
	}
	s.has("K", 0)
	refuse = false
	for range 2 {
		if _, err := v.pay(s.ctx, "K", 1); err != nil || balance != 1 {
			s.Errorf("after the commit: %v, balance %d", err, balance)
		}
	}
	s.has("K", 1)
}

// lossy is a store whose first COMMIT is not answered, with the commit done or
// not. What is looked up afterwards is the real store's.
type lossy[T any] struct {
	idem.TxStore[T]
	committed bool
	lost      atomic.Bool
}

var errConnection = errors.New("connection reset by peer")

func (l *lossy[T]) InTx(ctx context.Context, c idem.Claim, body func(context.Context, T) (idem.Outcome, error)) (idem.Found, error) {
	if !l.lost.CompareAndSwap(false, true) {
		return l.TxStore.InTx(ctx, c, body)
	}
	f, err := l.TxStore.InTx(ctx, c, func(ctx context.Context, tx T) (idem.Outcome, error) {
		out, err := body(ctx, tx)
		if err == nil && !l.committed {
			err = errConnection
		}
		return out, err
	})
	if l.committed && err != nil || !l.committed && !errors.Is(err, errConnection) {
		return f, fmt.Errorf("the transaction was to be committed: %v, and tells %v, %w", l.committed, f.Status, err)
	}
	return idem.Found{}, fmt.Errorf("%w: %w", idem.ErrCommitUnknown, errConnection)
}

// lostReply: the commit was done, and the record with the own owner tells.
func (s *txs[T]) lostReply() { s.lose(true, 1) }

// lostCommit: the commit was not done, and the call runs again.
func (s *txs[T]) lostCommit() { s.lose(false, 2) }

func (s *txs[T]) lose(committed bool, runs int64) {
	v := s.service(&lossy[T]{TxStore: s.Store, committed: committed}, idem.Op{})
	hooks := 0
	v.during = func(ctx context.Context, _ T) error {
		return idem.AfterCommit(ctx, func(context.Context) { hooks++ })
	}
	for range 2 {
		if got, err := v.pay(s.ctx, "K", 7); err != nil || got != 7 {
			s.Errorf("%v, %v", got, err)
		}
		if hooks != 1 {
			s.Errorf("%d hooks of one commit", hooks)
		}
	}
	if n := v.runs.Load(); n != runs {
		s.Errorf("%d runs, want %d", n, runs)
	}
	s.has("K", 1)
}
