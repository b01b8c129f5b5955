package sqlstoretest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/templates/sqltext/sqlcases"
)

// Every statement of the golden files does on every database what it is for.
func TestLaw_S1_EveryFeatureOnEveryDatabase(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		for _, c := range sqlcases.All() {
			t.Run(c.Name, func(t *testing.T) {
				r := d.machineCase(t, c)
				for i := range r.events {
					e := &r.events[i]
					r.everyPair(e)
					r.refusals(e)
					r.batches(e)
					r.once(e)
				}
				r.creates()
			})
		}
	})
}

// everyPair fires an event on a row in each state.
func (r *machineCase) everyPair(e *idem.EventInfo) {
	ctx := idem.WithActor(context.Background(), "ann")
	targets := []int{-1}
	if e.Dynamic {
		targets = nil
		for to := range r.machine.States {
			targets = append(targets, to)
		}
	}
	for from := range r.machine.States {
		for _, to := range targets {
			what := fmt.Sprintf("%s %d → %d", e.Name, from, to)
			r.put("o", from)
			r.put("other", from)
			fired, err := r.fireWith(ctx, e, to, "o", fits())
			want := target(e, from, to)
			r.is(what, "other", from)
			if want < 0 {
				if !errors.Is(err, idem.ErrIllegalTransition) {
					r.Errorf("%s: %v", what, err)
				}
				r.is(what, "o", from)
				continue
			}
			version := idem.AnyVersion
			if r.machine.Version {
				version = versionBefore + 1
			}
			if err != nil || fired != (idem.Fired{From: from, To: want, Version: version}) {
				r.Errorf("%s: %+v, %v", what, fired, err)
				continue
			}
			r.is(what, "o", want)
			r.traces(what, e, from, want)
		}
	}
}

// traces checks what an event leaves beside the state.
func (r *machineCase) traces(what string, e *idem.EventInfo, from, to int) {
	r.Helper()
	m := r.model
	if m.Version != "" {
		if got := r.column("o", m.Version); got != fmt.Sprint(versionBefore+1) {
			r.Errorf("%s: version %s", what, got)
		}
	}
	if m.Fence != "" {
		if got := r.column("o", m.Fence); got != "100" {
			r.Errorf("%s: fence %s", what, got)
		}
	}
	if len(m.History) > 0 {
		n := r.count("SELECT COUNT(*) FROM "+r.dialect.Table(m.History)+" WHERE row_key = 'o' AND from_state = ? AND to_state = ? AND event = ? AND actor = 'ann' AND idem_key IS NULL AND at_us BETWEEN ? AND ?",
			r.stateArg(from), r.stateArg(to), e.Name, time.Now().UnixMicro()-600_000_000, time.Now().UnixMicro()+600_000_000)
		if n != 1 || r.histories("o") != 1 {
			r.Errorf("%s: %d of %d rows of the history are right", what, n, r.histories("o"))
		}
	}
	switch r.c.Name {
	case "set":
		if by, times, was := r.column("o", "changed_by"), r.column("o", "times"), r.column("o", "was"); by != "me" || times != "2" || was != m.States[from].SQL.Text {
			r.Errorf("%s: set %q, %q, %q", what, by, times, was)
		}
	}
}

// refusals fires on a legal row with each predicate failing.
func (r *machineCase) refusals(e *idem.EventInfo) {
	ctx := context.Background()
	from, to := e.Edges[0].From, e.Edges[0].To
	refused := func(what string, s shot, kind error, part idem.GuardPart) {
		r.Helper()
		r.put("o", from)
		if r.model.Fence != "" {
			r.exec("UPDATE " + r.dialect.Table(r.model.Table) + " SET " + r.dialect.Name(r.model.Fence) + " = 100")
		}
		_, err := r.fireWith(ctx, e, to, "o", s)
		var te *idem.TransitionError
		if !errors.As(err, &te) || !errors.Is(err, kind) || te.Failed != part || errors.Is(err, idem.ErrConflict) != (part == idem.GuardVersion) {
			r.Errorf("%s, %s: %v", e.Name, what, err)
		}
		r.is(e.Name+", "+what, "o", from)
		if n := r.histories("o"); n > 0 {
			r.Errorf("%s, %s: %d rows of the history", e.Name, what, n)
		}
	}
	with := func(change func(s *shot)) shot {
		s := fits()
		change(&s)
		return s
	}
	if r.c.Wrong != nil {
		refused("where fails", with(func(s *shot) { s.instead = r.c.Wrong }), idem.ErrGuardFailed, idem.GuardWhere)
	}
	if r.c.Foreign != nil {
		refused("another tenant", with(func(s *shot) { s.instead = r.c.Foreign }), idem.ErrNotFound, 0)
	}
	if r.machine.Version {
		for _, v := range []int64{0, versionBefore - 1, versionBefore + 1, 1 << 31, 1<<63 - 1} {
			refused(fmt.Sprint("version ", v), with(func(s *shot) { s.version = v }), idem.ErrGuardFailed, idem.GuardVersion)
		}
	}
	if r.machine.Fence {
		refused("stale fence", with(func(s *shot) { s.fence = 99 }), idem.ErrGuardFailed, idem.GuardFence)
	}
	if _, err := r.fireWith(ctx, e, to, "nobody", fits()); !errors.Is(err, idem.ErrNotFound) {
		r.Errorf("%s, no row: %v", e.Name, err)
	}
}

// batches fires on rows in every state at once: each gets what it would get alone.
func (r *machineCase) batches(e *idem.EventInfo) {
	ctx := idem.WithActor(context.Background(), "ann")
	if e.Dynamic {
		if _, err := idem.FireBatch(ctx, r.db, r.on.dialect, &r.machine, e, []any{"o"}); !errors.Is(err, idem.ErrInvalidOp) {
			r.Errorf("%s, many: %v", e.Name, err)
		}
		return
	}
	var keys []any
	var states []int
	for round := range 2 {
		for s := range r.machine.States {
			id := fmt.Sprintf("b%d%d", round, s)
			r.put(id, s)
			keys, states = append(keys, id), append(states, s)
		}
	}
	keys = append(keys, "nobody", keys[0])
	got, err := idem.FireBatch(ctx, r.db, r.on.dialect, &r.machine, e, keys, r.args(e, fits(), true)...)
	if err != nil || len(got) != len(keys) {
		r.Errorf("%s, many: %d outcomes, %v", e.Name, len(got), err)
		return
	}
	for i, from := range states {
		want := target(e, from, -1)
		switch o := got[i]; {
		case want < 0 && !errors.Is(o.Err, idem.ErrIllegalTransition):
			r.Errorf("%s, many, %d: %v", e.Name, from, o.Err)
		case want >= 0 && (o.Err != nil || o.Fired.From != from || o.Fired.To != want || r.machine.Version && o.Fired.Version != versionBefore+1):
			r.Errorf("%s, many, %d: %+v", e.Name, from, o)
		}
		if i == 0 {
			continue // it is fired again
		}
		if want < 0 {
			want = from
		}
		r.is(e.Name+", many", keys[i].(string), want)
		if n, moved := r.histories(keys[i].(string)), target(e, from, -1) >= 0; n >= 0 && (n == 1) != moved {
			r.Errorf("%s, many, %d: %d rows of the history", e.Name, from, n)
		}
	}
	if o := got[len(keys)-2]; !errors.Is(o.Err, idem.ErrNotFound) {
		r.Errorf("%s, many, no row: %+v", e.Name, o)
	}
	// The last one is the first again: what it gets is what a second call would.
	again, first := got[len(keys)-1], target(e, states[0], -1)
	if first < 0 {
		first = states[0]
	}
	if applies := target(e, first, -1) >= 0; applies != (again.Err == nil) {
		r.Errorf("%s, many, again: %+v", e.Name, again)
	}
}

// once fires with a key of its own, and once more.
func (r *machineCase) once(e *idem.EventInfo) {
	ctx := idem.WithActor(context.Background(), "ann")
	if len(e.Once.Parts) == 0 {
		return
	}
	engine := idem.New(idem.GlobalScope)
	for from := range r.machine.States {
		op := idem.Op{Name: "once." + e.Name}
		fire := func() (idem.Fired, error) {
			call := engine.Call(ctx, &op, idem.String(fmt.Sprint(from))).Match(idem.String("o"))
			return idem.FireOnce(ctx, r.store, call, &r.machine, e, "o", r.args(e, fits(), false)...)
		}
		r.put("o", from)
		what, want := fmt.Sprintf("%s once from %d", e.Name, from), target(e, from, -1)
		records := func() int { return r.count("SELECT COUNT(*) FROM idem_records WHERE state = 1") }
		before := records()
		first, err := fire()
		if want < 0 {
			if !errors.Is(err, idem.ErrIllegalTransition) || records() != before {
				r.Errorf("%s: %v, %d records more", what, err, records()-before)
			}
			continue
		}
		if err != nil || first.From != from || first.To != want || r.machine.Version && first.Version != versionBefore+1 || records() != before+1 {
			r.Errorf("%s: %+v, %v, %d records more", what, first, err, records()-before)
		}
		second, err := fire()
		if err != nil || second != first {
			r.Errorf("%s, again: %+v, %v", what, second, err)
		}
		r.is(what, "o", want)
		if n := r.histories("o"); n >= 0 && n != 1 {
			r.Errorf("%s: %d rows of the history", what, n)
		}
		if n := r.histories("o"); n == 1 && r.count("SELECT COUNT(*) FROM "+r.dialect.Table(r.model.History)+" WHERE row_key = 'o' AND idem_key LIKE '%once."+e.Name+"%'") != 1 {
			r.Errorf("%s: the history doesn't know the key", what)
		}
		if other, err := idem.OnceTx(ctx, r.store, engine.Call(ctx, &op, idem.String(fmt.Sprint(from))).Match(idem.String("p")), func(context.Context, *sql.Tx) (int, error) { return 0, nil }); !errors.Is(err, idem.ErrKeyReused) {
			r.Errorf("%s, another payload: %v, %v", what, other, err)
		}
	}
}

// creates makes a row, and once more.
func (r *machineCase) creates() {
	ctx := idem.WithActor(context.Background(), "ann")
	args := func(instead map[string]any) []any {
		var list []any
		for _, p := range r.model.CreateParams {
			v, given := instead[p.Name]
			if !given {
				v = r.c.Values[p.Name]
			}
			list = append(list, v)
		}
		return list
	}
	create := func(instead map[string]any) error {
		return idem.CreateRow(ctx, r.db, r.on.dialect, &r.machine, "new", args(instead)...)
	}
	if err := create(nil); err != nil {
		r.Fatalf("create: %v", err)
	}
	r.is("create", "new", r.machine.Initial)
	if r.machine.Version && r.column("new", r.model.Version) != "0" {
		r.Errorf("create: version %s", r.column("new", r.model.Version))
	}
	if r.c.Name == "create" && (r.column("new", "amount") != "6" || r.column("new", "note") != "new") {
		r.Errorf("create: %s, %s", r.column("new", "amount"), r.column("new", "note"))
	}
	if n := r.histories("new"); n >= 0 && (n != 1 || r.count("SELECT COUNT(*) FROM "+r.dialect.Table(r.model.History)+" WHERE row_key = 'new' AND from_state IS NULL AND to_state = ? AND event = 'Create' AND actor = 'ann'", r.stateArg(r.machine.Initial)) != 1) {
		r.Errorf("create: %d rows of the history", n)
	}
	var te *idem.TransitionError
	if err := create(nil); !errors.As(err, &te) || te.Kind != idem.TransitionDuplicate {
		r.Errorf("create twice: %v", err)
	}
	if r.c.Foreign != nil && len(r.model.History) > 0 { // the key is unique over all tenants
		if err := create(r.c.Foreign); !errors.As(err, &te) || te.Kind != idem.TransitionGuard || te.Failed != idem.GuardWhere {
			r.Errorf("create in another tenant: %v", err)
		}
	}
	if r.machine.States[r.machine.Initial].Value == "" || len(r.machine.States) < 2 {
		return
	}
	r.put("new", 1)
	if err := create(nil); !errors.As(err, &te) || te.Kind != idem.TransitionSuperseded {
		r.Errorf("create of a row that moved: %v", err)
	}
	r.is("create of a row that moved", "new", 1)
}
