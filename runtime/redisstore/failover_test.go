package redisstore_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/redisstore"
	"github.com/redis/go-redis/v9"
)

// written is what was acknowledged in one batch.
type written struct {
	keys   []idem.Key
	tokens []idem.TokenID // finished
	locks  []idem.Hold
}

const batch = 20

// write completes records, uses tokens and takes locks for keys from first on.
func write(t *testing.T, store *redisstore.Store, first int) written {
	t.Helper()
	w := written{tokens: issue(t, store.Tokens(), batch)}
	ctx := context.Background()
	for i := range batch {
		k := key(first + i)
		w.keys = append(w.keys, k)
		ok(t, store.Complete(ctx, take(t, store, claimOf(k)), idem.Outcome{Kind: idem.Succeeded}, time.Hour))
		ok(t, store.Tokens().Finish(ctx, consume(t, store.Tokens(), consumptionOf(w.tokens[i]))))
		w.locks = append(w.locks, acquire(t, store.Locks(), lockOf(k)))
	}
	return w
}

// forgotten counts what a store doesn't know any more: records that would run again,
// tokens that can't be used, locks that have a second holder.
func (w *written) forgotten(t *testing.T, store *redisstore.Store) (records, tokens, locks int) {
	t.Helper()
	ctx := context.Background()
	for i, k := range w.keys {
		f, err := store.Lookup(ctx, k)
		ok(t, err)
		if f.Status == idem.Absent {
			records++
		}
		used, err := store.Tokens().Consume(ctx, consumptionOf(w.tokens[i]))
		ok(t, err)
		switch used.Status {
		case idem.TokenFinished:
		case idem.TokenUnknown:
			tokens++
		default:
			t.Errorf("a used token is %v", used.Status)
		}
		second, err := store.Locks().Acquire(ctx, lockOf(k))
		ok(t, err)
		if second.Status == idem.LockAcquired {
			locks++
			if second.Fence <= w.locks[i].Fence { // so the guard inside can tell (L2)
				t.Errorf("the second holder has fence %d after %d", second.Fence, w.locks[i].Fence)
			}
		}
	}
	return records, tokens, locks
}

// TestLaw_L2_FailoverForgetsWhatWasNotReplicated shows what Redis may lose: a primary
// acknowledges, dies before its replica has the writes, and the replica is promoted.
// What was replicated is there; all that was not is forgotten. A forgotten token
// can't be used, the fence of a forgotten lock still grows, and a forgotten record
// would let its method run again: the reason for a layer in the business database.
func TestLaw_L2_FailoverForgetsWhatWasNotReplicated(t *testing.T) {
	t.Parallel()
	pair := servers.NewRedisPair(t)
	store := open(t, sentinel(t, pair))
	primary, replica := pair.Nodes[0], pair.Nodes[1]
	kept := write(t, store, 0)
	ok(t, primary.AwaitReplica(replica, 10*time.Second))
	ok(t, replica.Pause())
	lost := write(t, store, batch)
	ok(t, primary.Kill())
	ok(t, replica.Kill()) // what lies in its socket would still reach it
	ok(t, replica.Restart())
	if _, err := pair.AwaitFailover(primary.Addr(), 30*time.Second); err != nil {
		t.Fatal(err)
	}
	awaitWrites(t, store)
	if r, tok, l := kept.forgotten(t, store); r+tok+l != 0 {
		t.Errorf("of what was replicated it forgot %d records, %d tokens, %d locks", r, tok, l)
	}
	r, tok, l := lost.forgotten(t, store)
	t.Logf("of %d records, tokens and locks each that were acknowledged and not replicated it forgot %d, %d, %d", batch, r, tok, l)
	if r != batch || tok != batch || l != batch {
		t.Errorf("it forgot %d records, %d tokens, %d locks of %d each", r, tok, l, batch)
	}
}

// awaitWrites waits until a client has found the new primary.
func awaitWrites(t *testing.T, store *redisstore.Store) {
	t.Helper()
	await(t, func() error {
		_, err := store.Claim(context.Background(), claimOf(key(-1)))
		return err
	})
}

// await tries until there is no error.
func await(t *testing.T, try func() error) {
	t.Helper()
	var err error
	for until := time.Now().Add(30 * time.Second); time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		if err = try(); err == nil {
			return
		}
	}
	t.Fatal(err)
}

// TestLaw_L5_ClusterFailoverKeepsWhatWasReplicated: the master of a slot dies; its
// replica doesn't know the scripts.
func TestLaw_L5_ClusterFailoverKeepsWhatWasReplicated(t *testing.T) {
	t.Parallel()
	c := servers.NewRedisCluster(t)
	client := clusterOf(t, c)
	store := open(t, client)
	w := write(t, store, 0)
	for _, master := range c.Nodes[:3] {
		ok(t, master.AwaitReplica(c.Replica(master), 10*time.Second))
	}
	old, promoted := c.Nodes[0], c.Replica(c.Nodes[0])
	ok(t, old.Kill())
	for until := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if role, err := promoted.Do("ROLE"); err == nil && role[0] == "master" || time.Now().After(until) {
			break
		}
	}
	ok(t, c.AwaitOK(30*time.Second))
	client.(*redis.ClusterClient).ReloadState(context.Background())
	for i := range w.keys {
		await(t, func() error {
			_, err := store.Lookup(context.Background(), w.keys[i])
			if err == nil {
				_, err = store.Tokens().Consume(context.Background(), consumptionOf(w.tokens[i]))
			}
			return err
		})
	}
	if r, tok, l := w.forgotten(t, store); r+tok+l != 0 {
		t.Errorf("of what was replicated it forgot %d records, %d tokens, %d locks", r, tok, l)
	}
}

// TestLaw_L2_FenceGrowsOverFlush: the server forgot the lock.
func TestLaw_L2_FenceGrowsOverFlush(t *testing.T) {
	s := servers.NewRedis(t)
	store := open(t, single(t, s.URL()))
	before := acquire(t, store.Locks(), lockOf(key(1)))
	if _, err := s.Do("FLUSHALL"); err != nil {
		t.Fatal(err)
	}
	after := acquire(t, store.Locks(), lockOf(key(1)))
	if after.Fence <= before.Fence {
		t.Errorf("fence %d after %d", after.Fence, before.Fence)
	}
	ctx := context.Background()
	if err := store.Locks().Release(ctx, before); err == nil {
		t.Error("the forgotten holder freed the new one's lock")
	}
}

// TestLaw_L2_FenceGrowsOverAClockSetBack: a lock of the server's future, as one that
// was acquired before its clock was set back, or by a primary whose clock was ahead.
func TestLaw_L2_FenceGrowsOverAClockSetBack(t *testing.T) {
	s := servers.NewRedis(t)
	store := open(t, single(t, s.URL()))
	ctx := context.Background()
	first := acquire(t, store.Locks(), lockOf(key(1)))
	keys, _ := dump(t, s)
	const future = 8_000_000_000_000_000
	if _, err := s.Do("SETRANGE", keys[0], "17", strconv.FormatInt(future, 10)); err != nil {
		t.Fatal(err)
	}
	first.Fence = future
	for want := int64(future + 1); want < future+4; want++ {
		ok(t, store.Locks().Release(ctx, first))
		if first = acquire(t, store.Locks(), lockOf(key(1))); first.Fence != want {
			t.Fatalf("fence %d, want %d", first.Fence, want)
		}
	}
}
