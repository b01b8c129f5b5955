package idem_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// memTx is a TxStore in memory with real transactions: one writer at a time,
// which works on a copy that commit puts in place, and savepoints that are
// copies of the copy. Its pool has one connection.
type memTx struct {
	pool  chan struct{} // holds one token
	mu    sync.Mutex
	data  state // committed
	begun int
	// Faults, each used up by one transaction.
	conflicts   int   // bodies that end in a deadlock after they ran
	lostCommits int   // commits that succeed, but whose reply is lost
	deadCommits int   // commits that fail, and whose reply is lost
	commitErr   error // of every commit
	lookupErr   error
	beginErr    error
}

// state is what a database holds: records and business rows.
type state struct {
	records map[[32]byte]idem.Record
	rows    map[string]int
}

func (s state) clone() state { return state{maps.Clone(s.records), maps.Clone(s.rows)} }

// tx is one transaction.
type tx struct {
	state
	saves map[string]state
	log   []string
}

func newMemTx() *memTx {
	s := &memTx{pool: make(chan struct{}, 1), data: state{map[[32]byte]idem.Record{}, map[string]int{}}}
	s.pool <- struct{}{}
	return s
}

var _ idem.TxStore[*tx] = (*memTx)(nil)

// row is a committed row.
func (s *memTx) row(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.data.rows[name]
}

// transact runs body in a transaction.
func (s *memTx) transact(ctx context.Context, wait time.Duration, body func(*tx) error) error {
	if s.beginErr != nil {
		return s.beginErr
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-s.pool:
	default:
		t := time.NewTimer(wait)
		defer t.Stop()
		select {
		case <-s.pool:
		case <-t.C:
			return errBusy
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	defer func() { s.pool <- struct{}{} }()
	s.mu.Lock()
	s.begun++
	t := &tx{state: s.data.clone(), saves: map[string]state{}}
	s.mu.Unlock()
	if err := body(t); err != nil { // a panic leaves t alone, too
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.conflicts > 0:
		s.conflicts--
		return fmt.Errorf("%w: deadlock", idem.ErrRetryTransaction)
	case s.commitErr != nil:
		return s.commitErr
	case s.deadCommits > 0:
		s.deadCommits--
		return fmt.Errorf("%w: connection reset", idem.ErrCommitUnknown)
	}
	s.data = t.state
	if s.lostCommits > 0 {
		s.lostCommits--
		return fmt.Errorf("%w: connection reset", idem.ErrCommitUnknown)
	}
	return nil
}

var errBusy = errors.New("the winner is still at work")

// errDone ends a transaction that found a record.
var errDone = errors.New("found")

func (s *memTx) claim(ctx context.Context, t *tx, c idem.Claim, body func(context.Context, *tx) (idem.Outcome, error)) (idem.Found, error) {
	if r, ok := t.records[c.Key.Hash]; ok {
		return idem.Found{Status: idem.Done, Record: r}, errDone
	}
	r := idem.Record{Owner: c.Owner, Fence: 1, Fingerprint: c.Fingerprint}
	t.records[c.Key.Hash] = r
	o, err := body(ctx, t)
	if err != nil {
		return idem.Found{}, err
	}
	r.Outcome = o
	t.records[c.Key.Hash] = r
	return idem.Found{Status: idem.Fresh, Record: r}, nil
}

func (s *memTx) InTx(ctx context.Context, c idem.Claim, body func(context.Context, *tx) (idem.Outcome, error)) (found idem.Found, err error) {
	err = s.transact(ctx, c.Wait, func(t *tx) (err error) {
		found, err = s.claim(ctx, t, c, body)
		return err
	})
	switch err {
	case errDone:
		return found, nil
	case errBusy:
		return idem.Found{Status: idem.Running}, nil
	}
	return found, err
}

func (s *memTx) Join(ctx context.Context, t *tx, c idem.Claim, body func(context.Context, *tx) (idem.Outcome, error)) (found idem.Found, err error) {
	before := t.state.clone()
	done := false
	defer func() {
		if !done {
			t.state = before
		}
	}()
	found, err = s.claim(ctx, t, c, body)
	done = err == nil
	if err == errDone {
		return found, nil
	}
	return found, err
}

func (s *memTx) Begin(ctx context.Context, body func(context.Context, *tx) error) error {
	return s.transact(ctx, time.Minute, func(t *tx) error { return body(ctx, t) })
}

func (s *memTx) Keep(ctx context.Context, c idem.Claim, o idem.Outcome) (idem.Found, error) {
	return s.InTx(ctx, c, func(context.Context, *tx) (idem.Outcome, error) { return o, nil })
}

func (s *memTx) Lookup(ctx context.Context, k idem.Key) (idem.Found, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lookupErr != nil {
		return idem.Found{}, s.lookupErr
	}
	if r, ok := s.data.records[k.Hash]; ok {
		return idem.Found{Status: idem.Done, Record: r}, nil
	}
	return idem.Found{Status: idem.Absent}, nil
}

func (s *memTx) Use(_ context.Context, t *tx) idem.DB { return savepoints{t} }
func (s *memTx) Dialect() idem.Dialect                { return idem.SQLite }

// savepoints understands the savepoint statements.
type savepoints struct{ *tx }

func (d savepoints) Exec(ctx context.Context, query string, _ ...any) (idem.Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d.log = append(d.log, query)
	name := query[strings.LastIndexByte(query, ' ')+1:]
	switch {
	case strings.HasPrefix(query, "SAVEPOINT "):
		d.saves[name] = d.state.clone()
	case strings.HasPrefix(query, "ROLLBACK TO SAVEPOINT "):
		d.state = d.saves[name].clone()
	case strings.HasPrefix(query, "RELEASE SAVEPOINT "):
		delete(d.saves, name)
	default:
		return nil, fmt.Errorf("not a savepoint statement: %s", query)
	}
	return nil, nil
}

func (d savepoints) Query(context.Context, string, ...any) (idem.Rows, error) {
	return nil, errors.New("no queries here")
}

// lateCommit hides the first commit from the first look-up, as a server does
// that is still at work on a COMMIT whose connection broke.
type lateCommit struct {
	*memTx
	looked bool
}

func (s *lateCommit) InTx(ctx context.Context, c idem.Claim, body func(context.Context, *tx) (idem.Outcome, error)) (idem.Found, error) {
	if !s.looked {
		s.lostCommits = 1
	}
	return s.memTx.InTx(ctx, c, body)
}

func (s *lateCommit) Lookup(ctx context.Context, k idem.Key) (idem.Found, error) {
	if !s.looked {
		s.looked = true
		return idem.Found{Status: idem.Absent}, nil
	}
	return s.memTx.Lookup(ctx, k)
}
