package storm

import (
	"fmt"
	"slices"
	"time"

	"github.com/idemgen/idemgen/examples/orders/internal/crash"
	"github.com/idemgen/idemgen/examples/orders/order"
)

// Row is what happened to one operation.
type Row struct {
	Operation  string
	Intentions int // things that clients wanted to happen once
	Calls      int // requests sent for them, and those that intend nothing
	Effects    int // things that did happen, counted in the database and at the bank
	Executed   int // replies that say the method ran; fewer than effects when a reply was lost
	Replayed   int
	InProgress int
	Refused    int
	Unknown    int
	Lost       int                 // no reply, or none but "not now"
	Kills      map[crash.Point]int // processes killed at a point of this operation
	Points     []crash.Point       // the points it has
}

// Report is the outcome of a storm.
type Report struct {
	Unguarded  bool
	Rows       []Row
	Reconciled int // held keys that were resolved after asking the bank
	Kills      int
	Elapsed    time.Duration
	// Faults are the broken promises of the guarded service, empty when there are none. The unguarded service makes no promises; there they tell what it was not caught at.
	Faults []string
}

// OK tells whether the storm ended as it must: with no promise broken, or, unguarded, with every operation caught.
func (r *Report) OK() bool { return len(r.Faults) == 0 }

// newReport compares what was intended with what was found.
func newReport(cfg Config, p *plan, t *tally, f *findings, elapsed time.Duration) *Report {
	r := &Report{Unguarded: cfg.Unguarded, Reconciled: t.held, Elapsed: elapsed}
	for _, a := range p.acts {
		n := t.answers[a.name]
		row := Row{
			Operation:  a.name,
			Intentions: p.intentions(a),
			Executed:   n[executed],
			Replayed:   n[replayed],
			InProgress: n[inProgress],
			Refused:    n[refused],
			Unknown:    n[unknown],
			Lost:       n[lost] + n[unavailable],
			Kills:      map[crash.Point]int{},
			Points:     a.kills,
		}
		for _, calls := range n {
			row.Calls += calls
		}
		for e, times := range f.effects {
			if e.act == a.name {
				row.Effects += times
			}
		}
		for _, point := range a.kills {
			k := t.kills[place{a.name, point}]
			row.Kills[point] = k
			r.Kills += k
			if k < cfg.Kills {
				r.fault("%s: %d of %d kills landed at %s", a.name, k, cfg.Kills, point)
			}
		}
		r.Rows = append(r.Rows, row)
	}
	if cfg.Unguarded {
		r.judgeUnguarded()
		return r
	}
	r.Faults = append(r.Faults, t.faults...)
	if t.more > 0 {
		r.fault("… and %d more", t.more)
	}
	r.judge(p, f)
	return r
}

// judgeUnguarded demands that the storm finds the fault: effects above intentions in every operation.
func (r *Report) judgeUnguarded() {
	for _, row := range r.Rows {
		if row.Effects <= row.Intentions {
			r.fault("%s: %d effects of %d intentions: the storm did not find the fault", row.Operation, row.Effects, row.Intentions)
		}
	}
}

// judge demands what is promised. Transaction mode: each intention has exactly one effect, the money and the states agree with that, and nothing else happened.
// Lease mode: the bank was never told twice, never twice at once, and in the end, everything being reconciled, it was told.
func (r *Report) judge(p *plan, f *findings) {
	intended := map[effect]bool{}
	balance := int64(customers) * wealth
	for _, l := range p.lives {
		for _, a := range l.acts {
			e := effect{a.name, l.bizNo}
			intended[e] = true
			if n := f.effects[e]; n != 1 {
				r.fault("%s of %s: %d effects", a.name, l.bizNo, n)
			}
		}
		want := order.Completed
		if l.refunded() {
			want = order.Refunded
		} else {
			balance -= l.amount
		}
		if got := f.states[l.bizNo]; got != want {
			r.fault("%s ends %s, not %s", l.bizNo, got, want)
		}
	}
	for e, n := range f.effects {
		if n > 0 && !intended[e] {
			r.fault("%s of %s: %d effects, and nobody intended any", e.act, e.bizNo, n)
		}
	}
	if f.balance != balance {
		r.fault("the customers have %d cents, and should have %d", f.balance, balance)
	}
	if f.overlap > 0 {
		r.fault("the bank was told twice at once of one order, %d times", f.overlap)
	}
	r.crashesHeld()
	slices.Sort(r.Faults)
}

// crashesHeld demands that each key whose owner vanished inside the call of the bank was held and reconciled.
func (r *Report) crashesHeld() {
	vanished := 0
	for _, row := range r.Rows {
		vanished += row.Kills[crash.BankBefore] + row.Kills[crash.BankAfter]
	}
	if r.Reconciled < vanished {
		r.fault("%d owners vanished inside the call of the bank, only %d keys were reconciled", vanished, r.Reconciled)
	}
}

func (r *Report) fault(format string, args ...any) {
	r.Faults = append(r.Faults, fmt.Sprintf(format, args...))
}
