// Package database opens the desk's database with gorm: a SQLite file, Postgres or MariaDB.
package database

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"

	mysqldriver "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver called "pgx"
	"github.com/libtnb/sqlite"         // gorm's dialect over modernc.org/sqlite
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/idemgen/idemgen/runtime/idem"
)

// connections bounds the pool of one process.
const connections = 8

// Source names a database: one of the fields is set; none is the SQLite file tickets.db.
type Source struct {
	SQLite   string // path of a file, made where there is none
	Postgres string // DSN of pgx: postgres://user@host/name
	MariaDB  string // DSN of go-sql-driver, for MariaDB or MySQL: user@tcp(host)/name
}

// Open opens the database. The caller closes it with Close.
func (s Source) Open() (*gorm.DB, idem.Dialect, error) {
	driver, dsn, dialect := "sqlite", s.sqlite(), idem.SQLite
	switch {
	case s.Postgres != "":
		driver, dsn, dialect = "pgx", s.Postgres, idem.Postgres
	case s.MariaDB != "":
		cfg, err := mysqldriver.ParseDSN(s.MariaDB)
		if err != nil {
			return nil, 0, fmt.Errorf("database: %w", err)
		}
		cfg.ParseTime = true // tickets have times
		driver, dsn, dialect = "mysql", cfg.FormatDSN(), idem.MySQL
	}
	pool, err := sql.Open(driver, dsn)
	if err != nil {
		return nil, 0, fmt.Errorf("database: open: %w", err)
	}
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	db, err := gorm.Open(dialector(dialect, pool), &gorm.Config{Logger: logger.Discard})
	if err != nil {
		return nil, 0, errors.Join(fmt.Errorf("database: open: %w", err), pool.Close())
	}
	return db, dialect, nil
}

// Close closes what Open opened.
func Close(db *gorm.DB) error {
	pool, err := db.DB()
	if err != nil {
		return err
	}
	return pool.Close()
}

func dialector(d idem.Dialect, pool *sql.DB) gorm.Dialector {
	switch d {
	case idem.Postgres:
		return postgres.New(postgres.Config{Conn: pool})
	case idem.MySQL:
		return mysql.New(mysql.Config{Conn: pool})
	}
	return sqlite.New(sqlite.Config{Conn: pool})
}

// sqlite is a file with a write-ahead log, in which a writer waits up to 10 s for its turn and takes it as its transaction begins. Times are kept as text that sorts like the times.
func (s Source) sqlite() string {
	path := s.SQLite
	if path == "" {
		path = "tickets.db"
	}
	query := url.Values{
		"_pragma":      {"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(NORMAL)"},
		"_txlock":      {"immediate"},
		"_time_format": {"sqlite"},
	}
	u := url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: query.Encode()}
	return u.String()
}
