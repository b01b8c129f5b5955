// Package storm shows the layer law as a table: whichever one layer of a payment is switched off, or loses its data under way, ten clicks are one payment; with all of them off they are not; and each layer alone stops a duplicate by itself.
//
// The flow: [Run] goes through the scenarios; each opens a shop behind a real listener, sends half of the clicks of every order, all at once, breaks what the scenario breaks, sends the other half, and counts the ledger.
package storm

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"

	"github.com/idemgen/idemgen/examples/payment/internal/layers"
	"github.com/idemgen/idemgen/examples/payment/internal/shop"
)

// Config says how hard it blows.
type Config struct {
	Shop   shop.Options // its database's orders and payments are deleted
	Orders int          // of each scenario
	Clicks int          // for each order, at least 2
}

// inFlight is how many orders are paid at once, each by half of its clicks.
const inFlight = 4

// hand is a way to click again.
type hand int

const (
	again hand = iota // the same request, sent again
	proxy             // through a proxy that makes a request id of its own; the token is the same
	tab               // from another tab, with a request id and a token of its own
)

// scenario is a row of the table.
type scenario struct {
	name    string
	hands   []hand         // in turn; nil = all of them
	off     []layers.Layer // from the beginning
	lose    []layers.Layer // after half of the clicks
	restart bool           // after half of the clicks
	doubles bool           // what must come of it: more payments than orders
}

// scenarios are the rows: everything on, each layer off, each layer's data lost, a restart, each layer alone against what it claims to stop, the outer two against what they don't, nothing on.
func scenarios() []scenario {
	all := layers.All()
	list := []scenario{{name: "all layers on"}}
	for _, l := range all {
		list = append(list, scenario{name: "without " + l.String(), off: []layers.Layer{l}})
	}
	for _, l := range all {
		list = append(list, scenario{name: l.String() + " loses its data", lose: []layers.Layer{l}})
	}
	list = append(list, scenario{name: "restarted", restart: true})
	for _, l := range all {
		sc := scenario{name: l.String() + " alone", off: without(all, l)}
		switch l {
		case layers.Gate:
			sc.name, sc.hands = sc.name+", one request id", []hand{again}
		case layers.Token:
			sc.name, sc.hands = sc.name+", one token", []hand{again, proxy}
		}
		list = append(list, sc)
	}
	return append(list,
		scenario{name: "gate alone, many request ids", off: without(all, layers.Gate), hands: []hand{proxy}, doubles: true},
		scenario{name: "token alone, many tokens", off: without(all, layers.Token), hands: []hand{tab}, doubles: true},
		scenario{name: "no layer at all", off: all, doubles: true},
	)
}

func without(list []layers.Layer, l layers.Layer) []layers.Layer {
	var rest []layers.Layer
	for _, other := range list {
		if other != l {
			rest = append(rest, other)
		}
	}
	return rest
}

// Run goes through all scenarios. Its error is one of the storm itself; what a scenario came to is in the report.
func Run(ctx context.Context, cfg Config) (*Report, error) {
	r := new(Report)
	for _, sc := range scenarios() {
		row, err := play(ctx, cfg, sc)
		if err != nil {
			return nil, fmt.Errorf("storm: %s: %w", sc.name, err)
		}
		r.Rows = append(r.Rows, row)
	}
	return r, nil
}

// play plays one scenario.
func play(ctx context.Context, cfg Config, sc scenario) (row Row, err error) {
	p, err := open(ctx, cfg.Shop)
	if err != nil {
		return row, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	if err := p.shop.Clear(ctx); err != nil {
		return row, err
	}
	for _, l := range sc.off {
		if err := p.shop.Set(ctx, l, false); err != nil {
			return row, err
		}
	}
	c := newCustomer(p.url, sc.hands)
	if err := c.order(ctx, cfg.Orders); err != nil {
		return row, err
	}
	if err := wave(ctx, c, cfg.Clicks/2); err != nil {
		return row, err
	}
	for _, l := range sc.lose {
		if err := p.shop.Lose(ctx, l); err != nil {
			return row, err
		}
	}
	if sc.restart {
		if err := p.close(); err != nil {
			return row, err
		}
		if p, err = open(ctx, cfg.Shop); err != nil {
			return row, err
		}
		c.moveTo(p.url)
	}
	if err := wave(ctx, c, cfg.Clicks-cfg.Clicks/2); err != nil {
		return row, err
	}
	row = c.row()
	row.Scenario, row.Doubles = sc.name, sc.doubles
	row.Effects, err = p.shop.Payments(ctx)
	return row, err
}

// wave sends clicks for every order.
func wave(ctx context.Context, c *customer, clicks int) error {
	orders := make(chan *wish, len(c.wishes))
	for _, w := range c.wishes {
		orders <- w
	}
	close(orders)
	return together(inFlight, func(int) error {
		for w := range orders {
			if err := together(clicks, func(i int) error { return c.click(ctx, w, i) }); err != nil {
				return err
			}
		}
		return nil
	})
}

// together runs n of do at once, and tells each its number.
func together(n int, do func(i int) error) error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { errs[i] = do(i) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// place is a shop behind a listener.
type place struct {
	shop *shop.Shop
	srv  *http.Server
	url  string
}

func open(ctx context.Context, o shop.Options) (*place, error) {
	s, err := shop.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	p := &place{shop: s, srv: &http.Server{Handler: s}, url: "http://" + ln.Addr().String()}
	go func() { _ = p.srv.Serve(ln) }() // ends when close does
	return p, nil
}

func (p *place) close() error { return errors.Join(p.srv.Close(), p.shop.Close()) }
