package storm

import (
	"context"
	"sync"
	"time"

	"github.com/idemgen/idemgen/examples/orders/internal/crash"
)

const (
	// attempts bounds how often a client asks again until it has its result.
	attempts = 200
	// patience is the time between two of them.
	patience = 100 * time.Millisecond
)

// intention is one thing that one client wants to happen once.
type intention struct {
	call  call
	bizNo string
	death crash.Point // where the first call dies; "" for none

	mu     sync.Mutex // guards what follows
	result string     // body of the first success
	done   bool       // there was one
	ran    int        // calls that say they executed
	doubts int        // calls that were answered unknown
	err    error      // the storm itself broke
}

// mustBeUnknown tells whether the planned death leaves an outcome that nobody knows.
func (in *intention) mustBeUnknown() bool {
	return in.death == crash.BankBefore || in.death == crash.BankAfter
}

// insist sends all calls of one intention at once, with a death among them where one is planned, and then goes on until the client has its result.
func (d *driver) insist(ctx context.Context, in *intention) error {
	var wg sync.WaitGroup
	duplicates := func(n int) {
		for i := range n {
			s := d.fleet.servers[i%len(d.fleet.servers)]
			wg.Go(func() { d.try(ctx, s, in, in.call) })
		}
	}
	var err error
	if in.death == "" {
		duplicates(d.cfg.Duplicates)
	} else {
		err = d.execute(ctx, in, func() { duplicates(d.cfg.Duplicates - 1) })
	}
	wg.Wait()
	if err != nil {
		return err
	}
	return d.getResult(ctx, in)
}

// getResult asks until there is a result. A key whose outcome is unknown must stay so until it is reconciled; its owner asks twice, and then does that.
func (d *driver) getResult(ctx context.Context, in *intention) error {
	doubts := 0
	for range attempts {
		if in.err != nil || in.done {
			break
		}
		pause(ctx, patience)
		r := d.try(ctx, d.anyServer(), in, in.call)
		if r.answer == refused {
			break
		}
		if r.answer != unknown {
			continue
		}
		if doubts++; doubts > 1 {
			if err := d.reconcile(ctx, in); err != nil {
				return err
			}
		}
	}
	switch {
	case in.err != nil:
		return in.err
	case !in.done:
		d.tally.fault("%s of %s: the client never got a result", in.call.act.name, in.bizNo)
	case in.mustBeUnknown() && in.doubts < 2 && !d.cfg.Unguarded:
		d.tally.fault("%s of %s: the owner died at %s, and yet a retry was not told that the outcome is unknown", in.call.act.name, in.bizNo, in.death)
	}
	return nil
}

// reconcile asks the service to find out what became of a held key. A reply that is lost shows in the next call's answer.
func (d *driver) reconcile(ctx context.Context, in *intention) error {
	k := in.call
	k.path += "/reconcile"
	r, err := d.client.send(ctx, d.anyServer().url, k)
	switch {
	case err != nil:
		return err
	case r.answer == executed:
		d.tally.reconciled()
	case r.answer == refused:
		d.tally.fault("%s of %s: a held key could not be reconciled: %d %s %s", k.act.name, in.bizNo, r.status, r.code, r.detail)
	}
	return nil
}

// try makes one call of an intention and compares its answer with those before: whoever gets a result gets the same one.
func (d *driver) try(ctx context.Context, s *server, in *intention, k call) response {
	r, err := d.send(ctx, s, k)
	in.mu.Lock()
	defer in.mu.Unlock()
	if err != nil {
		in.err = err
		return r
	}
	switch r.answer {
	case executed, replayed:
		if r.answer == executed {
			in.ran++
		}
		if !in.done {
			in.done, in.result = true, r.body
		}
	case unknown:
		in.doubts++
	}
	if d.cfg.Unguarded {
		return r
	}
	switch {
	case r.answer == refused:
		d.tally.fault("%s of %s: an honest call was refused: %d %s %s", k.act.name, in.bizNo, r.status, r.code, r.detail)
	case in.ran > 1:
		d.tally.fault("%s of %s: executed %d times by their own account", k.act.name, in.bizNo, in.ran)
	case r.status < 300 && r.answer != lost && in.result != r.body:
		d.tally.fault("%s of %s: two results: %s and %s", k.act.name, in.bizNo, in.result, r.body)
	}
	return r
}
