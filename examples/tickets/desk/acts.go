package desk

import (
	"context"
	"time"

	"gorm.io/gorm"

	"github.com/idemgen/idemgen/examples/tickets/ticket"
	"github.com/idemgen/idemgen/runtime/idem"
)

// Change is what an act did.
type Change = idem.Change[ticket.Status]

// Open writes a new draft, for an amount in cents. A ticket of this name that is there already stays as it is.
func (d *Desk) Open(ctx context.Context, tenant ticket.Tenant, id, by, title string, amount int64) error {
	_, err := inTx(as(ctx, tenant, by), d, func(ctx context.Context, db idem.DB) (idem.None, error) {
		return idem.None{}, d.guard.Create(ctx, db, id, tenant, by, title, amount, d.now())
	})
	return err
}

// Submit hands a draft in. Sent again it gets the answer of the first time.
func (d *Desk) Submit(ctx context.Context, a Act) (*ticket.Ticket, error) {
	return d.guarded.Submit(as(ctx, a.Tenant, a.By), &a, d.now())
}

// Endorse is a manager's approval. Sent again it gets the answer of the first time.
func (d *Desk) Endorse(ctx context.Context, a Act) (*ticket.Ticket, error) {
	return d.guarded.Endorse(as(ctx, a.Tenant, a.By), &a, d.now())
}

// Reject ends the flow until the requester reopens it. Sent again it gets the answer of the first time.
func (d *Desk) Reject(ctx context.Context, a Act) (*ticket.Ticket, error) {
	return d.guarded.Reject(as(ctx, a.Tenant, a.By), &a, d.now())
}

// Approve releases the money: the amount is what the approver has seen. Sent again it gets what the first time did.
func (d *Desk) Approve(ctx context.Context, a Act, amount int64) (Change, error) {
	return ticket.StatusApproveOnce(as(ctx, a.Tenant, a.By), d.engine, d.store, a.Call, a.Ticket, a.Version, a.Tenant, d.now(), a.By, amount)
}

// Withdraw is the requester's way out.
func (d *Desk) Withdraw(ctx context.Context, a Act) (Change, error) {
	return d.fire(ctx, a, func(ctx context.Context, db idem.DB) (Change, error) {
		return d.guard.Withdraw(ctx, db, a.Ticket, a.Version, a.Tenant, d.now(), a.By)
	})
}

// Reopen makes a draft again of what was rejected or withdrawn.
func (d *Desk) Reopen(ctx context.Context, a Act) (Change, error) {
	return d.fire(ctx, a, func(ctx context.Context, db idem.DB) (Change, error) {
		return d.guard.Reopen(ctx, db, a.Ticket, a.Version, a.Tenant, d.now(), a.By)
	})
}

// Comment leaves the ticket where it is, with a new version.
func (d *Desk) Comment(ctx context.Context, a Act, text string) (Change, error) {
	return d.fire(ctx, a, func(ctx context.Context, db idem.DB) (Change, error) {
		return d.guard.Comment(ctx, db, a.Ticket, a.Version, a.Tenant, d.now(), text)
	})
}

// Move is for administrators: to any state that some event leads to from the ticket's own, whoever asks.
func (d *Desk) Move(ctx context.Context, a Act, to ticket.Status, reason string) (Change, error) {
	return d.fire(ctx, a, func(ctx context.Context, db idem.DB) (Change, error) {
		return d.guard.Move(ctx, db, a.Ticket, to, a.Version, a.Tenant, d.now(), reason)
	})
}

// Escalate hands those of the tickets to finance that nobody has touched for so long. There is an answer for each, in their order.
func (d *Desk) Escalate(ctx context.Context, tenant ticket.Tenant, by string, untouched time.Duration, ids ...string) ([]idem.BatchResult[ticket.Status], error) {
	return inTx(as(ctx, tenant, by), d, func(ctx context.Context, db idem.DB) ([]idem.BatchResult[ticket.Status], error) {
		at := d.now()
		return d.guard.EscalateAll(ctx, db, ids, tenant, at, at.Add(-untouched))
	})
}

// Close closes tickets on which nothing is left to do. There is an answer for each, in their order.
func (d *Desk) Close(ctx context.Context, tenant ticket.Tenant, by string, ids ...string) ([]idem.BatchResult[ticket.Status], error) {
	return inTx(as(ctx, tenant, by), d, func(ctx context.Context, db idem.DB) ([]idem.BatchResult[ticket.Status], error) {
		return d.guard.CloseAll(ctx, db, ids, tenant, d.now())
	})
}

// fire fires one event in a transaction.
func (d *Desk) fire(ctx context.Context, a Act, event func(context.Context, idem.DB) (Change, error)) (Change, error) {
	return inTx(as(ctx, a.Tenant, a.By), d, event)
}

// inTx runs a guard in a transaction of gorm's.
func inTx[R any](ctx context.Context, d *Desk, run func(context.Context, idem.DB) (R, error)) (R, error) {
	return idem.Tx(ctx, d.engine, d.store, func(ctx context.Context, tx *gorm.DB) (R, error) {
		return run(ctx, d.store.Use(ctx, tx))
	})
}
