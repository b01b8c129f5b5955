package main

import (
	"context"
	"os"
	"testing"
	"time"
)

// child tells the test binary to be the program: the storm starts it as its servers and its bank.
const child = "ORDERS_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(child) != "" {
		os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// beforeDeadline is the test's context, ended early enough for everything to be cleared away before the test run is given up.
func beforeDeadline(t *testing.T) context.Context {
	t.Helper()
	end, ok := t.Deadline()
	if !ok {
		end = time.Now().Add(5 * time.Minute)
	}
	ctx, cancel := context.WithDeadline(t.Context(), end.Add(-10*time.Second))
	t.Cleanup(cancel)
	return ctx
}

// waitFor polls until ok, for as long as a lease lasts and a good while more.
func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	for range 200 {
		if ok() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("it did not come to pass")
}
