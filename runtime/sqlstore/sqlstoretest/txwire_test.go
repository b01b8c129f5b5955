package sqlstoretest

import (
	"context"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/faultproxy"
	"github.com/idemgen/idemgen/runtime/idem"
)

// The network loses the COMMIT of a transaction of another library, or the reply
// of one that has happened: the call runs once more, or not.
func TestLaw_T8_TheNetworkLosesACommitOfAnyKind(t *testing.T) {
	on(t, bothServers, func(t *testing.T, d *database) {
		t.Run("unit of work", func(t *testing.T) { losesCommits(t, d, unitKind) })
		t.Run("in the context", func(t *testing.T) { losesCommits(t, d, contextKind) })
		t.Run("gorm", func(t *testing.T) { losesCommits(t, d, gormKind) })
		t.Run("sqlx", func(t *testing.T) { losesCommits(t, d, sqlxKind) })
		t.Run("bun", func(t *testing.T) { losesCommits(t, d, bunKind) })
		t.Run("ent", func(t *testing.T) { losesCommits(t, d, entKind) })
	})
}

func losesCommits[T any](t *testing.T, d *database, of func(*fixture) kind[T]) {
	ctx := context.Background()
	f, p := d.behind(t)
	k, engine, op := of(f), idem.New(idem.GlobalScope), idem.Op{Name: "sqlstoretest"}
	runs := 0
	pay := func(id string) {
		t.Helper()
		call := engine.Call(ctx, &op, idem.String(id))
		got, err := idem.OnceTx(ctx, k.store, call, func(ctx context.Context, tx T) (string, error) {
			runs++
			return id, k.write(ctx, tx, id)
		})
		if err != nil || got != id {
			t.Errorf("%s: %q, %v", id, got, err)
		}
	}
	pay("warm")
	word := "COMMIT"
	if d == pgxOnPostgres && !strings.HasSuffix(t.Name(), "unit_of_work") {
		word = "commit" // pgx's own
	}
	for id, c := range map[string]struct {
		fault faultproxy.Fault
		runs  int
	}{"reply": {faultproxy.LoseReply, 1}, "request": {faultproxy.LoseRequest, 2}} {
		runs = 0
		lost := p.On(c.fault, word, 1)
		pay(id)
		pay(id)
		if !lost.Fired() || runs != c.runs || f.effects(id) != 1 {
			t.Errorf("%s: lost %v, %d runs, %d effects", id, lost.Fired(), runs, f.effects(id))
		}
	}
}
