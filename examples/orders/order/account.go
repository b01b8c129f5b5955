package order

import (
	"context"
	"database/sql"
	"fmt"
)

// OpenAccount gives a customer an account with a first balance in cents; an account that is open already stays as it is.
func (Repository) OpenAccount(ctx context.Context, db *sql.DB, owner string, balance int64) error {
	_, err := db.ExecContext(ctx, `INSERT INTO accounts (owner, balance) VALUES (?, ?) ON CONFLICT (owner) DO NOTHING`, owner, balance)
	if err != nil {
		return fmt.Errorf("order: open account of %s: %w", owner, err)
	}
	return nil
}

// Debit takes cents from a customer's account. Its error is ErrInsufficientFunds when that would leave less than nothing, or there is no account.
func (Repository) Debit(ctx context.Context, tx *sql.Tx, owner string, amount int64) error {
	return move(ctx, tx, `UPDATE accounts SET balance = balance - ?1 WHERE owner = ?2 AND balance >= ?1`, owner, amount, ErrInsufficientFunds)
}

// Credit gives cents back to a customer's account. Its error is ErrNotFound when there is no account.
func (Repository) Credit(ctx context.Context, tx *sql.Tx, owner string, amount int64) error {
	return move(ctx, tx, `UPDATE accounts SET balance = balance + ?1 WHERE owner = ?2`, owner, amount, ErrNotFound)
}

// move runs an update of one account and returns none when no row matched.
func move(ctx context.Context, tx *sql.Tx, query, owner string, amount int64, none error) error {
	res, err := tx.ExecContext(ctx, query, amount, owner)
	if err != nil {
		return fmt.Errorf("order: account of %s: %w", owner, err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return fmt.Errorf("order: account of %s: %w", owner, err)
	}
	if n == 0 {
		return fmt.Errorf("%w: account of %s", none, owner)
	}
	return nil
}
