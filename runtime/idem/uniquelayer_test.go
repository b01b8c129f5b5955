package idem_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
)

// errTaken is what a driver says of a unique index.
type errTaken struct{ index string }

func (e errTaken) Error() string { return "duplicate entry for " + e.index }

func violation(err error) (string, bool) {
	var taken errTaken
	if errors.As(err, &taken) {
		return taken.index, true
	}
	return "", false
}

var orderNo = idem.UniqueOp{Name: "test.Create", Index: "uq_no", Columns: []string{"orders.shop", "orders.no"}}

type invoice struct{ no string }

// TestUnique_DeclaredIndexOnly: its duplicate is answered by the look-up, any other
// error stands, and so does the method's own where the look-up finds nothing.
func TestUnique_DeclaredIndexOnly(t *testing.T) {
	w := newWorld(t)
	old := &invoice{"7"}
	for _, c := range []struct {
		name    string
		err     error
		found   *invoice
		lookErr error
		want    *invoice
	}{
		{"inserted", nil, old, nil, &invoice{"new"}},
		{"index", errTaken{"uq_no"}, old, nil, old},
		{"columns, as SQLite says", errTaken{"orders.shop, orders.no"}, old, nil, old},
		{"another index", errTaken{"uq_mail"}, old, nil, nil},
		{"unnamed", errTaken{""}, old, nil, nil},
		{"business", errBiz, old, nil, nil},
		{"nothing found", errTaken{"uq_no"}, nil, nil, nil},
		{"look-up fails", errTaken{"uq_no"}, old, errSoldOut, nil},
	} {
		looked := false
		got, err := idem.Unique(context.Background(), w.engine, &orderNo, violation,
			func(context.Context) (*invoice, error) { looked = true; return c.found, c.lookErr },
			func(context.Context) (*invoice, error) {
				if c.err != nil {
					return nil, c.err
				}
				return &invoice{"new"}, nil
			})
		switch {
		case c.want == nil:
			if err != c.err || got != nil {
				t.Errorf("%s: %v, %v", c.name, got, err)
			}
		case err != nil || *got != *c.want:
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
		if _, isViolation := violation(c.err); looked && !isViolation {
			t.Errorf("%s: looked up", c.name)
		}
	}
	equal(t, "told", w.log.count(idem.EventLookedUp), 2)
}

// TestUniqueTx_NewTransaction: the failed transaction is rolled back with its record,
// and the look-up runs in a new one; in a caller's it runs there.
func TestUniqueTx_NewTransaction(t *testing.T) {
	w := newWorld(t)
	w.op.Lease, w.op.Orphan = 0, idem.OrphanNone
	store := newMemTx()
	create := func(ctx context.Context) (*invoice, error) {
		return idem.UniqueTx(ctx, w.engine, store, &orderNo, violation,
			func(_ context.Context, t *tx) (*invoice, error) {
				if t.rows["order"] == 0 {
					return nil, nil
				}
				return &invoice{"old"}, nil
			},
			func(ctx context.Context) (*invoice, error) {
				return idem.OnceTx(ctx, store, w.call("k"), func(_ context.Context, t *tx) (*invoice, error) {
					t.rows["half"]++
					if t.rows["order"] > 0 {
						return nil, errTaken{"uq_no"}
					}
					t.rows["order"]++
					return &invoice{"new"}, nil
				})
			})
	}
	ok(t, store.Begin(context.Background(), func(_ context.Context, t *tx) error { t.rows["order"]++; return nil }))
	begun := store.begun
	got, err := create(context.Background())
	ok(t, err)
	equal(t, "answer", got.no, "old")
	equal(t, "transactions", store.begun-begun, 2)
	equal(t, "rolled back", store.row("half"), 0)
	equal(t, "status", lookup(t, store, w.call("k").Key()), idem.Absent)

	begun = store.begun
	ok(t, store.Begin(context.Background(), func(ctx context.Context, cur *tx) error {
		got, err := create(idem.Join(ctx, store, cur))
		ok(t, err)
		equal(t, "answer", got.no, "old")
		equal(t, "kept back", cur.rows["half"], 0)
		return nil
	}))
	equal(t, "transactions", store.begun-begun, 1)
}

func lookup(t *testing.T, l idem.Looker, k idem.Key) idem.ClaimStatus {
	t.Helper()
	f, err := l.Lookup(context.Background(), k)
	ok(t, err)
	return f.Status
}

// snapshot is a transaction on Postgres at an isolation level.
type snapshot struct {
	*memTx
	level string
}

func (s snapshot) Dialect() idem.Dialect                { return idem.Postgres }
func (s snapshot) Use(_ context.Context, t *tx) idem.DB { return levels{savepoints{t}, s.level} }

type levels struct {
	savepoints
	level string
}

func (l levels) Query(_ context.Context, query string, _ ...any) (idem.Rows, error) {
	if !strings.Contains(query, "isolation") {
		return nil, errors.New(query)
	}
	return &oneRow{text: l.level}, nil
}

type oneRow struct {
	text string
	read bool
}

func (r *oneRow) Next() bool { first := !r.read; r.read = true; return first }
func (r *oneRow) Scan(dest ...any) error {
	*dest[0].(*string) = r.text
	return nil
}
func (r *oneRow) Err() error   { return nil }
func (r *oneRow) Close() error { return nil }

// TestUniqueTx_OldSnapshot: a caller's transaction that can't see the other row is to
// be run again.
func TestUniqueTx_OldSnapshot(t *testing.T) {
	for level, want := range map[string]error{"read committed": nil, "repeatable read": idem.ErrRetryTransaction, "serializable": idem.ErrRetryTransaction} {
		w := newWorld(t)
		store := snapshot{newMemTx(), level}
		ok(t, store.Begin(context.Background(), func(ctx context.Context, cur *tx) error {
			_, err := idem.UniqueTx(idem.Join(ctx, idem.TxStore[*tx](store), cur), w.engine, idem.TxStore[*tx](store), &orderNo, violation,
				func(context.Context, *tx) (*invoice, error) { return &invoice{"old"}, nil },
				func(context.Context) (*invoice, error) { return nil, errTaken{"uq_no"} })
			if want == nil {
				ok(t, err)
			} else {
				is(t, err, want)
				is(t, err, errTaken{"uq_no"})
			}
			return nil
		}))
	}
}
