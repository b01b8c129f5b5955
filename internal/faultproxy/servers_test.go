package faultproxy_test

import (
	"os"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/faultproxy"
	"github.com/idemgen/idemgen/internal/servers"
)

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

// front puts a proxy in front of a real server.
func front(t *testing.T, addr string) *faultproxy.Proxy {
	t.Helper()
	p, err := faultproxy.New(addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func TestRedisCarriesOutARequestWhoseReplyIsLost(t *testing.T) {
	server := servers.Redis(t)
	p := front(t, server.Addr())
	client, key := server.At(p.Addr()), servers.Unique(t)
	for want, increment := range []func() error{
		func() error { _, err := client.Do("INCR", key); return err },
		func() error { _, err := client.Do("INCR", key); return err },
	} {
		if want == 1 {
			p.DropReply("INCR", 1)
		}
		if err := increment(); (err != nil) != (want == 1) {
			t.Errorf("call %d: %v", want+1, err)
		}
	}
	p.On(faultproxy.LoseRequest, "INCR", 1)
	if _, err := client.Do("INCR", key); err == nil {
		t.Error("a lost request was answered")
	}
	if got, err := server.Do("GET", key); err != nil || got[0] != "2" {
		t.Errorf("the counter is %q, %v", got, err)
	}
	if got := p.Total(); got.Connections != 3 || got.RoundTrips != 2 {
		t.Errorf("%+v", got)
	}
}

func TestRedisThroughADelayAndARestart(t *testing.T) {
	server := servers.NewRedis(t)
	p := front(t, server.Addr())
	client := server.At(p.Addr())
	p.SetDelay(20*time.Millisecond, 20*time.Millisecond)
	began := time.Now()
	if _, err := client.Do("SET", "k", "v"); err != nil || time.Since(began) < 40*time.Millisecond {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Do("PING"); err == nil {
		t.Error("a killed server answers through the proxy")
	}
	if err := server.Restart(); err != nil {
		t.Fatal(err)
	}
	if got, err := client.Do("GET", "k"); err != nil || got[0] != "v" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestDatabasesCommitWhatTheReplyIsLostOf(t *testing.T) {
	for name, start := range map[string]func(testing.TB) *servers.SQLServer{
		"postgres": servers.Postgres, "mariadb": servers.MariaDB,
	} {
		t.Run(name, func(t *testing.T) {
			server := start(t)
			db := server.Database(t)
			p := front(t, server.Addr())
			if _, err := db.Query("CREATE TABLE t (n int)"); err != nil {
				t.Fatal(err)
			}
			lost := p.DropReply("COMMIT", 1)
			if _, err := db.At(p.Addr()).Query("BEGIN; INSERT INTO t VALUES (1); COMMIT"); err == nil {
				t.Error("the client heard of its commit")
			}
			if got, err := db.Query("SELECT count(*) FROM t"); err != nil || got != "1" || !lost.Fired() {
				t.Errorf("%s rows, %v, fired %v", got, err, lost.Fired())
			}
		})
	}
}
