package layers

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// flushable is a store that can lose all it has, as a cache does that is flushed or
// fails over.
type flushable[S any] struct {
	now  atomic.Pointer[S]
	make func() S
}

func newFlushable[S any](make func() S) *flushable[S] {
	f := &flushable[S]{make: make}
	f.flush()
	return f
}

func (f *flushable[S]) flush() { s := f.make(); f.now.Store(&s) }

func (f *flushable[S]) get() S { return *f.now.Load() }

// lossyTokens are tokens that can be lost.
type lossyTokens struct{ *flushable[idem.TokenStore] }

func (s lossyTokens) Issue(ctx context.Context, g idem.TokenGrant) error {
	return s.get().Issue(ctx, g)
}
func (s lossyTokens) Consume(ctx context.Context, c idem.Consumption) (idem.TokenFound, error) {
	return s.get().Consume(ctx, c)
}
func (s lossyTokens) Finish(ctx context.Context, h idem.TokenHold) error {
	return s.get().Finish(ctx, h)
}
func (s lossyTokens) Restore(ctx context.Context, h idem.TokenHold) error {
	return s.get().Restore(ctx, h)
}
func (s lossyTokens) Burn(ctx context.Context, h idem.TokenHold) error { return s.get().Burn(ctx, h) }

// lossyRecords are records in lease mode that can be lost.
type lossyRecords struct{ *flushable[idem.RecordStore] }

func (s lossyRecords) Claim(ctx context.Context, c idem.Claim) (idem.Found, error) {
	return s.get().Claim(ctx, c)
}
func (s lossyRecords) Renew(ctx context.Context, h idem.Hold, lease time.Duration) error {
	return s.get().Renew(ctx, h, lease)
}
func (s lossyRecords) Complete(ctx context.Context, h idem.Hold, o idem.Outcome, retention time.Duration) error {
	return s.get().Complete(ctx, h, o, retention)
}
func (s lossyRecords) Release(ctx context.Context, h idem.Hold) error { return s.get().Release(ctx, h) }
func (s lossyRecords) Lookup(ctx context.Context, k idem.Key) (idem.Found, error) {
	return s.get().Lookup(ctx, k)
}
func (s lossyRecords) Resolve(ctx context.Context, k idem.Key, r idem.Resolution) error {
	return s.get().Resolve(ctx, k, r)
}
func (s lossyRecords) Prune(ctx context.Context, limit int) (int, error) {
	return s.get().Prune(ctx, limit)
}

// world is a shop with all its stores.
type world struct {
	*testing.T
	db      *sql.DB
	engine  *idem.Engine
	next    *Shop
	shop    *IdempotentShop
	tokens  lossyTokens
	records lossyRecords // of the fronts: requests and messages
}

func newWorld(t *testing.T, d *database, db *sql.DB) *world {
	w := &world{
		T: t, db: db, engine: idem.New(idem.GlobalScope), next: NewShop(db, d.dialect),
		tokens:  lossyTokens{newFlushable(func() idem.TokenStore { return memstore.NewTokens() })},
		records: lossyRecords{newFlushable(func() idem.RecordStore { return memstore.New() })},
	}
	w.shop = NewIdempotentShop(w.next, w.engine, sqlstore.New(db, d.dialect), w.tokens, memstore.NewLocks(nil), sqlstore.UniqueViolation)
	return w
}

// pay is the shop with some of the layers that stand in its methods.
func (w *world) pay(layers string) payFunc {
	return map[string]payFunc{
		"": w.bare, "T": w.shop.T, "M": w.shop.M, "U": w.shop.U, "TM": w.shop.TM, "TU": w.shop.TU, "MU": w.shop.MU,
		"TMU": w.shop.TMU, "O": w.shop.O, "TO": w.shop.TO, "OU": w.shop.OU, "L": w.shop.L,
	}[layers]
}

// bare pays as a program without idemgen does.
func (w *world) bare(ctx context.Context, orderID string) (*Receipt, error) {
	tx, err := w.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	r, err := w.next.Bare(ctx, tx, orderID)
	if err != nil {
		return nil, err
	}
	return r, tx.Commit()
}

// prepare makes the orders of a storm, and the unique index if its layer is on.
func (w *world) prepare(intentions int, layers string) {
	execute(w.T, w.db, "DROP INDEX IF EXISTS "+uniqueIndex)
	for _, table := range []string{"payments", "orders", "idem_records"} {
		execute(w.T, w.db, "DELETE FROM "+table)
	}
	for i := range intentions {
		execute(w.T, w.db, "INSERT INTO orders (id, status) VALUES ('"+order(i)+"', 'CREATED')")
	}
	if strings.Contains(layers, "U") {
		execute(w.T, w.db, "CREATE UNIQUE INDEX "+uniqueIndex+" ON payments (order_id)")
	}
	w.tokens.flush()
	w.records.flush()
}

// order is the order of an intention.
func order(i int) string { return fmt.Sprint("order-", i) }

// lose destroys the data of a layer.
func (w *world) lose(layer string) {
	switch layer {
	case "R", "C": // the records of requests or of messages
		w.records.flush()
	case "T":
		w.tokens.flush()
	case "M": // the rows' states are those of an old backup
		execute(w.T, w.db, "UPDATE orders SET status = 'CREATED'")
	case "O":
		execute(w.T, w.db, "DELETE FROM idem_records")
	case "U":
		execute(w.T, w.db, "DROP INDEX IF EXISTS "+uniqueIndex)
	}
}

// effects counts the payments of each intention.
func (w *world) effects(intentions int) []int {
	w.Helper()
	list := make([]int, intentions)
	for i := range list {
		if err := w.db.QueryRow("SELECT COUNT(*) FROM payments WHERE order_id = '" + order(i) + "'").Scan(&list[i]); err != nil {
			w.Fatal(err)
		}
	}
	return list
}
