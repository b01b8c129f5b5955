package explain

import (
	"strings"

	"github.com/idemgen/idemgen/internal/cost"
	"github.com/idemgen/idemgen/internal/model"
)

// Event explains the generated function of one event of a state machine.
func Event(m *model.Machine, ev *model.Event, name, pkg, says string) Explanation {
	e := Explanation{Name: name, Kind: "event", Package: pkg, Mode: "autocommit, or the caller's transaction", Layers: []Layer{{Name: "guard", Says: says}},
		Consistency: "of all calls for one row exactly one applies the event: one UPDATE compares the state and changes it"}
	e.outcome("ok", "the row was in a source state, and is in the target now")
	e.outcome("duplicate_transition", duplicateWhen(m)+": this event brought the row where it is")
	e.outcome("superseded", duplicateWhen(m)+": this event was applied, and the row has moved on")
	eventOutcomes(&e, m, ev)
	e.outcome("error", "a driver's error stays what it is")
	switch {
	case len(m.History) > 0:
		e.cost("guard", "the event and its history, outside a transaction", cost.EventHistory)
	default:
		e.cost("guard", "the event", cost.Event)
	}
	e.cost("guard", "an event that does not apply: the update, and why not", cost.EventRefused)
	if ev.Once {
		e.cost("once", m.Name+ev.Ident+"Once", cost.OnceEvent)
		e.cost("once", "its duplicate", cost.OnceEventAgain)
	}
	e.crash("before the statement reaches the database", "nothing", "applies the event")
	history := ""
	if len(m.History) > 0 {
		history = " with its history row"
	}
	e.crash("after it, outside a transaction", "the row in the target state"+history, "Duplicate, or Superseded once the row has moved on")
	e.crash("after it, in a transaction that has not committed", "nothing: the database rolls back", "applies the event")
	if ev.Once {
		e.crash("after "+m.Name+ev.Ident+"Once has committed", "the row, its record"+with(history != "", "the history row"), "with the same key: the change that was made then")
	}
	return e
}

func duplicateWhen(m *model.Machine) string {
	if len(m.History) > 0 {
		return "the history says so"
	}
	return "the state itself proves it"
}

// eventOutcomes are those that an event has besides having been applied.
func eventOutcomes(e *Explanation, m *model.Machine, ev *model.Event) {
	e.outcome("illegal_transition", "no edge of "+ev.Ident+" leads from the row's state")
	var guards []string
	if ev.Where != nil {
		guards = append(guards, "where=")
	}
	if m.Version != "" {
		guards = append(guards, "the version")
	}
	if m.Fence != "" {
		guards = append(guards, "the fence")
	}
	if len(guards) > 0 {
		e.outcome("guard_failed", "there is an edge, but "+strings.Join(guards, " or ")+" does not hold")
	}
	missing := "there is no such row"
	if m.Where != nil {
		missing += ", or it does not meet the machine's where="
	}
	e.outcome("not_found", missing)
	e.outcome("transition_conflict", "the row changed between the update and the look why it did not apply")
	e.outcome("unknown_state", "the column holds NULL or a value that is no state")
}

// Update explains the generated function of one update of a versioned struct.
func Update(v *model.Version, u *model.Update, name, pkg, says string) Explanation {
	e := Explanation{Name: name, Kind: "update", Package: pkg, Mode: "autocommit, or the caller's transaction", Layers: []Layer{{Name: "version", Says: says}},
		Consistency: "optimistic: the update happens to the version that was read, or not at all"}
	e.outcome("ok", "the row had the expected version, and has the next one now")
	e.outcome("conflict", "the row has another version: read again, idem.RetryOnConflict does")
	if u.Where != nil {
		e.outcome("guard_failed", "the version fits, but where= does not hold")
	}
	e.outcome("not_found", "there is no such row")
	e.outcome("error", "a driver's error stays what it is")
	e.cost("version", "the update", cost.Event)
	e.cost("version", "an update that does not apply: the update, and why not", cost.EventRefused)
	e.crash("before the statement reaches the database", "nothing", "updates")
	e.crash("after it, outside a transaction", "the row with its next version", "idem.ErrConflict: its version is old")
	e.crash("after it, in a transaction that has not committed", "nothing: the database rolls back", "updates")
	return e
}
