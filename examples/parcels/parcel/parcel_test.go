package parcel_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/idemgen/idemgen/examples/internal/database"
	"github.com/idemgen/idemgen/examples/parcels/carrier"
	"github.com/idemgen/idemgen/examples/parcels/parcel"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// counter is a carrier that counts its labels, and fails as fail says.
type counter struct {
	labels atomic.Int64
	fail   func() error
}

func (c *counter) Quote(context.Context, int64) (int64, error) { return 100, nil }

func (c *counter) Book(_ context.Context, s carrier.Shipment) (*carrier.Label, error) {
	if c.fail != nil {
		if err := c.fail(); err != nil {
			return nil, err
		}
	}
	c.labels.Add(1)
	return &carrier.Label{Number: "L-" + s.Reference, Cents: 100}, nil
}

func open(t *testing.T, c *counter) (*parcel.Office, *sql.DB) {
	t.Helper()
	db, dialect, err := database.Source{SQLite: filepath.Join(t.TempDir(), "parcels.db")}.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	store := sqlstore.New(db, dialect)
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{parcel.Schema, "INSERT INTO parcels (id, state, grams) VALUES ('p-1', 'P', 500)"} {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	return parcel.NewOffice(db, c, idem.New(idem.GlobalScope), store), db
}

// Sixteen clerks send one parcel: one label is paid, and every clerk who gets an answer gets that one.
func TestOneLabelIsPaid(t *testing.T) {
	c := &counter{}
	office, _ := open(t, c)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			label, err := office.Send(t.Context(), "p-1")
			if err == nil && label.Number != "L-p-1" || err != nil && !errors.Is(err, idem.ErrInProgress) {
				t.Errorf("got %v, %v", label, err)
			}
		})
	}
	wg.Wait()
	if _, err := office.Send(t.Context(), "p-1"); err != nil {
		t.Fatal(err)
	}
	if n := c.labels.Load(); n != 1 {
		t.Errorf("%d labels were paid", n)
	}
	if s, err := office.State(t.Context(), "p-1"); err != nil || s != parcel.Labelled {
		t.Errorf("state %v, %v", s, err)
	}
}

// A carrier that was closed has printed nothing: the next call books. One whose answer was lost may have: the call is held, and no second label is paid.
func TestUnknownOutcomesAreHeld(t *testing.T) {
	c := &counter{fail: func() error { return carrier.ErrClosed }}
	office, _ := open(t, c)
	if _, err := office.Send(t.Context(), "p-1"); !errors.Is(err, carrier.ErrClosed) {
		t.Fatalf("got %v", err)
	}
	c.fail = func() error {
		c.labels.Add(1) // printed and charged, but the answer never came
		return context.DeadlineExceeded
	}
	if _, err := office.Send(t.Context(), "p-1"); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", err)
	}
	c.fail = nil
	// In progress while the lease of the first call lasts, then unknown.
	if _, err := office.Send(t.Context(), "p-1"); !errors.Is(err, idem.ErrInProgress) && !errors.Is(err, idem.ErrOutcomeUnknown) {
		t.Fatalf("got %v", err)
	}
	if n := c.labels.Load(); n != 1 {
		t.Errorf("%d labels were paid", n)
	}
}

// A letter that no state has is an error, not a state.
func TestUnknownStates(t *testing.T) {
	office, db := open(t, &counter{})
	if _, err := db.ExecContext(t.Context(), "UPDATE parcels SET state = 'X'"); err != nil {
		t.Fatal(err)
	}
	if s, err := office.State(t.Context(), "p-1"); err == nil {
		t.Errorf("state %v", s)
	}
}
