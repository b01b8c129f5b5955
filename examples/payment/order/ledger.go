package order

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Ledger reads the newest orders, at most limit, each with its payments.
func (r Repository) Ledger(ctx context.Context, q Querier, limit int) ([]Entry, error) {
	rows, err := q.QueryContext(ctx, r.bound(`
SELECT o.id, o.number, o.customer, o.amount, o.status, p.id, p.amount
FROM (SELECT id, number, customer, amount, status, created_at FROM orders ORDER BY created_at DESC, id LIMIT ?) o
LEFT JOIN payments p ON p.order_id = o.id
ORDER BY o.created_at DESC, o.id, p.paid_at, p.id`), limit)
	if err != nil {
		return nil, fmt.Errorf("order: ledger: %w", err)
	}
	defer func() { _ = rows.Close() }() // the loop below tells what went wrong
	entries := []Entry{}
	for rows.Next() {
		var o Order
		var paid sql.NullString
		var amount sql.NullInt64
		if err := rows.Scan(&o.ID, &o.Number, &o.Customer, &o.Amount, &o.Status, &paid, &amount); err != nil {
			return nil, fmt.Errorf("order: ledger: %w", err)
		}
		if n := len(entries); n == 0 || entries[n-1].ID != o.ID {
			entries = append(entries, Entry{Order: o, Payments: []Payment{}})
		}
		if paid.Valid {
			last := &entries[len(entries)-1]
			last.Payments = append(last.Payments, Payment{ID: paid.String, OrderID: o.ID, Amount: amount.Int64})
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("order: ledger: %w", err)
	}
	return entries, nil
}

// Count counts the lines of the ledger: payments that were taken.
func (r Repository) Count(ctx context.Context, q Querier) (n int, err error) {
	if err := q.QueryRowContext(ctx, `SELECT COUNT(*) FROM payments`).Scan(&n); err != nil {
		return 0, fmt.Errorf("order: count: %w", err)
	}
	return n, nil
}

// Clear deletes all orders and payments.
func Clear(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, `DELETE FROM payments`)
	_, err2 := db.ExecContext(ctx, `DELETE FROM orders`)
	if err := errors.Join(err, err2); err != nil {
		return fmt.Errorf("order: clear: %w", err)
	}
	return nil
}

// Forget puts orders back to Created, whatever was paid for them: what is left of a state machine whose data is lost. With an id it is that order, without one all. No part of the service calls it: it breaks a layer on purpose, for the demonstration.
func (r Repository) Forget(ctx context.Context, x interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}, id string) error {
	query, args := `UPDATE orders SET status = ?`, []any{string(Created)} //nolint:idemgen // meant to be unguarded
	if id != "" {
		query, args = query+` WHERE id = ?`, append(args, id)
	}
	if _, err := x.ExecContext(ctx, r.bound(query), args...); err != nil {
		return fmt.Errorf("order: forget: %w", err)
	}
	return nil
}
