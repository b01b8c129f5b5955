package redisstore_test

import (
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/redis/go-redis/v9"
)

// onAll runs a suite on every topology, side by side.
func onAll(t *testing.T, suite func(t *testing.T, client redis.UniversalClient)) {
	for _, top := range topologies {
		t.Run(top.name, func(t *testing.T) {
			t.Parallel()
			suite(t, top.connect(t))
		})
	}
}

func TestRecordConformance(t *testing.T) {
	onAll(t, func(t *testing.T, client redis.UniversalClient) {
		idemtest.TestRecordStore(t, func(t *testing.T) idem.RecordStore { return open(t, client) })
	})
}

func TestTokenConformance(t *testing.T) {
	onAll(t, func(t *testing.T, client redis.UniversalClient) {
		idemtest.TestTokenStore(t, func(t *testing.T) idem.TokenStore { return open(t, client).Tokens() })
	})
}

func TestLockerConformance(t *testing.T) {
	onAll(t, func(t *testing.T, client redis.UniversalClient) {
		idemtest.TestLocker(t, func(t *testing.T) (idem.Locker, idem.RecordStore) {
			store := open(t, client)
			return store.Locks(), store
		})
	})
}
