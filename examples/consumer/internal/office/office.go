// Package office is what tests of the brokers have in common: a database, the guarded handler over it, and a mailbox that says what was mailed.
package office

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/examples/consumer/handler"
	"github.com/idemgen/idemgen/examples/consumer/internal/database"
	"github.com/idemgen/idemgen/examples/consumer/payment"
	"github.com/idemgen/idemgen/runtime/idem"
)

// Office is a handler on a new SQLite database, in which ann has an account.
type Office struct {
	*handler.IdempotentHandler
	Plain *handler.Handler // without its wrapper
	DB    *database.Database
	Mail  *Mailbox
	t     *testing.T
}

// Open opens an office for a test.
func Open(t *testing.T) *Office {
	t.Helper()
	db, err := database.Source{SQLite: filepath.Join(t.TempDir(), "payments.db")}.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	mail := &Mailbox{}
	plain := handler.New(db.Dialect, mail)
	o := &Office{handler.NewIdempotentHandler(plain, idem.New(idem.GlobalScope), db.Store, db.Store), plain, db, mail, t}
	o.OpenAccount("ann")
	return o
}

// OpenAccount opens an account.
func (o *Office) OpenAccount(id string) {
	o.t.Helper()
	if err := handler.OpenAccount(o.t.Context(), o.DB.DB, o.DB.Dialect, id); err != nil {
		o.t.Fatal(err)
	}
}

// Booked is how many lines the ledger has, Rewarded how many rows the points.
func (o *Office) Booked() int   { return o.count("SELECT COUNT(*) FROM ledger") }
func (o *Office) Rewarded() int { return o.count("SELECT COUNT(*) FROM points") }

// Balance is what an account holds, in cents.
func (o *Office) Balance(id string) int {
	return o.count("SELECT balance FROM accounts WHERE id = ?", id)
}

func (o *Office) count(query string, args ...any) (n int) {
	o.t.Helper()
	if err := o.DB.QueryRowContext(o.t.Context(), query, args...).Scan(&n); err != nil {
		o.t.Error(err)
	}
	return n
}

// Mailbox is a Mailer that keeps what it mailed. Safe for concurrent use.
type Mailbox struct {
	mu     sync.Mutex
	mailed []string
	tried  int
	// Before is called before a mail goes out, without a lock; its error is the mailer's. Set it before anything is mailed.
	Before func(ctx context.Context, attempt int) error
}

// Mail keeps the id of the event.
func (m *Mailbox) Mail(ctx context.Context, e *payment.Event) error {
	m.mu.Lock()
	m.tried++
	attempt := m.tried
	m.mu.Unlock()
	if m.Before != nil {
		if err := m.Before(ctx, attempt); err != nil {
			return err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mailed = append(m.mailed, e.ID)
	return nil
}

// Mailed are the ids of events whose receipt went out, one per mail.
func (m *Mailbox) Mailed() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.mailed...)
}

// Tried is how often something was to be mailed.
func (m *Mailbox) Tried() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tried
}

// Event makes the n-th event: ann pays.
func Event(n int) *payment.Event {
	return &payment.Event{ID: fmt.Sprintf("e-%d", n), Account: "ann", Amount: 100 + int64(n)}
}

// Eventually waits until something is so, or fails the test after 20 s.
func Eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not so after 20s: %s", what)
		}
	}
}

// Unguarded runs a method of the plain handler in a transaction and nothing else.
func (o *Office) Unguarded(method func(context.Context, *sql.Tx, *payment.Event) error) func(context.Context, *payment.Event) error {
	return func(ctx context.Context, e *payment.Event) error {
		return o.DB.Store.Begin(ctx, func(ctx context.Context, tx *sql.Tx) error { return method(ctx, tx, e) })
	}
}
