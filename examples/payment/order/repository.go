package order

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// ErrNotFound: there is no such order.
var ErrNotFound = errors.New("order: not found")

// Repository reads and writes orders and payments. It keeps nobody out: a payment is inserted as often as it is asked to. Safe for concurrent use.
type Repository struct{ dialect idem.Dialect }

// NewRepository makes a repository that speaks a dialect of SQL.
func NewRepository(d idem.Dialect) Repository { return Repository{d} }

// Querier is what reading needs: *sql.DB outside a transaction, *sql.Tx inside one.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// bound writes a statement's question marks as the dialect wants them.
func (r Repository) bound(query string) string {
	if r.dialect != idem.Postgres {
		return query
	}
	var b strings.Builder
	for i, part := range strings.Split(query, "?") {
		if i > 0 {
			b.WriteString("$" + strconv.Itoa(i))
		}
		b.WriteString(part)
	}
	return b.String()
}

// Insert writes a new order. A customer's second order with one number violates NumberIndex.
func (r Repository) Insert(ctx context.Context, tx *sql.Tx, o *Order) error {
	_, err := tx.ExecContext(ctx, r.bound(`INSERT INTO orders (id, customer, number, amount, status, created_at) VALUES (?, ?, ?, ?, ?, ?)`),
		o.ID, o.Customer, o.Number, o.Amount, string(o.Status), time.Now().UnixMicro())
	if err != nil {
		return fmt.Errorf("order: insert %s: %w", o.ID, err)
	}
	return nil
}

// Pay writes a payment. The second one of an order violates PaymentIndex, where the ledger has it.
func (r Repository) Pay(ctx context.Context, tx *sql.Tx, p *Payment) error {
	_, err := tx.ExecContext(ctx, r.bound(`INSERT INTO payments (id, order_id, amount, paid_at) VALUES (?, ?, ?, ?)`),
		p.ID, p.OrderID, p.Amount, time.Now().UnixMicro())
	if err != nil {
		return fmt.Errorf("order: payment of %s: %w", p.OrderID, err)
	}
	return nil
}

// Get reads one order. Its error is ErrNotFound where there is none.
func (r Repository) Get(ctx context.Context, q Querier, id string) (*Order, error) {
	return scan(id, q.QueryRowContext(ctx, r.bound(`SELECT id, number, customer, amount, status FROM orders WHERE id = ?`), id))
}

// ByNumber reads a customer's order by its number. Its error is ErrNotFound where there is none.
func (r Repository) ByNumber(ctx context.Context, q Querier, customer, number string) (*Order, error) {
	return scan(number, q.QueryRowContext(ctx, r.bound(`SELECT id, number, customer, amount, status FROM orders WHERE customer = ? AND number = ?`), customer, number))
}

func scan(name string, row *sql.Row) (*Order, error) {
	var o Order
	err := row.Scan(&o.ID, &o.Number, &o.Customer, &o.Amount, &o.Status)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, fmt.Errorf("%w: %s", ErrNotFound, name)
	case err != nil:
		return nil, fmt.Errorf("order: get %s: %w", name, err)
	}
	return &o, nil
}

// Payment reads the first payment of an order; nil where there is none.
func (r Repository) Payment(ctx context.Context, q Querier, orderID string) (*Payment, error) {
	p := Payment{OrderID: orderID}
	err := q.QueryRowContext(ctx, r.bound(`SELECT id, amount FROM payments WHERE order_id = ? ORDER BY paid_at LIMIT 1`), orderID).Scan(&p.ID, &p.Amount)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("order: payment of %s: %w", orderID, err)
	}
	return &p, nil
}
