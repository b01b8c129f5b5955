// Package desk is the approval desk: who may do what to a ticket, and in which transaction.
//
// The flow of an act: [Desk] puts tenant and actor into the context and calls the guard in a gorm transaction. Submit, Endorse and Reject go through the generated [IdempotentService], which keeps the answer under the call's key; Approve, which
// releases money, is the once event of the machine: update, history and record commit together, in one statement on Postgres. All else is a plain event: sent again it is refused, and the refusal says that it was applied before.
package desk

//go:generate go tool idemgen

import (
	"context"
	"strconv"
	"time"

	"gorm.io/gorm"

	"github.com/idemgen/idemgen/examples/tickets/ticket"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// NewStore keeps records in gorm's transactions, which two functions describe: begin runs a body in one, and use finds in it what runs statements.
func NewStore(db *gorm.DB, d idem.Dialect) (*sqlstore.TxStore[*gorm.DB], error) {
	pool, err := db.DB()
	if err != nil {
		return nil, err
	}
	begin := func(ctx context.Context, body func(context.Context, *gorm.DB) error) error {
		return db.WithContext(ctx).Transaction(func(tx *gorm.DB) error { return body(ctx, tx) })
	}
	use := func(_ context.Context, tx *gorm.DB) idem.DB { return sqlstore.DB(tx.Statement.ConnPool) }
	return sqlstore.NewTx(d, begin, use, sqlstore.WithAutocommit(sqlstore.DB(pool))), nil
}

// Migrate makes the tables of tickets and of records where they are missing. Call it before several processes start.
func Migrate(ctx context.Context, db *gorm.DB, d idem.Dialect) error {
	pool, err := db.DB()
	if err != nil {
		return err
	}
	if err := ticket.Migrate(db.WithContext(ctx), d); err != nil {
		return err
	}
	return sqlstore.Migrate(ctx, sqlstore.DB(pool), d, sqlstore.WithParts(sqlstore.PartRecords))
}

// Desk is what callers use. Errors are those of the guard: idem.ErrNotFound (no such ticket of this tenant), idem.ErrIllegalTransition, idem.ErrGuardFailed (the wrong person, version or amount), idem.ErrDuplicateTransition and the like. Safe for concurrent use.
type Desk struct {
	db      *gorm.DB
	store   idem.TxStore[*gorm.DB]
	engine  *idem.Engine
	guard   ticket.StatusGuard
	guarded *IdempotentService
	now     func() time.Time
}

// New makes the desk over a store of the same database. nil now is the clock.
func New(db *gorm.DB, store idem.TxStore[*gorm.DB], now func() time.Time) *Desk {
	if now == nil {
		now = func() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }
	}
	engine := idem.New(idem.ScopeFrom(tenantOf))
	return &Desk{
		db: db, store: store, engine: engine, now: now,
		guard:   ticket.NewStatusGuard(store.Dialect()),
		guarded: NewIdempotentService(&Service{}, engine, store),
	}
}

// tenantKey finds the tenant in a context.
type tenantKey struct{}

// tenantOf is the scope of keys: two tenants may use one key.
func tenantOf(ctx context.Context) string {
	t, ok := ctx.Value(tenantKey{}).(ticket.Tenant)
	if !ok {
		return ""
	}
	return strconv.FormatInt(int64(t), 10)
}

// as is the context of somebody's act.
func as(ctx context.Context, tenant ticket.Tenant, by string) context.Context {
	return idem.WithActor(context.WithValue(ctx, tenantKey{}, tenant), by)
}

// Get reads a ticket; gorm.ErrRecordNotFound when the tenant has none of this name.
func (d *Desk) Get(ctx context.Context, tenant ticket.Tenant, id string) (*ticket.Ticket, error) {
	return get(ctx, d.db, tenant, id)
}

// History reads what happened to a ticket, the first first.
func (d *Desk) History(ctx context.Context, tenant ticket.Tenant, id string) ([]ticket.Step, error) {
	if _, err := d.Get(ctx, tenant, id); err != nil {
		return nil, err
	}
	var steps []ticket.Step
	err := d.db.WithContext(ctx).Where("row_key = ?", id).Order("id").Find(&steps).Error
	return steps, err
}
