package servers

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Postgres returns the Postgres the tests of this process share: the one EnvPostgres
// names, or one that is started on first use.
func Postgres(t testing.TB) *SQLServer {
	t.Helper()
	return get(t, func(r *registry) *lazy[*SQLServer] { return &r.postgres })
}

// NewPostgres starts a Postgres for one test, which may kill it, and ends it with the
// test. Settings are given to the server by their names in postgresql.conf.
func NewPostgres(t testing.TB, opts ...Option) *SQLServer {
	t.Helper()
	private(t, EnvPostgres)
	s, err := startPostgres(opts)
	if err != nil {
		refuse(t, err)
	}
	keepFor(t, s.close)
	return s
}

// sharedPostgres is the start of Postgres.
func sharedPostgres() (*SQLServer, error) {
	if dsn, ok := external(EnvPostgres); ok {
		d, err := parsePostgres(dsn)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", EnvPostgres, err)
		}
		return &SQLServer{Server{fixed: ErrExternal}, d}, nil
	}
	s, err := startPostgres(nil)
	if err == nil {
		s.fixed = ErrShared
	}
	return s, err
}

func startPostgres(opts []Option) (_ *SQLServer, err error) {
	c := newConfig(opts)
	server, err := find("postgresql", "postgres")
	if err != nil {
		return nil, err
	}
	initdb := filepath.Join(filepath.Dir(server), "initdb")
	if _, err := os.Stat(initdb); err != nil {
		return nil, &missingError{"initdb", "postgresql"}
	}
	if _, err := findPsql(); err != nil {
		return nil, err
	}
	h, err := newHome("postgres", "nobody")
	if err != nil {
		return nil, err
	}
	data := filepath.Join(h.path, "data")
	made := &SQLServer{Server: Server{release: []func() error{
		func() error { removeSharedMemory(data); return nil }, h.remove,
	}}}
	defer func() {
		if err != nil {
			made.close()
		}
	}()
	port, err := newPort(false)
	if err != nil {
		return nil, err
	}
	made.release = append(made.release, func() error { port.free(); return nil })
	made.admin = &Database{
		Name: "postgres", User: "postgres", Password: randomHex(16), Addr: port.addr(),
		engine: &postgresEngine, params: []param{{"sslmode", "disable"}},
	}
	secret, err := h.write("password", made.admin.Password, h.user)
	if err != nil {
		return nil, err
	}
	// md5 and not scram: one connection more or less should not show in a test's time.
	if err := h.command(initdb, "-D", data, "-U", "postgres", "-A", "md5", "--pwfile", secret,
		"-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"); err != nil {
		return nil, err
	}
	made.process = &process{
		name: "postgres", path: server, dir: h.path, user: h.user, log: filepath.Join(h.path, "postgres.log"),
		term: sigInterrupt, death: sigQuit,
		args: postgresArgs(data, port.number, c),
		ready: func() error {
			_, err := made.admin.Query("SELECT 1")
			return err
		},
	}
	return made, made.process.start()
}

// postgresArgs are the arguments of the server. Commits are handed to the operating
// system but not forced to disk: they survive a kill, which is what tests do.
func postgresArgs(data string, port int, c *config) []string {
	settings := []setting{
		{"listen_addresses", "127.0.0.1"},
		{"unix_socket_directories", ""},
		{"fsync", "off"},
		{"max_connections", "300"},
		{"shared_buffers", "64MB"},
		{"dynamic_shared_memory_type", "mmap"}, // a killed server leaves nothing outside its folder
		{"min_wal_size", "32MB"},
		{"max_wal_size", "256MB"},
	}
	if c.timeZone != "" {
		settings = append(settings, setting{"timezone", c.timeZone}, setting{"log_timezone", c.timeZone})
	}
	if c.isolation != "" {
		settings = append(settings, setting{"default_transaction_isolation", c.isolation})
	}
	args := []string{"-D", data, "-p", strconv.Itoa(port)}
	for _, s := range slices.Concat(settings, c.settings) {
		args = append(args, "-c", s.name+"="+s.value)
	}
	return args
}

// removeSharedMemory removes the few bytes of System V shared memory that a killed
// Postgres leaves; one that ended in good order has removed its pid file as well.
func removeSharedMemory(data string) {
	text, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return
	}
	const memoryLine = 6 // "key id"
	lines := strings.Split(string(text), "\n")
	if len(lines) <= memoryLine {
		return
	}
	if fields := strings.Fields(lines[memoryLine]); len(fields) == 2 {
		exec.Command("ipcrm", "-m", fields[1]).Run()
	}
}

// command runs a program of a server's package as the user of the home.
func (h *home) command(path string, args ...string) error {
	cmd := exec.Command(path, args...)
	cmd.Dir = h.path
	cmd.SysProcAttr = childAttributes(h.user, 0)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(path), err, out)
	}
	return nil
}

var postgresEngine = engine{
	dsn:    func(d *Database) string { return postgresURL(d, d.Password, nil) },
	client: findPsql,
	args: func(d *Database, stmt string) (args, env []string) {
		return []string{"-X", "-q", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1",
				"-d", postgresURL(d, "", libpqParams), "-c", stmt},
			[]string{"PGPASSWORD=" + d.Password, "PGCONNECT_TIMEOUT=10"}
	},
	create: func(name string) string { return `CREATE DATABASE "` + name + `"` },
	drop: func(name string) []string {
		return []string{`DROP DATABASE IF EXISTS "` + name + `" WITH (FORCE)`}
	},
}

func findPsql() (string, error) { return find("postgresql-client", "psql") }

// libpqParams are the parameters psql takes; a driver's own stay out.
var libpqParams = []string{"sslmode", "sslrootcert", "sslcert", "sslkey", "options", "host"}

// postgresURL is the DSN of a database; with only, with those parameters alone.
func postgresURL(d *Database, password string, only []string) string {
	u := url.URL{Scheme: "postgres", User: url.User(d.User), Host: d.Addr, Path: "/" + d.Name}
	if password != "" {
		u.User = url.UserPassword(d.User, password)
	}
	var query []string
	for _, p := range d.params {
		if only == nil || slices.Contains(only, p.name) {
			// Not url.Values: libpq takes a plus sign for a plus sign.
			value := strings.ReplaceAll(url.QueryEscape(p.value), "+", "%20")
			query = append(query, url.QueryEscape(p.name)+"="+value)
		}
	}
	u.RawQuery = strings.Join(query, "&")
	return u.String()
}

// parsePostgres reads the URL of a server that runs already.
func parsePostgres(dsn string) (*Database, error) {
	u, err := url.Parse(dsn)
	if err != nil || (u.Scheme != "postgres" && u.Scheme != "postgresql") || u.Host == "" {
		return nil, fmt.Errorf("want postgres://user:password@host:port/database")
	}
	d := &Database{Name: strings.TrimPrefix(u.Path, "/"), User: u.User.Username(), Addr: u.Host, engine: &postgresEngine}
	d.Password, _ = u.User.Password()
	if u.Port() == "" {
		d.Addr = net.JoinHostPort(u.Hostname(), "5432")
	}
	if d.Name == "" {
		d.Name = "postgres"
	}
	for name, values := range u.Query() {
		d.params = append(d.params, param{name, values[0]})
	}
	slices.SortFunc(d.params, func(a, b param) int { return strings.Compare(a.name, b.name) })
	return d, nil
}
