package idem_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// errBiz and errSoldOut are errors of the business.
var (
	errBiz     = errors.New("declined")
	errSoldOut = errors.New("sold out")
)

// log is an observer that keeps the events.
type log struct {
	mu     sync.Mutex
	events []idem.Event
}

func (l *log) Observe(_ context.Context, e idem.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, e)
}

// count is how many events of a kind were seen.
func (l *log) count(k idem.EventKind) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, e := range l.events {
		if e.Kind == k {
			n++
		}
	}
	return n
}

// faults is a record store whose operations can be made to fail or to lose their
// reply; everything else is the real store's.
type faults struct {
	idem.RecordStore
	mu    sync.Mutex
	calls []string
	// before runs before an operation; its error is returned in place of it.
	before func(op string) error
	// after runs after an operation; its error replaces the reply.
	after func(op string) error
}

func (f *faults) do(op string, run func() error) error {
	f.mu.Lock()
	f.calls = append(f.calls, op)
	before, after := f.before, f.after
	f.mu.Unlock()
	if before != nil {
		if err := before(op); err != nil {
			return err
		}
	}
	err := run()
	if err == nil && after != nil {
		err = after(op)
	}
	return err
}

func (f *faults) seen(op string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, c := range f.calls {
		if c == op {
			n++
		}
	}
	return n
}

func (f *faults) set(before, after func(op string) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.before, f.after = before, after
}

func (f *faults) Claim(ctx context.Context, c idem.Claim) (found idem.Found, err error) {
	op := "claim"
	if c.Look {
		op = "look"
	}
	err = f.do(op, func() error { found, err = f.RecordStore.Claim(ctx, c); return err })
	if err != nil {
		found = idem.Found{}
	}
	return found, err
}

func (f *faults) Renew(ctx context.Context, h idem.Hold, lease time.Duration) error {
	return f.do("renew", func() error { return f.RecordStore.Renew(ctx, h, lease) })
}

func (f *faults) Complete(ctx context.Context, h idem.Hold, o idem.Outcome, r time.Duration) error {
	return f.do("complete", func() error { return f.RecordStore.Complete(ctx, h, o, r) })
}

func (f *faults) Release(ctx context.Context, h idem.Hold) error {
	return f.do("release", func() error { return f.RecordStore.Release(ctx, h) })
}

// fail makes the named operations fail n times each time set; n < 0 for ever.
func fail(err error, n int, ops ...string) func(string) error {
	var mu sync.Mutex
	return func(op string) error {
		mu.Lock()
		defer mu.Unlock()
		if n == 0 || !slices.Contains(ops, op) {
			return nil
		}
		n--
		return err
	}
}

// world is an engine with an observer on one memory store.
type world struct {
	*testing.T
	log    *log
	engine *idem.Engine
	store  *faults
	op     idem.Op
	ran    int
}

// newWorld makes a world for lease mode; the operation may be changed before use.
func newWorld(t *testing.T, opts ...idem.Option) *world {
	w := &world{T: t, log: &log{}, store: &faults{RecordStore: memstore.New()}}
	w.engine = idem.New(idem.GlobalScope, append([]idem.Option{idem.WithObserver(w.log)}, opts...)...)
	w.op = idem.Op{Name: "test." + t.Name(), Key: []string{"id"}, TTL: time.Hour, Lease: 30 * time.Second, Orphan: idem.OrphanRerun}
	return w
}

// call makes a call for a key.
func (w *world) call(id string) idem.Call {
	return w.engine.Call(context.Background(), &w.op, idem.String(id)).Match(idem.String(id))
}

// once runs a method that returns res and err, and counts it.
func once[R any](w *world, id string, res R, err error) (R, error) {
	return idem.Once(context.Background(), w.store, w.call(id), func(context.Context) (R, error) {
		w.ran++
		return res, err
	})
}

// status is what stands under a key.
func (w *world) status(id string) idem.ClaimStatus {
	w.Helper()
	f, err := w.store.Lookup(context.Background(), w.call(id).Key())
	if err != nil {
		w.Fatal(err)
	}
	return f.Status
}

// is checks an error.
func is(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
}

// ok checks that there is no error.
func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
}

// equal compares.
func equal[V comparable](t *testing.T, what string, got, want V) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
}
