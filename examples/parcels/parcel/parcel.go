// Package parcel sends parcels: it books a label with the carrier, once, and moves the parcel's state in a table that was there before it.
//
// Nothing below is annotated. idem.yaml in the folder above says what is guarded; the generated idem_gen.go declares Carrier and State and has the wrappers.
package parcel

//go:generate go tool idemgen

import (
	"context"
	"database/sql"

	"github.com/idemgen/idemgen/examples/parcels/carrier"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// Schema is the table as the older program made it.
const Schema = `CREATE TABLE IF NOT EXISTS parcels (id VARCHAR(64) PRIMARY KEY, state CHAR(1) NOT NULL, grams BIGINT NOT NULL, label VARCHAR(64))`

// Desk writes down what became of a parcel. Use it through Office.
type Desk struct{}

// Labelled notes the label of a parcel: the guard does, before this runs.
func (d *Desk) Labelled(ctx context.Context, tx *sql.Tx, id, number string) error { return nil }

// Office sends parcels. Each step may be repeated, by whoever and however often. Safe for concurrent use.
type Office struct {
	db      *sql.DB
	carrier Carrier
	desk    *IdempotentDesk
	guard   StateGuard
}

// NewOffice makes an office over a store of the parcels' database.
func NewOffice(db *sql.DB, c carrier.Client, e *idem.Engine, store *sqlstore.Store) *Office {
	return &Office{
		db:      db,
		carrier: NewIdempotentCarrier(c, e, store),
		desk:    NewIdempotentDesk(&Desk{}, e, store),
		guard:   NewStateGuard(store.Dialect()),
	}
}

// Send books the label of a parcel and notes it. A repeated call books nothing and returns the same label.
func (o *Office) Send(ctx context.Context, id string) (*carrier.Label, error) {
	var grams int64
	if err := o.db.QueryRowContext(ctx, "SELECT grams FROM parcels WHERE id = ?", id).Scan(&grams); err != nil {
		return nil, err
	}
	label, err := o.carrier.Book(ctx, carrier.Shipment{Reference: id, Grams: grams})
	if err != nil {
		return nil, err
	}
	return label, o.desk.Labelled(ctx, id, label.Number)
}

// Collected notes that the carrier has the parcel.
func (o *Office) Collected(ctx context.Context, id string) error {
	_, err := o.guard.Collect(ctx, sqlstore.DB(o.db), id)
	return err
}

// State is where a parcel stands.
func (o *Office) State(ctx context.Context, id string) (State, error) {
	var s State
	err := o.db.QueryRowContext(ctx, "SELECT state FROM parcels WHERE id = ?", id).Scan(&s)
	return s, err
}
