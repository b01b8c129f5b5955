package storm

import (
	"fmt"
	"slices"

	"github.com/idemgen/idemgen/examples/orders/internal/crash"
	"github.com/idemgen/idemgen/examples/orders/order"
)

// act is one operation of the service, as a client calls it.
type act struct {
	name  string
	step  order.Step // what it leaves in the journal; "" for the one that goes to the bank
	path  string     // below the order; "" for creating one
	body  func(l *life) any
	kills []crash.Point
}

// bankAct is the name of the operation in lease mode.
const bankAct = "NotifyBank"

// acts are all operations, in the order of an order's life.
func acts() []*act {
	nothing := func(*life) any { return struct{}{} }
	inTransaction := []crash.Point{crash.Claimed, crash.Written, crash.Committed}
	underLease := []crash.Point{crash.BankBefore, crash.BankAfter, crash.Committed}
	return []*act{
		{name: "Create", step: order.StepCreate, kills: inTransaction, body: func(l *life) any {
			return map[string]any{"bizNo": l.bizNo, "customer": l.customer, "amount": l.amount}
		}},
		{name: "Pay", step: order.StepPay, path: "pay", kills: inTransaction, body: func(l *life) any {
			return map[string]any{"amount": l.amount}
		}},
		{name: bankAct, path: "notify-bank", kills: underLease, body: nothing},
		{name: "Ship", step: order.StepShip, path: "ship", kills: inTransaction, body: func(*life) any {
			return map[string]any{"carrier": "Slow & Sure"}
		}},
		{name: "Sign", step: order.StepSign, path: "sign", kills: inTransaction, body: func(l *life) any {
			return map[string]any{"by": l.customer}
		}},
		{name: "Refund", step: order.StepRefund, path: "refund", kills: inTransaction, body: func(*life) any {
			return map[string]any{"reason": "wrong size"}
		}},
		{name: "Refunded", step: order.StepRefunded, path: "refunded", kills: inTransaction, body: nothing},
	}
}

// life is what one order is meant to go through.
type life struct {
	bizNo    string
	customer string
	amount   int64                  // cents
	strikes  map[string]crash.Point // where the first call of an operation dies, by operation
	acts     []*act

	id string // once it is created
}

// refunded tells whether the order ends with its money given back.
func (l *life) refunded() bool { return l.acts[len(l.acts)-1].name == "Refunded" }

// url is where an operation of this order is called.
func (l *life) url(a *act) string {
	if a.path == "" {
		return "/orders"
	}
	return "/orders/" + l.id + "/" + a.path
}

// plan is all that is intended.
type plan struct {
	acts  []*act
	lives []*life
}

// newPlan plans all lives; each operation dies cfg.Kills times at each of its points, each time with another order.
func newPlan(cfg Config) *plan {
	p := &plan{acts: acts()}
	pick := func(names ...string) []*act {
		return slices.DeleteFunc(slices.Clone(p.acts), func(a *act) bool { return !slices.Contains(names, a.name) })
	}
	shipped := pick("Create", "Pay", bankAct, "Ship", "Sign")
	refunded := pick("Create", "Pay", bankAct, "Refund", "Refunded")
	for n := range cfg.Orders {
		l := &life{
			bizNo:    fmt.Sprintf("biz-%05d", n),
			customer: fmt.Sprintf("customer-%02d", n%customers),
			amount:   int64(1000 + n),
			strikes:  map[string]crash.Point{},
			acts:     shipped,
		}
		if n%2 == 1 {
			l.acts = refunded
		}
		p.lives = append(p.lives, l)
	}
	p.condemn(cfg.Kills)
	return p
}

// condemn plans the deaths, spread over the whole storm: the n-th of all falls upon the n-th part of the orders, or the next one after it that goes through the operation and does not die in it yet.
// When there are too few orders some are not planned, and the report says so.
func (p *plan) condemn(kills int) {
	type death struct {
		act   *act
		point crash.Point
	}
	var deaths []death
	for range kills {
		for _, a := range p.acts {
			for _, point := range a.kills {
				deaths = append(deaths, death{a, point})
			}
		}
	}
	for n, d := range deaths {
		first := n * len(p.lives) / len(deaths)
		for i := range p.lives {
			l := p.lives[(first+i)%len(p.lives)]
			if _, taken := l.strikes[d.act.name]; !taken && slices.Contains(l.acts, d.act) {
				l.strikes[d.act.name] = d.point
				break
			}
		}
	}
}

// intentions counts the orders that are meant to go through an operation.
func (p *plan) intentions(a *act) int {
	n := 0
	for _, l := range p.lives {
		if slices.Contains(l.acts, a) {
			n++
		}
	}
	return n
}

// deaths counts the kills that are planned.
func (p *plan) deaths() int {
	n := 0
	for _, l := range p.lives {
		n += len(l.strikes)
	}
	return n
}

// honest is a call as a client with that intention sends it.
func (l *life) honest(a *act) call {
	return call{act: a, path: l.url(a), body: a.body(l)}
}

// dishonest are calls that must be refused once the whole life was gone through: they intend nothing.
func (l *life) dishonest(all []*act) []call {
	greedy := *l
	greedy.amount++
	var calls []call
	for _, a := range all {
		switch {
		case a.name == "Create", a.name == "Pay": // the same key, another payload
			calls = append(calls, greedy.honest(a))
		case !slices.Contains(l.acts, a): // the way that this order did not go
			calls = append(calls, l.honest(a))
		}
	}
	return calls
}

// call is one HTTP request to the service.
type call struct {
	act  *act
	path string
	body any
	dies crash.Point // "" for a call that is meant to live
}
