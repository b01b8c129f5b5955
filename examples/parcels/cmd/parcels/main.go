// Command parcels sends parcels from a SQLite file with a carrier that says aloud what it charges.
//
//	parcels add p-1 1200     a parcel of 1200 g
//	parcels send p-1         books a label; again: the same label, and nothing is charged
//	parcels collect p-1
//	parcels list
package main

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/idemgen/idemgen/examples/internal/database"
	"github.com/idemgen/idemgen/examples/parcels/carrier"
	"github.com/idemgen/idemgen/examples/parcels/parcel"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

var errUsage = errors.New("usage: parcels [-db file] add ID GRAMS | send ID | collect ID | list")

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("parcels", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	file := flags.String("db", "parcels.db", "SQLite `file`")
	if err := flags.Parse(args); err != nil || flags.NArg() == 0 {
		return errUsage
	}
	db, dialect, err := database.Source{SQLite: *file}.Open()
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	store := sqlstore.New(db, dialect)
	if err := store.Migrate(ctx); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, parcel.Schema); err != nil {
		return err
	}
	office := parcel.NewOffice(db, &loud{out}, idem.New(idem.GlobalScope), store)
	return do(ctx, office, db, flags.Args(), out)
}

func do(ctx context.Context, office *parcel.Office, db *sql.DB, args []string, out io.Writer) error {
	switch {
	case args[0] == "add" && len(args) == 3:
		grams, err := strconv.ParseInt(args[2], 10, 64)
		if err != nil {
			return err
		}
		_, err = db.ExecContext(ctx, "INSERT INTO parcels (id, state, grams) VALUES (?, ?, ?)", args[1], parcel.Packed, grams)
		return err
	case args[0] == "send" && len(args) == 2:
		label, err := office.Send(ctx, args[1])
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: label %s, %d cents\n", args[1], label.Number, label.Cents)
		return nil
	case args[0] == "collect" && len(args) == 2:
		return office.Collected(ctx, args[1])
	case args[0] == "list" && len(args) == 1:
		return list(ctx, db, out)
	}
	return errUsage
}

func list(ctx context.Context, db *sql.DB, out io.Writer) error {
	rows, err := db.QueryContext(ctx, "SELECT id, state, COALESCE(label, '') FROM parcels ORDER BY id")
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id, label string
		var state parcel.State
		if err := rows.Scan(&id, &state, &label); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s %s %s, next %v\n", id, state, label, state.Events())
	}
	return rows.Err()
}

// loud is a carrier that says what it charges.
type loud struct{ out io.Writer }

func (c *loud) Quote(_ context.Context, grams int64) (int64, error) { return 300 + grams/10, nil }

func (c *loud) Book(ctx context.Context, s carrier.Shipment) (*carrier.Label, error) {
	cents, err := c.Quote(ctx, s.Grams)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(c.out, "the carrier charges %d cents for %s\n", cents, s.Reference)
	return &carrier.Label{Number: "L-" + s.Reference, Cents: cents}, nil
}
