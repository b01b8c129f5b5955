// Package rueidisstore keeps idempotency records, tokens and locks in Redis or
// Valkey, by way of a rueidis client: single, Sentinel or Cluster.
//
//	store, err := rueidisstore.New(ctx, client)
//	…
//	guarded := NewIdempotentService(service, engine, store)  // records
//	store.Tokens()                                           // idem.TokenStore
//	store.Locks()                                            // idem.Locker
//
// It runs the same scripts on the same keys as package redisstore, whose
// documentation says what Redis may lose: programs with either client share a server.
// A request whose reply was lost is sent again three times, as go-redis does (C16).
package rueidisstore
