package pgxstore_test

import (
	"context"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/faultproxy"
	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgxstore"
	"github.com/idemgen/idemgen/runtime/sqlstore"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The bare business transaction, the same guarded by this store, and guarded
// without pipelining. "1ms away" puts a millisecond on each round trip, as between
// two zones of a cloud. Run with -benchtime=300x or more: a run prepares first.
func BenchmarkInTx(b *testing.B) {
	for _, place := range []struct {
		name  string
		delay time.Duration
	}{{"near", 0}, {"1ms away", time.Millisecond / 2}} {
		db := servers.Postgres(b).Database(b)
		f := over(b, db, nil)
		if err := f.store.Migrate(f.ctx); err != nil {
			b.Fatal(err)
		}
		f.exec("CREATE TABLE effects (id text NOT NULL, n int NOT NULL)")
		p, err := faultproxy.New(db.Addr)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { p.Close() })
		if place.delay > 0 {
			p.SetDelay(place.delay, place.delay)
			f = over(b, db.At(p.Addr()), nil)
		}
		for _, callers := range []int{1, 8} {
			for _, c := range contenders {
				b.Run(place.name+"/"+strconv.Itoa(callers)+" callers/"+c.name, func(b *testing.B) {
					b.ReportAllocs()
					run := c.make(f)
					var n atomic.Int64
					one := func() {
						if err := run(strconv.FormatInt(n.Add(1), 10) + b.Name() + strconv.Itoa(b.N)); err != nil {
							b.Error(err)
						}
					}
					if callers == 1 {
						for range b.N {
							one()
						}
						return
					}
					b.SetParallelism(max(1, callers/runtime.GOMAXPROCS(0)))
					b.RunParallel(func(pb *testing.PB) {
						for pb.Next() {
							one()
						}
					})
				})
			}
		}
	}
}

var contenders = []struct {
	name string
	make func(f *fixture) func(id string) error
}{
	{"bare", func(f *fixture) func(string) error {
		return func(id string) error {
			return pgx.BeginFunc(f.ctx, f.pool, func(tx pgx.Tx) error { return write(f.ctx, tx, id) })
		}
	}},
	{"pipelined", func(f *fixture) func(string) error { return guarded(f.ctx, f.store) }},
	{"two functions", func(f *fixture) func(string) error {
		return guarded(f.ctx, sqlstore.NewTx(idem.Postgres, beginOn(f.pool, pgx.TxOptions{}), use,
			sqlstore.WithAutocommit(pgxstore.DB(f.pool))))
	}},
}

func guarded(ctx context.Context, store idem.TxStore[pgx.Tx]) func(id string) error {
	engine, op := idem.New(idem.GlobalScope), idem.Op{Name: "Service.Pay"}
	return func(id string) error {
		call := engine.Call(ctx, &op, idem.String(id))
		_, err := idem.OnceTx(ctx, store, call, func(ctx context.Context, tx pgx.Tx) (string, error) { return id, write(ctx, tx, id) })
		return err
	}
}

// A duplicate, whose record is there.
func BenchmarkInTxDuplicate(b *testing.B) {
	f := newFixture(b)
	run := guarded(f.ctx, f.store)
	if err := run("K"); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := run("K"); err != nil {
			b.Fatal(err)
		}
	}
}

// One statement in autocommit: what a claim in lease mode costs at least.
func BenchmarkClaim(b *testing.B) {
	f := newFixture(b)
	b.Run("insert", func(b *testing.B) {
		b.ReportAllocs()
		insert := func(pool *pgxpool.Pool) error { return write(f.ctx, pool, "K") }
		for b.Loop() {
			if err := insert(f.pool); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("claim", func(b *testing.B) {
		b.ReportAllocs()
		c := claimOf(b, "K")
		c.Lease, c.Orphan = time.Minute, idem.OrphanRerun
		for n := 0; b.Loop(); n++ {
			c.Key.Hash[0], c.Key.Hash[1], c.Key.Hash[2] = byte(n), byte(n>>8), byte(n>>16)
			if _, err := f.store.Claim(f.ctx, c); err != nil {
				b.Fatal(err)
			}
		}
	})
}
