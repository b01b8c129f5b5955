package servers

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
)

// registry holds the servers the tests of one process share. They are processes of
// that process, as the standard streams are: there is one registry.
type registry struct {
	mu      sync.Mutex
	managed bool // Main runs the tests and will close
	closers []func() error

	postgres lazy[*SQLServer]
	mariadb  lazy[*SQLServer]
	redis    lazy[*RedisServer]
	pair     lazy[*Pair]
	cluster  lazy[*Cluster]
	nats     lazy[*NATSServer]
}

// lazy is a server that is started on first use.
type lazy[S closer] struct {
	once  sync.Once
	start func() (S, error)
	value S
	err   error
}

type closer interface{ close() error }

var shared = registry{
	postgres: lazy[*SQLServer]{start: sharedPostgres},
	mariadb:  lazy[*SQLServer]{start: sharedMariaDB},
	redis:    lazy[*RedisServer]{start: sharedRedis},
	pair:     lazy[*Pair]{start: sharedPair},
	cluster:  lazy[*Cluster]{start: sharedCluster},
	nats:     lazy[*NATSServer]{start: sharedNATS},
}

// Main runs the tests of a package and ends the servers they share afterwards. It
// returns the exit code:
//
//	func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }
func Main(m *testing.M) int {
	shared.mu.Lock()
	shared.managed = true
	shared.mu.Unlock()
	code := m.Run()
	if err := shared.close(); err != nil {
		fmt.Fprintln(os.Stderr, "servers:", err)
		return max(code, 1)
	}
	return code
}

// get returns a shared server, started if it was not, or ends the test.
func get[S closer](t testing.TB, which func(*registry) *lazy[S]) S {
	t.Helper()
	shared.mu.Lock()
	managed := shared.managed
	shared.mu.Unlock()
	if !managed {
		t.Fatal("servers: shared servers need func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }")
	}
	l := which(&shared)
	l.once.Do(func() {
		l.value, l.err = l.start()
		if l.err == nil {
			shared.mu.Lock()
			shared.closers = append(shared.closers, l.value.close)
			shared.mu.Unlock()
		}
	})
	if l.err != nil {
		refuse(t, l.err)
	}
	return l.value
}

// close ends the servers, the last started first.
func (r *registry) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for _, close := range slices.Backward(r.closers) {
		errs = append(errs, close())
	}
	r.closers = nil
	return errors.Join(errs...)
}
