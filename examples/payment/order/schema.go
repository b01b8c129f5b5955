package order

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Names of the unique indexes that are the last layer: an order number per customer, a payment per order.
const (
	NumberIndex  = "uq_orders_number"
	PaymentIndex = "uq_payments_order"
)

// tables are the business tables. What differs between databases is how texts are kept: compared byte by byte everywhere.
func tables(d idem.Dialect) []string {
	text, options := "VARCHAR(100)", ""
	switch d {
	case idem.SQLite:
		text, options = "TEXT", " STRICT"
	case idem.MySQL:
		options = " ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
	}
	number := "BIGINT"
	if d == idem.SQLite {
		number = "INTEGER"
	}
	return []string{
		`CREATE TABLE IF NOT EXISTS orders (
	id         ` + text + ` NOT NULL PRIMARY KEY,
	customer   ` + text + ` NOT NULL,
	number     ` + text + ` NOT NULL,
	amount     ` + number + ` NOT NULL,
	status     ` + text + ` NOT NULL,
	created_at ` + number + ` NOT NULL,
	CONSTRAINT ` + NumberIndex + ` UNIQUE (customer, number)
)` + options,
		`CREATE TABLE IF NOT EXISTS payments (
	id       ` + text + ` NOT NULL PRIMARY KEY,
	order_id ` + text + ` NOT NULL,
	amount   ` + number + ` NOT NULL,
	paid_at  ` + number + ` NOT NULL
)` + options,
	}
}

// indexed counts the indexes called PaymentIndex.
var indexed = idem.SQL{
	SQLite:   `SELECT COUNT(*) FROM sqlite_master WHERE type = 'index' AND name = '` + PaymentIndex + `'`,
	Postgres: `SELECT COUNT(*) FROM pg_indexes WHERE schemaname = current_schema() AND indexname = '` + PaymentIndex + `'`,
	MySQL:    `SELECT COUNT(*) FROM information_schema.statistics WHERE table_schema = DATABASE() AND index_name = '` + PaymentIndex + `'`,
}

// Migrate creates the business tables where they are missing. The index of payments is SetIndex's.
func Migrate(ctx context.Context, db *sql.DB, d idem.Dialect) error {
	for _, table := range tables(d) {
		if _, err := db.ExecContext(ctx, table); err != nil {
			return fmt.Errorf("order: migrate: %w", err)
		}
	}
	return nil
}

// HasIndex tells whether the ledger has its unique index.
func HasIndex(ctx context.Context, db *sql.DB, d idem.Dialect) (bool, error) {
	var n int
	if err := db.QueryRowContext(ctx, indexed.For(d)).Scan(&n); err != nil {
		return false, fmt.Errorf("order: index: %w", err)
	}
	return n > 0, nil
}

// SetIndex creates the ledger's unique index, or drops it. It can't be created while the ledger has two payments of one order: that is an error of the driver, which sqlstore.UniqueViolation knows.
func SetIndex(ctx context.Context, db *sql.DB, d idem.Dialect, want bool) error {
	has, err := HasIndex(ctx, db, d)
	if err != nil || has == want {
		return err
	}
	query := `DROP INDEX ` + PaymentIndex
	switch {
	case want:
		query = `CREATE UNIQUE INDEX ` + PaymentIndex + ` ON payments (order_id)`
	case d == idem.MySQL:
		query += ` ON payments`
	}
	if _, err := db.ExecContext(ctx, query); err != nil {
		return fmt.Errorf("order: index: %w", err)
	}
	return nil
}
