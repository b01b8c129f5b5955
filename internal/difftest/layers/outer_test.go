package layers_test

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/redisstore"
)

// intention is one order that a customer wants to pay once, in a business database.
type intention struct {
	id    string
	base  *base
	call  idem.Call
	pay   func(context.Context) error // through the inner layer
	token string
	slow  chan struct{} // closed to let the slow holder of the lock go on
	ended chan error    // what became of its call
}

// outer is a layer in Redis around an inner one.
type outer struct {
	name string
	// first carries an intention out, or, where the layer is a lock, begins to: its
	// holder is slow.
	first func(ctx context.Context, r *redisstore.Store, i *intention) error
	// late lets the slow holder finish; nil where there is none.
	late func(i *intention) error
	// again sends the call once more.
	again func(ctx context.Context, r *redisstore.Store, i *intention) error
	// forgot tells whether Redis has forgotten the intention. It changes nothing.
	forgot func(ctx context.Context, r *redisstore.Store, i *intention) (bool, error)
}

var (
	engine  = idem.New(idem.GlobalScope)
	leaseOp = idem.Op{Name: "layers.Outer", Orphan: idem.OrphanHold, Wait: idem.DefaultLease}
	tokenOp = idem.TokenOp{From: "the test", Lease: time.Hour, Retake: true}
	lockOp  = idem.LockOp{TTL: time.Hour} // so long that its holder doesn't notice the loss
)

// outers are the layers.
var outers = []outer{
	{name: "record", first: once, again: once, forgot: recordForgotten},
	{name: "token", first: present, again: resend, forgot: tokenForgotten},
	{name: "lock", first: hold, late: finish, again: lock, forgot: lockForgotten},
}

// run is the intention's method inside the outer layer.
func (i *intention) run(ctx context.Context) (idem.None, error) { return idem.None{}, i.pay(ctx) }

func once(ctx context.Context, r *redisstore.Store, i *intention) error {
	_, err := idem.Once(ctx, r, i.call, i.run)
	return err
}

func recordForgotten(ctx context.Context, r *redisstore.Store, i *intention) (bool, error) {
	f, err := r.Lookup(ctx, i.call.Key())
	return f.Status == idem.Absent, err
}

// issue makes a token.
func issue(ctx context.Context, r *redisstore.Store) (string, error) {
	token := idem.NewToken()
	return token.Reveal(), r.Tokens().Issue(ctx, idem.TokenGrant{Tokens: []idem.TokenID{token.ID()}, TTL: time.Hour, Keep: time.Hour})
}

// present gets a token and makes the call with it.
func present(ctx context.Context, r *redisstore.Store, i *intention) (err error) {
	if i.token, err = issue(ctx, r); err != nil {
		return err
	}
	return use(ctx, r, i.token, i)
}

func use(ctx context.Context, r *redisstore.Store, token string, i *intention) error {
	_, err := idem.Token(ctx, idem.Presented{Store: r.Tokens(), Op: &tokenOp, Token: token}, i.call, i.run)
	return err
}

// resend makes the call with its token, which is used; a client whose token is not
// known any more gets another one and makes the call with that.
func resend(ctx context.Context, r *redisstore.Store, i *intention) error {
	err := use(ctx, r, i.token, i)
	if errors.Is(err, idem.ErrTokenUnknown) {
		var another string
		if another, err = issue(ctx, r); err == nil {
			err = use(ctx, r, another, i)
		}
	}
	if errors.Is(err, idem.ErrTokenUsed) {
		return nil
	}
	return err
}

func tokenForgotten(ctx context.Context, r *redisstore.Store, i *intention) (bool, error) {
	// Bound to somebody else: nothing is consumed, and only an unknown token says so.
	f, err := r.Tokens().Consume(ctx, idem.Consumption{
		Token: idem.HashToken(i.token), Binding: idem.BindTo("a stranger"), Owner: idem.NewOwner(), Lease: time.Hour,
	})
	return f.Status == idem.TokenUnknown, err
}

// guarded makes the call under its lock: check, lock, check, run, unlock. What is
// checked is whether there is a payment.
func guarded(ctx context.Context, r *redisstore.Store, i *intention, run func(context.Context) (idem.None, error)) error {
	check := func(ctx context.Context) (idem.None, bool, error) {
		paid, err := i.base.paid(ctx, i.id)
		return idem.None{}, paid, err
	}
	_, err := idem.Lock(ctx, idem.Locked{Store: r.Locks(), Op: &lockOp, Call: i.call}, i.call, check, run)
	return err
}

// hold makes the call and returns when its method has begun, which is slow.
func hold(ctx context.Context, r *redisstore.Store, i *intention) error {
	i.slow, i.ended = make(chan struct{}), make(chan error, 1)
	begun := make(chan struct{})
	go func() {
		i.ended <- guarded(ctx, r, i, func(ctx context.Context) (idem.None, error) {
			close(begun)
			<-i.slow
			return i.run(ctx)
		})
	}()
	select {
	case <-begun:
		return nil
	case err := <-i.ended:
		return err
	}
}

// finish lets the slow method go on. That its lock was lost it may hear in the end.
func finish(i *intention) error {
	close(i.slow)
	if err := <-i.ended; !errors.Is(err, idem.ErrLockLost) {
		return err
	}
	return nil
}

// lock makes the call; while another holds the lock there is nothing to do.
func lock(ctx context.Context, r *redisstore.Store, i *intention) error {
	if err := guarded(ctx, r, i, i.run); !errors.Is(err, idem.ErrLockHeld) {
		return err
	}
	return nil
}

func lockForgotten(ctx context.Context, r *redisstore.Store, i *intention) (bool, error) {
	probe := idem.LockRequest{Key: i.call.Key(), Owner: idem.NewOwner(), TTL: time.Hour}
	f, err := r.Locks().Acquire(ctx, probe)
	if err != nil || f.Status != idem.LockAcquired {
		return false, err
	}
	return true, r.Locks().Release(ctx, idem.Hold{Key: probe.Key, Owner: probe.Owner, Fence: f.Fence})
}

// atOnce runs do for every element, a few at a time, and joins the errors.
func atOnce[T any](all []T, do func(T) error) error {
	const few = 8
	var mu sync.Mutex
	var errs []error
	var wg sync.WaitGroup
	places := make(chan struct{}, few)
	for _, one := range all {
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			if err := do(one); err != nil {
				mu.Lock()
				defer mu.Unlock()
				errs = append(errs, err)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
