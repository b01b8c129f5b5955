package sqlstoretest

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// TestLaw_C13_EnginesPruneTheirStores: an engine that lives long keeps the tables of
// records, tokens and locks small without anybody calling Prune, also those of a store
// for another kind of transactions.
func TestLaw_C13_EnginesPruneTheirStores(t *testing.T) {
	on(t, oneOfEach, func(t *testing.T, d *database) {
		ctx := context.Background()
		f := d.fixture(t)
		engine := idem.New(idem.GlobalScope, idem.WithPruning(20*time.Millisecond))
		tokens, locks := f.tokens(), f.locks()
		other := sqlstore.NewTx(d.dialect,
			func(ctx context.Context, body func(context.Context, *sql.Tx) error) error {
				tx, err := f.db.BeginTx(ctx, nil)
				if err != nil {
					return err
				}
				defer tx.Rollback()
				if err := body(ctx, tx); err != nil {
					return err
				}
				return tx.Commit()
			},
			func(_ context.Context, tx *sql.Tx) idem.DB { return sqlstore.DB(tx) })
		brief := idem.Op{Name: "brief", TTL: time.Millisecond}
		leased := idem.Op{Name: "leased", TTL: time.Millisecond, Orphan: idem.OrphanRerun}
		tokenOp := idem.TokenOp{From: "test", Keep: time.Millisecond, Lease: time.Minute}
		lockOp := idem.LockOp{TTL: time.Minute}

		call := func(i int, layer string) error {
			key := idem.String(fmt.Sprint(layer, i))
			run := func(context.Context) (int, error) { return i, nil }
			inTx := func(context.Context, *sql.Tx) (int, error) { return i, nil }
			var err error
			switch layer {
			case "transaction":
				_, err = idem.OnceTx(ctx, f.store, engine.Call(ctx, &brief, key), inTx)
			case "other transaction":
				_, err = idem.OnceTx(ctx, other, engine.Call(ctx, &brief, key), inTx)
			case "lease":
				_, err = idem.Once(ctx, f.store, engine.Call(ctx, &leased, key), run)
			case "token":
				token := idem.NewToken()
				if err := tokens.Issue(ctx, idem.TokenGrant{Tokens: []idem.TokenID{token.ID()}, TTL: 100 * time.Millisecond, Keep: time.Millisecond}); err != nil {
					return err
				}
				_, err = idem.Token(ctx, idem.Presented{Store: tokens, Op: &tokenOp, Token: token.Reveal()}, engine.Call(ctx, &leased, key), run)
			case "lock":
				c := engine.Call(ctx, &leased, key)
				_, err = idem.Lock(ctx, idem.Locked{Store: locks, Op: &lockOp, Call: c}, c, nil, run)
			}
			return err
		}
		for layer, table := range map[string]string{
			"transaction": "idem_records", "other transaction": "idem_records", "lease": "idem_records",
			"token": "idem_tokens", "lock": "idem_locks",
		} {
			const calls = 80
			for i := range calls {
				if err := call(i, layer); err != nil {
					t.Fatalf("%s: %v", layer, err)
				}
			}
			if layer == "lock" { // what a fence was is remembered for longer than a test lasts
				f.exec("UPDATE idem_locks SET expires_at = expires_at - 3600000000 WHERE lease_until IS NULL")
			}
			var left int
			for i := calls; i < calls+200; i++ { // traffic goes on, and what came before goes
				time.Sleep(25 * time.Millisecond)
				if err := call(i, layer); err != nil {
					t.Fatalf("%s: %v", layer, err)
				}
				if err := f.db.QueryRowContext(ctx, "SELECT COUNT(*) FROM "+table).Scan(&left); err != nil {
					t.Fatal(err)
				}
				if left < calls/2 {
					break
				}
			}
			if left >= calls/2 {
				t.Errorf("%s: %d rows are left", layer, left)
			}
		}
	})
}
