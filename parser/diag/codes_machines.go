package diag

// Codes of state machines.
const (
	CodeUnknownState        Code = "IDEM401"
	CodeDuplicateTransition Code = "IDEM402" // one (state, event) twice
	CodeUnreachableState    Code = "IDEM403"
	CodeDeadEnd             Code = "IDEM404" // no way out, and not final
	CodeEdgeOutOfFinal      Code = "IDEM405"
	CodeDuplicateValue      Code = "IDEM406" // two constants with one value
	CodeStateValue          Code = "IDEM407" // a value that doesn't fit the column
	CodeNoStates            Code = "IDEM408"
	CodeStateType           Code = "IDEM409" // a type that can't be a state
	CodeUnknownMachine      Code = "IDEM410"
	CodeUnknownEvent        Code = "IDEM411"
	CodeNoTransitions       Code = "IDEM412"
	CodeLooseTransition     Code = "IDEM413" // transition without statemachine
	CodeEmptyWildcard       Code = "IDEM414" // * - A,B leaves nothing
	CodeColumnName          Code = "IDEM415" // table or column name that can't be one
	CodeMixedConstants      Code = "IDEM416" // const block of several types
	CodeFireKeyType         Code = "IDEM417" // key doesn't fit the machine's keytype
	CodeShadowedTransition  Code = "IDEM419" // an event without any edge left
)

func machineCodes() []Info {
	const machine = "//idem:statemachine table=orders key=id column=status initial=Created final=Done\n"
	const named = "//idem:statemachine name=Status table=orders key=id column=status initial=Created final=Done\n//idem:transition Finish Created -> Done\n"
	return []Info{
		{CodeUnknownState, "unknown state",
			"States are the constants of the type or of the block, named as in Go, not by their values.",
			"//idem:transition Pay Created -> Payed", "//idem:transition Pay Created -> Paid"},
		{CodeDuplicateTransition, "transition given twice",
			"One event out of one state leads to one target. An explicit transition wins over a wildcard one; two of the same kind contradict each other.",
			"//idem:transition Pay Created -> Paid\n//idem:transition Pay Created -> Done", "//idem:transition Pay Created -> Paid"},
		{CodeUnreachableState, "unreachable state",
			"No path leads from the initial state to this one, so no row can ever be in it. Add the transition that is missing, or remove the state.",
			machine + "//idem:transition Pay Created -> Done\n// constants: Created, Paid, Done", machine + "//idem:transition Pay Created -> Paid\n//idem:transition Finish Paid -> Done"},
		{CodeDeadEnd, "dead end",
			"No transition leads out of this state, and it is not final: a row would stay in it for ever. Add a transition, or list it in final=.",
			machine + "//idem:transition Pay Created -> Paid\n//idem:transition Cancel Created -> Done", machine + "//idem:transition Pay Created -> Paid\n//idem:transition Finish Paid -> Done\n//idem:transition Cancel Created -> Done"},
		{CodeEdgeOutOfFinal, "transition out of a final state",
			"A final state is one that nothing leads out of.",
			machine + "//idem:transition Finish Created -> Done\n//idem:transition Reopen Done -> Created", machine + "//idem:transition Finish Created -> Done"},
		{CodeDuplicateValue, "two states with one value",
			"Two constants have the same value, so the column can't tell them apart.",
			"const (\n\tPaid     Status = \"PAID\"\n\tRefunded Status = \"PAID\"\n)", "const (\n\tPaid     Status = \"PAID\"\n\tRefunded Status = \"REFUNDED\"\n)"},
		{CodeStateValue, "state value doesn't fit the column",
			"The value can't be stored and compared reliably: it is empty, too long, out of the column's range, or has characters that a database changes.",
			"const Paid Status = \"PAID\\x00\"", "const Paid Status = \"PAID\""},
		{CodeNoStates, "no states",
			"The type has no constants in its package, so the machine would have no states.",
			machine + "//idem:transition Finish Created -> Done\ntype Status string", machine + "//idem:transition Finish Created -> Done\ntype Status string\n\nconst (\n\tCreated Status = \"CREATED\"\n\tDone    Status = \"DONE\"\n)"},
		{CodeStateType, "type can't be a state",
			"States are strings, integers, bytes or bools.",
			machine + "//idem:transition Finish Created -> Done\ntype Status float64", machine + "//idem:transition Finish Created -> Done\ntype Status string"},
		{CodeUnknownMachine, "unknown state machine",
			"fire names a type that carries //idem:statemachine, in this package or an imported one.",
			"//idem:fire Statu.Pay key=orderID", "//idem:fire Status.Pay key=orderID"},
		{CodeUnknownEvent, "unknown event",
			"The state machine has no transition with this event.",
			"//idem:fire Status.Pya key=orderID", "//idem:fire Status.Pay key=orderID"},
		{CodeNoTransitions, "no transitions",
			"A state machine needs at least one transition.",
			machine + "type Status string", machine + "//idem:transition Finish Created -> Done\ntype Status string"},
		{CodeLooseTransition, "transition without a state machine",
			"Transitions stand in the same doc comment as the //idem:statemachine that they belong to.",
			"//idem:transition Pay Created -> Paid\ntype Status string", "//idem:statemachine table=orders key=id column=status initial=Created final=Paid\n//idem:transition Pay Created -> Paid\ntype Status string"},
		{CodeEmptyWildcard, "wildcard matches nothing",
			"After the subtraction no state is left that the event could leave.",
			"//idem:transition Cancel * - Created,Paid,Done -> Done", "//idem:transition Cancel * - Done -> Done"},
		{CodeColumnName, "not a table or column name",
			"A name is one identifier, or for a table schema.table. Reserved words are fine, they are quoted.",
			"//idem:statemachine table=a.b.c.d key=id column=status initial=Created final=Paid", "//idem:statemachine table=shop.orders key=id column=status initial=Created final=Paid"},
		{CodeMixedConstants, "constants of several types",
			"The constants of one block are the states of one machine and need one type.",
			named + "const (\n\tCreated = \"CREATED\"\n\tDone = 2\n)", named + "const (\n\tCreated = \"CREATED\"\n\tDone = \"DONE\"\n)"},
		{CodeFireKeyType, "key doesn't fit the state machine",
			"The key selects the row: one expression whose type is the keytype= of the machine (string unless it says otherwise).",
			"//idem:fire Status.Pay key=orderID\nfunc (s *Service) Pay(ctx context.Context, tx *sql.Tx, orderID int64) error", "//idem:fire Status.Pay key=orderID\nfunc (s *Service) Pay(ctx context.Context, tx *sql.Tx, orderID string) error"},
		{CodeShadowedTransition, "event without an edge",
			"All edges of this wildcard transition are taken by explicit ones of the same event: it has no effect. In the example Created is the only state that the wildcard leaves.",
			"//idem:transition Pay Created -> Paid\n//idem:transition Pay * - Paid,Done -> Done", "//idem:transition Pay Created -> Paid"},
	}
}
