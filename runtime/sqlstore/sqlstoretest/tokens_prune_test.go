package sqlstoretest

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Pruning is bounded, goes through the index, and forgets only what is not
// remembered any more: unused tokens after Keep, used ones after the consumption's.
func TestLaw_C13_TokensArePrunedThroughTheIndex(t *testing.T) {
	on(t, oneOfEach, func(t *testing.T, d *database) {
		ctx := context.Background()
		f := d.fixture(t)
		s := f.tokens()
		brief := idem.TokenGrant{TTL: 300 * time.Millisecond, Keep: time.Millisecond}
		for range 32 {
			brief.Tokens = append(brief.Tokens, idem.NewToken().ID())
		}
		if err := s.Issue(ctx, brief); err != nil {
			t.Fatal(err)
		}
		kept, forever := consumption(brief.Tokens[0]), consumption(brief.Tokens[1])
		forever.Keep = idem.Never
		for _, c := range []idem.Consumption{kept, forever} {
			if err := s.Finish(ctx, consume(t, s, c, idem.TokenConsumed)); err != nil {
				t.Fatal(err)
			}
		}
		issue(t, s, 200)
		never := idem.TokenGrant{Tokens: []idem.TokenID{idem.NewToken().ID()}, TTL: time.Millisecond, Keep: idem.Never}
		if err := s.Issue(ctx, never); err != nil {
			t.Fatal(err)
		}
		time.Sleep(400 * time.Millisecond)
		for _, want := range [][2]int{{0, 0}, {-1, 0}, {20, 20}, {20, 10}, {20, 0}} {
			if n, err := s.Prune(ctx, want[0]); err != nil || n != want[1] {
				t.Errorf("pruned %d of %d, %v, want %d", n, want[0], err, want[1])
			}
		}
		consume(t, s, consumption(kept.Token), idem.TokenFinished)
		consume(t, s, consumption(forever.Token), idem.TokenFinished)
		consume(t, s, consumption(never.Tokens[0]), idem.TokenExpired)
		consume(t, s, consumption(brief.Tokens[2]), idem.TokenUnknown)
		f.prunesByIndex("idem_tokens", "token_hash")
	})
}

func TestLaw_C13_LocksArePrunedThroughTheIndex(t *testing.T) {
	on(t, oneOfEach, func(t *testing.T, d *database) {
		ctx := context.Background()
		f := d.fixture(t)
		s := f.locks()
		held := acquire(t, s, lockOn(t, idem.String("held")), idem.LockAcquired)
		for i := range 200 {
			h := acquire(t, s, lockOn(t, idem.Int(i)), idem.LockAcquired)
			if err := s.Release(ctx, h); err != nil {
				t.Fatal(err)
			}
		}
		if n, err := s.Prune(ctx, 1000); n != 0 || err != nil {
			t.Errorf("pruned %d, %v, that ended just now", n, err)
		}
		f.exec("UPDATE idem_locks SET expires_at = expires_at - 3600000000 WHERE lease_until IS NULL")
		for _, want := range []int{150, 50, 0} {
			if n, err := s.Prune(ctx, 150); n != want || err != nil {
				t.Errorf("pruned %d, %v, want %d", n, err, want)
			}
		}
		if err := s.Renew(ctx, held, time.Minute); err != nil {
			t.Error(err)
		}
		f.prunesByIndex("idem_locks", "key_hash")
	})
}

// prunesByIndex looks at what the database says it will do.
func (f *fixture) prunesByIndex(table, key string) {
	f.Helper()
	switch f.on.dialect {
	case idem.SQLite:
		p := f.plan("QUERY PLAN DELETE FROM " + table + " WHERE expires_at <= 1 AND " + key + " IN (SELECT " + key + " FROM " + table + " WHERE expires_at <= 1 ORDER BY expires_at LIMIT 10)")
		if strings.Contains(p, "SCAN") || !strings.Contains(p, table+"_expires") {
			f.Errorf("plan:\n%s", p)
		}
	case idem.Postgres:
		f.db.SetMaxOpenConns(1)
		f.exec("SET enable_seqscan = off") // the table is small
		p := f.plan("DELETE FROM " + table + " WHERE expires_at <= 1 AND " + key + " = ANY(ARRAY(SELECT " + key + " FROM " + table +
			" WHERE expires_at <= CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS bigint) ORDER BY expires_at LIMIT 10 FOR UPDATE SKIP LOCKED))")
		if strings.Contains(p, "Seq Scan") || !strings.Contains(p, table+"_expires") {
			f.Errorf("plan:\n%s", p)
		}
	case idem.MySQL:
		if p := f.plan("DELETE FROM " + table + " WHERE expires_at <= 1 ORDER BY expires_at LIMIT 10"); !strings.Contains(p, "range\nexpires") {
			f.Errorf("plan:\n%s", p)
		}
	}
}

// Two processes prune at once while tokens are used and locks change hands.
func TestLaw_C13_PrunersOfTokensAndLocksDontGetInTheWay(t *testing.T) {
	on(t, oneOfEach, func(t *testing.T, d *database) {
		ctx := context.Background()
		f := d.fixture(t)
		tokens, locks := f.tokens(), f.locks()
		stop := make(chan struct{})
		var pruners, users sync.WaitGroup
		for range 2 {
			p := f.process()
			prune := []func(context.Context, int) (int, error){p.tokens().Prune, p.locks().Prune}
			pruners.Go(func() {
				for i := 0; ; i++ {
					select {
					case <-stop:
						return
					case <-time.After(time.Millisecond):
					}
					if _, err := prune[i%2](ctx, 50); err != nil {
						t.Errorf("prune: %v", err)
					}
				}
			})
		}
		for u := range 4 {
			users.Go(func() {
				for i := range 100 {
					id := idem.NewToken().ID()
					g := idem.TokenGrant{Tokens: []idem.TokenID{id}, TTL: time.Minute, Keep: time.Millisecond}
					if i%2 == 0 {
						g.TTL = time.Millisecond
					}
					if err := tokens.Issue(ctx, g); err != nil {
						t.Errorf("issue: %v", err)
					}
					got, err := tokens.Consume(ctx, consumption(id))
					if err != nil || i%2 == 1 && got.Status != idem.TokenConsumed {
						t.Errorf("consume: %v, %v", got.Status, err)
					}
					if err := locks.Release(ctx, acquire(t, locks, lockOn(t, idem.Int(u), idem.Int(i)), idem.LockAcquired)); err != nil {
						t.Errorf("release: %v", err)
					}
				}
			})
		}
		users.Wait()
		close(stop)
		pruners.Wait()
	})
}
