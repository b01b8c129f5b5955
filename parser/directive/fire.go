package directive

import (
	"strings"

	"github.com/idemgen/idemgen/parser/diag"
)

// Fire is //idem:fire Machine.Event: the guarded update of a state machine
// before the method, in its transaction.
type Fire struct {
	Machine Expr // Status, or orders.Status of an imported package
	Event   Name

	Key    Val[Expr]   `arg:"key,required" doc:"Go expression for the key of the row"`
	Args   List[Named] `arg:"args" form:"expression" doc:"what the event's parameters get, version and fence among them; by default the method's parameters of the same names"`
	Lookup Val[string] `arg:"lookup" form:"ident" doc:"method that answers when the event was applied already"`
}

func fireSpec() Spec {
	return Spec{
		Name:       "fire",
		Doc:        "moves a row of a state machine before the method runs, in the same transaction",
		Targets:    []TargetKind{Method, Func, InterfaceMethod},
		Positional: "Machine.Event",
		Head:       []string{"event"},
		New:        func() any { return new(Fire) },
	}
}

// positional reads Machine.Event: the last dot parts the two.
func (f *Fire) positional(d *decoder, a Arg) {
	dot := strings.LastIndexByte(a.Value.S, '.')
	if dot < 0 {
		d.add(diag.New(diag.CodeBadValue, a.Value.Pos(), "%q does not name a machine and an event", a.Value.S).
			WithHint("write it as Machine.Event, such as Status.Pay"))
		return
	}
	machine, event := a.Value.Slice(0, dot), a.Value.Slice(dot+1, len(a.Value.S))
	f.Machine, _ = d.constant(machine, "machine")
	f.Event, _ = d.identifier(event, "event")
}
