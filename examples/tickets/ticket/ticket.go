// Package ticket is the domain of the approval flow: what a ticket is, the states it goes through, and its tables.
//
// The annotation in status.go is all there is to the writing side: StatusGuard, generated into idem_gen.go, has one function and one statement per event, and is the one way in which a row of tickets changes. gorm reads.
package ticket

//go:generate go tool idemgen
//go:generate go run ../internal/emit

import "time"

// Ticket asks for money. Amounts are in cents.
type Ticket struct {
	ID          string
	TenantID    Tenant
	Status      Status
	Version     int64 // counted up by every event
	Requester   string
	Title       string
	Amount      int64
	UpdatedAt   time.Time
	DecidedBy   *string    // who endorsed, approved or rejected it last
	DecidedAt   *time.Time // when
	Payout      *int64     // what was approved
	LastComment *string
}

// Step is one row of a ticket's history, as gorm reads it.
type Step struct {
	ID      int64
	RowKey  string
	From    *Status `gorm:"column:from_state"` // nil: the ticket was made
	To      Status  `gorm:"column:to_state"`
	Event   string
	Actor   *string
	IdemKey *string // of the guarded call that the event was fired in
	AtUs    int64   // microseconds since 1970, by the database's clock
}

// TableName is the table in which StatusGuard writes the history.
func (Step) TableName() string { return "ticket_history" }
