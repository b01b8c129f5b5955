package sqlstoretest

import (
	"context"
	"database/sql"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
)

// The bare business transaction, the measure of the guarded one.
func BenchmarkBareTransaction(b *testing.B) {
	ctx := context.Background()
	f := newFixture(b)
	for b.Loop() {
		err := f.store.Begin(ctx, func(ctx context.Context, tx *sql.Tx) error { return f.effect(ctx, tx, "K") })
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFreshTransaction(b *testing.B) {
	ctx := context.Background()
	f := newFixture(b)
	k := sqlKind(f)
	body := k.body("K")
	i := 0
	for b.Loop() {
		i++
		if _, err := f.store.InTx(ctx, claimOn(b, 0, idem.Int(i)), body); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDuplicateTransaction(b *testing.B) {
	ctx := context.Background()
	f := newFixture(b)
	k := sqlKind(f)
	c := claimOn(b, 0, idem.String("K"))
	for b.Loop() {
		c.Owner = idem.NewOwner()
		if _, err := f.store.InTx(ctx, c, k.body("K")); err != nil {
			b.Fatal(err)
		}
	}
}
