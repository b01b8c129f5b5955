// Package testdb gives tests a new database of each kind: SQLite always, Postgres and MariaDB from package servers. A package that uses it has servers.Main in its TestMain.
package testdb

import (
	"path"
	"path/filepath"
	"testing"

	"gorm.io/gorm"

	"github.com/idemgen/idemgen/examples/tickets/internal/database"
	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
)

// kinds are the databases, by the name of the subtest that gets one.
var kinds = []struct {
	name   string
	source func(t *testing.T) database.Source
}{
	{"sqlite", func(t *testing.T) database.Source {
		return database.Source{SQLite: filepath.Join(t.TempDir(), "tickets.db")}
	}},
	{"postgres", func(t *testing.T) database.Source {
		return database.Source{Postgres: servers.Postgres(t).Database(t).DSN()}
	}},
	{"mariadb", func(t *testing.T) database.Source {
		return database.Source{MariaDB: servers.MariaDB(t).Database(t).DSN()}
	}},
	{"mariadb,clientFoundRows", func(t *testing.T) database.Source {
		return database.Source{MariaDB: servers.MariaDB(t).Database(t).With("clientFoundRows", "true").DSN()}
	}},
}

// OnEach runs a subtest per kind of database.
func OnEach(t *testing.T, test func(t *testing.T)) {
	t.Run(kinds[0].name, test)
	OnServers(t, test)
}

// OnServers is OnEach without SQLite.
func OnServers(t *testing.T, test func(t *testing.T)) {
	for _, k := range kinds[1:] {
		t.Run(k.name, test)
	}
}

// Source is a new database of the kind that a subtest of OnEach or OnServers is called after; elsewhere it is SQLite.
func Source(t *testing.T) database.Source {
	t.Helper()
	for _, k := range kinds {
		if k.name == path.Base(t.Name()) {
			return k.source(t)
		}
	}
	return kinds[0].source(t)
}

// Open opens a new database, without tables.
func Open(t *testing.T) (*gorm.DB, idem.Dialect) {
	t.Helper()
	db, dialect, err := Source(t).Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = database.Close(db) })
	return db, dialect
}
