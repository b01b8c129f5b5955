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

// Cluster is a Redis Cluster: three masters with one replica each, unless Masters says
// otherwise.
type Cluster struct {
	// Nodes are the masters, then the replicas in the order of their masters; when
	// an environment variable named the cluster, the nodes it listed.
	Nodes []*RedisServer

	group   *redisGroup
	masters int // the first of Nodes, when they were started here
}

const (
	clusterMasters = 3 // unless Masters says otherwise
	clusterSlots   = 16384
	clusterPoll    = 20 * time.Millisecond
	// nodeTimeout is when nodes give each other up, in milliseconds. The time a new
	// cluster waits before it serves grows with it, above 2000.
	nodeTimeout = "1500"
	// A shared cluster must not fail over because the machine is busy.
	sharedNodeTimeout = "15000"
)

// RedisCluster returns the cluster the tests of this process share: the one
// EnvRedisCluster names, or one that is started on first use.
func RedisCluster(t testing.TB) *Cluster {
	t.Helper()
	return get(t, func(r *registry) *lazy[*Cluster] { return &r.cluster })
}

// NewRedisCluster starts a cluster for one test, which may kill nodes, and ends it
// with the test. Its nodes give each other up after two seconds.
func NewRedisCluster(t testing.TB, opts ...Option) *Cluster {
	t.Helper()
	private(t, EnvRedisCluster)
	c, err := startCluster(opts)
	if err != nil {
		refuse(t, err)
	}
	keepFor(t, c.close)
	return c
}

// Addrs are the addresses of the nodes, as cluster clients take them.
func (c *Cluster) Addrs() []string {
	var addrs []string
	for _, s := range c.Nodes {
		addrs = append(addrs, s.addr)
	}
	return addrs
}

// Owner is the node that has the slot of a key now, as the first node that answers
// tells; nil when that is none of Nodes.
func (c *Cluster) Owner(key string) (*RedisServer, error) {
	var errs []error
	for _, s := range c.Nodes {
		slot, err := s.Do("CLUSTER", "KEYSLOT", key)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		nodes, err := s.info("CLUSTER", "NODES")
		if err != nil {
			errs = append(errs, err)
			continue
		}
		number, err := strconv.Atoi(slot[0])
		if err != nil {
			return nil, err
		}
		addr := slotOwner(nodes, number)
		for _, owner := range c.Nodes {
			if owner.addr == addr {
				return owner, nil
			}
		}
		return nil, nil
	}
	return nil, errors.Join(errs...)
}

// Replica is the replica that a master was given at the start, nil for another node.
func (c *Cluster) Replica(master *RedisServer) *RedisServer {
	if i := slices.Index(c.Nodes, master); i >= 0 && i < c.masters && i+c.masters < len(c.Nodes) {
		return c.Nodes[i+c.masters]
	}
	return nil
}

// AwaitOK waits until every node that answers takes the cluster for whole.
func (c *Cluster) AwaitOK(within time.Duration) error {
	return await(within, clusterPoll, func() (bool, error) {
		answered := 0
		for _, s := range c.Nodes {
			info, err := s.info("CLUSTER", "INFO")
			if err != nil {
				continue
			}
			answered++
			if state := infoField(info, "cluster_state"); state != "ok" {
				return false, &notYet{fmt.Errorf("%s: cluster_state %s", s.addr, state)}
			}
		}
		if answered == 0 {
			return false, &notYet{errors.New("no node answers")}
		}
		return true, nil
	})
}

func (c *Cluster) close() error {
	if c.group == nil {
		return nil
	}
	return c.group.close()
}

func sharedCluster() (*Cluster, error) {
	if text, ok := external(EnvRedisCluster); ok {
		c := new(Cluster)
		for addr := range strings.SplitSeq(text, ",") {
			c.Nodes = append(c.Nodes, &RedisServer{Server: Server{fixed: ErrExternal}, addr: strings.TrimSpace(addr), db: "0"})
		}
		return c, nil
	}
	c, err := startCluster([]Option{Setting("appendonly", "no")})
	if err != nil {
		return nil, err
	}
	for _, s := range c.Nodes {
		s.fixed = ErrShared
		if _, err := s.Do("CONFIG", "SET", "cluster-node-timeout", sharedNodeTimeout); err != nil {
			return nil, errors.Join(err, c.close())
		}
	}
	return c, nil
}

func startCluster(opts []Option) (c *Cluster, err error) {
	g, err := newRedisGroup(opts)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			g.close()
		}
	}()
	c = &Cluster{group: g, masters: clusterMasters}
	nodes := 2 * clusterMasters
	if n := g.config.masters; n != 0 {
		if n < 0 || n > clusterSlots {
			return nil, fmt.Errorf("a cluster of %d masters", n)
		}
		c.masters, nodes = n, n
	}
	for i := range nodes {
		s, err := g.node("node"+strconv.Itoa(i+1), []setting{
			{"cluster-enabled", "yes"},
			{"cluster-node-timeout", nodeTimeout},
			{"cluster-announce-ip", "127.0.0.1"},     // a lone node has nobody who tells it
			{"cluster-replica-validity-factor", "0"}, // a replica always stands for election
			{"cluster-allow-replica-migration", "no"},
		})
		if err != nil {
			return nil, err
		}
		c.Nodes = append(c.Nodes, s)
	}
	if err := startAll(c.Nodes); err != nil {
		return nil, err
	}
	if err := c.join(); err != nil {
		return nil, err
	}
	if err := await(readyWithin, clusterPoll, c.settled); err != nil {
		return nil, err
	}
	return c, c.AwaitOK(readyWithin)
}

// join makes one cluster of the nodes: slots to the masters, every node introduced to
// every other (gossip would take a second), replicas to their masters.
func (c *Cluster) join() error {
	for i, s := range c.Nodes {
		if _, err := s.Do("CLUSTER", "SET-CONFIG-EPOCH", strconv.Itoa(i+1)); err != nil {
			return err
		}
		if i < c.masters {
			first, last := i*clusterSlots/c.masters, (i+1)*clusterSlots/c.masters-1
			if _, err := s.Do("CLUSTER", "ADDSLOTSRANGE", strconv.Itoa(first), strconv.Itoa(last)); err != nil {
				return err
			}
		}
		for _, other := range c.Nodes[:i] {
			host, port, err := net.SplitHostPort(other.addr)
			if err != nil {
				return err
			}
			if _, err := s.Do("CLUSTER", "MEET", host, port); err != nil {
				return err
			}
		}
	}
	for i, s := range c.Nodes[c.masters:] {
		id, err := c.Nodes[i].info("CLUSTER", "MYID")
		if err != nil {
			return err
		}
		// Refused until the two have shaken hands.
		err = await(readyWithin, clusterPoll, func() (bool, error) {
			if _, err := s.Do("CLUSTER", "REPLICATE", id); err != nil {
				return false, &notYet{err}
			}
			return true, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// settled tells whether every node knows all others, each by its role, and the
// replicas follow.
func (c *Cluster) settled() (bool, error) {
	for i, s := range c.Nodes {
		nodes, err := s.info("CLUSTER", "NODES")
		if err != nil {
			return false, &notYet{err}
		}
		if masters, replicas := countRoles(nodes); masters != c.masters || replicas != len(c.Nodes)-c.masters {
			return false, &notYet{fmt.Errorf("%s knows %d masters and %d replicas", s.addr, masters, replicas)}
		}
		if i < c.masters {
			continue
		}
		if err := s.follows(c.Nodes[i-c.masters]); err != nil {
			return false, err
		}
	}
	return true, nil
}
