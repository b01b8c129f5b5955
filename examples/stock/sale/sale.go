// Package sale knows flash sales and the stock of their shop, in SQL.
package sale

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/idemgen/idemgen/runtime/idem"
)

//go:generate go tool idemgen

// Status is where a sale stands. The fence keeps out a holder of the lock that was
// overtaken: a release with a lower one than the row has seen is refused.
//
//idem:statemachine table=sales key=id column=status initial=Announced final=Released fence=fence
//idem:transition Release Announced -> Released
type Status string

// States of a sale.
const (
	Announced Status = "ANNOUNCED"
	Released  Status = "RELEASED"
)

// ErrNotFound: there is no such sale.
var ErrNotFound = errors.New("sale: not found")

// Release is what was put up for sale.
type Release struct {
	SaleID string
	Items  int64
}

// Repository reads and writes sales. It holds nothing but the form of placeholders;
// safe for concurrent use.
type Repository struct{ Dialect idem.Dialect }

// querier is a *sql.DB or a *sql.Tx.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// args writes the placeholders of a statement.
func (r Repository) args(query string) string {
	if r.Dialect != idem.Postgres {
		return query
	}
	out := make([]byte, 0, len(query)+4)
	n := 0
	for i := range len(query) {
		if query[i] != '?' {
			out = append(out, query[i])
			continue
		}
		n++
		out = fmt.Appendf(out, "$%d", n)
	}
	return string(out)
}

// Announce makes a sale of a number of items.
func (r Repository) Announce(ctx context.Context, db querier, id string, items int64) error {
	_, err := db.ExecContext(ctx, r.args("INSERT INTO sales (id, status, items, fence) VALUES (?, ?, ?, 0)"), id, Announced, items)
	return wrap("announce", err)
}

// Items is how many items a sale has. The error is ErrNotFound where there is none.
func (r Repository) Items(ctx context.Context, db querier, id string) (items int64, err error) {
	err = db.QueryRowContext(ctx, r.args("SELECT items FROM sales WHERE id = ?"), id).Scan(&items)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, ErrNotFound
	}
	return items, wrap("items", err)
}

// Put puts items into the stock. Nothing here keeps it from happening twice: the table
// has no unique index that could hide a double.
func (r Repository) Put(ctx context.Context, db querier, id string, items int64) error {
	_, err := db.ExecContext(ctx, r.args("INSERT INTO stock (sale_id, items) VALUES (?, ?)"), id, items)
	return wrap("put", err)
}

// Find is the release of a sale, nil where it was not released.
func (r Repository) Find(ctx context.Context, db querier, id string) (*Release, error) {
	out := &Release{SaleID: id}
	switch err := db.QueryRowContext(ctx, r.args("SELECT items FROM stock WHERE sale_id = ?"), id).Scan(&out.Items); {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, wrap("find", err)
	}
	return out, nil
}

// Stock counts the releases of all sales and the items in them.
func (r Repository) Stock(ctx context.Context, db querier) (releases, items int64, err error) {
	err = db.QueryRowContext(ctx, "SELECT COUNT(*), COALESCE(SUM(items), 0) FROM stock").Scan(&releases, &items)
	return releases, items, wrap("stock", err)
}

// Migrate makes the tables, empty.
func (r Repository) Migrate(ctx context.Context, db querier) error {
	for _, statement := range []string{
		"DROP TABLE IF EXISTS stock", "DROP TABLE IF EXISTS sales",
		"CREATE TABLE sales (id VARCHAR(64) NOT NULL PRIMARY KEY, status VARCHAR(16) NOT NULL, items BIGINT NOT NULL, fence BIGINT NOT NULL)",
		"CREATE TABLE stock (sale_id VARCHAR(64) NOT NULL, items BIGINT NOT NULL)",
	} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return wrap("migrate", err)
		}
	}
	return nil
}

func wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("sale: %s: %w", doing, err)
}
