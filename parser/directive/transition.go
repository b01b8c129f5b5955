package directive

import (
	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

// Transition is //idem:transition Event A,B -> C, Event * - A,B -> C, or
// Event A,B -> :to.
type Transition struct {
	Event   Name
	Sources []Elem // named states; empty with Wildcard
	// Wildcard is set for *: every state but the Except ones.
	Wildcard *Wildcard
	Target   Elem
	// Param is the parameter for the target of a dynamic event (-> :to), in place
	// of Target; its Text is "" otherwise.
	Param Name

	Once   Val[bool]        `arg:"once,flag" doc:"gives the event an idempotency key of its own: a second function runs it at most once per key"`
	TTL    Val[Retention]   `arg:"ttl" default:"24h" doc:"of a once event: how long its record is kept and answers duplicates"`
	Set    Val[Assignments] `arg:"set" doc:"further columns that the event sets, in SQL; :name is a parameter of the event's function, :Name a Go constant"`
	Where  Val[Fragment]    `arg:"where" doc:"what must hold besides the state, in SQL; a row for which it does not is left alone, and the outcome is Guard"`
	Params List[Named]      `arg:"params" form:"type" doc:"Go types of the parameters in set= and where=; string where none is given"`
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
		Head:       []string{"event", "edge"},
		New:        func() any { return new(Transition) },
		head:       transitionHead,
	}
}

// validate refuses a retention of nothing, and a record that could not say where
// the caller wanted to go.
func (tr *Transition) validate(d *decoder) {
	if tr.Once.Set && tr.Param.Text != "" {
		d.add(diag.New(diag.CodeContradiction, tr.Once.KeyPos, "once can't be had with a target that the caller names").
			WithRelated(tr.Param.Pos, "the target is here").
			WithHint("give each target an event of its own, or guard the method that fires this one with //idem:once"))
	}
	if tr.TTL.Set && !tr.Once.Set {
		d.add(diag.New(diag.CodeArgumentNeedsOther, tr.TTL.KeyPos, "ttl= has no effect without once: no record is kept").
			WithHint("add once, or remove ttl="))
	}
}
