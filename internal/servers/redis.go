package servers

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// RedisServer is a running Redis, alone or as a node of a Pair or Cluster.
type RedisServer struct {
	Server
	addr     string
	user     string
	password string
	db       string
}

// Redis returns the Redis the tests of this process share: the server EnvRedis names,
// or one that is started on first use and keeps nothing on disk. Tests keep apart by
// names from Unique.
func Redis(t testing.TB) *RedisServer {
	t.Helper()
	return get(t, func(r *registry) *lazy[*RedisServer] { return &r.redis })
}

// NewRedis starts a Redis for one test, which may kill it, and ends it with the test.
// It appends every write to its log before it answers, so that what it acknowledged
// is there after Kill and Restart. Settings are named as in redis.conf:
// Setting("appendonly", "no") makes it forget.
func NewRedis(t testing.TB, opts ...Option) *RedisServer {
	t.Helper()
	private(t, EnvRedis)
	s, err := startRedis(opts)
	if err != nil {
		refuse(t, err)
	}
	keepFor(t, s.close)
	return s
}

// Addr is host:port of the server.
func (s *RedisServer) Addr() string { return s.addr }

// URL is the address as clients take it: redis://host:port/0.
func (s *RedisServer) URL() string {
	u := url.URL{Scheme: "redis", Host: s.addr, Path: "/" + s.db}
	if s.password != "" {
		u.User = url.UserPassword(s.user, s.password)
	}
	return u.String()
}

// At is the same server by way of another address: that of a proxy. Its life is the
// same one.
func (s *RedisServer) At(addr string) *RedisServer {
	return &RedisServer{Server{process: s.process, fixed: s.fixed}, addr, s.user, s.password, s.db}
}

// Do sends one command on a connection of its own to database 0 and returns the
// values of the reply, arrays laid flat, nil replies as empty strings. An error reply
// is a RedisError. WAIT says nothing here, as it speaks of its own connection: see
// AwaitReplica.
func (s *RedisServer) Do(args ...string) ([]string, error) {
	return respDo(s.addr, s.user, s.password, args...)
}

func sharedRedis() (*RedisServer, error) {
	if text, ok := external(EnvRedis); ok {
		s, err := parseRedis(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", EnvRedis, err)
		}
		return s, nil
	}
	s, err := startRedis([]Option{Setting("appendonly", "no")})
	if err == nil {
		s.fixed = ErrShared
	}
	return s, err
}

func startRedis(opts []Option) (*RedisServer, error) {
	g, err := newRedisGroup(opts)
	if err != nil {
		return nil, err
	}
	s, err := g.node("redis", nil)
	if err == nil {
		err = s.process.start()
	}
	if err != nil {
		g.close()
		return nil, err
	}
	s.release = append(s.release, g.close)
	return s, nil
}

// redisGroup is what servers of Redis that belong together share.
type redisGroup struct {
	*home
	binary string
	config *config
	ports  []*port
	nodes  []*RedisServer
}

func newRedisGroup(opts []Option) (*redisGroup, error) {
	c := newConfig(opts)
	if c.timeZone != "" || c.isolation != "" {
		return nil, errors.New("Redis has neither time zone nor isolation level")
	}
	binary, err := find("redis-server", "redis-server", "valkey-server")
	if err != nil {
		return nil, err
	}
	h, err := newHome("redis", "nobody")
	if err != nil {
		return nil, err
	}
	return &redisGroup{home: h, binary: binary, config: c}, nil
}

// port sets a port aside until the group is closed.
func (g *redisGroup) port(bus bool) (*port, error) {
	p, err := newPort(bus)
	if err == nil {
		g.ports = append(g.ports, p)
	}
	return p, err
}

// node prepares a data node with settings beside the usual ones.
func (g *redisGroup) node(name string, extra []setting) (*RedisServer, error) {
	p, err := g.port(true)
	if err != nil {
		return nil, err
	}
	dir, err := g.sub(name, g.user)
	if err != nil {
		return nil, err
	}
	settings := []setting{
		{"port", strconv.Itoa(p.number)},
		{"bind", "127.0.0.1"},
		{"dir", dir},
		{"save", ""},
		{"appendonly", "yes"},
		{"appendfsync", "no"},        // written before the answer, which is what a kill needs
		{"repl-diskless-sync", "no"}, // else a new replica is a second late
		{"shutdown-timeout", "0"},    // replicas are not waited for
		{"enable-debug-command", "local"},
	}
	var args []string
	for _, s := range slices.Concat(settings, extra, g.config.settings) {
		args = append(args, "--"+s.name, s.value)
	}
	return g.add(name, p, args), nil
}

// add prepares a server with these arguments.
func (g *redisGroup) add(name string, p *port, args []string) *RedisServer {
	s := &RedisServer{addr: p.addr(), db: "0"}
	s.process = &process{
		name: name, path: g.binary, dir: g.path, user: g.user, log: filepath.Join(g.path, name+".log"),
		term: sigTerminate, death: sigKill, args: args,
		ready: func() error {
			_, err := s.Do("PING")
			var loading RedisError
			if errors.As(err, &loading) && strings.HasPrefix(string(loading), "MASTERDOWN") {
				return nil
			}
			return err
		},
	}
	g.nodes = append(g.nodes, s)
	return s
}

// startAll starts prepared servers side by side.
func startAll(nodes []*RedisServer) error {
	results := make(chan error, len(nodes))
	for _, s := range nodes {
		go func() { results <- s.process.start() }()
	}
	var errs []error
	for range nodes {
		errs = append(errs, <-results)
	}
	return errors.Join(errs...)
}

// close ends all servers of the group and removes what they have.
func (g *redisGroup) close() error {
	results := make(chan error, len(g.nodes))
	for _, s := range g.nodes {
		go func() { results <- s.process.stop() }()
	}
	var errs []error
	for range g.nodes {
		errs = append(errs, <-results)
	}
	for _, p := range g.ports {
		p.free()
	}
	return errors.Join(append(errs, g.remove())...)
}

// parseRedis reads the URL of a server that runs already.
func parseRedis(text string) (*RedisServer, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "redis" || u.Host == "" {
		return nil, errors.New("want redis://user:password@host:port/0")
	}
	s := &RedisServer{Server: Server{fixed: ErrExternal}, addr: u.Host, user: u.User.Username(), db: "0"}
	s.password, _ = u.User.Password()
	if u.Port() == "" {
		s.addr = net.JoinHostPort(u.Hostname(), "6379")
	}
	if db := strings.Trim(u.Path, "/"); db != "" {
		s.db = db
	}
	return s, nil
}
