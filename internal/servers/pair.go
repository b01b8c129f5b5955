package servers

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Pair is a Redis primary with one replica, watched by three Sentinels.
type Pair struct {
	// Master is the name the Sentinels know the pair by.
	Master string
	// Sentinels are the addresses of the Sentinels.
	Sentinels []string
	// Nodes are the data nodes; the first was the primary at the start. Empty when
	// an environment variable named the Sentinels.
	Nodes []*RedisServer

	group *redisGroup
}

const (
	sentinelCount = 3
	// A shared pair must not fail over because the machine is busy; a private one
	// is there to fail over soon. In milliseconds.
	sharedDownAfter  = 10000
	privateDownAfter = 2000
	pairPoll         = 20 * time.Millisecond
)

// RedisPair returns the pair the tests of this process share: the one EnvRedisSentinel
// names, or one that is started on first use.
func RedisPair(t testing.TB) *Pair {
	t.Helper()
	return get(t, func(r *registry) *lazy[*Pair] { return &r.pair })
}

// NewRedisPair starts a pair with its Sentinels for one test, which may kill a node,
// and ends it with the test. The Sentinels give a primary up after two seconds.
func NewRedisPair(t testing.TB, opts ...Option) *Pair {
	t.Helper()
	private(t, EnvRedisSentinel)
	p, err := startPair(privateDownAfter, opts)
	if err != nil {
		refuse(t, err)
	}
	keepFor(t, p.close)
	return p
}

// Primary asks the Sentinels for the address of the primary.
func (p *Pair) Primary() (string, error) {
	var errs []error
	for _, addr := range p.Sentinels {
		values, err := respDo(addr, "", "", "SENTINEL", "GET-MASTER-ADDR-BY-NAME", p.Master)
		if err == nil && len(values) == 2 {
			return net.JoinHostPort(values[0], values[1]), nil
		}
		errs = append(errs, err)
	}
	return "", fmt.Errorf("no Sentinel knows the primary: %w", errors.Join(errs...))
}

// Node is the data node at an address, nil when it is none of ours.
func (p *Pair) Node(addr string) *RedisServer {
	for _, s := range p.Nodes {
		if s.addr == addr {
			return s
		}
	}
	return nil
}

// AwaitFailover waits until most Sentinels name a primary other than old, and that
// node takes itself for one; it returns its address. An old primary that is restarted
// takes itself for one, too, until the Sentinels turn it into a replica some ten
// seconds later.
func (p *Pair) AwaitFailover(old string, within time.Duration) (string, error) {
	var now string
	err := await(within, pairPoll, func() (bool, error) {
		votes := make(map[string]int)
		now = ""
		for _, addr := range p.Sentinels {
			values, err := respDo(addr, "", "", "SENTINEL", "GET-MASTER-ADDR-BY-NAME", p.Master)
			if err != nil || len(values) != 2 {
				continue
			}
			primary := net.JoinHostPort(values[0], values[1])
			if votes[primary]++; votes[primary] > len(p.Sentinels)/2 {
				now = primary
			}
		}
		if now == "" || now == old {
			return false, &notYet{fmt.Errorf("the primary is still %q", now)}
		}
		values, err := respDo(now, "", "", "ROLE")
		if err != nil || len(values) == 0 || values[0] != "master" {
			return false, &notYet{fmt.Errorf("%s is %v: %v", now, values, err)}
		}
		return true, nil
	})
	return now, err
}

func (p *Pair) close() error {
	if p.group == nil {
		return nil
	}
	return p.group.close()
}

func sharedPair() (*Pair, error) {
	if text, ok := external(EnvRedisSentinel); ok {
		p := &Pair{Master: "mymaster"}
		if name, addrs, ok := strings.Cut(text, "@"); ok {
			p.Master, text = name, addrs
		}
		p.Sentinels = strings.Split(text, ",")
		return p, nil
	}
	p, err := startPair(sharedDownAfter, nil)
	if err == nil {
		for _, s := range p.Nodes {
			s.fixed = ErrShared
		}
	}
	return p, err
}

func startPair(downAfter int, opts []Option) (p *Pair, err error) {
	g, err := newRedisGroup(opts)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			g.close()
		}
	}()
	primary, err := g.node("primary", nil)
	if err != nil {
		return nil, err
	}
	replica, err := g.node("replica", []setting{{"replicaof", strings.Replace(primary.addr, ":", " ", 1)}})
	if err != nil {
		return nil, err
	}
	p = &Pair{Master: "mymaster", Nodes: []*RedisServer{primary, replica}, group: g}
	sentinels, err := p.addSentinels(downAfter)
	if err != nil {
		return nil, err
	}
	if err := startAll(p.Nodes); err != nil {
		return nil, err
	}
	err = await(readyWithin, pairPoll, func() (bool, error) {
		err := replica.follows(primary)
		return err == nil, err
	})
	if err != nil {
		return nil, err
	}
	if err := startAll(sentinels); err != nil {
		return nil, err
	}
	return p, await(readyWithin, pairPoll, p.settled)
}

// addSentinels prepares the Sentinels. Each is told of the replica and of the others:
// finding out by themselves takes them seconds.
func (p *Pair) addSentinels(downAfter int) ([]*RedisServer, error) {
	g := p.group
	var ports []*port
	var ids []string
	for range sentinelCount {
		port, err := g.port(false)
		if err != nil {
			return nil, err
		}
		ports = append(ports, port)
		ids = append(ids, randomHex(20))
	}
	at := func(addr string) string { return strings.Replace(addr, ":", " ", 1) }
	var sentinels []*RedisServer
	for i, port := range ports {
		name := "sentinel" + strconv.Itoa(i+1)
		lines := []string{
			"port " + strconv.Itoa(port.number),
			"bind 127.0.0.1",
			"dir " + g.path,
			"sentinel myid " + ids[i],
			fmt.Sprintf("sentinel monitor %s %s 2", p.Master, at(p.Nodes[0].addr)),
			fmt.Sprintf("sentinel down-after-milliseconds %s %d", p.Master, downAfter),
			fmt.Sprintf("sentinel failover-timeout %s %d", p.Master, 3*downAfter),
			fmt.Sprintf("sentinel known-replica %s %s", p.Master, at(p.Nodes[1].addr)),
		}
		for j, other := range ports {
			if j != i {
				lines = append(lines, fmt.Sprintf("sentinel known-sentinel %s %s %s", p.Master, at(other.addr()), ids[j]))
			}
		}
		file, err := g.write(name+".conf", strings.Join(lines, "\n")+"\n", g.user)
		if err != nil {
			return nil, err
		}
		sentinels = append(sentinels, g.add(name, port, []string{file, "--sentinel"}))
		p.Sentinels = append(p.Sentinels, port.addr())
	}
	return sentinels, nil
}

// settled tells whether every Sentinel could carry out a failover.
func (p *Pair) settled() (bool, error) {
	for _, addr := range p.Sentinels {
		if _, err := respDo(addr, "", "", "SENTINEL", "CKQUORUM", p.Master); err != nil {
			return false, &notYet{err}
		}
		replicas, err := respDo(addr, "", "", "SENTINEL", "REPLICAS", p.Master)
		if err != nil || !linked(replicas) {
			return false, &notYet{fmt.Errorf("a Sentinel doesn't know the replica yet: %v", err)}
		}
	}
	return true, nil
}

// linked tells whether a Sentinel has heard from its replica that it follows.
func linked(replicas []string) bool {
	i := slices.Index(replicas, "master-link-status")
	return i >= 0 && i+1 < len(replicas) && replicas[i+1] == "ok"
}
