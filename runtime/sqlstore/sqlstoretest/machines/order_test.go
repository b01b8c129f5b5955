package machines

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
)

const tenant, other = 1, 2

// order makes an order of the tenant.
func (f *fixture) order(id string, amount int64) {
	f.Helper()
	if err := f.guard.Create(f.Context(), f.idem, id, tenant, amount); err != nil {
		f.Fatal(err)
	}
}

// is checks the kind of a refused event, and which guard failed.
func (f *fixture) is(what string, err error, kind idem.TransitionKind, failed idem.GuardPart) {
	f.Helper()
	var refused *idem.TransitionError
	if !errors.As(err, &refused) || refused.Kind != kind || refused.Failed != failed {
		f.Errorf("%s: %v, want %v %v", what, err, kind, failed)
	}
}

// Tenant, predicate, version and fence are told apart, and what is set is set.
func TestLaw_S7_GuardsAndColumns(t *testing.T) {
	onEach(t, func(f *fixture) {
		ctx, g, db := f.Context(), f.guard, f.idem
		f.order("o", 50)
		_, err := g.Pay(ctx, db, "o", 0, 5, other, now, now, 50)
		f.is("another tenant", err, idem.TransitionNotFound, 0)
		_, err = g.Pay(ctx, db, "none", 0, 5, tenant, now, now, 50)
		f.is("no row", err, idem.TransitionNotFound, 0)
		_, err = g.Pay(ctx, db, "o", 0, 5, tenant, now, now, 51)
		f.is("another amount", err, idem.TransitionGuard, idem.GuardWhere)
		_, err = g.Pay(ctx, db, "o", 3, 5, tenant, now, now, 50)
		f.is("another version", err, idem.TransitionGuard, idem.GuardVersion)
		if !errors.Is(err, idem.ErrConflict) {
			t.Errorf("another version is no conflict: %v", err)
		}
		change, err := g.Hold(ctx, db, "o", 0, 5, tenant, now)
		if err != nil || change != (idem.Change[Order]{From: Created, To: Held, Version: 1}) {
			t.Errorf("hold: %v, %v", change, err)
		}
		_, err = g.Pay(ctx, db, "o", 1, 4, tenant, now, now, 50)
		f.is("an older fence", err, idem.TransitionGuard, idem.GuardFence)
		change, err = g.Pay(ctx, db, "o", idem.AnyVersion, 5, tenant, now, now, 50)
		if err != nil || change != (idem.Change[Order]{From: Held, To: Paid, Version: 2}) {
			t.Errorf("pay: %v, %v", change, err)
		}
		_, err = g.Finish(ctx, db, "o", 1, 5, tenant, now)
		f.is("the version before", err, idem.TransitionGuard, idem.GuardVersion)
		if n := f.count("orders WHERE id = 'o' AND status = 'PAID' AND paid_at IS NOT NULL AND updated_at IS NOT NULL AND version = 2 AND lock_fence = 5"); n != 1 {
			t.Error("the row is not as it was set")
		}
		if n := f.count("order_history WHERE row_key = 'o'"); n != 3 {
			t.Errorf("%d rows of history, want 3", n)
		}
		if n := f.count("order_history WHERE row_key = 'o' AND from_state IS NULL AND to_state = 'CREATED'"); n != 1 {
			t.Error("the creation is not in the history")
		}
	})
}

// A second creation changes nothing; a row of another tenant is not told.
func TestLaw_S9_CreateOnce(t *testing.T) {
	onEach(t, func(f *fixture) {
		ctx, g, db := f.Context(), f.guard, f.idem
		f.order("o", 50)
		f.is("again", g.Create(ctx, db, "o", tenant, 60), idem.TransitionDuplicate, 0)
		f.is("by another tenant", g.Create(ctx, db, "o", other, 60), idem.TransitionGuard, idem.GuardWhere)
		if _, err := g.Cancel(ctx, db, "o", 0, 1, tenant, now); err != nil {
			t.Error(err)
		}
		f.is("moved on", g.Create(ctx, db, "o", tenant, 60), idem.TransitionSuperseded, 0)
		if f.count("orders WHERE amount = 50 AND status = 'CANCELLED'") != 1 || f.count("order_history") != 2 {
			t.Error("a refused creation left a trace")
		}
	})
}

// A target that the caller names is checked against the table.
func TestLaw_S4_DynamicTarget(t *testing.T) {
	onEach(t, func(f *fixture) {
		ctx, g, db := f.Context(), f.guard, f.idem
		f.order("o", 50)
		_, err := g.Move(ctx, db, "o", Done, 0, 1, tenant, now)
		f.is("no edge", err, idem.TransitionIllegal, 0)
		if _, err := g.Move(ctx, db, "o", "NOWHERE", 0, 1, tenant, now); !errors.Is(err, idem.ErrUnknownState) {
			t.Errorf("no state: %v", err)
		}
		for _, to := range []Order{Held, Paid, Done} {
			if change, err := g.Move(ctx, db, "o", to, idem.AnyVersion, 1, tenant, now); err != nil || change.To != to {
				t.Errorf("to %s: %v, %v", to, change, err)
			}
		}
		_, err = g.Move(ctx, db, "o", Cancelled, idem.AnyVersion, 1, tenant, now)
		f.is("from a final state", err, idem.TransitionIllegal, 0)
	})
}

// A batch tells what became of each row, in the order of the ids.
func TestLaw_S2_BatchTellsOfEachRow(t *testing.T) {
	onEach(t, func(f *fixture) {
		ctx, g, db := f.Context(), f.guard, f.idem
		var ids []string
		for i := range 120 { // more than one chunk
			id := fmt.Sprint("o", i)
			f.order(id, 50)
			ids = append(ids, id)
		}
		f.order("dear", 99)
		if _, err := g.Hold(ctx, db, "o7", 0, 1, tenant, now); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, "dear", "none", "o3")
		results, err := g.PayAll(ctx, db, ids, 1, tenant, now, now, 50)
		if err != nil || len(results) != len(ids) {
			t.Fatalf("%d results of %d, %v", len(results), len(ids), err)
		}
		for i, r := range results[:120] {
			want := idem.Change[Order]{From: Created, To: Paid, Version: 1}
			if i == 7 {
				want = idem.Change[Order]{From: Held, To: Paid, Version: 2}
			}
			if r.Err != nil || r.Change != want {
				t.Errorf("%s: %v, %v, want %v", ids[i], r.Change, r.Err, want)
			}
		}
		f.is("another amount", results[120].Err, idem.TransitionGuard, idem.GuardWhere)
		f.is("no row", results[121].Err, idem.TransitionNotFound, 0)
		f.is("twice in the list", results[122].Err, idem.TransitionDuplicate, 0)
		if n := f.count("order_history WHERE event = 'Pay'"); n != 120 {
			t.Errorf("%d payments in the history", n)
		}
	})
}

// An event with a key of its own is applied once per key, and a duplicate gets the
// change that was made then.
func TestLaw_T1_OncePerKey(t *testing.T) {
	onEach(t, func(f *fixture) {
		ctx, store, engine := f.Context(), f.store(), idem.New(idem.GlobalScope)
		f.order("o", 50)
		f.order("p", 50)
		var applied, busy atomic.Int64
		var wg sync.WaitGroup
		want := idem.Change[Order]{From: Created, To: Paid, Version: 1}
		for range 16 {
			wg.Go(func() {
				switch change, err := OrderPayOnce(ctx, engine, store, "k", "o", 0, 1, tenant, now, now, 50); {
				case err == nil && change == want:
					applied.Add(1)
				case errors.Is(err, idem.ErrInProgress):
					busy.Add(1)
				default:
					t.Errorf("%v, %v", change, err)
				}
			})
		}
		wg.Wait()
		if applied.Load() == 0 || f.count("order_history WHERE event = 'Pay'") != 1 {
			t.Errorf("%d told as applied, %d busy, %d payments", applied.Load(), busy.Load(), f.count("order_history WHERE event = 'Pay'"))
		}
		if _, err := f.guard.Finish(ctx, f.idem, "o", 1, 1, tenant, now); err != nil {
			t.Error(err)
		}
		if change, err := OrderPayOnce(ctx, engine, store, "k", "o", 0, 1, tenant, now, now, 50); err != nil || change != want {
			t.Errorf("later: %v, %v", change, err)
		}
		if _, err := OrderPayOnce(ctx, engine, store, "k", "p", 0, 1, tenant, now, now, 50); !errors.Is(err, idem.ErrKeyReused) {
			t.Errorf("another row: %v", err)
		}
		if _, err := OrderPayOnce(ctx, engine, store, "k", "o", 0, 1, tenant, now, now, 49); !errors.Is(err, idem.ErrKeyReused) {
			t.Errorf("another amount (K5): %v", err)
		}
		if change, err := OrderPayOnce(ctx, engine, store, "k", "o", 0, 1, tenant, now.Add(1), now.Add(1), 50); err != nil || change != want {
			t.Errorf("at another time: %v, %v", change, err)
		}
		if _, err := OrderPayOnce(ctx, engine, store, "k", "o", 0, 1, other, now, now, 50); !errors.Is(err, idem.ErrNotFound) {
			t.Errorf("another tenant with the same key: %v", err)
		}
		_, err := OrderPayOnce(ctx, engine, store, "k2", "p", 0, 1, tenant, now, now, 51)
		f.is("another amount", err, idem.TransitionGuard, idem.GuardWhere)
		if _, err := OrderPayOnce(ctx, engine, store, "k2", "p", 0, 1, tenant, now, now, 50); err != nil {
			t.Errorf("a refused event left a record: %v", err)
		}
	})
}

// The arguments of fire reach the guard, in the transaction of the method.
func TestLaw_S7_FireWithArguments(t *testing.T) {
	onEach(t, func(f *fixture) {
		ctx, store := f.Context(), f.store()
		f.order("o", 50)
		f.order("p", 13)
		mine, theirs := &Shop{Tenant: tenant}, &Shop{Tenant: other}
		engine := idem.New(idem.GlobalScope)
		shop := NewIdempotentShop(mine, engine, store)
		if _, err := NewIdempotentShop(theirs, engine, store).Pay(ctx, "k0", &PayRequest{Order: &OrderRef{"o"}, Amount: 50}, now, 1); !errors.Is(err, idem.ErrNotFound) || theirs.Paid != 0 {
			t.Errorf("another tenant: %v", err)
		}
		if _, err := shop.Pay(ctx, "k1", &PayRequest{Amount: 50}, now, 1); !errors.Is(err, idem.ErrMissingKey) {
			t.Errorf("no order: %v", err)
		}
		if _, err := shop.Pay(ctx, "k1", &PayRequest{Order: &OrderRef{"o"}, Amount: 50, Version: 4}, now, 1); !errors.Is(err, idem.ErrConflict) {
			t.Errorf("another version: %v", err)
		}
		for range 2 {
			if text, err := shop.Pay(ctx, "k1", &PayRequest{Order: &OrderRef{"o"}, Amount: 50}, now, 1); err != nil || text != "receipt of o" {
				t.Errorf("%q, %v", text, err)
			}
		}
		if mine.Paid != 1 {
			t.Errorf("ran %d times", mine.Paid)
		}
		if _, err := shop.Pay(ctx, "k2", &PayRequest{Order: &OrderRef{"p"}, Amount: 13}, now, 1); !errors.Is(err, ErrCard) || f.count("orders WHERE id = 'p' AND status = 'CREATED' AND version = 0") != 1 {
			t.Errorf("a refused payment: %v", err)
		}
		if n := f.count("order_history WHERE idem_key IS NOT NULL AND row_key = 'o'"); n != 1 {
			t.Errorf("%d rows of history with the key of the call", n)
		}
		if err := shop.Move(ctx, "p", Held, tenant, 1, now); err != nil {
			t.Error(err)
		}
		err := store.Begin(ctx, func(ctx context.Context, tx *sql.Tx) error {
			return shop.MoveTx(ctx, tx, "p", Paid, tenant, 1, now)
		})
		if err != nil || f.count("orders WHERE id = 'p' AND status = 'PAID'") != 1 {
			t.Errorf("in a transaction: %v", err)
		}
	})
}

// What the column holds is what values= says, and comes back as the state.
func TestLaw_S6_MappedValues(t *testing.T) {
	onEach(t, func(f *fixture) {
		ctx := f.Context()
		f.exec("CREATE TABLE parcels (id VARCHAR(20) PRIMARY KEY, parcel CHAR(1) NOT NULL)")
		f.exec("CREATE TABLE moods (id VARCHAR(20) PRIMARY KEY, mood INTEGER NOT NULL)")
		f.history("mood_history")
		g := NewParcelGuard(f.on.dialect)
		insert := f.dialect("INSERT INTO parcels VALUES ('p', ?)", "INSERT INTO parcels VALUES ('p', $1)", "INSERT INTO parcels VALUES ('p', ?)")
		if _, err := f.db.ExecContext(ctx, insert, ParcelSent); err != nil || f.count("parcels WHERE parcel = 'S'") != 1 {
			t.Errorf("written: %v", err)
		}
		if change, err := g.Return(ctx, f.idem, "p"); err != nil || change.From != ParcelSent || change.To != ParcelBack {
			t.Errorf("%v, %v", change, err)
		}
		var parcel Parcel
		if err := f.db.QueryRowContext(ctx, "SELECT parcel FROM parcels WHERE parcel = 'B'").Scan(&parcel); err != nil || parcel != ParcelBack {
			t.Errorf("read: %v, %v", parcel, err)
		}
		moods := NewMoodGuard(f.on.dialect)
		if err := moods.Create(ctx, f.idem, "m"); err != nil {
			t.Error(err)
		}
		if _, err := moods.Annoy(ctx, f.idem, "m"); err != nil || f.count("moods WHERE mood = -5") != 1 {
			t.Error(err)
		}
		var mood Mood
		if err := f.db.QueryRowContext(ctx, "SELECT mood FROM moods").Scan(&mood); err != nil || mood != Angry {
			t.Errorf("read: %v, %v", mood, err)
		}
	})
}
