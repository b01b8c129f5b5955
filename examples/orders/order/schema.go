package order

import (
	"context"
	"database/sql"
	"fmt"
)

// The business tables have no unique index that could hide a double: neither orders.biz_no nor (journal.order_id, journal.step) is unique.
// Protection against duplicates is the generated wrapper's task alone, and what it lets through can be counted.
const schema = `
CREATE TABLE IF NOT EXISTS orders (
	id       TEXT PRIMARY KEY,
	biz_no   TEXT NOT NULL,
	customer TEXT NOT NULL,
	amount   INTEGER NOT NULL,
	status   TEXT NOT NULL
) STRICT;

CREATE INDEX IF NOT EXISTS orders_biz_no ON orders (biz_no);

CREATE TABLE IF NOT EXISTS accounts (
	owner   TEXT PRIMARY KEY,
	balance INTEGER NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS journal (
	seq       INTEGER PRIMARY KEY,
	order_id  TEXT NOT NULL,
	step      TEXT NOT NULL,
	amount    INTEGER NOT NULL,
	reference TEXT NOT NULL
) STRICT;

CREATE INDEX IF NOT EXISTS journal_order ON journal (order_id);
`

// Migrate creates the business tables where they are missing.
func Migrate(ctx context.Context, db *sql.DB) error {
	if _, err := db.ExecContext(ctx, schema); err != nil {
		return fmt.Errorf("order: migrate: %w", err)
	}
	return nil
}
