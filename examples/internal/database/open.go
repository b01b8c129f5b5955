// Package database opens the database of an example: a SQLite file, Postgres or MariaDB.
package database

import (
	"database/sql"
	"fmt"
	"net/url"

	"github.com/idemgen/idemgen/runtime/idem"

	_ "github.com/go-sql-driver/mysql" // the driver called "mysql"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver called "pgx"
	_ "modernc.org/sqlite"             // the driver called "sqlite"
)

// connections bounds the pool of one process.
const connections = 16

// Source names a database: SQLite, unless one of the others is set.
type Source struct {
	SQLite   string // path of a file, made where there is none
	Postgres string // DSN of pgx: postgres://user@host/name
	MariaDB  string // DSN of go-sql-driver, for MariaDB or MySQL: user@tcp(host)/name
}

// Open opens the database. The caller closes it.
func (s Source) Open() (*sql.DB, idem.Dialect, error) {
	driver, dsn, dialect := "sqlite", s.sqlite(), idem.SQLite
	switch {
	case s.Postgres != "" && s.MariaDB != "":
		return nil, 0, fmt.Errorf("database: a Postgres and a MariaDB are named, and one is used")
	case s.Postgres != "":
		driver, dsn, dialect = "pgx", s.Postgres, idem.Postgres
	case s.MariaDB != "":
		driver, dsn, dialect = "mysql", s.MariaDB, idem.MySQL
	}
	db, err := sql.Open(driver, dsn)
	if err != nil {
		return nil, 0, fmt.Errorf("database: open: %w", err)
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, dialect, nil
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
