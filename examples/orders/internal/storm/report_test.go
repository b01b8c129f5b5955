package storm

import (
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/examples/orders/internal/crash"
	"github.com/idemgen/idemgen/examples/orders/order"
)

// calm is a storm in which all went as promised: its plan, what callers saw and what the audit found.
func calm(cfg Config) (*plan, *tally, *findings) {
	p := newPlan(cfg)
	t := newTally(p.acts)
	f := &findings{effects: map[effect]int{}, states: map[string]order.Status{}, balance: customers * wealth}
	for _, l := range p.lives {
		for _, a := range l.acts {
			t.count(a.name, executed)
			f.effects[effect{a.name, l.bizNo}] = 1
			if point, dies := l.strikes[a.name]; dies {
				t.killed(a.name, point)
				if point == crash.BankBefore || point == crash.BankAfter {
					t.reconciled()
				}
			}
		}
		f.states[l.bizNo] = order.Refunded
		if !l.refunded() {
			f.states[l.bizNo] = order.Completed
			f.balance -= l.amount
		}
	}
	return p, t, f
}

func TestReportFindsEveryBrokenPromise(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(p *plan, t *tally, f *findings)
		fault string // "" for none
	}{
		{"nothing", func(*plan, *tally, *findings) {}, ""},
		{"an effect is doubled", func(p *plan, _ *tally, f *findings) { f.effects[effect{"Pay", p.lives[3].bizNo}]++ }, "Pay of biz-00003: 2 effects"},
		{"an effect is missing", func(p *plan, _ *tally, f *findings) { delete(f.effects, effect{"Ship", p.lives[2].bizNo}) }, "Ship of biz-00002: 0 effects"},
		{"one doubled, one missing", func(p *plan, _ *tally, f *findings) {
			f.effects[effect{"Create", p.lives[0].bizNo}]++
			f.effects[effect{"Create", p.lives[1].bizNo}]--
		}, "Create of biz-00001: 0 effects"},
		{"an effect that nobody intended", func(p *plan, _ *tally, f *findings) { f.effects[effect{"Ship", p.lives[1].bizNo}] = 1 }, "nobody intended"},
		{"the bank is told twice", func(p *plan, _ *tally, f *findings) { f.effects[effect{bankAct, p.lives[5].bizNo}] = 2 }, "NotifyBank of biz-00005: 2 effects"},
		{"the bank is told twice at once", func(_ *plan, _ *tally, f *findings) { f.overlap = 1 }, "twice at once"},
		{"money is gone", func(_ *plan, _ *tally, f *findings) { f.balance-- }, "cents"},
		{"an order is stuck", func(p *plan, _ *tally, f *findings) { f.states[p.lives[4].bizNo] = order.Paid }, "biz-00004 ends PAID"},
		{"a kill missed", func(_ *plan, t *tally, _ *findings) { t.kills[place{"Sign", crash.Written}]-- }, "Sign: 0 of 1 kills landed at written"},
		{"nothing was held", func(_ *plan, t *tally, _ *findings) { t.held = 0 }, "only 0 keys were reconciled"},
		{"a caller saw a fault", func(_ *plan, t *tally, _ *findings) { t.fault("two results") }, "two results"},
	} {
		cfg := Config{Orders: 12, Kills: 1}
		p, tl, f := calm(cfg)
		c.spoil(p, tl, f)
		r := newReport(cfg, p, tl, f, time.Second)
		if r.OK() != (c.fault == "") {
			t.Errorf("%s: OK is %v: %q", c.name, r.OK(), r.Faults)
		}
		if !strings.Contains(strings.Join(r.Faults, "\n"), c.fault) {
			t.Errorf("%s: faults %q, want %q", c.name, r.Faults, c.fault)
		}
		var b strings.Builder
		if err := r.Write(&b); err != nil || strings.Contains(b.String(), "A promise was broken") != (c.fault != "") {
			t.Errorf("%s: the verdict is wrong: %v %s", c.name, err, &b)
		}
	}
}

func TestUnguardedStormMustCatchEveryOperation(t *testing.T) {
	cfg := Config{Orders: 12, Kills: 1, Unguarded: true}
	p, tl, f := calm(cfg)
	if r := newReport(cfg, p, tl, f, time.Second); r.OK() {
		t.Error("a storm that finds no fault is said to have found it")
	}
	for _, a := range p.acts {
		for _, l := range p.lives {
			f.effects[effect{a.name, l.bizNo}]++
		}
	}
	if r := newReport(cfg, p, tl, f, time.Second); !r.OK() {
		t.Errorf("every operation is doubled, and yet: %q", r.Faults)
	}
}

func TestPlanSpreadsTheDeaths(t *testing.T) {
	cfg := Config{Orders: 60, Kills: 2}
	p := newPlan(cfg)
	planned := map[place]int{}
	halves := [2]int{}
	for n, l := range p.lives {
		for act, point := range l.strikes {
			planned[place{act, point}]++
			halves[n*2/len(p.lives)]++
		}
	}
	for _, a := range p.acts {
		for _, point := range a.kills {
			if n := planned[place{a.name, point}]; n != cfg.Kills {
				t.Errorf("%s dies %d times at %s", a.name, n, point)
			}
		}
	}
	if halves[0] == 0 || halves[1] == 0 {
		t.Errorf("deaths in the first and the second half: %v", halves)
	}
	if n := newPlan(Config{Orders: 1, Kills: 1}).deaths(); n >= p.deaths()/2 {
		t.Errorf("one order can't die %d times", n)
	}
}
