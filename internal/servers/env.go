package servers

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Variables that name servers which already run. Nothing is started in their place.
const (
	// EnvPostgres is a URL, postgres://user:password@host:port/database?sslmode=disable,
	// of a user who may create databases.
	EnvPostgres = "IDEMGEN_POSTGRES_DSN"
	// EnvMySQL is a DSN as go-sql-driver takes it, user:password@tcp(host:port)/, of
	// a user who may create databases.
	EnvMySQL = "IDEMGEN_MYSQL_DSN"
	// EnvRedis is a URL, redis://:password@host:port/0, of a Redis that may be flushed.
	EnvRedis = "IDEMGEN_REDIS_URL"
	// EnvRedisCluster is host:port of some nodes, separated by commas.
	EnvRedisCluster = "IDEMGEN_REDIS_CLUSTER"
	// EnvRedisSentinel is master@host:port,host:port,…: the name the Sentinels know
	// the pair by (if left out, "mymaster") and where they listen.
	EnvRedisSentinel = "IDEMGEN_REDIS_SENTINEL"
	// EnvNATS is a URL, nats://user:password@host:port, of a server with JetStream.
	EnvNATS = "IDEMGEN_NATS_URL"
)

const (
	// EnvRequire, set to 1, fails a test that can't have its server.
	EnvRequire = "IDEMGEN_REQUIRE_SERVERS"
	// EnvNotRun names a file to which tests that could not run are appended, one a
	// line; go test shows nothing of a skipped test.
	EnvNotRun = "IDEMGEN_NOT_RUN"
	// EnvDir names the folder in which servers get theirs, in place of one in memory:
	// to measure on a disk. Started by root, the servers' user must be able to walk
	// there.
	EnvDir = "IDEMGEN_SERVERS_DIR"
)

// Errors of Kill, Restart, Pause and Resume.
var (
	// ErrExternal means that an environment variable named the server: it is not ours.
	ErrExternal = errors.New("servers: this server was named by an environment variable and is not ours to stop")
	// ErrShared means that other tests use the server.
	ErrShared = errors.New("servers: this server is shared by the tests of the process: start a private one to stop it")
)

// NotRun ends a test that can't have what it needs of the machine, and notes it in the
// file of EnvNotRun; unlike one that can't have its server it never fails.
func NotRun(t testing.TB, reason error) {
	t.Helper()
	note(t, reason)
	t.Skipf("NOT RUN: %v", reason)
}

// notRun ends a test that can't have its server: it fails when EnvRequire says so,
// and is skipped otherwise.
func notRun(t testing.TB, reason error) {
	t.Helper()
	if os.Getenv(EnvRequire) == "1" {
		t.Fatalf("NOT RUN, though %s=1: %v", EnvRequire, reason)
	}
	note(t, reason)
	t.Skipf("NOT RUN: %v", reason)
}

// note appends a test that did not run to the file of EnvNotRun.
func note(t testing.TB, reason error) {
	t.Helper()
	path := os.Getenv(EnvNotRun)
	if path == "" {
		return
	}
	line := fmt.Sprintf("%s %s: %v", filepath.Base(os.Args[0]), t.Name(), reason)
	if err := appendLine(path, line); err != nil {
		t.Errorf("%s: %v", EnvNotRun, err)
	}
}

func appendLine(path, line string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line + "\n")
	return errors.Join(err, f.Close())
}

// refuse ends a test that could not have its server: for want of programs it did not
// run, anything else is a failure.
func refuse(t testing.TB, err error) {
	t.Helper()
	var missing *missingError
	if errors.As(err, &missing) {
		notRun(t, err)
	}
	t.Fatalf("servers: %v", err)
}

// private ends a test that needs a server of its own where only a running one may be
// used.
func private(t testing.TB, variable string) {
	t.Helper()
	if os.Getenv(variable) != "" {
		notRun(t, fmt.Errorf("it needs a server of its own, and %s names one that runs already", variable))
	}
}
