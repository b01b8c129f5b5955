package order

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Repository reads and writes orders, accounts and the journal. It holds no state; every write runs in the transaction it is given. Safe for concurrent use.
type Repository struct{}

// Querier is what reading needs: *sql.DB outside a transaction, *sql.Tx inside one.
type Querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Insert writes a new order.
func (Repository) Insert(ctx context.Context, tx *sql.Tx, o *Order) error {
	_, err := tx.ExecContext(ctx,
		`INSERT INTO orders (id, biz_no, customer, amount, status) VALUES (?, ?, ?, ?, ?)`,
		o.ID, o.BizNo, o.Customer, o.Amount, o.Status)
	if err != nil {
		return fmt.Errorf("order: insert %s: %w", o.ID, err)
	}
	return nil
}

// Get reads one order. Its error is ErrNotFound where there is none.
func (Repository) Get(ctx context.Context, q Querier, id string) (*Order, error) {
	o := Order{ID: id}
	err := q.QueryRowContext(ctx, `SELECT biz_no, customer, amount, status FROM orders WHERE id = ?`, id).
		Scan(&o.BizNo, &o.Customer, &o.Amount, &o.Status)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("%w: order %s", ErrNotFound, id)
	}
	if err != nil {
		return nil, fmt.Errorf("order: get %s: %w", id, err)
	}
	return &o, nil
}

// Append writes one line of the journal.
func (Repository) Append(ctx context.Context, tx *sql.Tx, e Entry) error {
	_, err := tx.ExecContext(ctx,
		`INSERT INTO journal (order_id, step, amount, reference) VALUES (?, ?, ?, ?)`,
		e.OrderID, e.Step, e.Amount, e.Reference)
	if err != nil {
		return fmt.Errorf("order: journal %s of %s: %w", e.Step, e.OrderID, err)
	}
	return nil
}

// Find reads the journal's first entry of an order for a step. Its error is ErrNotFound where there is none.
func (Repository) Find(ctx context.Context, q Querier, orderID string, step Step) (Entry, error) {
	e := Entry{OrderID: orderID, Step: step}
	err := q.QueryRowContext(ctx, `SELECT amount, reference FROM journal WHERE order_id = ? AND step = ? ORDER BY seq LIMIT 1`, orderID, step).
		Scan(&e.Amount, &e.Reference)
	if errors.Is(err, sql.ErrNoRows) {
		return Entry{}, fmt.Errorf("%w: %s of order %s", ErrNotFound, step, orderID)
	}
	if err != nil {
		return Entry{}, fmt.Errorf("order: journal %s of %s: %w", step, orderID, err)
	}
	return e, nil
}
