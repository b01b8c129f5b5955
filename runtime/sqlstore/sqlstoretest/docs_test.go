package sqlstoretest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// TestOperationsGuideFindsWhatItSays: the statements in docs/operations.md find the
// held record and the expired one, and not the others.
func TestOperationsGuideFindsWhatItSays(t *testing.T) {
	guide, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	var queries []string
	for _, part := range strings.Split(string(guide), "```sql\n")[1:] {
		query, _, _ := strings.Cut(part, "```")
		queries = append(queries, query)
	}
	if len(queries) != 2 {
		t.Fatalf("%d statements in the guide", len(queries))
	}
	on(t, oneOfEach, func(t *testing.T, d *database) {
		if d.dialect != idem.Postgres {
			t.Skip("the guide's statements are for Postgres")
		}
		ctx := context.Background()
		f := d.fixture(t)
		engine := idem.New(idem.GlobalScope)
		for name, op := range map[string]idem.Op{
			"expired": {Name: "expired", TTL: time.Millisecond, Orphan: idem.OrphanRerun},
			"held":    {Name: "held", Lease: time.Millisecond, Orphan: idem.OrphanHold},
			"running": {Name: "running", Orphan: idem.OrphanHold},
			"rerun":   {Name: "rerun", Lease: time.Millisecond, Orphan: idem.OrphanRerun},
			"done":    {Name: "done", Orphan: idem.OrphanHold},
		} {
			_, err := idem.Once(ctx, f.store, engine.Call(ctx, &op, idem.String("k")), func(context.Context) (int, error) {
				switch name {
				case "expired", "done":
					return 1, nil
				}
				return 0, context.DeadlineExceeded
			})
			if err != nil && !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
		}
		time.Sleep(10 * time.Millisecond)
		var expired int
		if err := f.db.QueryRowContext(ctx, queries[0]).Scan(&expired); err != nil || expired != 1 {
			t.Errorf("%d expired, %v", expired, err)
		}
		rows, err := f.db.QueryContext(ctx, queries[1])
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		var held []string
		for rows.Next() {
			var key string
			var at time.Time
			if err := rows.Scan(&key, &at); err != nil {
				t.Fatal(err)
			}
			if since := time.Since(at); since < 0 || since > time.Minute {
				t.Errorf("claimed %v ago", since)
			}
			held = append(held, key)
		}
		if len(held) != 1 || !strings.HasPrefix(held[0], "held") {
			t.Errorf("held: %q", held)
		}
	})
}
