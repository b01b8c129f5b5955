package idem

import "strconv"

// Machine is a state machine as data: generated, read only and safe for
// concurrent use.
type Machine struct {
	Name   string // Status
	Table  string // as written, for messages
	Column ColumnKind
	States []StateInfo
	// Select is the classifying read (S2): the state column of the row; no row when
	// there is none, or another tenant's. A locking read on MySQL.
	Select GuardSQL
	// Initial is the index of the initial state; CreateRow writes it.
	Initial int
	// Version tells that the row has a version that every event bumps: behind the
	// key of FireEvent stands the expected one, or AnyVersion.
	Version bool
	// Fence tells that the row keeps the highest fence seen: behind key and version
	// stands the lock's.
	Fence bool
	// Lock locks the row and returns 1; no row when there is none. Only FireOnce on
	// Postgres needs it.
	Lock GuardSQL
	// Create makes a new row.
	Create CreateSQL
	// History is empty without a history.
	History HistorySQL
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
	// Update is the guarded update (S1). SQLite and Postgres return the number of
	// the edge that the row went along, from 1, and its new version where the
	// machine has one; no row when nothing matched. MySQL hands the number to
	// LAST_INSERT_ID, where there is a version edge + (len(Edges) + 1) * version; the
	// result's LastInsertId is 0 when nothing matched. Of a dynamic event it is the
	// first edge that leaves the source.
	Update GuardSQL
	// Check is the classifying read of an event with predicates: the state and the
	// GuardPart that fails, 0 for none; with a history also what that says of the
	// last time that the row left one of the sources: 2 by this event and nothing
	// came later, 1 something did, 0 or NULL neither. Zero: Machine.Select is used.
	Check GuardSQL
	// Dynamic: the caller names the target (FireTo). Edges are all that are legal,
	// ascending by From and To, and there are no Proofs.
	Dynamic bool
	// Batch changes many rows at once (FireBatch).
	Batch BatchSQL
	// Once is the one statement of a once event (FireOnce); Postgres only.
	Once OnceSQL
}

// AnyVersion as an expected version: any will do. As the version of a row: it has
// none, or which it has is unknown.
const AnyVersion int64 = -1

// Fired is an event that was applied.
type Fired struct {
	From, To int // state indices
	// Version is the row's new version; AnyVersion where the machine has none, or
	// where the row's is NULL, or on MySQL close to the largest integer.
	Version int64
}

// Change is a transition that was applied.
type Change[S any] struct {
	From, To S
	Version  int64 // the row's new version where the machine has one, as in Fired
}

// BatchResult is what became of one row of a batch: Change, or Err.
type BatchResult[S any] struct {
	Change Change[S]
	Err    error
}

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

// GuardPart says which of an event's predicates failed. The numbers stand in
// generated SQL.
type GuardPart uint8

// Guard parts. The zero value is none of them.
const (
	GuardWhere   GuardPart = iota + 1 // where= of the event, or a new row that is hidden by the machine's
	GuardVersion                      // the row has another version than expected
	GuardFence                        // the row has seen a higher fence
	GuardUnique                       // a new row, refused by another unique index
)

// String returns the part in lower case.
func (p GuardPart) String() string {
	if int(p) < len(guardNames) {
		return guardNames[p]
	}
	return guardNames[0]
}

var guardNames = [...]string{"none", "where", "version", "fence", "unique index"}

// TransitionError is an event that was not applied. errors.Is finds
// ErrTransition and the sentinel of its kind; where the version failed ErrConflict
// as well, so that RetryOnConflict reads the row again.
type TransitionError struct {
	Machine string
	Event   string
	From    string // the state that the row is in, by its Go constant; "" when there is no row
	Kind    TransitionKind
	Failed  GuardPart // of TransitionGuard
}

// Error tells machine, event, state and kind.
func (e *TransitionError) Error() string {
	s := "idem: " + e.Machine + "." + e.Event + ": " + e.Kind.String()
	if e.Failed != 0 {
		s += " (" + e.Failed.String() + ")"
	}
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
		return target == ErrGuardFailed || e.Failed == GuardVersion && target == ErrConflict
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
