package difftest_test

import (
	"context"
	"database/sql"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	"github.com/idemgen/idemgen/internal/difftest"
	"github.com/idemgen/idemgen/internal/difftest/locks"
	"github.com/idemgen/idemgen/internal/difftest/transactions"
	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/pgxstore"
	"github.com/idemgen/idemgen/runtime/redisstore"
	"github.com/idemgen/idemgen/runtime/redisstore/rueidisstore"
	"github.com/idemgen/idemgen/runtime/sqlstore"
	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"
	_ "modernc.org/sqlite"
)

// connections is the pool of a client: more than there are plays at work.
const connections = 8

// memory is the name of the store in memory.
const memory = "memory"

// sqlServer is one row of the table of databases.
type sqlServer struct {
	name, driver string
	dialect      idem.Dialect
	atOnce       int // plays awake; 0 = a few
	source       func(t *testing.T) string
}

var sqlServers = []sqlServer{
	{"SQLite", "sqlite", idem.SQLite, 1, func(t *testing.T) string { return sqliteFile(filepath.Join(t.TempDir(), "test.db")) }},
	{"Postgres", "pgx", idem.Postgres, 0, func(t *testing.T) string { return servers.Postgres(t).Database(t).DSN() }},
	{"MariaDB", "mysql", idem.MySQL, 0, func(t *testing.T) string { return servers.MariaDB(t).Database(t).DSN() }},
}

// sqliteFile is the source name of a file as a service would open it.
func sqliteFile(path string) string {
	q := url.Values{"_pragma": {"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(NORMAL)"}}
	return "file:" + path + "?" + q.Encode()
}

// open opens a new database, with the runtime's tables in it.
func (s *sqlServer) open(t *testing.T) (*sql.DB, *sqlstore.Store) {
	t.Helper()
	db, err := sql.Open(s.driver, s.source(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	store := sqlstore.New(db, s.dialect)
	if err := store.Migrate(context.Background()); err != nil {
		t.Fatal(err)
	}
	return db, store
}

// pgxPool opens a new database with the runtime's tables in it, for pgx alone.
func pgxPool(t *testing.T) *pgxpool.Pool {
	t.Helper()
	c, err := pgxpool.ParseConfig(servers.Postgres(t).Database(t).DSN())
	if err != nil {
		t.Fatal(err)
	}
	c.MaxConns = connections
	pool, err := pgxpool.NewWithConfig(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	if err := pgxstore.New(pool).Migrate(context.Background()); err != nil {
		t.Fatal(err)
	}
	return pool
}

// redisKind is one row of the table of Redis clients and topologies.
type redisKind struct {
	name string
	open func(t *testing.T, prefix string) redisParts
}

// redisParts are the three stores on one client.
type redisParts struct {
	records idem.RecordStore
	tokens  idem.TokenStore
	locks   idem.Locker
}

var redisKinds = []redisKind{
	{"Redis", func(t *testing.T, prefix string) redisParts {
		o, err := redis.ParseURL(servers.Redis(t).URL())
		if err != nil {
			t.Fatal(err)
		}
		o.PoolSize = connections
		return goRedis(t, redis.NewClient(o), prefix)
	}},
	{"Redis Cluster", func(t *testing.T, prefix string) redisParts {
		return goRedis(t, redis.NewClusterClient(&redis.ClusterOptions{Addrs: servers.RedisCluster(t).Addrs(), PoolSize: connections}), prefix)
	}},
	{"Redis by rueidis", func(t *testing.T, prefix string) redisParts {
		o, err := rueidis.ParseURL(servers.Redis(t).URL())
		if err != nil {
			t.Fatal(err)
		}
		client, err := rueidis.NewClient(o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(client.Close)
		s, err := rueidisstore.New(context.Background(), client, rueidisstore.WithPrefix(prefix))
		if err != nil {
			t.Fatal(err)
		}
		return redisParts{s, s.Tokens(), s.Locks()}
	}},
}

func goRedis(t *testing.T, client redis.UniversalClient, prefix string) redisParts {
	t.Helper()
	t.Cleanup(func() { client.Close() })
	s, err := redisstore.New(context.Background(), client, redisstore.WithPrefix(prefix))
	if err != nil {
		t.Fatal(err)
	}
	return redisParts{s, s.Tokens(), s.Locks()}
}

// openAll opens every Redis.
func openAll(t *testing.T) []redisParts {
	t.Helper()
	parts := make([]redisParts, len(redisKinds))
	for i := range redisKinds {
		parts[i] = redisKinds[i].open(t, servers.Unique(t)+":")
	}
	return parts
}

// recordStores are all stores of records, in a table.
func recordStores(t *testing.T) []difftest.Named[idem.RecordStore] {
	t.Helper()
	parts := openAll(t)
	stores := []difftest.Named[idem.RecordStore]{{Name: memory, Store: memstore.New()}}
	for i := range sqlServers {
		_, s := sqlServers[i].open(t)
		stores = append(stores, difftest.Named[idem.RecordStore]{Name: sqlServers[i].name, Store: s, AtOnce: sqlServers[i].atOnce})
	}
	stores = append(stores, difftest.Named[idem.RecordStore]{Name: "Postgres by pgx", Store: pgxstore.New(pgxPool(t))})
	for i, p := range parts {
		stores = append(stores, difftest.Named[idem.RecordStore]{Name: redisKinds[i].name, Store: p.records})
	}
	return stores
}

// txStores are all stores in transaction mode.
func txStores(t *testing.T) []difftest.Named[transactions.Store] {
	t.Helper()
	var stores []difftest.Named[transactions.Store]
	for i := range sqlServers {
		db, s := sqlServers[i].open(t)
		if _, err := db.Exec(transactions.EffectsTable); err != nil {
			t.Fatal(err)
		}
		stores = append(stores, difftest.Named[transactions.Store]{Name: sqlServers[i].name, Store: transactions.Of(s), AtOnce: sqlServers[i].atOnce})
	}
	pool := pgxPool(t)
	if _, err := pool.Exec(context.Background(), transactions.EffectsTable); err != nil {
		t.Fatal(err)
	}
	return append(stores, difftest.Named[transactions.Store]{Name: "Postgres by pgx", Store: transactions.Of(pgxstore.New(pool))})
}

// tokenStores are all stores of tokens.
func tokenStores(t *testing.T) []difftest.Named[idem.TokenStore] {
	t.Helper()
	stores := []difftest.Named[idem.TokenStore]{{Name: memory, Store: memstore.NewTokens()}}
	for i := range sqlServers {
		db, _ := sqlServers[i].open(t)
		s := sqlstore.NewTokens(db, sqlServers[i].dialect)
		if err := s.Migrate(context.Background()); err != nil {
			t.Fatal(err)
		}
		stores = append(stores, difftest.Named[idem.TokenStore]{Name: sqlServers[i].name, Store: s, AtOnce: sqlServers[i].atOnce})
	}
	for i, p := range openAll(t) {
		stores = append(stores, difftest.Named[idem.TokenStore]{Name: redisKinds[i].name, Store: p.tokens})
	}
	return stores
}

// lockers are all lockers, each with the records that it checks.
func lockers(t *testing.T) []difftest.Named[locks.Store] {
	t.Helper()
	records := memstore.New()
	stores := []difftest.Named[locks.Store]{{Name: memory, Store: locks.Store{Locker: memstore.NewLocks(records), Records: records}}}
	for i := range sqlServers {
		db, s := sqlServers[i].open(t)
		l := sqlstore.NewLocks(db, sqlServers[i].dialect)
		if err := l.Migrate(context.Background()); err != nil {
			t.Fatal(err)
		}
		stores = append(stores, difftest.Named[locks.Store]{Name: sqlServers[i].name, Store: locks.Store{Locker: l, Records: s}, AtOnce: sqlServers[i].atOnce})
	}
	for i, p := range openAll(t) {
		stores = append(stores, difftest.Named[locks.Store]{Name: redisKinds[i].name, Store: locks.Store{Locker: p.locks, Records: p.records}})
	}
	return stores
}

// deadline bounds what a test does with a server that doesn't answer.
func deadline(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	return ctx
}
