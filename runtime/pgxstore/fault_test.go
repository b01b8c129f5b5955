package pgxstore_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/faultproxy"
	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
	"github.com/jackc/pgx/v5"
)

// What happens to the server and to the wire that leads there. Outcome and COMMIT
// travel together: they are known by the result that they carry.

func TestLaw_T8_TheNetworkLosesACommit(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault faultproxy.Fault
		runs  int64
	}{{"reply", faultproxy.LoseReply, 1}, {"request", faultproxy.LoseRequest, 2}} {
		for _, m := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeExec} {
			t.Run(c.name+" "+m.String(), func(t *testing.T) {
				f, p := newFixture(t).behind([]setting{mode(m)})
				s := f.service(idem.Op{})
				if _, err := s.pay(f.ctx, "warm", 1); err != nil {
					t.Fatal(err)
				}
				s.runs.Store(0)
				result := `{"ID":"K","Amount":7}`
				if m == pgx.QueryExecModeExec { // bytes go as text
					result = hex.EncodeToString([]byte(result))
				}
				lost := p.On(c.fault, result, 1)
				for range 2 {
					if got, err := s.pay(f.ctx, "K", 7); err != nil || *got != (receipt{"K", 7}) {
						t.Errorf("%v, %v", got, err)
					}
				}
				if !lost.Fired() {
					t.Error("nothing was lost")
				}
				if n := s.runs.Load(); n != c.runs {
					t.Errorf("%d runs, want %d", n, c.runs)
				}
				f.has("K", 1)
			})
		}
	}
}

// The store itself says that nobody knows, and the owner value tells.
func TestLaw_T8_LostReplyIsCommitUnknown(t *testing.T) {
	for _, stands := range []idem.ClaimStatus{idem.Done, idem.Absent} {
		f, p := newFixture(t).behind(nil)
		fault := faultproxy.LoseReply
		if stands == idem.Absent {
			fault = faultproxy.LoseRequest
		}
		lost := p.On(fault, "the-result", 1)
		c := claimOf(t, "K")
		_, err := f.store.InTx(f.ctx, c, func(ctx context.Context, tx pgx.Tx) (idem.Outcome, error) {
			return done("the-result"), write(ctx, tx, "K")
		})
		if !lost.Fired() || !errors.Is(err, idem.ErrCommitUnknown) {
			t.Errorf("lost %v, %v", lost.Fired(), err)
		}
		if rec := f.is(c, stands); stands == idem.Done && rec.Owner != c.Owner {
			t.Errorf("owner %v, want %v", rec.Owner, c.Owner)
		}
	}
}

// The reply of BEGIN and claim is lost: nothing has happened, and the key is free
// as soon as the server has noticed.
func TestLaw_T1_TheNetworkLosesAClaim(t *testing.T) {
	f, p := newFixture(t).behind(nil)
	c := claimOf(t, "K")
	lost := p.DropReply(string(c.Key.Hash[:]), 1)
	if _, err := f.store.InTx(f.ctx, c, f.never); !errors.Is(err, idem.ErrStoreUnavailable) || errors.Is(err, idem.ErrCommitUnknown) {
		t.Errorf("%v", err)
	}
	if !lost.Fired() {
		t.Error("nothing was lost")
	}
	for {
		got, err := f.store.InTx(f.ctx, again(c), body("K"))
		if err != nil || got.Status == idem.Fresh {
			if err != nil {
				t.Error(err)
			}
			break
		}
	}
	f.has("K", 1)
}

// Replies of the statements of lease mode are lost, and the same is asked again.
func TestLaw_C16_TheNetworkLosesAReply(t *testing.T) {
	f, p := newFixture(t).behind(nil)
	c, r := claimOf(t, "K"), claimOf(t, "R")
	h := idem.Hold{Key: c.Key, Owner: c.Owner, Fence: 1}
	claim := func(c idem.Claim) func() error {
		c.Lease, c.Orphan = time.Minute, idem.OrphanHold
		return func() error {
			got, err := f.store.Claim(f.ctx, c)
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
		{"complete", c.Key, func() error { return f.store.Complete(f.ctx, h, done("1"), time.Hour) }},
		{"claim to release", r.Key, claim(r)},
		{"release", r.Key, func() error { return f.store.Release(f.ctx, idem.Hold{Key: r.Key, Owner: r.Owner, Fence: 1}) }},
	} {
		lost := p.DropReply(string(step.key.Hash[:]), 1)
		if err := step.do(); !errors.Is(err, idem.ErrStoreUnavailable) || !lost.Fired() {
			t.Errorf("%s: %v, lost %v", step.name, err, lost.Fired())
		}
		if err := step.do(); err != nil {
			t.Errorf("%s again: %v", step.name, err)
		}
	}
	f.is(c, idem.Done)
	f.is(r, idem.Absent)
}

// A server that is away is an outage, and the method does not run (C15).
func TestLaw_C15_ServerIsDown(t *testing.T) {
	f, p := newFixture(t).behind(nil)
	s := f.service(idem.Op{})
	c := claimOf(t, "L")
	c.Lease, c.Orphan = time.Minute, idem.OrphanRerun
	p.SetRefuse(true)
	p.Cut()
	for range 2 {
		if _, err := s.pay(f.ctx, "K", 1); !errors.Is(err, idem.ErrStoreUnavailable) {
			t.Errorf("%v", err)
		}
		if _, err := f.store.Claim(f.ctx, c); !errors.Is(err, idem.ErrStoreUnavailable) {
			t.Errorf("lease mode: %v", err)
		}
	}
	p.SetRefuse(false)
	if _, err := s.pay(f.ctx, "K", 1); err != nil || s.runs.Load() != 1 {
		t.Errorf("afterwards: %v, %d runs", err, s.runs.Load())
	}
	f.pool.Close()
	if _, err := s.pay(f.ctx, "K", 1); !errors.Is(err, idem.ErrStoreUnavailable) || !strings.Contains(err.Error(), "closed pool") {
		t.Errorf("a closed pool: %v", err)
	}
}

// The server is killed in a storm, twice, and started again: every intention
// has one effect in the end, and what was acknowledged stays.
func TestLaw_T1_ServerKilledInAStorm(t *testing.T) {
	const callers, intentions = 8, 400
	server := servers.NewPostgres(t)
	f := fixtureOn(t, server)
	s := f.service(idem.Op{Wait: 5 * time.Second})
	s.during = func(context.Context, pgx.Tx) error {
		if rand.N(8) == 0 {
			return errBusiness
		}
		return nil
	}
	var next, down atomic.Int64
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for n := next.Add(1); n <= 2*intentions; n = next.Add(1) {
				want := receipt{fmt.Sprint("intention ", n%intentions), n % intentions}
				for {
					got, err := s.pay(f.ctx, want.ID, want.Amount)
					class, _ := sqlstore.Classify(err)
					switch {
					case err == nil && *got == want:
					case errors.Is(err, errBusiness), errors.Is(err, idem.ErrInProgress), errors.Is(err, idem.ErrRetryTransaction):
						continue
					case errors.Is(err, idem.ErrStoreUnavailable), errors.Is(err, idem.ErrCommitUnknown),
						err != nil && class == sqlstore.ClassUnavailable: // a business statement met the end
						down.Add(1)
						time.Sleep(2 * time.Millisecond)
						continue
					default:
						t.Errorf("%s: %v, %v", want.ID, got, err)
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
	for i := range intentions {
		f.has(fmt.Sprint("intention ", i), 1)
	}
	if down.Load() == 0 {
		t.Error("nobody noticed that the server was killed")
	}
	f.idle()
}
