package directive

import "github.com/idemgen/idemgen/internal/model"

// Transition is //idem:transition Event A,B -> C, or Event * - A,B -> C.
type Transition struct {
	Event   Name
	Sources []Elem // named states; empty with Wildcard
	// Wildcard is set for *: every state but the Except ones.
	Wildcard *Wildcard
	Target   Elem

	Once  Planned `arg:"once,flag" doc:"gives the event a key of its own"`
	Set   Planned `arg:"set" doc:"further columns that the transition sets"`
	Where Planned `arg:"where" doc:"further predicates of the guard"`
}

// Wildcard is the source * - A,B.
type Wildcard struct {
	Pos    model.Pos // of the *
	Except []Elem
}

func transitionSpec() Spec {
	return Spec{
		Name:       "transition",
		Doc:        "one event of the state machine of the same declaration",
		Targets:    []TargetKind{Type, ConstBlock, VarBlock},
		Repeatable: true,
		Positional: "Event A,B -> C",
		New:        func() any { return new(Transition) },
		head:       transitionHead,
	}
}
