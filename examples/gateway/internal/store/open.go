// Package store opens the store that a command line names.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/redisstore"
	"github.com/idemgen/idemgen/runtime/sqlstore"
	"github.com/redis/go-redis/v9"

	_ "github.com/go-sql-driver/mysql" // the driver called "mysql"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver called "pgx"
	_ "modernc.org/sqlite"             // the driver called "sqlite"
)

// connections bounds the pool of a database.
const connections = 8

// Open opens a store: memory, sqlite:FILE, postgres://…, mysql:DSN or redis://…, and makes its tables where they are missing. The caller closes it.
func Open(ctx context.Context, name string) (idem.RecordStore, func() error, error) {
	scheme, rest, _ := strings.Cut(name, ":")
	switch scheme {
	case "memory":
		return memstore.New(), func() error { return nil }, nil
	case "sqlite":
		return openSQL(ctx, "sqlite", sqliteDSN(rest), idem.SQLite)
	case "postgres", "postgresql":
		return openSQL(ctx, "pgx", name, idem.Postgres)
	case "mysql":
		return openSQL(ctx, "mysql", rest, idem.MySQL)
	case "redis", "rediss":
		return openRedis(ctx, name)
	}
	return nil, nil, fmt.Errorf("-store: want memory, sqlite:FILE, postgres://…, mysql:DSN or redis://…, got %q", scheme)
}

func openSQL(ctx context.Context, driver, dsn string, dialect idem.Dialect) (idem.RecordStore, func() error, error) {
	db, err := sql.Open(driver, dsn)
	if err != nil {
		return nil, nil, fmt.Errorf("store: open: %w", err)
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	store := sqlstore.New(db, dialect)
	if err := store.Migrate(ctx); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("store: migrate: %w", err), db.Close())
	}
	return store, db.Close, nil
}

// sqliteDSN is a file with a write-ahead log, in which a writer waits up to 10 s for its turn.
func sqliteDSN(path string) string {
	query := url.Values{"_pragma": {"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)"}, "_txlock": {"immediate"}}
	u := url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: query.Encode()}
	return u.String()
}

func openRedis(ctx context.Context, address string) (idem.RecordStore, func() error, error) {
	o, err := redis.ParseURL(address)
	if err != nil {
		return nil, nil, fmt.Errorf("store: open: %w", err)
	}
	o.ContextTimeoutEnabled = true
	client := redis.NewClient(o)
	store, err := redisstore.New(ctx, client)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("store: open: %w", err), client.Close())
	}
	return store, client.Close, nil
}
