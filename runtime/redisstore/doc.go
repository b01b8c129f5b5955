// Package redisstore keeps idempotency records, tokens and locks in Redis or Valkey,
// by way of a go-redis client: single, Sentinel or Cluster.
//
//	store, err := redisstore.New(ctx, client)
//	…
//	guarded := NewIdempotentService(service, engine, store)  // records
//	store.Tokens()                                           // idem.TokenStore
//	store.Locks()                                            // idem.Locker
//
// Every operation is one script and one round trip, decided by the server's clock.
// On a server that doesn't know a script yet the first call takes a second trip.
// go-redis sends a command again when its reply was lost; every script may be
// repeated (C16). Set ContextTimeoutEnabled in its options: without it go-redis waits
// for a reply as long as its ReadTimeout says, also after a call's context has ended.
//
// # What Redis may lose
//
// Redis acknowledges a write before it is on a disk or on a replica. A primary that
// dies takes with it what its replica has not got yet, and a restarted one what its
// append-only file has not got (appendfsync everysec: about a second; no file at
// all: everything). Eviction removes what it likes. A forgotten record lets its
// method run again; a forgotten token is unknown and can't be used; a forgotten lock
// has a second holder, with a larger fence. So what must not happen twice needs a
// layer in its own database: a transaction-mode once, a guarded state, a unique
// index, or a write that compares the fence. WAIT and min-replicas-to-write make
// the loss rarer, not impossible.
//
// New refuses a server whose maxmemory-policy may evict. The policy of the replicas
// that may be promoted is not asked: set it alike on all nodes.
package redisstore
