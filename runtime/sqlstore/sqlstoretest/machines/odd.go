package machines

// Switch is a bool: each state leads back to the other.
//
//idem:statemachine table=switches key=id column=is_on initial=Off tests=true
//idem:transition TurnOn Off -> On
//idem:transition TurnOff On -> Off
type Switch bool

// Positions of a switch.
const (
	Off Switch = false
	On  Switch = true
)

// A block of constants without a type.
//
//idem:statemachine name=Doc table=docs key=id column=state initial=docNew final=docOld tests=true
//idem:transition Age docNew -> docOld
const (
	docNew = "new"
	docOld = "old"
)

// Phase is an alias: its states are plain strings with dots and blanks.
//
//idem:statemachine table=phases key=id column=phase initial=PhaseStart final=PhaseEnd tests=true
//idem:transition Begin PhaseStart -> PhaseRun
//idem:transition Halt PhaseRun -> PhaseEnd
type Phase = string

// Phases.
const (
	PhaseStart Phase = "phase.start"
	PhaseRun   Phase = "phase.run now"
	PhaseEnd   Phase = `phase.end's\"`
)

// Ticket has states in variables.
//
//idem:statemachine table=tickets key=id column=ticket initial=TicketOpen final=TicketShut tests=true
//idem:transition Close TicketOpen -> TicketShut
type Ticket string

// States of a ticket.
var (
	TicketOpen Ticket = "open"
	TicketShut Ticket = "shut"
)
