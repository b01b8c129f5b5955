package races

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/idemgen/idemgen/internal/bench/run"
	"github.com/idemgen/idemgen/runtime/idem"
)

const tokenTTL = 5 * time.Minute

// tokens are issued, consumed and finished.
func (p *redisParts) tokens() []run.Contestant {
	hand := func(name string, h byHand) run.Contestant {
		return run.Contestant{Name: name, Start: p.each(func(key func(i int) string) run.Running {
			steps := []func(ctx context.Context, i int) error{
				func(ctx context.Context, i int) error { return h.set(ctx, key(i), session, tokenTTL) },
				func(ctx context.Context, i int) error {
					got, err := h.getDel(ctx, key(i))
					if err != nil || got != session {
						return wrong(err, "the token is %q", got)
					}
					return nil
				},
				func(ctx context.Context, i int) error { return h.set(ctx, key(i), used, keep) },
			}
			return run.Running{Steps: steps, Op: inTurn(steps),
				Verify: func(ctx context.Context, ops int) error { return h.holds(ctx, ops, key, used) }}
		})}
	}
	return []run.Contestant{
		hand(TokenByHand, byGoRedis(p.client)), {Name: OursGoRedis, Start: ourTokens(p.ours.Tokens())},
		hand(TokenByHandR, byRueidis(p.rueidis)), {Name: OursRueidis, Start: ourTokens(p.oursR.Tokens())},
	}
}

// inTurn does one step after the other.
func inTurn(steps []func(ctx context.Context, i int) error) func(ctx context.Context, i int) error {
	return func(ctx context.Context, i int) error {
		for _, step := range steps {
			if err := step(ctx, i); err != nil {
				return err
			}
		}
		return nil
	}
}

// tokenRun is what one run of our tokens keeps for its proof.
type tokenRun struct {
	store    idem.TokenStore
	finished atomic.Int64

	mu   sync.Mutex
	some []idem.TokenID // to ask for again
}

func ourTokens(s idem.TokenStore) func(context.Context) (run.Running, error) {
	return func(context.Context) (run.Running, error) {
		r := &tokenRun{store: s}
		var id idem.TokenID // between the steps when they are done one by one, by one caller
		var hold idem.TokenHold
		return run.Running{
			Op: func(ctx context.Context, i int) error {
				id, err := r.issue(ctx)
				if err != nil {
					return err
				}
				hold, err := r.consume(ctx, id)
				if err != nil {
					return err
				}
				return r.finish(ctx, i, hold)
			},
			Steps: []func(ctx context.Context, i int) error{
				func(ctx context.Context, _ int) (err error) { id, err = r.issue(ctx); return err },
				func(ctx context.Context, _ int) (err error) { hold, err = r.consume(ctx, id); return err },
				func(ctx context.Context, i int) error { return r.finish(ctx, i, hold) },
			},
			Verify: r.verify}, nil
	}
}

func (r *tokenRun) issue(ctx context.Context) (idem.TokenID, error) {
	id := idem.NewToken().ID()
	return id, r.store.Issue(ctx, idem.TokenGrant{Tokens: []idem.TokenID{id}, TTL: tokenTTL})
}

func (r *tokenRun) consume(ctx context.Context, id idem.TokenID) (idem.TokenHold, error) {
	c := idem.Consumption{Token: id, Owner: idem.NewOwner(), Lease: lease, Keep: keep}
	found, err := r.store.Consume(ctx, c)
	if err != nil || found.Status != idem.TokenConsumed {
		return idem.TokenHold{}, wrong(err, "the token is %v", found.Status)
	}
	return idem.TokenHold{Token: id, Owner: c.Owner, Fence: found.Fence}, nil
}

func (r *tokenRun) finish(ctx context.Context, i int, hold idem.TokenHold) error {
	if err := r.store.Finish(ctx, hold); err != nil {
		return err
	}
	r.finished.Add(1)
	if i%256 == 0 {
		r.mu.Lock()
		r.some = append(r.some, hold.Token)
		r.mu.Unlock()
	}
	return nil
}

// verify proves that tokens are used up: nobody else can consume them.
func (r *tokenRun) verify(ctx context.Context, ops int) error {
	if len(r.some) == 0 {
		return errors.New("no token was kept to ask for again")
	}
	return errors.Join(counted("tokens finished", &r.finished, ops), spread(len(r.some), func(i int) error {
		found, err := r.store.Consume(ctx, idem.Consumption{Token: r.some[i], Owner: idem.NewOwner(), Lease: lease, Keep: keep})
		if err == nil && found.Status != idem.TokenFinished {
			err = fmt.Errorf("a token that was finished is %v", found.Status)
		}
		return err
	}))
}
