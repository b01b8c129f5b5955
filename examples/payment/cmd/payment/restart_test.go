package main

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/idemgen/idemgen/examples/payment/internal/shop"
)

// program starts the program in a process of its own. kill ends it as a crash does.
func program(t *testing.T, o shop.Options) (c *client, kill func()) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-addr", "127.0.0.1:0"}
	for _, f := range [][2]string{{"-sqlite", o.Database.SQLite}, {"-postgres", o.Database.Postgres}, {"-mariadb", o.Database.MariaDB}, {"-redis", o.Redis}} {
		if f[1] != "" {
			args = append(args, f[0], f[1])
		}
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), child+"=1")
	cmd.Stderr = t.Output()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed: that is its error
	})
	t.Cleanup(kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	_, url, ok := strings.Cut(strings.TrimSpace(line), "open ")
	if err != nil || !ok {
		t.Fatalf("it said %q, %v", line, err)
	}
	return &client{t, url, "ann"}, kill
}

// A process that is killed among the clicks leaves no second payment: after it comes back the gate's memory is empty, and the layers behind it give the same receipt.
func TestKilledBetweenClicks(t *testing.T) {
	onEach(t, func(t *testing.T, o shop.Options) {
		ann, kill := program(t, o)
		id, token := ann.order("A-1"), ann.token()
		first := ann.pay(id, "k-1", token)
		if first.status != 200 {
			t.Fatalf("%d %s", first.status, first.body)
		}
		kill()
		ann, kill = program(t, o)
		for _, again := range []answer{ann.pay(id, "k-1", token), ann.pay(id, "k-2", token), ann.pay(id, "k-3", ann.token())} {
			if again.status != 200 || again.body != first.body {
				t.Errorf("%d %s, %s; want %s", again.status, again.body, again.trace(), first.body)
			}
		}
		kill()
		s, _ := open(t, o)
		wantPayments(t, s, 1)
	})
}
