package storm

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/idemgen/idemgen/examples/orders/internal/bank"
	"github.com/idemgen/idemgen/examples/orders/internal/database"
	"github.com/idemgen/idemgen/examples/orders/order"
)

const (
	customers = 7
	// wealth is what each customer has at first, in cents: so much that doubled payments are not refused for want of money.
	wealth = int64(1_000_000_000_000)
)

// books reads what really happened from the database, past all services.
type books struct {
	db   *sql.DB
	plan *plan
}

// openBooks makes the database and the customers' accounts.
func openBooks(ctx context.Context, path string, p *plan) (*books, error) {
	db, err := database.Open(path)
	if err != nil {
		return nil, err
	}
	b := &books{db: db, plan: p}
	if err := b.openAccounts(ctx); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *books) openAccounts(ctx context.Context) error {
	if err := order.Migrate(ctx, b.db); err != nil {
		return err
	}
	var repo order.Repository
	for n := range customers {
		if err := repo.OpenAccount(ctx, b.db, fmt.Sprintf("customer-%02d", n), wealth); err != nil {
			return err
		}
	}
	return nil
}

func (b *books) close() { _ = b.db.Close() } // only read from

// effect is one operation on one order, and how often it happened.
type effect struct {
	act   string
	bizNo string
}

// findings is what the audit saw.
type findings struct {
	effects map[effect]int
	balance int64                   // cents on all accounts
	states  map[string]order.Status // by business number; the last where there are several
	overlap int                     // notifications that the bank got while another of the same order was running
}

// audit counts every effect: orders and journal lines from the database, notifications from what the bank was told.
func (b *books) audit(ctx context.Context, told bank.Report) (*findings, error) {
	f := &findings{effects: map[effect]int{}, states: map[string]order.Status{}, overlap: told.Overlap}
	numbers := map[string]string{} // business number by order
	err := b.query(ctx, `SELECT id, biz_no, status FROM orders`, func(rows *sql.Rows) error {
		var id, bizNo string
		var status order.Status
		if err := rows.Scan(&id, &bizNo, &status); err != nil {
			return err
		}
		numbers[id], f.states[bizNo] = bizNo, status
		return nil
	})
	if err != nil {
		return nil, err
	}
	names := map[order.Step]string{}
	for _, a := range b.plan.acts {
		names[a.step] = a.name
	}
	err = b.query(ctx, `SELECT order_id, step, count(*) FROM journal GROUP BY order_id, step`, func(rows *sql.Rows) error {
		var id string
		var step order.Step
		var n int
		if err := rows.Scan(&id, &step, &n); err != nil {
			return err
		}
		f.effects[effect{names[step], numbers[id]}] += n
		return nil
	})
	if err != nil {
		return nil, err
	}
	for id, n := range told.Calls {
		f.effects[effect{bankAct, numbers[id]}] += n
	}
	if err := b.db.QueryRowContext(ctx, `SELECT sum(balance) FROM accounts`).Scan(&f.balance); err != nil {
		return nil, fmt.Errorf("storm: audit: %w", err)
	}
	return f, nil
}

func (b *books) query(ctx context.Context, query string, each func(*sql.Rows) error) error {
	rows, err := b.db.QueryContext(ctx, query)
	if err != nil {
		return fmt.Errorf("storm: audit: %w", err)
	}
	defer func() { _ = rows.Close() }() // read to its end
	for rows.Next() {
		if err := each(rows); err != nil {
			return fmt.Errorf("storm: audit: %w", err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("storm: audit: %w", err)
	}
	return nil
}
