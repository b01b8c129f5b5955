package sqlstoretest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/faultproxy"
	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// What happens to servers and to the wires that lead there.

// behind is a fixture whose statements go through a proxy.
func (d *database) behind(t *testing.T) (f *fixture, p *faultproxy.Proxy) {
	t.Helper()
	server := d.shared(t)
	p, err := faultproxy.New(server.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	base := server.Database(t)
	direct := d.source(base)
	d.setUp(t, direct, d.open(t, direct), nil)
	proxied := d.source(base.At(p.Addr()))
	return d.over(t, proxied, d.open(t, proxied)), p
}

// The network loses the reply of a COMMIT that has happened, or the COMMIT.
func TestLaw_T8_TheNetworkLosesACommit(t *testing.T) {
	on(t, everyServer, func(t *testing.T, d *database) {
		for _, c := range []struct {
			name  string
			fault faultproxy.Fault
			runs  int
		}{{"reply", faultproxy.LoseReply, 1}, {"request", faultproxy.LoseRequest, 2}} {
			t.Run(c.name, func(t *testing.T) {
				f, p := d.behind(t)
				s := newService(f, idem.Op{})
				if _, err := s.Pay(context.Background(), "warm", 1); err != nil {
					t.Fatal(err)
				}
				s.runs.Store(0)
				word := "COMMIT"
				if d == pgxOnPostgres {
					word = "commit"
				}
				lost := p.On(c.fault, word, 1)
				for range 2 {
					if got, err := s.Pay(context.Background(), "K", 7); err != nil || *got != (receipt{"K", 7}) {
						t.Errorf("%v, %v", got, err)
					}
				}
				if !lost.Fired() {
					t.Error("nothing was lost")
				}
				s.ran("K", c.runs, 1)
			})
		}
	})
}

// Replies of the statements of lease mode are lost, and the same is asked again.
func TestLaw_C16_TheNetworkLosesAReply(t *testing.T) {
	on(t, bothServers, func(t *testing.T, d *database) {
		ctx := context.Background()
		f, p := d.behind(t)
		c := leased(claimOn(t, 0, idem.String("K")), time.Minute, idem.OrphanHold)
		r := leased(claimOn(t, 0, idem.String("R")), time.Minute, idem.OrphanHold)
		h := idem.Hold{Key: c.Key, Owner: c.Owner, Fence: 1}
		claim := func(c idem.Claim) func() error {
			return func() error {
				got, err := f.store.Claim(ctx, c)
				if err == nil && (got.Status != idem.Fresh || got.Record.Fence != 1) {
					err = fmt.Errorf("%v, fence %d", got.Status, got.Record.Fence)
				}
				return err
			}
		}
		for _, step := range []struct {
			name string
			key  idem.Key
			do   func() error
		}{
			{"claim", c.Key, claim(c)},
			{"complete", c.Key, func() error { return f.store.Complete(ctx, h, done("1"), time.Hour) }},
			{"claim to release", r.Key, claim(r)},
			{"release", r.Key, func() error { return f.store.Release(ctx, idem.Hold{Key: r.Key, Owner: r.Owner, Fence: 1}) }},
		} {
			// The statement is known by the key that it binds. database/sql tries
			// again by itself when it may: both are the same to the store.
			lost := p.DropReply(string(step.key.Hash[:]), 1)
			if err := step.do(); err != nil {
				if !errors.Is(err, idem.ErrStoreUnavailable) {
					t.Errorf("%s: %v", step.name, err)
				}
				if err := step.do(); err != nil {
					t.Errorf("%s again: %v", step.name, err)
				}
			}
			if !lost.Fired() {
				t.Errorf("%s: nothing was lost", step.name)
			}
		}
		if got, err := f.store.Lookup(ctx, c.Key); err != nil || got.Status != idem.Done {
			t.Errorf("%v, %v", got.Status, err)
		}
		if got, err := f.store.Lookup(ctx, r.Key); err != nil || got.Status != idem.Absent {
			t.Errorf("%v, %v", got.Status, err)
		}
	})
}

// The server is killed in a storm, twice, and started again: every intention
// has one effect in the end, and what was acknowledged stays.
func TestLaw_T1_ServerKilledInAStorm(t *testing.T) {
	on(t, bothServers, func(t *testing.T, d *database) {
		const callers, intentions = 8, 400
		server := d.private(t)
		f := d.fixtureOn(t, server)
		f.db.SetMaxOpenConns(callers)
		s := newService(f, idem.Op{Wait: 5 * time.Second})
		s.during = func(context.Context, *sql.Tx) error {
			if rand.N(8) == 0 {
				return errBusiness
			}
			return nil
		}
		var next, down atomic.Int64
		var wg sync.WaitGroup
		for range callers {
			wg.Go(func() {
				for {
					n := next.Add(1)
					if n > 2*intentions {
						return
					}
					id := fmt.Sprint("intention ", n%intentions)
					for {
						got, err := s.Pay(context.Background(), id, n%intentions)
						switch {
						case err == nil && *got == receipt{id, n % intentions}:
						case errors.Is(err, idem.ErrStoreUnavailable), errors.Is(err, idem.ErrCommitUnknown):
							down.Add(1)
							time.Sleep(2 * time.Millisecond)
							continue
						case errors.Is(err, errBusiness), errors.Is(err, idem.ErrInProgress), errors.Is(err, idem.ErrRetryTransaction):
							continue
						default:
							// A business statement met the end: a driver's own error.
							if class, _ := sqlstore.Classify(err); class == sqlstore.ClassUnavailable {
								down.Add(1)
								continue
							}
							t.Errorf("%s: %v, %v", id, got, err)
						}
						break
					}
				}
			})
		}
		for kill := int64(1); kill <= 2; kill++ {
			for next.Load() < kill*intentions/2 {
				time.Sleep(time.Millisecond)
			}
			if err := server.Kill(); err != nil {
				t.Fatal(err)
			}
			if err := server.Restart(); err != nil {
				t.Fatal(err)
			}
		}
		wg.Wait()
		f.db.SetMaxIdleConns(0) // connections that the kills broke are not for counting
		for i := range intentions {
			if n := f.effects(fmt.Sprint("intention ", i)); n != 1 {
				t.Errorf("intention %d: %d effects", i, n)
			}
		}
		if down.Load() == 0 {
			t.Error("nobody noticed that the server was killed")
		}
	})
}

// A server that is away is an outage, and the method does not run (C15).
func TestLaw_C15_ServerIsDown(t *testing.T) {
	on(t, everyServer, func(t *testing.T, d *database) {
		f, p := d.behind(t)
		s := newService(f, idem.Op{})
		p.SetRefuse(true)
		p.Cut()
		for range 2 {
			if _, err := s.Pay(context.Background(), "K", 1); !errors.Is(err, idem.ErrStoreUnavailable) {
				t.Errorf("%v", err)
			}
			if _, err := f.store.Claim(context.Background(), leased(claimOn(t, 0, idem.String("L")), time.Minute, idem.OrphanRerun)); !errors.Is(err, idem.ErrStoreUnavailable) {
				t.Errorf("lease mode: %v", err)
			}
		}
		p.SetRefuse(false)
		if _, err := s.Pay(context.Background(), "K", 1); err != nil {
			t.Errorf("afterwards: %v", err)
		}
		s.ran("K", 1, 1)
	})
}

// The server lives in Tokyo and the process five minutes ahead: neither moves a
// lease (C8).
func TestLaw_C8_OtherZoneAndClock(t *testing.T) {
	on(t, bothServers, func(t *testing.T, d *database) {
		ctx := context.Background()
		server := d.private(t, servers.TimeZone("Asia/Tokyo"))
		f := d.fixtureOn(t, server, skewedBy(5*time.Minute))
		zone := map[idem.Dialect]string{
			idem.Postgres: "SELECT CASE WHEN current_setting('TimeZone') = 'Asia/Tokyo' THEN 1 ELSE 0 END",
			idem.MySQL:    "SELECT TIMESTAMPDIFF(HOUR, UTC_TIMESTAMP(), NOW()) = 9",
		}[d.dialect]
		if f.count(zone) != 1 {
			t.Error("the server is not in Tokyo")
		}
		c := leased(claimOn(t, 0, idem.String("K")), time.Minute, idem.OrphanRerun)
		if _, err := f.store.Claim(ctx, c); err != nil {
			t.Fatal(err)
		}
		other := c
		other.Owner = idem.NewOwner()
		utc := f.process(skewedBy(-5 * time.Minute))
		utc.exec(map[idem.Dialect]string{idem.Postgres: "SET TIME ZONE 'UTC'", idem.MySQL: "SET time_zone = '-11:00'"}[d.dialect])
		for _, p := range []*fixture{f, utc} {
			got, err := p.store.Claim(ctx, other)
			if err != nil || got.Status != idem.Running || got.Record.LeaseLeft > time.Minute || got.Record.LeaseLeft < 50*time.Second {
				t.Errorf("%v, %v, %v left", got.Status, err, got.Record.LeaseLeft)
			}
		}
		now := f.count("SELECT claimed_at FROM idem_records")
		if skew := time.Since(time.UnixMicro(int64(now))); skew < -time.Minute || skew > time.Minute {
			t.Errorf("the record was claimed %v ago", skew)
		}
	})
}

// A claim late in a long transaction counts from its own time.
func TestLaw_C8_StatementTimeInALongTransaction(t *testing.T) {
	on(t, bothServers, func(t *testing.T, d *database) {
		f := d.fixture(t)
		err := f.store.Begin(context.Background(), func(ctx context.Context, tx *sql.Tx) error {
			for i := range 2 {
				if _, err := f.store.Join(ctx, tx, claimOn(t, 0, idem.Int(i)), sqlKind(f).body("K")); err != nil {
					return err
				}
				time.Sleep(200 * time.Millisecond)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if n := f.count("SELECT MAX(claimed_at) - MIN(claimed_at) FROM idem_records"); n < 200_000 {
			t.Errorf("two claims are %d µs apart", n)
		}
	})
}
