package layers_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/redisstore"
	"github.com/redis/go-redis/v9"
)

// row is one line of the table: one outer layer around one inner layer.
type row struct {
	outer   *outer
	inner   *inner
	base    *base
	wishes  []*intention
	forgot  int
	paid    int // intentions with a payment
	doubles int // intentions with more than one
}

// Each row has so many intentions that Redis is to keep and to forget, and each call
// is sent again by so many callers at once.
const (
	kept    = 10
	lost    = 20
	callers = 3
)

// newRows makes the table and the orders of its intentions.
func newRows(t *testing.T) []*row {
	t.Helper()
	var rows []*row
	for _, b := range bases(t) {
		for o := range outers {
			for i := range inners {
				r := &row{outer: &outers[o], inner: &inners[i], base: b}
				for n := range kept + lost {
					w := &intention{id: fmt.Sprintf("%s-%d-%d-%d", b.name, o, i, n), base: b}
					w.call = engine.Call(t.Context(), &leaseOp, idem.String(w.id))
					w.pay = func(ctx context.Context) error { return r.inner.pay(ctx, b, w.id) }
					r.wishes = append(r.wishes, w)
				}
				if err := atOnce(r.wishes, func(w *intention) error { return b.create(t.Context(), w.id) }); err != nil {
					t.Fatal(err)
				}
				rows = append(rows, r)
			}
		}
	}
	return rows
}

// each does something for a part of the intentions of every row.
func each(t *testing.T, rows []*row, from, to int, do func(*row, *intention) error) {
	t.Helper()
	for _, r := range rows {
		if err := atOnce(r.wishes[from:to], func(w *intention) error { return do(r, w) }); err != nil {
			t.Fatalf("%s, %s, %s: %v", r.base.name, r.outer.name, r.inner.name, err)
		}
	}
}

// storm carries intentions out, has Redis lose what it acknowledged of the second part
// (lose gets the function that carries them out), sends all calls again and counts.
func storm(t *testing.T, store *redisstore.Store, lose func(carryOut func(from, to int))) []*row {
	t.Helper()
	ctx := t.Context()
	rows := newRows(t)
	lose(func(from, to int) {
		each(t, rows, from, to, func(r *row, w *intention) error { return r.outer.first(ctx, store, w) })
	})
	for _, r := range rows {
		for _, w := range r.wishes {
			forgot, err := r.outer.forgot(ctx, store, w)
			if err != nil {
				t.Fatal(err)
			}
			if forgot {
				r.forgot++
			}
		}
		again := slices.Repeat(r.wishes, callers)
		if err := atOnce(again, func(w *intention) error { return r.outer.again(ctx, store, w) }); err != nil {
			t.Fatalf("%s, %s, %s: again: %v", r.base.name, r.outer.name, r.inner.name, err)
		}
	}
	each(t, rows, 0, kept+lost, func(r *row, w *intention) error {
		if r.outer.late == nil {
			return nil
		}
		return r.outer.late(w)
	})
	count(t, rows)
	return rows
}

// count counts the effects of every row.
func count(t *testing.T, rows []*row) {
	t.Helper()
	effects := map[*base]map[string]int{}
	for _, r := range rows {
		if effects[r.base] == nil {
			effects[r.base] = r.base.effects(t)
		}
		for _, w := range r.wishes {
			n := effects[r.base][w.id]
			if n > 0 {
				r.paid++
			}
			if n > 1 {
				r.doubles++
			}
		}
	}
}

// judge expects that no layer in SQL let a double effect through, that none at all did,
// and that Redis forgot exactly as many as it was to.
func judge(t *testing.T, rows []*row, forgot int) {
	t.Helper()
	text := fmt.Sprintf("%-9s %-7s %-24s %10s %8s %6s %8s", "database", "Redis", "inner layer", "intentions", "forgot", "paid", "doubles")
	for _, r := range rows {
		text += fmt.Sprintf("\n%-9s %-7s %-24s %10d %8d %6d %8d", r.base.name, r.outer.name, r.inner.name, len(r.wishes), r.forgot, r.paid, r.doubles)
		switch {
		case r.paid != len(r.wishes):
			t.Errorf("%s, %s, %s: %d of %d intentions were carried out", r.base.name, r.outer.name, r.inner.name, r.paid, len(r.wishes))
		case r.forgot != forgot:
			t.Errorf("%s, %s, %s: Redis forgot %d, not %d", r.base.name, r.outer.name, r.inner.name, r.forgot, forgot)
		case r.inner.name != "none" && r.doubles > 0:
			t.Errorf("%s, %s, %s: %d intentions had more than one effect", r.base.name, r.outer.name, r.inner.name, r.doubles)
		case r.inner.name == "none" && r.doubles != forgot:
			t.Errorf("%s, %s, without a layer in SQL: %d double effects; the test shows nothing unless they are %d", r.base.name, r.outer.name, r.doubles, forgot)
		}
	}
	t.Log("\n" + strings.TrimRight(text, "\n"))
}

// connect makes a store with keys of its own.
func connect(t *testing.T, client redis.UniversalClient) *redisstore.Store {
	t.Helper()
	t.Cleanup(func() { client.Close() })
	s, err := redisstore.New(t.Context(), client, redisstore.WithPrefix(servers.Unique(t)+":"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestLaw_X3_SQLHoldsWhatFailoverForgets: a primary acknowledges, dies before its
// replica has the writes, and the replica is promoted.
func TestLaw_X3_SQLHoldsWhatFailoverForgets(t *testing.T) {
	t.Parallel()
	pair := servers.NewRedisPair(t)
	store := connect(t, redis.NewFailoverClient(&redis.FailoverOptions{MasterName: pair.Master, SentinelAddrs: pair.Sentinels}))
	primary, replica := pair.Nodes[0], pair.Nodes[1]
	rows := storm(t, store, func(carryOut func(from, to int)) {
		carryOut(0, kept)
		must(t, primary.AwaitReplica(replica, 10*time.Second))
		must(t, replica.Pause())
		carryOut(kept, kept+lost)
		must(t, primary.Kill())
		must(t, replica.Kill()) // what lies in its socket would still reach it
		must(t, replica.Restart())
		if _, err := pair.AwaitFailover(primary.Addr(), 30*time.Second); err != nil {
			t.Fatal(err)
		}
		awaitWrites(t, store)
	})
	judge(t, rows, lost)
}

// TestLaw_X3_SQLHoldsWhatFlushForgets: somebody flushes the server.
func TestLaw_X3_SQLHoldsWhatFlushForgets(t *testing.T) {
	t.Parallel()
	s := servers.NewRedis(t)
	o, err := redis.ParseURL(s.URL())
	must(t, err)
	store := connect(t, redis.NewClient(o))
	rows := storm(t, store, func(carryOut func(from, to int)) {
		carryOut(0, kept+lost)
		if _, err := s.Do("FLUSHALL"); err != nil {
			t.Fatal(err)
		}
	})
	judge(t, rows, kept+lost)
}

// awaitWrites waits until the client has found the new primary.
func awaitWrites(t *testing.T, store *redisstore.Store) {
	t.Helper()
	var err error
	for until := time.Now().Add(30 * time.Second); time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		if _, err = issue(t.Context(), store); err == nil {
			return
		}
	}
	t.Fatal(err)
}
