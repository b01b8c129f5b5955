package handler

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/idemgen/idemgen/runtime/idem"
)

// schema is the same on SQLite and Postgres. Nothing in it is unique but the account.
var schema = [...]string{
	"CREATE TABLE IF NOT EXISTS accounts (id VARCHAR(64) PRIMARY KEY, balance BIGINT NOT NULL)",
	"CREATE TABLE IF NOT EXISTS ledger (event_id VARCHAR(64) NOT NULL, account VARCHAR(64) NOT NULL, amount BIGINT NOT NULL)",
	"CREATE TABLE IF NOT EXISTS points (event_id VARCHAR(64) NOT NULL, account VARCHAR(64) NOT NULL, points BIGINT NOT NULL)",
}

// statements is the SQL of the handler in one dialect.
type statements struct{ open, book, credit, reward string }

var (
	questionMarks = statements{
		open:   "INSERT INTO accounts (id, balance) VALUES (?, 0) ON CONFLICT (id) DO NOTHING",
		book:   "INSERT INTO ledger (event_id, account, amount) VALUES (?, ?, ?)",
		credit: "UPDATE accounts SET balance = balance + ? WHERE id = ?",
		reward: "INSERT INTO points (event_id, account, points) VALUES (?, ?, ?)",
	}
	numbered = statements{
		open:   "INSERT INTO accounts (id, balance) VALUES ($1, 0) ON CONFLICT (id) DO NOTHING",
		book:   "INSERT INTO ledger (event_id, account, amount) VALUES ($1, $2, $3)",
		credit: "UPDATE accounts SET balance = balance + $1 WHERE id = $2",
		reward: "INSERT INTO points (event_id, account, points) VALUES ($1, $2, $3)",
	}
)

func statementsOf(d idem.Dialect) *statements {
	if d == idem.Postgres {
		return &numbered
	}
	return &questionMarks
}

// Migrate makes the tables where they are missing.
func Migrate(ctx context.Context, db *sql.DB) error {
	for _, text := range schema {
		if _, err := db.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("handler: migrate: %w", err)
		}
	}
	return nil
}

// OpenAccount opens an account, if it isn't open.
func OpenAccount(ctx context.Context, db *sql.DB, d idem.Dialect, id string) error {
	if _, err := db.ExecContext(ctx, statementsOf(d).open, id); err != nil {
		return fmt.Errorf("handler: open account: %w", err)
	}
	return nil
}
