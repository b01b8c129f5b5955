package sqlstoretest

import (
	"context"
	"database/sql"
	"slices"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

// TestLaw_T1_KilledAtEveryStep: whatever step of a transaction a process dies in, the
// next call's answer is the first effect's, and there is one of it.
func TestLaw_T1_KilledAtEveryStep(t *testing.T) {
	on(t, oneOfEach, func(t *testing.T, d *database) {
		var seen []string
		idemtest.Crashes(t, func(t *testing.T, p *idemtest.Process) idemtest.Victim[int64] {
			f := d.fixture(t)
			f.exec("CREATE TABLE payments (id bigint NOT NULL)")
			store := idemtest.Tx[*sql.Tx](p, f.store)
			engine, op := idem.New(idem.GlobalScope), &idem.Op{Name: "pay"}
			count := func() (n int64) {
				if err := f.db.QueryRow("SELECT COUNT(*) FROM payments").Scan(&n); err != nil {
					t.Fatal(err)
				}
				return n
			}
			return idemtest.Victim[int64]{
				Call: func(ctx context.Context) (int64, error) {
					return idem.OnceTx(ctx, store, engine.Call(ctx, op, idem.String("k")), func(ctx context.Context, tx *sql.Tx) (n int64, err error) {
						if _, err := tx.ExecContext(ctx, "INSERT INTO payments VALUES (1)"); err != nil {
							return 0, err
						}
						err = tx.QueryRowContext(ctx, "SELECT COUNT(*) FROM payments").Scan(&n)
						return n, err
					})
				},
				Check: func(t *testing.T, step string, got int64, err error) {
					seen = append(seen, step)
					if n := count(); n != 1 || got != 1 || err != nil {
						t.Errorf("%d payments, result %d, %v", n, got, err)
					}
				},
			}
		})
		if want := []string{"", "before transaction", "after claim", "before commit", "after transaction"}; !slices.Equal(seen, want) {
			t.Errorf("steps %q, want %q", seen, want)
		}
	})
}
