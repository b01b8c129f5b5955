//go:build linux

package servers_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/servers"
)

// childVariable makes the test binary start servers and wait to be killed.
const childVariable = "IDEMGEN_SERVERS_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		os.Args = append(os.Args[:1], "-test.run=^TestChild$", "-test.timeout=2m")
	}
	os.Exit(servers.Main(m))
}

// TestChild is what the child of TestServersDieWithTheTestProcess runs.
func TestChild(t *testing.T) {
	if os.Getenv(childVariable) == "" {
		return
	}
	fmt.Println("PIDS", servers.NewPostgres(t).PID(), servers.NewMariaDB(t).PID(), servers.NewRedis(t).PID())
	time.Sleep(time.Minute)
}

// timed logs how long a start took.
func timed[S any](t *testing.T, what string, start func() S) S {
	t.Helper()
	began := time.Now()
	s := start()
	t.Logf("%s started in %v", what, time.Since(began).Round(time.Millisecond))
	return s
}
