package idem

import "strconv"

// Machine is a state machine as data: generated, read only and safe for
// concurrent use.
type Machine struct {
	Name   string // Status
	Table  string // as written, for messages
	Column ColumnKind
	States []StateInfo
	// Select is the classifying read (S2): the state column of the row whose key
	// is the only argument; no row when there is none. A locking read on MySQL.
	Select SQL
}

// ColumnKind says what a state column holds.
type ColumnKind uint8

// Column kinds.
const (
	TextColumn ColumnKind = iota
	IntColumn
	BoolColumn
)

// StateInfo is one state.
type StateInfo struct {
	Name string // Go constant: Created
	// Value is the state as the column's text: CREATED, -1, or true and false.
	Value string
	Final bool
	// DominatedBy has bit i%64 of word i/64 set for every state i that all paths
	// from the initial state to this one pass through, itself included.
	DominatedBy []uint64
}

// Edge is one transition between state indices.
type Edge struct{ From, To int }

// EventInfo is one event of a machine with its edges and its guarded update.
type EventInfo struct {
	Name  string // Pay
	Edges []Edge // ascending by From, each From once
	// Proofs are the targets, as state indices, that prove this event: it alone
	// leads into them, and none is the initial state (S2).
	Proofs []int
	// Unambiguous is short for all targets in Proofs.
	Unambiguous bool
	Update      EventSQL
	// Check is the classifying read of an event with predicates: two columns, the
	// state and whether the predicates hold. Zero: Machine.Select is used.
	Check SQL
}

// EventSQL is the guarded update of an event (S1). Its only argument is the key.
type EventSQL struct {
	// SQLite has one UPDATE per edge, in the order of Edges, tried in order: the
	// source state is known from the statement that affected a row.
	SQLite []string
	// Postgres is one UPDATE … RETURNING the index of the edge that it went
	// along, in Edges, plus 1; no row when nothing matched.
	Postgres string
	// MySQL is one UPDATE that hands the index of the edge that it went along, in
	// Edges, plus 1 to LAST_INSERT_ID; the result's LastInsertId is 0 when nothing
	// matched.
	MySQL string
}

// Change is a transition that was applied.
type Change[S any] struct{ From, To S }

// TransitionKind says why an event was not applied (S2).
type TransitionKind uint8

// Transition kinds. The zero value is none of them.
const (
	TransitionDuplicate  TransitionKind = iota + 1 // this event was applied before, the row is in its target
	TransitionSuperseded                           // this event was applied before, the row has moved on
	TransitionIllegal                              // the event has no edge from the row's state
	TransitionGuard                                // there is an edge, but a predicate, version or fence failed
	TransitionNotFound                             // there is no such row
	TransitionConflict                             // the row moved while the event was fired
)

// String returns the kind in lower case.
func (k TransitionKind) String() string {
	if int(k) < len(transitionNames) {
		return transitionNames[k]
	}
	return transitionNames[0]
}

var transitionNames = [...]string{"invalid", "duplicate", "superseded", "illegal", "guard failed", "not found", "conflict"}

// TransitionError is an event that was not applied. errors.Is finds
// ErrTransition and the sentinel of its kind.
type TransitionError struct {
	Machine string
	Event   string
	From    string // the state that the row is in, by its Go constant; "" when there is no row
	Kind    TransitionKind
}

// Error tells machine, event, state and kind.
func (e *TransitionError) Error() string {
	s := "idem: " + e.Machine + "." + e.Event + ": " + e.Kind.String()
	if e.From != "" {
		s += " in state " + e.From
	}
	return s
}

// Is tells whether target is ErrTransition or the sentinel of the kind.
func (e *TransitionError) Is(target error) bool {
	if target == ErrTransition {
		return true
	}
	switch e.Kind {
	case TransitionDuplicate:
		return target == ErrDuplicateTransition
	case TransitionSuperseded:
		return target == ErrSuperseded
	case TransitionIllegal:
		return target == ErrIllegalTransition
	case TransitionGuard:
		return target == ErrGuardFailed
	case TransitionNotFound:
		return target == ErrNotFound
	case TransitionConflict:
		return target == ErrTransitionConflict
	}
	return false
}

// UnknownStateError is a value, or NULL, that no state of the machine has (S8).
// errors.Is finds ErrUnknownState.
type UnknownStateError struct {
	Machine string
	Value   string // at most 64 bytes of it
	Null    bool
}

// Error tells the machine and the value.
func (e *UnknownStateError) Error() string {
	if e.Null {
		return "idem: " + e.Machine + ": unknown state NULL"
	}
	return "idem: " + e.Machine + ": unknown state " + strconv.Quote(e.Value)
}

// Unwrap returns ErrUnknownState.
func (e *UnknownStateError) Unwrap() error { return ErrUnknownState }
