// Package database opens the service's SQLite file.
package database

import (
	"database/sql"
	"fmt"
	"net/url"

	_ "modernc.org/sqlite" // the driver called "sqlite"
)

// connections bounds the pool of one process. SQLite has one writer at a time whatever the pool holds; more than one connection lets leases be renewed and orders be read while a transaction is open.
const connections = 4

// Open opens the file at path, making it where there is none: write-ahead log, a writer waits up to 10 s for its turn, and a transaction takes its turn as it begins.
// Files of several processes may be open at once. The caller closes it.
func Open(path string) (*sql.DB, error) {
	query := url.Values{
		"_pragma": {"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(NORMAL)"},
		"_txlock": {"immediate"},
	}
	dsn := url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: query.Encode()}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, fmt.Errorf("database: open %s: %w", path, err)
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, nil
}
