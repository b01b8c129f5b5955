package sqlstoretest

import (
	"context"
	"encoding/hex"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/faultproxy"
	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
)

// lossy is one operation whose reply gets lost; it is done again with the same owner.
type lossy struct {
	name  string
	match string // bytes of the request that has it
	do    func() error
}

// losesReplies loses the reply of each operation in turn. The statement is known by
// what it binds. database/sql tries again by itself when it may: to the store both
// are the same.
func (f *fixture) losesReplies(p *faultproxy.Proxy, steps []lossy) {
	f.Helper()
	for _, step := range steps {
		lost := p.DropReply(step.match, 1)
		if err := step.do(); err != nil {
			if !errors.Is(err, idem.ErrStoreUnavailable) {
				f.Errorf("%s: %v", step.name, err)
			}
			if err := step.do(); err != nil {
				f.Errorf("%s again: %v", step.name, err)
			}
		}
		if !lost.Fired() {
			f.Errorf("%s: nothing was lost", step.name)
		}
	}
}

// Replies of issue, consume and of what settles a token are lost, and the same is
// asked again.
func TestLaw_C16_TheNetworkLosesATokensReply(t *testing.T) {
	on(t, bothServers, func(t *testing.T, d *database) {
		ctx := context.Background()
		f, p := d.behind(t)
		s := f.tokens()
		var steps []lossy
		final := map[idem.TokenID]idem.TokenStatus{}
		for _, c := range []struct {
			settle func(context.Context, idem.TokenHold) error
			name   string
			then   idem.TokenStatus
		}{{s.Finish, "finish", idem.TokenFinished}, {s.Burn, "burn", idem.TokenBurned}, {s.Restore, "restore", idem.TokenConsumed}} {
			id := idem.NewToken().ID()
			final[id] = c.then
			ask := consumption(id)
			h := idem.TokenHold{Token: id, Owner: ask.Owner}
			match := string(id[:])
			issued := match
			if d.dialect == idem.MySQL {
				issued = hex.EncodeToString(id[:])
			}
			steps = append(steps,
				lossy{"issue", issued, func() error {
					return s.Issue(ctx, idem.TokenGrant{Tokens: []idem.TokenID{id}, TTL: time.Minute, Keep: time.Hour})
				}},
				lossy{"consume before " + c.name, match, func() error {
					got, err := s.Consume(ctx, ask)
					if err == nil && got.Status != idem.TokenConsumed {
						t.Errorf("consume: %v", got.Status)
					}
					if h.Fence != 0 && h.Fence != got.Fence {
						t.Errorf("fence %d, then %d", h.Fence, got.Fence)
					}
					h.Fence = got.Fence
					return err
				}},
				lossy{c.name, match, func() error { return c.settle(ctx, h) }})
		}
		f.losesReplies(p, steps)
		for id, want := range final {
			consume(t, s, consumption(id), want)
		}
	})
}

// A consumption whose reply was lost is given back by its owner value alone.
func TestLaw_X3_RestoreAfterALostReply(t *testing.T) {
	on(t, bothServers, func(t *testing.T, d *database) {
		ctx := context.Background()
		f, p := d.behind(t)
		s := f.tokens()
		id := issue(t, s, 1)[0]
		ask := consumption(id)
		p.DropReply(string(id[:]), 1)
		if _, err := s.Consume(ctx, ask); err != nil && !errors.Is(err, idem.ErrStoreUnavailable) {
			t.Fatal(err)
		}
		consume(t, s, consumption(id), idem.TokenRunning)
		for range 2 {
			if err := s.Restore(ctx, idem.TokenHold{Token: id, Owner: ask.Owner}); err != nil {
				t.Error(err)
			}
		}
		consume(t, s, consumption(id), idem.TokenConsumed)
	})
}

// A server that is away is an outage, told as such by every operation (C15).
func TestLaw_C15_TokensAndLocksWithoutAServer(t *testing.T) {
	on(t, everyServer, func(t *testing.T, d *database) {
		ctx := context.Background()
		f, p := d.behind(t)
		tokens, locks := f.tokens(), f.locks()
		id, r := issue(t, tokens, 1)[0], lockOn(t, idem.String("K"))
		h := consume(t, tokens, consumption(id), idem.TokenConsumed)
		held := acquire(t, locks, r, idem.LockAcquired)
		p.SetRefuse(true)
		p.Cut()
		_, consumed := tokens.Consume(ctx, consumption(id))
		_, acquired := locks.Acquire(ctx, next(r))
		_, prunedTokens := tokens.Prune(ctx, 1)
		_, prunedLocks := locks.Prune(ctx, 1)
		for name, err := range map[string]error{
			"issue":   tokens.Issue(ctx, idem.TokenGrant{Tokens: []idem.TokenID{{1}}, TTL: time.Minute}),
			"consume": consumed, "finish": tokens.Finish(ctx, h), "restore": tokens.Restore(ctx, h), "burn": tokens.Burn(ctx, h),
			"acquire": acquired, "renew": locks.Renew(ctx, held, time.Minute), "release": locks.Release(ctx, held),
			"prune": prunedTokens, "prune locks": prunedLocks, "migrate": locks.Migrate(ctx),
		} {
			if !errors.Is(err, idem.ErrStoreUnavailable) {
				t.Errorf("%s: %v", name, err)
			}
		}
		p.SetRefuse(false)
		if err := errors.Join(tokens.Finish(ctx, h), locks.Release(ctx, held)); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	})
}

// patiently asks until the server is there.
func patiently[T any](t *testing.T, down *atomic.Int64, ask func() (T, error)) T {
	t.Helper()
	for until := time.Now().Add(time.Minute); ; {
		got, err := ask()
		if err == nil {
			return got
		}
		if !errors.Is(err, idem.ErrStoreUnavailable) && !errors.Is(err, idem.ErrRetryTransaction) || time.Now().After(until) {
			t.Errorf("%v", err)
			return got
		}
		down.Add(1)
		time.Sleep(2 * time.Millisecond)
	}
}

// The server is killed in a storm of consumers, twice, and started again: every token
// has one owner, who asked again with the same owner value until there was an answer.
func TestLaw_X1_ServerKilledInAStormOfConsumers(t *testing.T) {
	on(t, bothServers, func(t *testing.T, d *database) {
		const rounds, callers = 300, 8
		server := d.private(t)
		f := d.fixtureOn(t, server)
		f.db.SetMaxOpenConns(callers)
		s := f.tokens()
		ids := issue(t, s, rounds)
		owners := make([]atomic.Int64, rounds)
		var asked, down atomic.Int64
		var wg sync.WaitGroup
		for range callers {
			wg.Go(func() {
				for i, id := range ids {
					asked.Add(1)
					c := consumption(id)
					got := patiently(t, &down, func() (idem.TokenFound, error) { return s.Consume(context.Background(), c) })
					if got.Status != idem.TokenConsumed {
						continue
					}
					owners[i].Add(1)
					patiently(t, &down, func() (bool, error) {
						return true, s.Finish(context.Background(), idem.TokenHold{Token: id, Owner: c.Owner, Fence: got.Fence})
					})
				}
			})
		}
		killTwice(t, server, &asked, rounds*callers)
		wg.Wait()
		for i := range owners {
			if n := owners[i].Load(); n != 1 {
				t.Errorf("token %d has %d owners", i, n)
			}
		}
		if n := f.count("SELECT COUNT(*) FROM idem_tokens WHERE state <> 3"); n != 0 || down.Load() == 0 {
			t.Errorf("%d tokens are not finished, %d outages", n, down.Load())
		}
	})
}

// killTwice kills a server when a third and two thirds are done, and starts it again.
func killTwice(t *testing.T, server *servers.SQLServer, n *atomic.Int64, all int64) {
	t.Helper()
	for i := int64(1); i <= 2; i++ {
		for n.Load() < i*all/3 {
			time.Sleep(time.Millisecond)
		}
		if err := errors.Join(server.Kill(), server.Restart()); err != nil {
			t.Fatal(err)
		}
	}
}
