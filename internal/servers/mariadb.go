package servers

import (
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// MariaDB returns the MariaDB the tests of this process share: the server EnvMySQL
// names, or one that is started on first use.
func MariaDB(t testing.TB) *SQLServer {
	t.Helper()
	return get(t, func(r *registry) *lazy[*SQLServer] { return &r.mariadb })
}

// NewMariaDB starts a MariaDB for one test, which may kill it, and ends it with the
// test. Settings are given to the server as its options, without the dashes.
func NewMariaDB(t testing.TB, opts ...Option) *SQLServer {
	t.Helper()
	private(t, EnvMySQL)
	s, err := startMariaDB(opts)
	if err != nil {
		refuse(t, err)
	}
	keepFor(t, s.close)
	return s
}

// sharedMariaDB is the start of MariaDB.
func sharedMariaDB() (*SQLServer, error) {
	if dsn, ok := external(EnvMySQL); ok {
		d, err := parseMySQL(dsn)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", EnvMySQL, err)
		}
		return &SQLServer{Server{fixed: ErrExternal}, d}, nil
	}
	s, err := startMariaDB(nil)
	if err == nil {
		s.fixed = ErrShared
	}
	return s, err
}

func startMariaDB(opts []Option) (_ *SQLServer, err error) {
	c := newConfig(opts)
	var env []string
	if c.timeZone != "" {
		// The server's SYSTEM zone; named ones would need the tables of mysql.time_zone.
		if _, err := time.LoadLocation(c.timeZone); err != nil {
			return nil, err
		}
		env = []string{"TZ=" + c.timeZone}
	}
	server, err := find("mariadb-server-core", "mariadbd")
	if err != nil {
		return nil, err
	}
	install, err := find("mariadb-server-core", "mariadb-install-db")
	if err != nil {
		return nil, err
	}
	if _, err := findMariaDB(); err != nil {
		return nil, err
	}
	h, err := newHome("mysql", "nobody")
	if err != nil {
		return nil, err
	}
	made := &SQLServer{Server: Server{release: []func() error{h.remove}}}
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
	made.admin = &Database{User: "idemgen", Password: randomHex(16), Addr: port.addr(), engine: &mariadbEngine}
	// Run at every start. Nobody else gets in over TCP.
	accounts, err := h.write("accounts.sql", fmt.Sprintf(
		"CREATE USER IF NOT EXISTS 'idemgen'@'%%' IDENTIFIED BY '%s';\nGRANT ALL ON *.* TO 'idemgen'@'%%' WITH GRANT OPTION;\n",
		made.admin.Password), h.user)
	if err != nil {
		return nil, err
	}
	data, err := h.sub("data", h.user)
	if err != nil {
		return nil, err
	}
	if err := h.command(install, "--no-defaults", "--datadir="+data, "--skip-test-db", "--skip-name-resolve",
		"--auth-root-authentication-method=socket", "--innodb-log-file-size=32M", "--innodb-use-native-aio=0",
		"--innodb-flush-method=fsync"); err != nil {
		return nil, err
	}
	made.process = &process{
		name: "mariadbd", path: server, dir: h.path, user: h.user, log: filepath.Join(h.path, "mariadb.log"),
		term: sigTerminate, death: sigKill,
		args: mariadbArgs(h.path, data, accounts, port.number, c), env: env,
		ready: func() error {
			_, err := made.admin.Query("SELECT 1")
			return err
		},
	}
	return made, made.process.start()
}

// mariadbArgs are the arguments of the server. Commits are handed to the operating
// system but not forced to disk: they survive a kill, which is what tests do.
func mariadbArgs(dir, data, accounts string, port int, c *config) []string {
	settings := []setting{
		{"datadir", data},
		{"tmpdir", dir},
		{"socket", filepath.Join(dir, "socket")},
		{"pid-file", filepath.Join(dir, "pid")},
		{"port", strconv.Itoa(port)},
		{"bind-address", "127.0.0.1"},
		{"init-file", accounts},
		{"skip-name-resolve", "1"},
		{"max-connections", "300"},
		{"innodb-log-file-size", "32M"},
		{"innodb-buffer-pool-size", "64M"},
		{"innodb-flush-log-at-trx-commit", "2"},
		{"innodb-flush-method", "fsync"},
		{"innodb-use-native-aio", "0"},
	}
	if c.isolation != "" {
		level := strings.ToUpper(strings.ReplaceAll(c.isolation, " ", "-"))
		settings = append(settings, setting{"transaction-isolation", level})
	}
	args := []string{"--no-defaults"}
	for _, s := range slices.Concat(settings, c.settings) {
		args = append(args, "--"+s.name+"="+s.value)
	}
	return args
}

var mariadbEngine = engine{
	dsn:    mysqlDSN,
	client: findMariaDB,
	args: func(d *Database, stmt string) (args, env []string) {
		args = []string{"--no-defaults", "-N", "-B", "--connect-timeout=10", "-u", d.User}
		if strings.HasPrefix(d.Addr, "/") {
			args = append(args, "-S", d.Addr)
		} else {
			host, port, _ := net.SplitHostPort(d.Addr)
			args = append(args, "--protocol=tcp", "-h", host, "-P", port)
		}
		args = append(args, "-e", stmt)
		if d.Name != "" {
			args = append(args, d.Name)
		}
		return args, []string{"MYSQL_PWD=" + d.Password}
	},
	create: func(name string) string { return "CREATE DATABASE `" + name + "` CHARACTER SET utf8mb4" },
	drop: func(name string) []string {
		// Transactions left open would hold the tables.
		return []string{"SET SESSION lock_wait_timeout = 5; DROP DATABASE IF EXISTS `" + name + "`"}
	},
}

func findMariaDB() (string, error) { return find("mariadb-client-core", "mariadb", "mysql") }

// mysqlDSN is the DSN of a database as go-sql-driver takes it.
func mysqlDSN(d *Database) string {
	network := "tcp"
	if strings.HasPrefix(d.Addr, "/") {
		network = "unix"
	}
	dsn := fmt.Sprintf("%s:%s@%s(%s)/%s", d.User, d.Password, network, d.Addr, d.Name)
	for i, p := range d.params {
		mark := "&"
		if i == 0 {
			mark = "?"
		}
		dsn += mark + p.name + "=" + url.QueryEscape(p.value)
	}
	return dsn
}

// parseMySQL reads the DSN of a server that runs already.
func parseMySQL(dsn string) (*Database, error) {
	fault := fmt.Errorf("want user:password@tcp(host:port)/")
	slash := strings.LastIndexByte(dsn, '/')
	if slash < 0 {
		return nil, fault
	}
	who, rest := dsn[:slash], dsn[slash+1:]
	at := strings.LastIndexByte(who, '@')
	if at < 0 {
		return nil, fault
	}
	d := &Database{engine: &mariadbEngine}
	d.User, d.Password, _ = strings.Cut(who[:at], ":")
	network, addr, _ := strings.Cut(who[at+1:], "(")
	d.Addr = strings.TrimSuffix(addr, ")")
	switch {
	case network != "tcp" && network != "unix":
		return nil, fault
	case network == "tcp":
		if _, _, err := net.SplitHostPort(d.Addr); err != nil {
			d.Addr = net.JoinHostPort(d.Addr, "3306")
		}
	}
	var query string
	d.Name, query, _ = strings.Cut(rest, "?")
	for pair := range strings.SplitSeq(query, "&") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			value, err := url.QueryUnescape(value)
			if err != nil {
				return nil, err
			}
			d.params = append(d.params, param{name, value})
		}
	}
	return d, nil
}
