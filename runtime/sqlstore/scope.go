package sqlstore

import (
	"context"
	"reflect"
	"sync"

	"github.com/idemgen/idemgen/runtime/idem"
)

// scope is a transaction that InTx began or Join joined: the keys that are
// claimed in it stay in the air until it ends, those of calls further inside
// included. It is of one transaction value, and once it has ended nothing is
// added any more: a context may outlive its transaction (T9). It is safe for
// concurrent use.
type scope struct {
	mu   sync.Mutex
	tx   any // the transaction; nil before it has begun
	over bool
	held []heldFlight
}

type heldFlight struct {
	key    idem.Key
	flight *flight
}

// scopeKey finds the scope of a store in a context.
type scopeKey struct{ store any }

// begun notes the transaction that the scope is of.
func (sc *scope) begun(tx any) {
	sc.mu.Lock()
	sc.tx = tx
	sc.mu.Unlock()
}

// of tells whether the scope is still open and of this transaction.
func (sc *scope) of(tx any) bool {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if sc.over || sc.tx == nil {
		return false
	}
	a, b := reflect.ValueOf(sc.tx), reflect.ValueOf(tx)
	return a.Comparable() && b.Comparable() && sc.tx == tx
}

// add keeps a key in the air until the scope ends; one that has ended lets it go
// at once.
func (sc *scope) add(fs *flights, k idem.Key, f *flight) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if sc.over {
		fs.leave(k, f)
		return
	}
	sc.held = append(sc.held, heldFlight{k, f})
}

// count is how many keys are held.
func (sc *scope) count() int {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	return len(sc.held)
}

func (sc *scope) owns(f *flight) bool {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	for _, h := range sc.held {
		if h.flight == f {
			return true
		}
	}
	return false
}

// end lets all keys go, for good.
func (sc *scope) end(fs *flights) {
	sc.mu.Lock()
	sc.over = true
	sc.mu.Unlock()
	sc.endFrom(fs, 0)
}

// endFrom lets go the keys that were claimed since n were held: their rows are
// rolled back.
func (sc *scope) endFrom(fs *flights, n int) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if n >= len(sc.held) {
		return
	}
	for _, h := range sc.held[n:] {
		fs.leave(h.key, h.flight)
	}
	sc.held = sc.held[:n]
}

// enter puts a scope into a context.
func (s *TxStore[T]) enter(ctx context.Context, sc *scope) context.Context {
	return context.WithValue(ctx, scopeKey{s}, sc)
}

// board takes the key for a transaction that is about to begin. While another
// one of this process has it, the caller waits as long as its claim says (C7),
// then reads before it claims: most often there is a record to replay. A nil
// flight means that the answer is found, err.
func (s *TxStore[T]) board(ctx context.Context, c idem.Claim) (mine *flight, found idem.Found, err error) {
	p := newPatience(c.Wait)
	for {
		mine, other := s.flights.enter(c)
		if mine != nil {
			return mine, found, nil
		}
		over, err := p.wait(ctx, other)
		if err != nil {
			return nil, found, err
		}
		if !over {
			return nil, other.running(), nil
		}
		found, err = s.Lookup(ctx, c.Key)
		if err != nil || found.Status == idem.Done || found.Status == idem.Held {
			return nil, found, err
		}
	}
}
