package desk

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"github.com/idemgen/idemgen/examples/tickets/ticket"
)

// Act is what somebody does to a ticket.
type Act struct {
	Call    string // the caller's own name for it, the same when it is sent again
	Tenant  ticket.Tenant
	Ticket  string
	By      string
	Version int64 // of the ticket as the caller has seen it; idem.AnyVersion: whichever
}

// Service answers the acts that must have one answer however often they are sent. The ticket has moved when a method begins, in the method's transaction. Use it through Desk.
type Service struct{}

// Submit returns the ticket, which its requester has submitted.
//
//idem:once key=a.Call match=a
//idem:fire ticket.Status.Submit key=a.Ticket args=tenant:a.Tenant,version:a.Version,by:a.By
func (Service) Submit(ctx context.Context, tx *gorm.DB, a *Act, at time.Time) (*ticket.Ticket, error) {
	return get(ctx, tx, a.Tenant, a.Ticket)
}

// Endorse returns the ticket, which a manager other than its requester has approved.
//
//idem:once key=a.Call match=a
//idem:fire ticket.Status.Endorse key=a.Ticket args=tenant:a.Tenant,version:a.Version,by:a.By
func (Service) Endorse(ctx context.Context, tx *gorm.DB, a *Act, at time.Time) (*ticket.Ticket, error) {
	return get(ctx, tx, a.Tenant, a.Ticket)
}

// Reject returns the ticket, which somebody other than its requester has rejected.
//
//idem:once key=a.Call match=a
//idem:fire ticket.Status.Reject key=a.Ticket args=tenant:a.Tenant,version:a.Version,by:a.By
func (Service) Reject(ctx context.Context, tx *gorm.DB, a *Act, at time.Time) (*ticket.Ticket, error) {
	return get(ctx, tx, a.Tenant, a.Ticket)
}

// get reads a tenant's ticket.
func get(ctx context.Context, db *gorm.DB, tenant ticket.Tenant, id string) (*ticket.Ticket, error) {
	var t ticket.Ticket
	if err := db.WithContext(ctx).Where("tenant_id = ? AND id = ?", tenant, id).Take(&t).Error; err != nil {
		return nil, fmt.Errorf("desk: ticket %s: %w", id, err)
	}
	return &t, nil
}
