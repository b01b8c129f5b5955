package pgxstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/faultproxy"
	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgxstore"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// fixture is a database with the runtime's tables, a business table, and a store.
type fixture struct {
	testing.TB
	ctx   context.Context
	on    *servers.Database
	pool  *pgxpool.Pool
	store *pgxstore.Store
}

// setting changes the configuration of a pool.
type setting func(*pgxpool.Config)

func conns(n int32) setting { return func(c *pgxpool.Config) { c.MaxConns = n } }

func mode(m pgx.QueryExecMode) setting {
	return func(c *pgxpool.Config) { c.ConnConfig.DefaultQueryExecMode = m }
}

// newFixture is a new database on the shared server.
func newFixture(t testing.TB, opts ...pgxstore.Option) *fixture {
	t.Helper()
	return fixtureOn(t, servers.Postgres(t), opts...)
}

func fixtureOn(t testing.TB, server *servers.SQLServer, opts ...pgxstore.Option) *fixture {
	t.Helper()
	f := over(t, server.Database(t), nil, opts...)
	if err := f.store.Migrate(f.ctx); err != nil {
		t.Fatal(err)
	}
	f.exec("CREATE TABLE effects (id text NOT NULL, n int NOT NULL)")
	return f
}

// over is a store on a pool of its own, as another process has one.
func over(t testing.TB, db *servers.Database, settings []setting, opts ...pgxstore.Option) *fixture {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	c, err := pgxpool.ParseConfig(db.DSN())
	if err != nil {
		t.Fatal(err)
	}
	c.MaxConns = 8
	for _, set := range settings {
		set(c)
	}
	pool, err := pgxpool.NewWithConfig(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return &fixture{TB: t, ctx: ctx, on: db, pool: pool, store: pgxstore.New(pool, opts...)}
}

// process is a store that shares nothing with the fixture's but the database.
func (f *fixture) process(settings []setting, opts ...pgxstore.Option) *fixture {
	f.Helper()
	return over(f.TB, f.on, settings, opts...)
}

// behind is a process behind a proxy, with one connection, so that it can be
// counted what goes over it.
func (f *fixture) behind(settings []setting, opts ...pgxstore.Option) (*fixture, *faultproxy.Proxy) {
	f.Helper()
	p, err := faultproxy.New(f.on.Addr)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := p.Close(); err != nil {
			f.Error(err)
		}
	})
	// A check whether an idle connection is alive would count, too.
	never := func(c *pgxpool.Config) {
		c.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false }
	}
	return over(f.TB, f.on.At(p.Addr()), append([]setting{conns(1), never}, settings...), opts...), p
}

func (f *fixture) exec(query string, args ...any) {
	f.Helper()
	if _, err := f.pool.Exec(f.ctx, query, args...); err != nil {
		f.Fatalf("%s: %v", query, err)
	}
}

// count runs a query that yields one number.
func (f *fixture) count(query string, args ...any) (n int) {
	f.Helper()
	if err := f.pool.QueryRow(f.ctx, query, args...).Scan(&n); err != nil {
		f.Fatalf("%s: %v", query, err)
	}
	return n
}

// effectsNow counts the effects of an intention, for the suites.
func (f *fixture) effectsNow(ctx context.Context, id string) (n int, err error) {
	err = f.pool.QueryRow(ctx, "SELECT count(*) FROM effects WHERE id = $1", id).Scan(&n)
	return n, err
}

// effects is how many effects an intention had.
func (f *fixture) effects(id string) int {
	f.Helper()
	return f.count("SELECT count(*) FROM effects WHERE id = $1", id)
}

// has expects so many effects.
func (f *fixture) has(id string, want int) {
	f.Helper()
	if n := f.effects(id); n != want {
		f.Errorf("%s: %d effects, want %d", id, n, want)
	}
}

// write is the business write.
func write(ctx context.Context, tx pgxstore.Conn, id string) error {
	_, err := tx.Exec(ctx, "INSERT INTO effects (id, n) VALUES ($1, 1)", id)
	return err
}

// body writes an effect and succeeds with its name.
func body(id string) func(context.Context, pgx.Tx) (idem.Outcome, error) {
	return func(ctx context.Context, tx pgx.Tx) (idem.Outcome, error) {
		return done(id), write(ctx, tx, id)
	}
}

// never is a body that must not run.
func (f *fixture) never(context.Context, pgx.Tx) (idem.Outcome, error) {
	f.Error("the body ran")
	return done("never"), nil
}

// claimOf is a claim of a new owner in transaction mode that doesn't wait.
func claimOf(t testing.TB, name string) idem.Claim {
	t.Helper()
	op := idem.Op{Name: "pgxstore"}
	call := idem.New(idem.GlobalScope).Call(context.Background(), &op, idem.String(name))
	if err := call.Err(); err != nil {
		t.Fatal(err)
	}
	return idem.Claim{Key: call.Key(), Owner: idem.NewOwner(), Retention: time.Hour}
}

// again is the same claim by a new owner.
func again(c idem.Claim) idem.Claim {
	c.Owner = idem.NewOwner()
	return c
}

func done(text string) idem.Outcome {
	return idem.Outcome{Kind: idem.Succeeded, Codec: "json", Data: []byte(text)}
}

// is expects what stands committed under a claim's key.
func (f *fixture) is(c idem.Claim, want idem.ClaimStatus) idem.Record {
	f.Helper()
	got, err := f.store.Lookup(f.ctx, c.Key)
	if err != nil || got.Status != want {
		f.Errorf("look-up: %v, %v, want %v", got.Status, err, want)
	}
	return got.Record
}

// idle expects that no connection of the pool is taken, and that the server has
// no transaction open.
func (f *fixture) idle() {
	f.Helper()
	if n := f.pool.Stat().AcquiredConns(); n != 0 {
		f.Errorf("%d connections were not given back", n)
	}
	if n := f.count("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'"); n != 0 {
		f.Errorf("%d transactions are open", n)
	}
}
