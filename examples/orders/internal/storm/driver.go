package storm

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/idemgen/idemgen/examples/orders/order"
)

// driver sends the calls of the plan and keeps the tally. Safe for concurrent use.
type driver struct {
	cfg     Config
	plan    *plan
	fleet   *fleet
	client  *client
	tally   *tally
	gallows sync.Mutex // one death at a time
}

func newDriver(cfg Config, p *plan, f *fleet) *driver {
	return &driver{
		cfg: cfg, plan: p, fleet: f,
		client: newClient(cfg.Workers * cfg.Duplicates),
		tally:  newTally(p.acts),
	}
}

// drive takes every order through its life, many at once.
func (d *driver) drive(ctx context.Context) error {
	return each(ctx, d.cfg.Workers, d.plan.lives, func(ctx context.Context, l *life) error {
		if err := d.live(ctx, l); err != nil {
			return fmt.Errorf("order %s: %w", l.bizNo, err)
		}
		d.tally.finished()
		return d.fleet.check()
	})
}

// live takes one order through its life, then repeats every call, and then tries what must be refused.
func (d *driver) live(ctx context.Context, l *life) error {
	results := map[*act]string{}
	for _, a := range l.acts {
		in := &intention{call: l.honest(a), bizNo: l.bizNo, death: l.strikes[a.name]}
		if err := d.insist(ctx, in); err != nil {
			return err
		}
		if !in.done {
			return nil // a fault is noted, and what comes after builds upon it
		}
		results[a] = in.result
		if a.path == "" {
			var o order.Order
			if err := json.Unmarshal([]byte(in.result), &o); err != nil || o.ID == "" {
				return fmt.Errorf("storm: created order unreadable: %q: %v", in.result, err)
			}
			l.id = o.ID
		}
	}
	for _, a := range l.acts {
		err := d.expect(ctx, l, l.honest(a), "repeated at the end", func(r response) bool {
			return r.answer == replayed && r.body == results[a]
		})
		if err != nil {
			return err
		}
	}
	for _, k := range l.dishonest(d.plan.acts) {
		err := d.expect(ctx, l, k, "which must be refused", func(r response) bool { return r.answer == refused })
		if err != nil {
			return err
		}
	}
	return nil
}

// expect makes one call whose answer is known beforehand; where there is no answer there is nothing to complain of.
func (d *driver) expect(ctx context.Context, l *life, k call, what string, ok func(response) bool) error {
	r, err := d.send(ctx, d.anyServer(), k)
	if err != nil {
		return err
	}
	if !d.cfg.Unguarded && r.answer != lost && r.answer != unavailable && !ok(r) {
		d.tally.fault("%s of %s, %s: %s %s %s", k.act.name, l.bizNo, what, r.answer, r.code, r.detail)
	}
	return nil
}

// send makes one call and counts it.
func (d *driver) send(ctx context.Context, s *server, k call) (response, error) {
	r, err := d.client.send(ctx, s.url, k)
	if err != nil {
		return r, err
	}
	d.tally.count(k.act.name, r.answer)
	return r, nil
}

func (d *driver) anyServer() *server { return d.fleet.servers[rand.IntN(len(d.fleet.servers))] }

// pause waits, or until the context ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
