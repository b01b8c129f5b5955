package main

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/idemgen/idemgen/examples/payment/internal/shop"
	"github.com/idemgen/idemgen/examples/payment/internal/storm"
)

// blowStorm runs the storm and prints its table. Without a database it has a file of its own, which is removed afterwards.
func blowStorm(ctx context.Context, o shop.Options, orders, clicks int, stdout io.Writer) (err error) {
	if o.Database.SQLite+o.Database.Postgres+o.Database.MariaDB == "" {
		dir, err := os.MkdirTemp("", "payment-storm-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		o.Database.SQLite = filepath.Join(dir, "payment.db")
	}
	report, err := storm.Run(ctx, storm.Config{Shop: o, Orders: orders, Clicks: clicks})
	if err != nil {
		return err
	}
	if err := report.Write(stdout); err != nil {
		return err
	}
	if !report.OK() {
		return errFailed
	}
	return nil
}
