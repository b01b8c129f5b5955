package servers

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// SQLServer is a running Postgres or MariaDB.
type SQLServer struct {
	Server
	admin *Database
}

// Database is one database of a server and how to reach it. Databases are values
// that don't change: At and With return others.
type Database struct {
	Name     string
	User     string
	Password string
	Addr     string // host:port, or the path of a socket
	engine   *engine
	params   []param
}

type param struct{ name, value string }

// engine is what sets the two kinds of database servers apart.
type engine struct {
	dsn    func(*Database) string
	client func() (string, error) // finds the command-line client
	args   func(d *Database, stmt string) (args, env []string)
	create func(name string) string
	drop   func(name string) []string
}

// clientWithin bounds one call of a command-line client.
const clientWithin = time.Minute

// Addr is host:port of the server.
func (s *SQLServer) Addr() string { return s.admin.Addr }

// Database makes an empty database for a test and drops it when the test ends, also
// when connections to it were left open.
func (s *SQLServer) Database(t testing.TB) *Database {
	t.Helper()
	d := *s.admin
	d.Name = Unique(t)
	if _, err := s.admin.Query(d.engine.create(d.Name)); err != nil {
		refuse(t, err)
	}
	t.Cleanup(func() {
		if s.process != nil && s.PID() == 0 {
			return // it is gone, and its data with it
		}
		for _, stmt := range d.engine.drop(d.Name) {
			if _, err := s.admin.Query(stmt); err != nil {
				t.Logf("servers: %s: %v", stmt, err)
			}
		}
	})
	return &d
}

// DSN is the data source name the usual drivers take: a URL for pgx and lib/pq,
// user:password@tcp(host:port)/name?… for go-sql-driver/mysql.
func (d *Database) DSN() string { return d.engine.dsn(d) }

// At is the same database by way of another address: that of a proxy.
func (d *Database) At(addr string) *Database {
	other := *d
	other.Addr = addr
	return &other
}

// With is the same database with a parameter of the driver or the session in its
// DSN, in place of one of that name: With("clientFoundRows", "true").
func (d *Database) With(name, value string) *Database {
	other := *d
	other.params = nil
	for _, p := range d.params {
		if p.name != name {
			other.params = append(other.params, p)
		}
	}
	other.params = append(other.params, param{name, value})
	return &other
}

// Query runs statements through the server's command-line client, without any driver,
// and returns the rows: columns parted by tabs, rows by line feeds, no header.
func (d *Database) Query(stmt string) (string, error) {
	client, err := d.engine.client()
	if err != nil {
		return "", err
	}
	args, env := d.engine.args(d, stmt)
	ctx, cancel := context.WithTimeout(context.Background(), clientWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, client, args...)
	cmd.Env = append(os.Environ(), env...)
	var out, fault strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &fault
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %s", stmt, cmp.Or(strings.TrimSpace(fault.String()), err.Error()))
	}
	return strings.TrimRight(out.String(), "\n"), nil
}
