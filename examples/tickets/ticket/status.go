package ticket

import (
	"strconv"
	_ "time" // named by the annotation
)

// Status is where a ticket stands. The column tickets.status holds these numbers; the gaps between them are room for states to come.
//
// A row is one tenant's: to everybody else it is not there. Every event counts the version up, says when it happened and leaves a row in ticket_history. Comment has an edge per state, each from the state to itself: a wildcard can't say that.
//
//idem:statemachine table=tickets key=id column=status initial=Draft final=Closed where="tenant_id = :tenant" set="updated_at = :at" create="requester = :by, title = :title, amount = :amount, updated_at = :at" params=tenant:Tenant,at:time.Time,amount:int64 version=version history=ticket_history tests=true
//idem:transition Submit Draft -> Submitted where="requester = :by"
//idem:transition Endorse Submitted -> ManagerApproved where="requester <> :by" set="decided_by = :by, decided_at = :at"
//idem:transition Approve ManagerApproved,Escalated -> Approved once ttl=never where="requester <> :by AND amount = :amount" set="decided_by = :by, decided_at = :at, payout = :amount"
//idem:transition Reject Submitted,ManagerApproved,Escalated -> Rejected where="requester <> :by" set="decided_by = :by, decided_at = :at"
//idem:transition Withdraw * - Approved,Rejected,Withdrawn -> Withdrawn where="requester = :by"
//idem:transition Reopen Rejected,Withdrawn -> Draft where="requester = :by" set="decided_by = NULL, decided_at = NULL"
//idem:transition Escalate Submitted,ManagerApproved -> Escalated where="updated_at < :before" params=before:time.Time
//idem:transition Close Approved,Rejected,Withdrawn -> Closed
//idem:transition Comment Draft -> Draft set="last_comment = :text"
//idem:transition Comment Submitted -> Submitted
//idem:transition Comment ManagerApproved -> ManagerApproved
//idem:transition Comment Escalated -> Escalated
//idem:transition Move * -> :to set="last_comment = :reason"
type Status int

// Tenant is a customer of the desk. It has a type of its own, so that no version and no amount is taken for it.
type Tenant int64

// The states of a ticket.
const (
	Draft           Status = 10 // its requester still writes it
	Submitted       Status = 20 // waits for a manager
	ManagerApproved Status = 30 // waits for the money to be approved
	Escalated       Status = 35 // waited too long; finance decides
	Approved        Status = 50 // to be paid out
	Rejected        Status = 60
	Withdrawn       Status = 70 // by its requester
	Closed          Status = 99 // nothing happens to it any more
)

// names are the states as people read them.
var names = map[Status]string{
	Draft: "Draft", Submitted: "Submitted", ManagerApproved: "ManagerApproved", Escalated: "Escalated",
	Approved: "Approved", Rejected: "Rejected", Withdrawn: "Withdrawn", Closed: "Closed",
}

// String returns the name of the state; a number that is none as Status(11).
func (s Status) String() string {
	if name, ok := names[s]; ok {
		return name
	}
	return "Status(" + strconv.Itoa(int(s)) + ")"
}
