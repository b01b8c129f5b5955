package main

import (
	"bytes"
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/idemgen/idemgen/examples/consumer/internal/office"
	"github.com/idemgen/idemgen/internal/servers"
)

// process tells the test binary that it is one of the storm's processes.
const process = "CONSUMER_PROCESS"

func TestMain(m *testing.M) {
	if os.Getenv(process) != "" {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
		stop()
		os.Exit(code)
	}
	// The processes of storms inherit it; the tests themselves are here already.
	if err := os.Setenv(process, "1"); err != nil {
		panic(err)
	}
	os.Exit(servers.Main(m))
}

// consumer runs the program.
func consumer(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), append([]string{"-nats", servers.NATS(t).URL()}, args...), &out, &errs)
	return code, out.String(), errs.String()
}

// onEach runs a storm on each kind of database, all at once: most of its time it waits for leases of killed processes.
func onEach(t *testing.T, test func(t *testing.T, flags ...string)) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, "-postgres", servers.Postgres(t).Database(t).DSN())
	})
}

// Copies, disorder, and processes that are killed in the middle: every event has its effect once at each consumer.
func TestStorm(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, flags ...string) {
		code, out, errs := consumer(t, append(flags, "-kills", "8", "storm")...)
		if code != 0 {
			t.Errorf("exit %d\n%s", code, errs)
		}
		t.Log("\n" + out)
	})
}

// The storm finds the fault where the wrapper is missing.
func TestStormUnguarded(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, flags ...string) {
		code, out, errs := consumer(t, append(flags, "-unguarded", "-kills", "2", "storm")...)
		if code != 0 || !strings.Contains(out, "fault: event e-0: booked ") {
			t.Errorf("exit %d\n%s%s", code, out, errs)
		}
	})
}

// The walk through the README.
func TestCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	flags := []string{"-stream", servers.Unique(t), "-sqlite", filepath.Join(dir, "payments.db"), "-outbox", filepath.Join(dir, "receipts.txt"), "-quiet"}
	do := func(want string, args ...string) {
		t.Helper()
		code, out, errs := consumer(t, append(flags[:len(flags):len(flags)], args...)...)
		if code != 0 || out != want {
			t.Errorf("%v: exit %d, %q, %q", args, code, out, errs)
		}
	}
	do("", "open", "ann")
	do("", "publish", "e-1", "ann", "1250")
	do("", "publish", "e-1", "ann", "1250")
	do("", "publish", "", "ann", "100")

	ctx, stop := context.WithCancel(t.Context())
	done := make(chan int)
	go func() {
		var out bytes.Buffer
		done <- run(ctx, append(append([]string{"-nats", servers.NATS(t).URL()}, flags...), "run"), &out, &out)
	}()
	want := "ann                1250 cents of 1 payments, 12 points\n1 receipts of 1 events\n"
	office.Eventually(t, "everything is handled", func() bool {
		_, out, _ := consumer(t, append(flags[:len(flags):len(flags)], "books")...)
		_, letters, _ := consumer(t, append(flags[:len(flags):len(flags)], "dead")...)
		return out == want && strings.Count(letters, ": missing_key: ") == 3
	})
	stop()
	if code := <-done; code != 0 {
		t.Errorf("exit %d", code)
	}
	for _, args := range [][]string{{}, {"dance"}, {"open"}, {"publish", "e", "ann", "x"}} {
		if code, _, errs := consumer(t, append(flags[:len(flags):len(flags)], args...)...); code != 2 || errs == "" {
			t.Errorf("%v: exit %d, %q", args, code, errs)
		}
	}
}
