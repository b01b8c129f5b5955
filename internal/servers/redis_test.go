//go:build linux

package servers_test

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/servers"
)

func TestRedisAnswers(t *testing.T) {
	s := timed(t, "redis", func() *servers.RedisServer { return servers.Redis(t) })
	key := servers.Unique(t)
	do(t, s, "SET", key, "a\r\nb")
	if got := do(t, s, "GET", key); got[0] != "a\r\nb" {
		t.Errorf("%q", got)
	}
	if _, err := s.Do("INCR", key); err == nil || !strings.HasPrefix(err.Error(), "ERR") {
		t.Errorf("an error reply is %v", err)
	}
	if got := do(t, s, "EVAL", "return {1, {'x', false}, 'y'}", "0"); strings.Join(got, ",") != "1,x,,y" {
		t.Errorf("%q", got)
	}
}

func TestRedisKeepsItsDataOverKillAndRestart(t *testing.T) {
	var pids []int
	t.Run("inner", func(t *testing.T) {
		s := servers.NewRedis(t)
		do(t, s, "SET", "k", "v")
		pids = append(pids, s.PID())
		if err := s.Kill(); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Do("PING"); err == nil {
			t.Fatal("killed, it answers")
		}
		if err := s.Restart(); err != nil {
			t.Fatal(err)
		}
		if got := do(t, s, "GET", "k"); got[0] != "v" {
			t.Errorf("%q is left", got)
		}
		pids = append(pids, s.PID())
	})
	assertGone(t, pids)
}

func TestRedisSettingsAndPause(t *testing.T) {
	s := servers.NewRedis(t, servers.Setting("maxmemory", "10mb"), servers.Setting("maxmemory-policy", "allkeys-lru"))
	if got := do(t, s, "CONFIG", "GET", "maxmemory-policy"); got[1] != "allkeys-lru" {
		t.Errorf("%q", got)
	}
	if err := s.Pause(); err != nil {
		t.Fatal(err)
	}
	answered := make(chan error, 1)
	go func() {
		_, err := s.Do("PING")
		answered <- err
	}()
	select {
	case err := <-answered:
		t.Errorf("paused, it answers (%v)", err)
	case <-time.After(200 * time.Millisecond):
	}
	if err := s.Resume(); err != nil {
		t.Fatal(err)
	}
	if err := <-answered; err != nil {
		t.Error(err)
	}
}

func TestSentinelsPromoteTheReplicaOfAKilledPrimary(t *testing.T) {
	t.Parallel()
	var pids []int
	t.Run("inner", func(t *testing.T) {
		p := timed(t, "pair", func() *servers.Pair { return servers.NewRedisPair(t) })
		old, err := p.Primary()
		if err != nil {
			t.Fatal(err)
		}
		primary := p.Node(old)
		if primary != p.Nodes[0] {
			t.Fatalf("the primary is %s", old)
		}
		do(t, primary, "SET", "k", "v")
		if err := primary.AwaitReplica(p.Nodes[1], 10*time.Second); err != nil {
			t.Fatal(err)
		}
		for _, s := range p.Nodes {
			pids = append(pids, s.PID())
		}
		if err := primary.Kill(); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		now, err := p.AwaitFailover(old, 30*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("failover in %v", time.Since(began).Round(time.Millisecond))
		if now != p.Nodes[1].Addr() {
			t.Errorf("promoted %s", now)
		}
		if got := do(t, p.Node(now), "GET", "k"); got[0] != "v" {
			t.Errorf("%q is left", got)
		}
	})
	assertGone(t, pids)
}

func TestAwaitReplicaWaitsForTheWritesSoFar(t *testing.T) {
	t.Parallel()
	p := servers.NewRedisPair(t)
	primary, replica := p.Nodes[0], p.Nodes[1]
	do(t, replica, "REPLICAOF", "127.0.0.1", "1")
	do(t, primary, "SET", "k", "v")
	if err := primary.AwaitReplica(replica, 200*time.Millisecond); err == nil {
		t.Error("a replica that follows nobody has the write")
	}
	host, port, err := net.SplitHostPort(primary.Addr())
	if err != nil {
		t.Fatal(err)
	}
	do(t, replica, "REPLICAOF", host, port)
	if err := primary.AwaitReplica(replica, 20*time.Second); err != nil {
		t.Fatal(err)
	}
	if got := do(t, replica, "GET", "k"); got[0] != "v" {
		t.Errorf("%q is there", got)
	}
}

func TestPairCanLoseWritesItAcknowledged(t *testing.T) {
	t.Parallel()
	p := servers.NewRedisPair(t)
	primary, replica := p.Nodes[0], p.Nodes[1]
	do(t, primary, "SET", "kept", "1")
	if err := primary.AwaitReplica(replica, 10*time.Second); err != nil {
		t.Fatal(err)
	}
	if err := replica.Pause(); err != nil {
		t.Fatal(err)
	}
	do(t, primary, "SET", "lost", "1")
	if err := primary.Kill(); err != nil {
		t.Fatal(err)
	}
	// What lies in the socket of the paused replica would reach it: start it anew.
	if err := replica.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := replica.Restart(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.AwaitFailover(primary.Addr(), 60*time.Second); err != nil {
		t.Fatal(err)
	}
	if got := do(t, replica, "EXISTS", "kept", "lost"); got[0] != "1" {
		t.Errorf("%s of the two keys are left", got[0])
	}
}

func TestClusterIsWholeAndFailsOver(t *testing.T) {
	t.Parallel()
	var pids []int
	t.Run("inner", func(t *testing.T) {
		c := timed(t, "cluster", func() *servers.Cluster { return servers.NewRedisCluster(t) })
		info := do(t, c.Nodes[0], "CLUSTER", "INFO")[0]
		for _, want := range []string{"cluster_state:ok", "cluster_slots_ok:16384", "cluster_known_nodes:6", "cluster_size:3"} {
			if !strings.Contains(info, want) {
				t.Errorf("no %s in\n%s", want, info)
			}
		}
		owner, err := c.Owner("k")
		if err != nil || owner == nil {
			t.Fatal(owner, err)
		}
		do(t, owner, "SET", "k", "v")
		if err := owner.AwaitReplica(c.Replica(owner), 10*time.Second); err != nil {
			t.Fatal(err)
		}
		for _, s := range c.Nodes {
			pids = append(pids, s.PID())
		}
		if err := owner.Kill(); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		waitUntil(t, func() bool {
			now, err := c.Owner("k")
			return err == nil && now != nil && now != owner
		})
		t.Logf("failover in %v", time.Since(began).Round(time.Millisecond))
		if err := c.AwaitOK(30 * time.Second); err != nil {
			t.Fatal(err)
		}
		now, err := c.Owner("k")
		if err != nil {
			t.Fatal(err)
		}
		if got := do(t, now, "GET", "k"); got[0] != "v" {
			t.Errorf("%q is left", got)
		}
		if err := owner.Restart(); err != nil {
			t.Fatal(err)
		}
		pids = append(pids, owner.PID())
	})
	assertGone(t, pids)
}

func TestClustersOfOneAndTwoMasters(t *testing.T) {
	t.Parallel()
	for _, masters := range []int{1, 2} {
		c := servers.NewRedisCluster(t, servers.Masters(masters), servers.Setting("appendonly", "no"))
		if len(c.Nodes) != masters {
			t.Fatalf("%d nodes, not %d", len(c.Nodes), masters)
		}
		info := do(t, c.Nodes[0], "CLUSTER", "INFO")[0]
		for _, want := range []string{"cluster_state:ok", "cluster_slots_ok:16384", fmt.Sprintf("cluster_size:%d", masters)} {
			if !strings.Contains(info, want) {
				t.Errorf("no %s in\n%s", want, info)
			}
		}
		owners := map[*servers.RedisServer]bool{}
		for i := range 64 {
			key := fmt.Sprintf("k%d", i)
			owner, err := c.Owner(key)
			if err != nil || owner == nil {
				t.Fatal(owner, err)
			}
			owners[owner] = true
			do(t, owner, "SET", key, "v")
			if c.Replica(owner) != nil {
				t.Error("a master has a replica")
			}
		}
		if len(owners) != masters {
			t.Errorf("%d of %d masters have keys", len(owners), masters)
		}
	}
}

func TestSharedPairAndCluster(t *testing.T) {
	p := timed(t, "pair", func() *servers.Pair { return servers.RedisPair(t) })
	if _, err := p.Primary(); err != nil {
		t.Error(err)
	}
	c := timed(t, "cluster", func() *servers.Cluster { return servers.RedisCluster(t) })
	if err := c.AwaitOK(time.Second); err != nil {
		t.Error(err)
	}
	for _, s := range append(p.Nodes, c.Nodes...) {
		if s.Kill() == nil {
			t.Errorf("%s could be killed", s.Addr())
		}
	}
}

func do(t *testing.T, s *servers.RedisServer, args ...string) []string {
	t.Helper()
	values, err := s.Do(args...)
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return values
}
