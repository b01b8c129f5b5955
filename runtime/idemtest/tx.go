package idemtest

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// TxSubject is a store under test, with what the suite needs of the database
// beside it. Store, Write and Effects are required; without the others the laws
// that need them are skipped, and say so.
type TxSubject[T any] struct {
	// Store is the store under test. Its pool has two connections or more.
	Store idem.TxStore[T]
	// Write makes an effect named id in the transaction, each time one more.
	Write func(ctx context.Context, tx T, id string) error
	// Effects counts the committed effects named id, outside any transaction and
	// on another connection than Store's transactions.
	Effects func(ctx context.Context, id string) (int, error)

	// Other is a second store on the same database that shares nothing in memory
	// with Store, as the one of another process would. On SQLite its busy timeout
	// is short: at most 400 ms, and at least 250 ms.
	Other idem.TxStore[T]
	// One is a third store like it, whose pool has a single connection.
	One idem.TxStore[T]
	// FailCommit makes the commit of its transaction fail, and succeeds itself.
	// nil: a deferred constraint on Postgres; nothing elsewhere.
	FailCommit func(ctx context.Context, tx T) error
	// Refuse runs a statement that the database refuses with an error that a new
	// transaction may cure (a deadlock, a serialization failure, a busy file), and
	// returns that error. nil: a raised one on Postgres and MariaDB; nothing on SQLite.
	Refuse func(ctx context.Context, tx T) error
}

// TestTxStore checks a store against the laws of transaction mode: T1 to T9, C1,
// C7, C10 to C12, C16, K2 and K5, by itself and below guarded calls (idem.OnceTx).
// Every key and effect is unique to its subtest and run, so open may return one
// shared subject each time, of any isolation level. T2 and T6 want the levels
// tried one by one: run the suite for each that the store can begin with. Run it
// with the race detector.
func TestTxStore[T any](t *testing.T, open func(t *testing.T) TxSubject[T]) {
	for _, c := range txCases[T]() {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), long)
			t.Cleanup(cancel)
			c.run(&txs[T]{T: t, TxSubject: open(t), ctx: ctx, run: rand.Text()})
		})
	}
}

// txCase is one subtest.
type txCase[T any] struct {
	name string
	run  func(*txs[T])
}

// txCases are the subtests, by law.
func txCases[T any]() []txCase[T] {
	return slices.Concat(txCallCases[T](), txWaitCases[T](), txRaceCases[T](), txRecordCases[T](), txJoinCases[T](), txFaultCases[T]())
}

// txs is one subtest.
type txs[T any] struct {
	*testing.T
	TxSubject[T]
	ctx context.Context // ends when a subtest hangs
	run string          // unique to the subtest and run
}

// atOnce is the longest that an answer may take which waits for nobody.
const atOnce = time.Second

var errBusiness = errors.New("sold out")

// key makes a key of this subtest.
func (s *txs[T]) key(parts ...idem.Part) idem.Key {
	s.Helper()
	op := idem.Op{Name: "idemtest/" + s.run}
	call := idem.New(idem.GlobalScope).Call(s.ctx, &op, parts...)
	if err := call.Err(); err != nil {
		s.Fatal(err)
	}
	return call.Key()
}

// claim is a claim of a new owner that doesn't wait.
func (s *txs[T]) claim(name string) idem.Claim {
	s.Helper()
	return idem.Claim{
		Key: s.key(idem.String(name)), Owner: idem.NewOwner(),
		Fingerprint: idem.Fingerprint{0: 1, 32: 7}, Retention: time.Hour,
	}
}

// again is the same claim by a new owner.
func again(c idem.Claim) idem.Claim {
	c.Owner = idem.NewOwner()
	return c
}

// write makes an effect of this subtest; effects counts the committed ones.
func (s *txs[T]) write(ctx context.Context, tx T, name string) error {
	return s.Write(ctx, tx, s.run+"/"+name)
}

func (s *txs[T]) effects(name string) int {
	s.Helper()
	n, err := s.Effects(s.ctx, s.run+"/"+name)
	if err != nil {
		s.Errorf("effects: %v", err)
	}
	return n
}

// has expects so many committed effects.
func (s *txs[T]) has(name string, want int) {
	s.Helper()
	if n := s.effects(name); n != want {
		s.Errorf("%s: %d effects, want %d", name, n, want)
	}
}

// body is a business method that makes an effect and succeeds with its name.
func (s *txs[T]) body(name string) func(context.Context, T) (idem.Outcome, error) {
	return func(ctx context.Context, tx T) (idem.Outcome, error) {
		return outcome(name), s.write(ctx, tx, name)
	}
}

// failing makes its effect and fails.
func (s *txs[T]) failing(name string, err error) func(context.Context, T) (idem.Outcome, error) {
	return func(ctx context.Context, tx T) (idem.Outcome, error) {
		return idem.Outcome{}, errors.Join(s.write(ctx, tx, name), err)
	}
}

// never must not run.
func (s *txs[T]) never(context.Context, T) (idem.Outcome, error) {
	s.Error("the body ran again")
	return outcome("again"), nil
}

// fresh calls, expects to run, and returns the record.
func (s *txs[T]) fresh(c idem.Claim, body func(context.Context, T) (idem.Outcome, error)) idem.Record {
	s.Helper()
	f, err := s.Store.InTx(s.ctx, c, body)
	if err != nil || f.Status != idem.Fresh {
		s.Fatalf("a fresh call: %v, %v", f.Status, err)
	}
	if f.Record.Owner != c.Owner || f.Record.Fence < 1 {
		s.Fatalf("a fresh call tells owner %v and fence %d, its owner is %v", f.Record.Owner, f.Record.Fence, c.Owner)
	}
	return f.Record
}

// replays expects that every store answers another owner with the outcome of
// the one who ran.
func (s *txs[T]) replays(c idem.Claim, want idem.Outcome) {
	s.Helper()
	for name, store := range s.stores() {
		f, err := store.InTx(s.ctx, again(c), s.never)
		if err != nil || f.Status != idem.Done || f.Record.Owner != c.Owner || !sameOutcome(f.Record.Outcome, want) {
			s.Errorf("a duplicate in %s: %v, %v, owner %v with %q; want owner %v with %q",
				name, f.Status, err, f.Record.Owner, f.Record.Outcome.Data, c.Owner, want.Data)
		}
	}
	if f, err := s.Store.Lookup(s.ctx, c.Key); err != nil || f.Status != idem.Done || !sameOutcome(f.Record.Outcome, want) {
		s.Errorf("look-up: %v, %v, %q", f.Status, err, f.Record.Outcome.Data)
	}
}

// nothing expects neither a record nor an effect.
func (s *txs[T]) nothing(c idem.Claim, name string) {
	s.Helper()
	if f, err := s.Store.Lookup(s.ctx, c.Key); err != nil || f.Status != idem.Absent {
		s.Errorf("%s left a record: %v, %v", name, f.Status, err)
	}
	s.has(name, 0)
}

// stores are the store and the one of another process, if there is one.
func (s *txs[T]) stores() map[string]idem.TxStore[T] {
	if s.Other == nil {
		return map[string]idem.TxStore[T]{"the store": s.Store}
	}
	return map[string]idem.TxStore[T]{"the store": s.Store, "another process": s.Other}
}

// store is the ith caller's: every second one is in another process.
func (s *txs[T]) store(i int) idem.TxStore[T] {
	if i%2 == 1 && s.Other != nil {
		return s.Other
	}
	return s.Store
}

// other is the store of another process.
func (s *txs[T]) other() idem.TxStore[T] {
	s.Helper()
	if s.Other == nil {
		s.Skip("the subject has no Other")
	}
	return s.Other
}

// one is the store whose pool has one connection.
func (s *txs[T]) one() idem.TxStore[T] {
	s.Helper()
	if s.One == nil {
		s.Skip("the subject has no One")
	}
	return s.One
}

// oneWriter tells whether the database has one writer at a time.
func (s *txs[T]) oneWriter() bool { return s.Store.Dialect() == idem.SQLite }

// tx runs a plain transaction, and expects that it is committed.
func (s *txs[T]) tx(store idem.TxStore[T], body func(ctx context.Context, tx T) error) {
	s.Helper()
	if err := store.Begin(s.ctx, body); err != nil {
		s.Errorf("a plain transaction: %v", err)
	}
}

// exec runs a statement in a transaction.
func (s *txs[T]) exec(ctx context.Context, tx T, query string) error {
	_, err := s.Store.Use(ctx, tx).Exec(ctx, query)
	return err
}
