// Package handler is what happens when somebody has paid: the ledger books it, the account earns points, the customer gets a receipt.
//
// The flow: a broker's adapter decodes a message and calls a method of the generated [IdempotentHandler]; that claims the message for its consumer, runs the method of [Handler] if nobody has handled it, and marks it when the method has
// succeeded. Book and Reward write in a transaction, in which the mark is made as well. Send reaches another system, under a lease. Each is written as if every message came once; no table has an index that could hide a double.
package handler

//go:generate go tool idemgen

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/idemgen/idemgen/examples/consumer/payment"
	"github.com/idemgen/idemgen/runtime/idem"
)

// ErrNoAccount: the account is not open. It may be soon: queues don't keep the order of events of different kinds. The message comes again.
var ErrNoAccount = errors.New("handler: no such account")

// Mailer sends receipts. It is another system: what it sent no rollback takes back.
type Mailer interface {
	Mail(ctx context.Context, e *payment.Event) error
}

// Handler handles events, each as often as it is told. Use it through IdempotentHandler. Safe for concurrent use.
type Handler struct {
	sql    *statements
	mailer Mailer
}

// New makes the handler for a dialect of SQL.
func New(d idem.Dialect, m Mailer) *Handler {
	return &Handler{sql: statementsOf(d), mailer: m}
}

// Book puts a payment into the ledger and on the account. An id that comes again with another amount is no copy (match=msg): that is a fault of the producer, and somebody has to look at it. Errors: payment.ErrInvalid, ErrNoAccount.
//
//idem:message key=msg.ID match=msg consumer=ledger ttl=168h
func (h *Handler) Book(ctx context.Context, tx *sql.Tx, msg *payment.Event) error {
	if msg.Amount <= 0 {
		return fmt.Errorf("%w: %s pays %d cents", payment.ErrInvalid, msg.Account, msg.Amount)
	}
	if _, err := tx.ExecContext(ctx, h.sql.book, msg.ID, msg.Account, msg.Amount); err != nil {
		return fmt.Errorf("handler: book: %w", err)
	}
	res, err := tx.ExecContext(ctx, h.sql.credit, msg.Amount, msg.Account)
	if err != nil {
		return fmt.Errorf("handler: credit: %w", err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(fmt.Errorf("%w: %s", ErrNoAccount, msg.Account), err)
	}
	return nil
}

// Reward gives a point for each whole unit of 100 cents. Error: payment.ErrInvalid.
//
//idem:message key=msg.ID consumer=points ttl=168h
func (h *Handler) Reward(ctx context.Context, tx *sql.Tx, msg *payment.Event) error {
	if msg.Amount <= 0 {
		return fmt.Errorf("%w: %s pays %d cents", payment.ErrInvalid, msg.Account, msg.Amount)
	}
	if _, err := tx.ExecContext(ctx, h.sql.reward, msg.ID, msg.Account, msg.Amount/100); err != nil {
		return fmt.Errorf("handler: reward: %w", err)
	}
	return nil
}

// Send mails a receipt. A consumer that dies while it sends leaves nobody who knows whether the mail is out: orphan=rerun sends it again, because two receipts are better than none. Error: payment.ErrInvalid.
//
//idem:message key=msg.ID consumer=receipts ttl=168h lease=4s orphan=rerun
func (h *Handler) Send(ctx context.Context, msg *payment.Event) error {
	if msg.Amount <= 0 {
		return fmt.Errorf("%w: %s pays %d cents", payment.ErrInvalid, msg.Account, msg.Amount)
	}
	if err := h.mailer.Mail(ctx, msg); err != nil {
		return fmt.Errorf("handler: receipt: %w", err)
	}
	return nil
}
