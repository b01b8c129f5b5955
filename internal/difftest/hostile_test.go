package difftest_test

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/difftest"
	"github.com/idemgen/idemgen/internal/difftest/locks"
	"github.com/idemgen/idemgen/internal/difftest/records"
	"github.com/idemgen/idemgen/internal/difftest/tokens"
	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/sqlstore"
	"github.com/redis/go-redis/v9"
)

// TestLaw_L5_HistoriesWhileScriptsVanish: the scripts are flushed all the time, on
// every node, and no history tells.
func TestLaw_L5_HistoriesWhileScriptsVanish(t *testing.T) {
	parts := openAll(t)
	nodes := append([]*servers.RedisServer{servers.Redis(t)}, servers.RedisCluster(t).Nodes...)
	var flushes atomic.Int64
	stop := make(chan struct{})
	var flusher sync.WaitGroup
	flusher.Go(func() {
		for {
			for _, node := range nodes {
				if _, err := node.Do("SCRIPT", "FLUSH"); err != nil && !strings.HasPrefix(err.Error(), "READONLY") {
					t.Error(err)
					return
				}
				flushes.Add(1)
			}
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
		}
	})
	defer func() {
		close(stop)
		flusher.Wait()
		t.Logf("%d times the scripts of a node were flushed", flushes.Load())
		if flushes.Load() < 50 {
			t.Error("the scripts were hardly ever flushed")
		}
	}()
	const count = 150
	ctx := deadline(t)
	all := memstore.New()
	rs := []difftest.Named[idem.RecordStore]{{Name: memory, Store: all}}
	ts := []difftest.Named[idem.TokenStore]{{Name: memory, Store: memstore.NewTokens()}}
	ls := []difftest.Named[locks.Store]{{Name: memory, Store: locks.Store{Locker: memstore.NewLocks(all), Records: all}}}
	for i, p := range parts {
		rs = append(rs, difftest.Named[idem.RecordStore]{Name: redisKinds[i].name, Store: p.records})
		ts = append(ts, difftest.Named[idem.TokenStore]{Name: redisKinds[i].name, Store: p.tokens})
		ls = append(ls, difftest.Named[locks.Store]{Name: redisKinds[i].name, Store: locks.Store{Locker: p.locks, Records: p.records}})
	}
	check(t, records.Kind().Run(ctx, plan(t, count), rs))
	check(t, tokens.Kind().Run(ctx, plan(t, count), ts))
	check(t, locks.Kind().Run(ctx, plan(t, count), ls))
}

// TestLaw_C8_HistoriesOnServersOfAnotherZone: the servers live in one time zone, the
// sessions in another, and the clients' clocks are an hour wrong.
func TestLaw_C8_HistoriesOnServersOfAnotherZone(t *testing.T) {
	const zone, wrong = "Asia/Tokyo", time.Hour
	pg := servers.NewPostgres(t, servers.TimeZone(zone))
	maria := servers.NewMariaDB(t, servers.TimeZone(zone))
	stores := []difftest.Named[idem.RecordStore]{{Name: memory, Store: memstore.New()}}
	for _, s := range []struct {
		sqlServer
		skew time.Duration
	}{
		{sqlServer{"Postgres", "pgx", idem.Postgres, 0, func(t *testing.T) string {
			return pg.Database(t).With("timezone", "America/Caracas").DSN()
		}}, wrong},
		{sqlServer{"MariaDB", "mysql", idem.MySQL, 0, func(t *testing.T) string {
			return maria.Database(t).With("time_zone", "'-11:00'").DSN()
		}}, -wrong},
	} {
		db, _ := s.open(t)
		skewed := sqlstore.WithClock(func() time.Time { return time.Now().Add(s.skew) })
		stores = append(stores, difftest.Named[idem.RecordStore]{Name: s.name, Store: sqlstore.New(db, s.dialect, skewed)})
		elsewhere(t, db, s.dialect)
	}
	check(t, records.Kind().Run(deadline(t), plan(t, 200), stores))
}

// elsewhere expects that a session lives in another zone than its server.
func elsewhere(t *testing.T, db *sql.DB, d idem.Dialect) {
	t.Helper()
	query := `SELECT current_setting('TimeZone'), (SELECT reset_val FROM pg_settings WHERE name = 'log_timezone')`
	if d == idem.MySQL {
		query = `SELECT @@session.time_zone, @@global.time_zone`
	}
	var session, server string
	if err := db.QueryRow(query).Scan(&session, &server); err != nil || session == server {
		t.Fatalf("session %s, server %s: %v", session, server, err)
	}
}

// A storm on a Redis that is killed in it: so many tokens, each with so many who try to
// use it, and so many turns of a lock.
const (
	stormTokens  = 60
	stormCallers = 6
	stormTurns   = 120
	stormKills   = 3
)

// killed is a Redis of a test's own and a store on it.
func killed(t *testing.T) (*servers.RedisServer, redisParts) {
	t.Helper()
	s := servers.NewRedis(t)
	o, err := redis.ParseURL(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	o.MaxRetries = -1 // the test repeats, and counts
	return s, goRedis(t, redis.NewClient(o), servers.Unique(t)+":")
}

// killing kills and restarts a server, each time when a part of the storm is over, and
// returns when it has done so often enough.
func killing(t *testing.T, s *servers.RedisServer, done *atomic.Int64, all int64) {
	for i := int64(1); i <= stormKills; i++ {
		for done.Load() < all*i/(stormKills+1) && !t.Failed() {
			time.Sleep(time.Millisecond)
		}
		err := s.Kill()
		time.Sleep(50 * time.Millisecond)
		if err = errors.Join(err, s.Restart()); err != nil {
			t.Error(err)
			return
		}
	}
}

// insist repeats an operation with the same arguments until the server answers.
func insist(ctx context.Context, outages *atomic.Int64, do func() error) error {
	for {
		err := do()
		if !errors.Is(err, idem.ErrStoreUnavailable) || ctx.Err() != nil {
			return err
		}
		outages.Add(1)
		time.Sleep(5 * time.Millisecond)
	}
}

// TestLaw_X1_RedisKilledInAStormOfConsumers: every token has one owner and is finished.
func TestLaw_X1_RedisKilledInAStormOfConsumers(t *testing.T) {
	s, parts := killed(t)
	ctx := deadline(t)
	var ids [stormTokens]idem.TokenID
	for i := range ids {
		ids[i] = idem.NewToken().ID()
	}
	if err := parts.tokens.Issue(ctx, idem.TokenGrant{Tokens: ids[:], TTL: difftest.Long, Keep: difftest.Long}); err != nil {
		t.Fatal(err)
	}
	var owners [stormTokens]atomic.Int64
	var done, outages atomic.Int64
	var wg sync.WaitGroup
	wg.Go(func() { killing(t, s, &done, stormTokens*stormCallers) })
	for i := range stormTokens * stormCallers {
		wg.Go(func() {
			defer done.Add(1)
			c := idem.Consumption{
				Token: ids[i%stormTokens], Owner: idem.NewOwner(), Lease: difftest.Long, Keep: difftest.Long,
				Key: idem.Key{Hash: [32]byte{1}}, Fingerprint: difftest.Print(1),
			}
			var f idem.TokenFound
			err := insist(ctx, &outages, func() (err error) { f, err = parts.tokens.Consume(ctx, c); return err })
			if err == nil && f.Status == idem.TokenConsumed {
				owners[i%stormTokens].Add(1)
				err = insist(ctx, &outages, func() error {
					return parts.tokens.Finish(ctx, idem.TokenHold{Token: c.Token, Owner: c.Owner, Fence: f.Fence})
				})
			}
			if err != nil {
				t.Error(err)
			}
		})
		time.Sleep(2 * time.Millisecond)
	}
	wg.Wait()
	for i := range owners {
		f, err := parts.tokens.Consume(ctx, idem.Consumption{Token: ids[i], Owner: idem.NewOwner(), Lease: difftest.Long})
		if n := owners[i].Load(); n != 1 || err != nil || f.Status != idem.TokenFinished {
			t.Errorf("token %d had %d owners and is %v, %v", i, n, f.Status, err)
		}
	}
	t.Logf("%d operations met a server that was down", outages.Load())
	if outages.Load() == 0 {
		t.Error("nothing met a server that was down")
	}
}

// TestLaw_L1_RedisKilledInAStormOfOwners: there is one holder at a time, and every
// fence is larger than the one before.
func TestLaw_L1_RedisKilledInAStormOfOwners(t *testing.T) {
	s, parts := killed(t)
	ctx := deadline(t)
	key := difftest.NewCast().Key(0)
	var turns, inside, highest, outages atomic.Int64
	turn := func() {
		r := idem.LockRequest{Key: key, Owner: idem.NewOwner(), TTL: difftest.Long}
		var f idem.LockFound
		for f.Status != idem.LockAcquired && ctx.Err() == nil {
			if err := insist(ctx, &outages, func() (err error) { f, err = parts.locks.Acquire(ctx, r); return err }); err != nil {
				t.Error(err)
				return
			}
		}
		if n := inside.Add(1); n != 1 {
			t.Errorf("%d holders at a time", n)
		}
		if before := highest.Swap(f.Fence); f.Fence <= before {
			t.Errorf("fence %d after %d", f.Fence, before)
		}
		inside.Add(-1)
		turns.Add(1)
		if err := insist(ctx, &outages, func() error {
			return parts.locks.Release(ctx, idem.Hold{Key: key, Owner: r.Owner, Fence: f.Fence})
		}); err != nil {
			t.Error(err)
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() { killing(t, s, &turns, stormTurns) })
	for range stormCallers {
		wg.Go(func() {
			for range stormTurns / stormCallers {
				turn()
				time.Sleep(5 * time.Millisecond)
			}
		})
	}
	wg.Wait()
	t.Logf("%d turns; %d operations met a server that was down", turns.Load(), outages.Load())
	if turns.Load() != stormTurns || outages.Load() == 0 {
		t.Errorf("%d turns of %d, %d outages", turns.Load(), stormTurns, outages.Load())
	}
}
