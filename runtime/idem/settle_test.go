package idem_test

import (
	"context"
	"errors"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// panicking is a result whose codec panics.
type panicking struct{}

func (panicking) MarshalJSON() ([]byte, error) { panic("codec") }

// A codec that panics after the method succeeded leaves the call done, not to be
// run again.
func TestLaw_C9_PanickingCodecIsDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, store, e := context.Background(), memstore.New(), idem.New(idem.GlobalScope)
		op := &idem.Op{Name: "op", Lease: 50 * time.Millisecond, Orphan: idem.OrphanRerun}
		runs := 0
		once := func() (recovered any, err error) {
			defer func() { recovered = recover() }()
			_, err = idem.Once(ctx, store, e.Call(ctx, op, idem.String("k")), func(context.Context) (panicking, error) {
				runs++
				return panicking{}, nil
			})
			return nil, err
		}
		if r, _ := once(); r != "codec" {
			t.Errorf("recovered %v: the panic must pass through", r)
		}
		time.Sleep(time.Second)
		if r, err := once(); !errors.Is(err, idem.ErrResultUnreadable) || r != nil {
			t.Errorf("duplicate: %v, panic %v", err, r)
		}
		if runs != 1 {
			t.Errorf("%d runs", runs)
		}
	})
}

// panickingObserver panics on one kind of event.
type panickingObserver idem.EventKind

func (p panickingObserver) Observe(_ context.Context, e idem.Event) {
	if e.Kind == idem.EventKind(p) {
		panic("observer")
	}
}

// An observer that panics while a method panics does not keep the heartbeat: the
// lease ends, and the orphan policy decides.
func TestLaw_C5_PanickingObserverStopsTheHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, store := context.Background(), memstore.New()
		e := idem.New(idem.GlobalScope, idem.WithObserver(panickingObserver(idem.EventUnknown)))
		op := &idem.Op{Name: "op", Lease: 150 * time.Millisecond, Orphan: idem.OrphanHold}
		call := e.Call(ctx, op, idem.String("k"))
		func() {
			defer func() { _ = recover() }()
			_, _ = idem.Once(ctx, store, call, func(context.Context) (int, error) { panic("method") })
		}()
		time.Sleep(time.Second)
		if f, err := store.Lookup(ctx, call.Key()); err != nil || f.Status != idem.Held {
			t.Errorf("%v, %v", f.Status, err)
		}
	})
}

// hungRenewal is a store whose renewals hang until their context ends.
type hungRenewal struct{ *memstore.Store }

func (hungRenewal) Renew(ctx context.Context, _ idem.Hold, _ time.Duration) error {
	<-ctx.Done()
	return ctx.Err()
}

// A renewal that hangs does not eat the time in which the result is stored.
func TestLaw_C6_HungRenewalLeavesTimeToComplete(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, store := context.Background(), hungRenewal{memstore.New()}
		e := idem.New(idem.GlobalScope, idem.WithSettleTimeout(200*time.Millisecond))
		op := &idem.Op{Name: "op", Lease: 1500 * time.Millisecond, Orphan: idem.OrphanRerun}
		call := e.Call(ctx, op, idem.String("k"))
		got, err := idem.Once(ctx, store, call, func(context.Context) (string, error) {
			time.Sleep(600 * time.Millisecond)
			return "r", nil
		})
		if got != "r" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		if f, err := store.Lookup(ctx, call.Key()); err != nil || f.Status != idem.Done {
			t.Errorf("%v, %v", f.Status, err)
		}
	})
}

type noTimeout struct{}

func (noTimeout) Error() string { return "no timeout" }
func (noTimeout) Timeout() bool { return false }

// Of several joined errors one that leaves the outcome unknown is enough; a mark
// still decides for all of them.
func TestLaw_C12_JoinedErrors(t *testing.T) {
	dial := &net.OpError{Op: "dial", Err: errors.New("refused")}
	write := &net.OpError{Op: "write", Err: errors.New("broken")}
	for _, c := range []struct {
		name string
		err  error
		want idem.ClaimStatus
	}{
		{"plain", errors.New("x"), idem.Absent},
		{"two plain", errors.Join(errors.New("x"), noTimeout{}), idem.Absent},
		{"dial", dial, idem.Absent},
		{"timeout", os.ErrDeadlineExceeded, idem.Running},
		{"no timeout, timeout", errors.Join(noTimeout{}, &net.DNSError{IsTimeout: true}), idem.Running},
		{"dial, write", errors.Join(dial, write), idem.Running},
		{"write, dial", errors.Join(write, dial), idem.Running},
		{"retryable timeout", idem.Retryable(os.ErrDeadlineExceeded), idem.Absent},
		{"final timeout", idem.Final(errors.Join(errors.New("x"), os.ErrDeadlineExceeded)), idem.Done},
	} {
		ctx, store, e := context.Background(), memstore.New(), idem.New(idem.GlobalScope)
		call := e.Call(ctx, &idem.Op{Name: "op", Orphan: idem.OrphanRerun}, idem.String("k"))
		_, _ = idem.Once(ctx, store, call, func(context.Context) (string, error) { return "", c.err })
		if f, err := store.Lookup(ctx, call.Key()); err != nil || f.Status != c.want {
			t.Errorf("%s: %v, want %v (%v)", c.name, f.Status, c.want, err)
		}
	}
}
