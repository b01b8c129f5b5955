package diag

// Codes of guarded SQL: what the further arguments of a state machine and its
// transitions mean.
const (
	CodeFragment         Code = "IDEM440" // where=, set= or create= can't be read
	CodeFragmentConstant Code = "IDEM441" // :Name is no constant that SQL can hold
	CodeParamUnused      Code = "IDEM442" // params= declares what nothing uses
	CodeParamType        Code = "IDEM443" // a type that no column takes
	CodeParamName        Code = "IDEM444" // a parameter's name that stands for something else
	CodeColumnTwice      Code = "IDEM445" // one column set twice
	CodeColumnGuarded    Code = "IDEM446" // the state, key, version or fence column set by hand
	CodeReadsAssigned    Code = "IDEM447" // an expression that reads a column assigned before
	CodeCreateReads      Code = "IDEM448" // create= that reads a column
	CodeEventArguments   Code = "IDEM449" // arguments of an event on another line than its first
	CodeDynamicMixed     Code = "IDEM450" // an event with both kinds of target
	CodeDynamicEmpty     Code = "IDEM451" // a dynamic event without an edge
	CodeStateMapping     Code = "IDEM452" // values= that is incomplete or ambiguous
	CodeUselessOptOut    Code = "IDEM453" // deadend= or unreachable= of a state that needs none
	CodeSharedColumn     Code = "IDEM454" // two machines on one column
	CodeHistoryTable     Code = "IDEM455" // a history table that has another use
	CodeWhereReads       Code = "IDEM456" // where= of a machine that an event changes
)

func guardCodes() []Info {
	const machine = "//idem:statemachine table=orders key=id column=status initial=Created final=Paid"
	const pay = "\n//idem:transition Pay Created -> Paid"
	return []Info{
		{CodeFragment, "SQL can't be read",
			"where= is one predicate, set= and create= are assignments separated by commas. They stand inside statements for three dialects, so what ends a statement, begins a comment or means another thing elsewhere is refused.",
			machine + ` where="tenant_id = ?"`, machine + ` where="tenant_id = :tenant"`},
		{CodeFragmentConstant, "not a constant for SQL",
			"A name behind a colon that begins with a capital, or with a package, is a Go constant: a string, an integer or a bool, whose value is written into the statement. A parameter begins with a small letter.",
			machine + ` where="kind = :Retial"`, machine + ` where="kind = :Retail"`},
		{CodeParamUnused, "parameter is not used",
			"params= gives a type to a parameter that no where=, set= or create= names. It is refused because the parameter that was meant would be a string in silence.",
			machine + ` where="tenant_id = :tenant" params=tennant:int64`, machine + ` where="tenant_id = :tenant" params=tenant:int64`},
		{CodeParamType, "type can't be a parameter of SQL",
			"A parameter is a string, bytes, a number, a bool, a time.Time, an array of bytes, a driver.Valuer, or a pointer to one of them for NULL.",
			machine + ` where="tenant_id = :tenant" params=tenant:[]int64`, machine + ` where="tenant_id = :tenant" params=tenant:int64`},
		{CodeParamName, "name of a parameter is taken",
			"The functions of a machine with version= take the expected version, those of one with fence= the fence of the lock, and a dynamic event its target: no parameter of SQL can have these names as well.",
			machine + ` version=version` + pay + ` set="note = :version"`, machine + ` version=version` + pay + ` set="note = :noteVersion"`},
		{CodeColumnTwice, "column set twice",
			"An update writes each column once. set= of the machine belongs to every event, and what where= compares with a parameter belongs to every new row.",
			machine + ` set="updated_at = :now"` + pay + ` set="updated_at = :paidAt"`, machine + ` set="updated_at = :now"` + pay + ` set="paid_at = :paidAt"`},
		{CodeColumnGuarded, "column is written by the guard",
			"The guard alone writes the state, key, version and fence columns: anything else would get past it.",
			machine + pay + ` set="status = 'DONE'"`, machine + pay + ` set="paid_at = :paidAt"`},
		{CodeReadsAssigned, "expression reads a column that was assigned before",
			"MySQL evaluates assignments from left to right and would see the new value, the other databases see the old one. Put the assignment that reads the column before the one that writes it.",
			machine + pay + ` set="attempts = attempts + 1, note = attempts"`, machine + pay + ` set="note = attempts, attempts = attempts + 1"`},
		{CodeCreateReads, "create= reads a column",
			"A new row has no old values: an expression of create= is made of parameters, constants and functions. A text stands in 'single quotes'.",
			machine + ` create="total = amount"`, machine + ` create="total = :amount"`},
		{CodeEventArguments, "arguments of an event on a later line",
			"once, ttl=, set=, where= and params= belong to the whole event, whatever its source. They are written on its first transition.",
			machine + "\n//idem:transition Pay Created -> Paid\n//idem:transition Pay Held -> Paid set=\"paid_at = :paidAt\"", machine + "\n//idem:transition Pay Created -> Paid set=\"paid_at = :paidAt\"\n//idem:transition Pay Held -> Paid"},
		{CodeDynamicMixed, "event with two kinds of target",
			"Either each transition of an event names its target, or the caller names it (-> :to).",
			machine + "\n//idem:transition Move Created -> Paid\n//idem:transition Move Held -> :to", machine + "\n//idem:transition Move Created,Held -> :to"},
		{CodeDynamicEmpty, "dynamic event without an edge",
			"An event whose target the caller names (-> :to) takes the steps that the other transitions of the machine allow. From this state there is none.",
			machine + pay + "\n//idem:transition Move Paid -> :to", machine + pay + "\n//idem:transition Move Created -> :to"},
		{CodeStateMapping, "values= is incomplete or ambiguous",
			"values= says for every state what the column holds: each state once, each value once, all texts, all numbers or all bools.",
			machine + " values=Created:C,Paid:C", machine + " values=Created:C,Paid:P"},
		{CodeUselessOptOut, "opt-out that is not needed",
			"deadend= and unreachable= switch a check off for the states that they name. A state that passes the check needs none, and with one it would no longer be checked.",
			machine + " unreachable=Paid" + pay, machine + pay},
		{CodeSharedColumn, "two state machines on one column",
			"Each would move rows behind the back of the other. A table may have several state columns, with one machine each.",
			machine + pay + "\ntype Status string\n\n//idem:statemachine table=orders key=id column=status initial=Open final=Settled\n//idem:transition Settle Open -> Settled\ntype Payment string", machine + pay + "\ntype Status string\n\n//idem:statemachine table=orders key=id column=payment initial=Open final=Settled\n//idem:transition Settle Open -> Settled\ntype Payment string"},
		{CodeHistoryTable, "history table has another use",
			"A history table holds what happened to the rows of one state machine and decides what is a duplicate. It can't be a guarded table, nor the history of another machine.",
			machine + " history=moves" + pay + "\ntype Status string\n\n//idem:statemachine table=parcels key=id column=status initial=Open final=Settled history=moves\n//idem:transition Settle Open -> Settled\ntype Payment string", machine + " history=order_moves" + pay + "\ntype Status string\n\n//idem:statemachine table=parcels key=id column=status initial=Open final=Settled history=parcel_moves\n//idem:transition Settle Open -> Settled\ntype Payment string"},
		{CodeWhereReads, "where= of the machine reads what events change",
			"where= of a machine says which rows are its own: any other row is not found. An event changes the state, the version and the fence, so a row would vanish behind its own event, and a duplicate could not be told. A condition of one event is where= of its transition.",
			machine + ` where="status <> 'LOCKED'"`, machine + "\n//idem:transition Pay Created -> Paid where=\"locked = FALSE\""},
	}
}
