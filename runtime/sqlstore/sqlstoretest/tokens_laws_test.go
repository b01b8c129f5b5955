package sqlstoretest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// 100 consumers in four processes, one token: one wins, whatever the level at which
// connections begin.
func TestLaw_X1_OneOfManyProcesses(t *testing.T) {
	run := func(t *testing.T, d *database) {
		ctx := context.Background()
		f := d.fixture(t)
		stores := []*sqlstore.Tokens{f.tokens()}
		for range 3 {
			stores = append(stores, f.process().tokens())
		}
		for range 3 {
			id := issue(t, stores[0], 1)[0]
			var won, running atomic.Int64
			var wg sync.WaitGroup
			for i := range 100 {
				wg.Go(func() {
					got, err := stores[i%4].Consume(ctx, consumption(id))
					switch {
					case err == nil && got.Status == idem.TokenConsumed:
						won.Add(1)
					case err == nil && got.Status == idem.TokenRunning:
						running.Add(1)
					default:
						t.Errorf("%v, %v", got.Status, err)
					}
				})
			}
			wg.Wait()
			if won.Load() != 1 || running.Load() != 99 {
				t.Errorf("%d won, %d run", won.Load(), running.Load())
			}
		}
	}
	t.Run("SQLite", func(t *testing.T) { run(t, sqliteFile) })
	onDefaultLevels(t, run)
}

// dump is every value of a table as bytes.
func (f *fixture) dump(table string) []byte {
	f.Helper()
	rows, err := f.db.Query("SELECT * FROM " + table)
	if err != nil {
		f.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		f.Fatal(err)
	}
	var all bytes.Buffer
	for rows.Next() {
		cells, dest := make([]any, len(columns)), make([]any, len(columns))
		for i := range cells {
			dest[i] = &cells[i]
		}
		if err := rows.Scan(dest...); err != nil {
			f.Fatal(err)
		}
		for _, c := range cells {
			if b, isBytes := c.([]byte); isBytes {
				c = string(b)
			}
			fmt.Fprintln(&all, c)
		}
	}
	if err := rows.Err(); err != nil {
		f.Fatal(err)
	}
	return all.Bytes()
}

// No table has a token in it, in no form in which it could be read back, and no
// error tells one.
func TestLaw_X4_TablesHaveNoToken(t *testing.T) {
	on(t, oneOfEach, func(t *testing.T, d *database) {
		ctx := context.Background()
		f := d.fixture(t)
		s := f.tokens()
		f.locks()
		texts := []idem.TokenText{idem.NewToken(), idem.NewToken(), idem.NewToken(), idem.NewToken()}
		g := idem.TokenGrant{TTL: time.Minute, Keep: time.Hour}
		for _, text := range texts {
			g.Tokens = append(g.Tokens, text.ID())
		}
		if err := s.Issue(ctx, g); err != nil {
			t.Fatal(err)
		}
		for i, settle := range []func(context.Context, idem.TokenHold) error{s.Finish, s.Burn, s.Restore} {
			if err := settle(ctx, consume(t, s, consumption(g.Tokens[i]), idem.TokenConsumed)); err != nil {
				t.Fatal(err)
			}
		}
		var all []byte
		for _, table := range []string{"idem_tokens", "idem_records", "idem_locks", "idem_tokens_schema"} {
			all = append(all, f.dump(table)...)
		}
		ended, cancel := context.WithCancel(ctx)
		cancel()
		for i, text := range texts {
			if !bytes.Contains(all, g.Tokens[i][:]) {
				t.Fatal("the dump has no hash either")
			}
			_, err := s.Consume(ended, consumption(g.Tokens[i]))
			if err == nil {
				t.Fatal("consumed on an ended context")
			}
			raw := text.Reveal()
			for _, form := range []string{raw, strings.ToLower(raw), hex.EncodeToString([]byte(raw)), base64.StdEncoding.EncodeToString([]byte(raw))} {
				if bytes.Contains(all, []byte(form)) || strings.Contains(err.Error(), form) {
					t.Errorf("the token stands there as %s", form)
				}
			}
		}
	})
}

// The server lives in Tokyo and the processes' clocks are five minutes off: neither
// moves the end of a token, of a consumption or of a lock (C8).
func TestLaw_C8_TokensAndLocksInOtherZones(t *testing.T) {
	on(t, bothServers, func(t *testing.T, d *database) {
		ctx := context.Background()
		server := d.private(t, servers.TimeZone("Asia/Tokyo"))
		f := d.fixtureOn(t, server)
		ahead, behind := skewedBy(5*time.Minute), skewedBy(-5*time.Minute)
		tokens, locks := f.tokens(ahead), f.locks(ahead)
		utc := f.process()
		utc.db.SetMaxOpenConns(1)
		utc.exec(map[idem.Dialect]string{idem.Postgres: "SET TIME ZONE 'UTC'", idem.MySQL: "SET time_zone = '-11:00'"}[d.dialect])
		otherTokens, otherLocks := utc.tokens(behind), utc.locks(behind)

		ids := issue(t, tokens, 2)
		consume(t, tokens, consumption(ids[0]), idem.TokenConsumed)
		for _, s := range []*sqlstore.Tokens{tokens, otherTokens} {
			got, err := s.Consume(ctx, consumption(ids[0]))
			if err != nil || got.Status != idem.TokenRunning || got.LeaseLeft > time.Minute || got.LeaseLeft < 50*time.Second {
				t.Errorf("%+v, %v", got, err)
			}
		}
		consume(t, otherTokens, consumption(ids[1]), idem.TokenConsumed)
		r := lockOn(t, idem.String("K"))
		h := acquire(t, locks, r, idem.LockAcquired)
		for _, s := range []*sqlstore.Locks{locks, otherLocks} {
			got, err := s.Acquire(ctx, next(r))
			if err != nil || got.Status != idem.LockBusy || got.Left > time.Minute || got.Left < 50*time.Second {
				t.Errorf("%+v, %v", got, err)
			}
		}
		if err := otherLocks.Renew(ctx, h, time.Minute); err != nil {
			t.Error(err)
		}
		for _, query := range []string{"SELECT issued_at FROM idem_tokens ORDER BY issued_at", "SELECT fence FROM idem_tokens ORDER BY fence", "SELECT acquired_at FROM idem_locks"} {
			if skew := time.Since(time.UnixMicro(int64(f.count(query)))); skew < -time.Minute || skew > time.Minute {
				t.Errorf("%s: %v ago", query, skew)
			}
		}
	})
}

// Time is the store's, to the microsecond: a token can be consumed up to its end and
// no longer, and one that was given back only for the rest.
func TestLaw_X3_SameExpiryToTheMicrosecond(t *testing.T) {
	ctx := context.Background()
	now := &clock{now: time.Date(2030, 1, 2, 3, 4, 5, 0, time.FixedZone("Tokyo", 9*3600))}
	f := newFixture(t)
	s := f.tokens(sqlstore.WithClock(now.Now))
	id := issue(t, s, 1)[0]
	now.add(time.Minute - 2*time.Microsecond)
	h := consume(t, s, consumption(id), idem.TokenConsumed)
	if h.Fence != now.Now().UnixMicro() {
		t.Errorf("fence %d", h.Fence)
	}
	if err := s.Restore(ctx, h); err != nil {
		t.Fatal(err)
	}
	now.add(time.Microsecond)
	h = consume(t, s, consumption(id), idem.TokenConsumed)
	if err := s.Restore(ctx, h); err != nil {
		t.Fatal(err)
	}
	now.add(time.Microsecond)
	consume(t, s, consumption(id), idem.TokenExpired)
	now.add(time.Hour - time.Microsecond)
	consume(t, s, consumption(id), idem.TokenExpired)
	now.add(time.Microsecond)
	consume(t, s, consumption(id), idem.TokenUnknown)

	// What isn't remembered is issued anew, and its last owner has nothing left.
	g := idem.TokenGrant{Tokens: []idem.TokenID{id}, Binding: idem.Binding{1}, TTL: time.Minute, Keep: time.Hour}
	if err := s.Issue(ctx, g); err != nil {
		t.Fatal(err)
	}
	if err := s.Restore(ctx, h); err != idem.ErrLeaseLost {
		t.Errorf("%v", err)
	}
	consume(t, s, consumption(id), idem.TokenMismatch)
	bound := consumption(id)
	bound.Binding = idem.Binding{1}
	if again := consume(t, s, bound, idem.TokenConsumed); again.Fence <= h.Fence {
		t.Errorf("fence %d after %d", again.Fence, h.Fence)
	}
}

// The owner itself asks again after its lease ran out: it still has the token, with
// the same fence, also where another could take it over.
func TestLaw_C16_SameOwnerAfterItsLease(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		s := d.fixture(t).tokens()
		ask := consumption(issue(t, s, 1)[0])
		ask.Lease, ask.Retake = time.Millisecond, true
		h := consume(t, s, ask, idem.TokenConsumed)
		time.Sleep(20 * time.Millisecond)
		if again := consume(t, s, ask, idem.TokenConsumed); again != h {
			t.Errorf("%+v, then %+v", h, again)
		}
		other := ask
		other.Owner = idem.NewOwner()
		if taken := consume(t, s, other, idem.TokenConsumed); taken.Fence <= h.Fence {
			t.Errorf("fence %d after %d", taken.Fence, h.Fence)
		}
	})
}
