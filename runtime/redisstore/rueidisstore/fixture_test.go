package rueidisstore_test

import (
	"context"
	"testing"

	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/redisstore/rueidisstore"
	"github.com/redis/rueidis"
)

// topology is one row of the table of what the laws are tested on.
type topology struct {
	name    string
	options func(t *testing.T) rueidis.ClientOption
}

var topologies = []topology{
	{"Single", func(t *testing.T) rueidis.ClientOption { return single(t, servers.Redis(t)) }},
	{"Sentinel", func(t *testing.T) rueidis.ClientOption {
		p := servers.RedisPair(t)
		return rueidis.ClientOption{InitAddress: p.Sentinels, Sentinel: rueidis.SentinelOption{MasterSet: p.Master}}
	}},
	{"Cluster", func(t *testing.T) rueidis.ClientOption {
		return rueidis.ClientOption{InitAddress: servers.RedisCluster(t).Addrs()}
	}},
}

func single(t *testing.T, s *servers.RedisServer) rueidis.ClientOption {
	t.Helper()
	o, err := rueidis.ParseURL(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// connect makes a client and closes it with the test.
func connect(t *testing.T, o rueidis.ClientOption) rueidis.Client {
	t.Helper()
	client, err := rueidis.NewClient(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

// open makes a store with keys of its own.
func open(t *testing.T, client rueidis.Client) *rueidisstore.Store {
	t.Helper()
	store, err := rueidisstore.New(context.Background(), client, rueidisstore.WithPrefix(servers.Unique(t)+":"))
	if err != nil {
		t.Fatal(err)
	}
	return store
}

var op = idem.Op{Name: "rueidisstore_test", Orphan: idem.OrphanRerun}

// call makes the call of key i.
func call(i int) idem.Call {
	return idem.New(idem.GlobalScope).Call(context.Background(), &op, idem.Int(i))
}
