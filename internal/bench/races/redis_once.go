package races

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/idemgen/idemgen/internal/bench/races/guarded"
	"github.com/idemgen/idemgen/internal/bench/run"
	"github.com/idemgen/idemgen/runtime/idem"
)

// once are fresh calls: a claim, and its result.
func (p *redisParts) once() []run.Contestant {
	hand := func(name string, h byHand) run.Contestant {
		return run.Contestant{Name: name, Start: p.each(func(key func(i int) string) run.Running {
			var done atomic.Int64
			return run.Running{
				Op: func(ctx context.Context, i int) error {
					k := key(i)
					if fresh, err := h.setNXGet(ctx, k, theirs, lease); err != nil || !fresh {
						return errors.Join(errNotFresh, err)
					}
					done.Add(1)
					return h.set(ctx, k, answer, keep)
				},
				Verify: func(ctx context.Context, ops int) error {
					return errors.Join(counted("fresh claims", &done, ops), h.holds(ctx, ops, key, answer))
				}}
		})}
	}
	ours := func(name string, records idem.RecordStore) run.Contestant {
		return run.Contestant{Name: name, Start: func(context.Context) (run.Running, error) {
			from, service := p.numbers(), &guarded.Service{}
			s := guarded.NewIdempotentService(service, idem.New(idem.GlobalScope, idem.WithPruning(0)), records, nilTx{})
			call := func(ctx context.Context, i int) error {
				got, err := s.Leased(ctx, from+int64(i))
				if err == nil && got != from+int64(i) {
					err = fmt.Errorf("the answer is %d, not %d", got, from+int64(i))
				}
				return err
			}
			return run.Running{Op: call, Verify: func(ctx context.Context, ops int) error {
				// Asked again, each has its stored answer, and no body runs.
				return errors.Join(counted("bodies ran", &service.Runs, ops), spread(ops, func(i int) error { return call(ctx, i) }), counted("bodies ran", &service.Runs, ops))
			}}, nil
		}}
	}
	return []run.Contestant{
		hand(OnceByHand, byGoRedis(p.client)), ours(OursGoRedis, p.ours),
		hand(OnceByHandRueidis, byRueidis(p.rueidis)), ours(OursRueidis, p.oursR),
	}
}

// duplicates ask again for what is done: once at the start, before anything is timed.
func (p *redisParts) duplicates() []run.Contestant {
	hand := func(name string, h byHand) run.Contestant {
		return run.Contestant{Name: name, Start: func(ctx context.Context) (run.Running, error) {
			key := p.unique()
			var answers atomic.Int64
			return run.Running{
				Op: func(ctx context.Context, _ int) error {
					got, err := h.get(ctx, key)
					if err != nil || got != answer {
						return wrong(err, "the answer is %q", got)
					}
					answers.Add(1)
					return nil
				},
				Verify: allCounted("stored answers", &answers)}, h.set(ctx, key, answer, time.Hour)
		}}
	}
	ours := func(name string, records idem.RecordStore) run.Contestant {
		return run.Contestant{Name: name, Start: func(ctx context.Context) (run.Running, error) {
			from, service := p.numbers(), &guarded.Service{}
			s := guarded.NewIdempotentService(service, idem.New(idem.GlobalScope, idem.WithPruning(0)), records, nilTx{})
			var answers atomic.Int64
			r := run.Running{
				Op: func(ctx context.Context, _ int) error {
					got, err := s.Leased(ctx, from)
					if err != nil || got != from {
						return wrong(err, "the answer is %d, not %d", got, from)
					}
					answers.Add(1)
					return nil
				},
				Verify: func(_ context.Context, ops int) error {
					return errors.Join(counted("stored answers", &answers, ops), counted("bodies ran", &service.Runs, 1))
				}}
			_, err := s.Leased(ctx, from)
			return r, err
		}}
	}
	return []run.Contestant{
		hand(GetByHand, byGoRedis(p.client)), ours(OursGoRedis, p.ours),
		hand(GetByHandRueidis, byRueidis(p.rueidis)), ours(OursRueidis, p.oursR),
	}
}
