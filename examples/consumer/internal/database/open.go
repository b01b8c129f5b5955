// Package database opens the database of the consumers: a SQLite file or Postgres.
package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"

	"github.com/idemgen/idemgen/examples/consumer/handler"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver called "pgx"
	_ "modernc.org/sqlite"             // the driver called "sqlite"
)

// connections bounds the pool of one process.
const connections = 8

// Source names a database: Postgres where it is set, else SQLite.
type Source struct {
	SQLite   string // path of a file, made where there is none
	Postgres string // DSN of pgx: postgres://user@host/name
}

// Args are the flags that name the same database to another process.
func (s Source) Args() []string {
	if s.Postgres != "" {
		return []string{"-postgres", s.Postgres}
	}
	return []string{"-sqlite", s.SQLite}
}

// Database is an open database with all tables. Processes may open one and the same at once.
type Database struct {
	*sql.DB
	Dialect idem.Dialect
	Store   *sqlstore.Store // marks of messages, in both modes
}

// Open opens the database and makes the tables that are missing. The caller closes it.
func (s Source) Open(ctx context.Context) (*Database, error) {
	driver, dsn, dialect := "sqlite", s.sqlite(), idem.SQLite
	if s.Postgres != "" {
		driver, dsn, dialect = "pgx", s.Postgres, idem.Postgres
	}
	db, err := sql.Open(driver, dsn)
	if err != nil {
		return nil, fmt.Errorf("database: open: %w", err)
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	store := sqlstore.New(db, dialect)
	err = store.Migrate(ctx)
	if err == nil {
		err = handler.Migrate(ctx, db)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &Database{db, dialect, store}, nil
}

// sqlite is a file with a write-ahead log, in which a writer waits up to 10 s for its turn and takes it as its transaction begins.
func (s Source) sqlite() string {
	query := url.Values{
		"_pragma": {"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(NORMAL)"},
		"_txlock": {"immediate"},
	}
	u := url.URL{Scheme: "file", Opaque: url.PathEscape(s.SQLite), RawQuery: query.Encode()}
	return u.String()
}
