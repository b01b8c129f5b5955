package idem

import (
	"context"
	"reflect"
	"sync"
)

// txKey finds the open transaction of one store in a context (T9).
type txKey struct{ store any }

// scopeKey finds the innermost transaction of any store in a context (T5).
type scopeKey struct{}

// openTx is an open transaction as the context carries it.
type openTx[T any] struct {
	tx    T
	scope *txScope
}

// txScope is what belongs to one attempt at one transaction.
type txScope struct {
	owned bool // a wrapper began it; otherwise it is a caller's (Join)

	mu    sync.Mutex
	ended bool
	hooks []func(context.Context) // after the commit
	keeps []leftover              // after the end: outcomes of joined calls that were rolled back
	saves int                     // savepoints named so far
}

// leftover is an outcome that is stored when the transaction has ended.
type leftover struct {
	key    Key
	record Record
	store  func(context.Context)
}

// Join puts a transaction of the caller's into the context: guarded calls of the
// same store made with it run inside the transaction, under a savepoint, and
// neither begin, commit nor retry (T9). A transaction that the context carries
// already is kept, with its hooks.
func Join[T any](ctx context.Context, store TxStore[T], tx T) context.Context {
	if cur := joined(ctx, store); cur != nil && same(cur.tx, tx) {
		return ctx
	}
	return within(ctx, store, tx, &txScope{})
}

// insideOf tells whether the context carries an open transaction of a store, which
// may keep records in lease mode, too; nil is none.
func insideOf(ctx context.Context, store Looker) bool {
	if store == nil || ctx.Value(scopeKey{}) == nil || !reflect.ValueOf(store).Comparable() {
		return false
	}
	cur, _ := ctx.Value(txKey{store}).(interface{ over() bool })
	return cur != nil && !cur.over()
}

func (t *openTx[T]) over() bool { return t.scope.over() }

// same compares two transactions, which may be of a type that can't be compared.
func same[T any](a, b T) bool {
	va, vb := reflect.ValueOf(&a).Elem(), reflect.ValueOf(&b).Elem()
	return va.Comparable() && vb.Comparable() && va.Equal(vb)
}

// within puts an open transaction into the context.
func within[T any](ctx context.Context, store TxStore[T], tx T, scope *txScope) context.Context {
	ctx = context.WithValue(ctx, txKey{store}, &openTx[T]{tx: tx, scope: scope})
	return context.WithValue(ctx, scopeKey{}, scope)
}

// joined finds the store's transaction in the context, nil when there is none or
// it has ended.
func joined[T any](ctx context.Context, store TxStore[T]) *openTx[T] {
	cur, _ := ctx.Value(txKey{store}).(*openTx[T])
	if cur == nil || cur.over() {
		return nil
	}
	return cur
}

// AfterCommit registers a function that runs once after the transaction that the
// innermost guarded call began has committed, and never after a rollback, of a
// savepoint it was registered in either (T5). Functions run in order, on the
// goroutine of the call, before it returns; their context keeps the caller's
// values, but neither its cancellation nor the transaction. ErrNoTransaction
// when no wrapper began a transaction: in a caller's own, its commit is out of
// sight.
func AfterCommit(ctx context.Context, fn func(context.Context)) error {
	scope, _ := ctx.Value(scopeKey{}).(*txScope)
	if scope == nil || !scope.owned {
		return ErrNoTransaction
	}
	scope.mu.Lock()
	defer scope.mu.Unlock()
	if scope.ended {
		return ErrNoTransaction
	}
	scope.hooks = append(scope.hooks, fn)
	return nil
}

func (s *txScope) over() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

// end closes the scope: nothing joins or registers any more.
func (s *txScope) end() {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
}

// reset forgets what an earlier run of the body registered.
func (s *txScope) reset() {
	s.mu.Lock()
	s.hooks, s.keeps = nil, nil
	s.mu.Unlock()
}

// mark is a position to which the hooks can be rewound.
func (s *txScope) mark() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.hooks)
}

// rewind drops the hooks registered since the mark.
func (s *txScope) rewind(mark int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if mark < len(s.hooks) {
		clear(s.hooks[mark:])
		s.hooks = s.hooks[:mark]
	}
}

// keep leaves an outcome for when the transaction has ended, either way.
func (s *txScope) keep(k Key, r Record, store func(context.Context)) {
	s.mu.Lock()
	s.keeps = append(s.keeps, leftover{k, r, store})
	s.mu.Unlock()
}

// left finds the outcome that is left for a key.
func (s *txScope) left(k Key) (Found, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.keeps {
		if l := &s.keeps[i]; l.key.Hash == k.Hash {
			return Found{Status: Done, Record: l.record}, true
		}
	}
	return Found{}, false
}

// committed runs the hooks, once, on a context without the transaction.
func (s *txScope) committed(ctx context.Context) {
	s.mu.Lock()
	hooks := s.hooks
	s.hooks = nil
	s.mu.Unlock()
	runAll(context.WithoutCancel(ctx), hooks)
}

// finished stores what is left for the end of the transaction, once.
func (s *txScope) finished(ctx context.Context) {
	s.mu.Lock()
	keeps := s.keeps
	s.keeps = nil
	s.mu.Unlock()
	if len(keeps) == 0 {
		return
	}
	fns := make([]func(context.Context), len(keeps))
	for i := range keeps {
		fns[i] = keeps[i].store
	}
	runAll(ctx, fns)
}

// runAll runs all functions, also those behind one that panics.
func runAll(ctx context.Context, fns []func(context.Context)) {
	if len(fns) == 0 {
		return
	}
	defer runAll(ctx, fns[1:])
	fns[0](ctx)
}
