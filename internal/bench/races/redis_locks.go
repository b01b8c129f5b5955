package races

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"

	"github.com/idemgen/idemgen/internal/bench/run"
	"github.com/idemgen/idemgen/runtime/idem"
)

// errNotUnlocked tells that a lock was gone before its holder freed it.
var errNotUnlocked = errors.New("the lock was not held")

// locks are acquired and freed.
func (p *redisParts) locks() []run.Contestant {
	hand := byGoRedis(p.client)
	// freed proves that each operation had its lock and that none is held any more.
	freed := func(key func(i int) string, n *atomic.Int64) func(ctx context.Context, ops int) error {
		return func(ctx context.Context, ops int) error {
			return errors.Join(counted("locks freed", n, ops), hand.holds(ctx, ops, key, ""))
		}
	}
	bare := func(name string, h byHand) run.Contestant {
		return run.Contestant{Name: name, Start: p.each(func(key func(i int) string) run.Running {
			var n atomic.Int64
			steps := []func(ctx context.Context, i int) error{
				func(ctx context.Context, i int) error {
					if ok, err := h.setNX(ctx, key(i), theirs, lease); err != nil || !ok {
						return errors.Join(errNotFresh, err)
					}
					return nil
				},
				func(ctx context.Context, i int) error {
					if deleted, err := h.unlock(ctx, key(i), theirs); err != nil || deleted != 1 {
						return errors.Join(errNotUnlocked, err)
					}
					n.Add(1)
					return nil
				},
			}
			return run.Running{Steps: steps, Op: inTurn(steps), Verify: freed(key, &n)}
		})}
	}
	return []run.Contestant{
		{Name: Redislock, Start: p.each(func(key func(i int) string) run.Running {
			locker := redislock.New(p.client)
			var n atomic.Int64
			return run.Running{Verify: freed(key, &n), Op: func(ctx context.Context, i int) error {
				l, err := locker.Obtain(ctx, key(i), lease, nil)
				if err != nil {
					return err
				}
				n.Add(1)
				return l.Release(ctx)
			}}
		})},
		{Name: "redsync, go-redis", Start: p.each(func(key func(i int) string) run.Running {
			rs := redsync.New(goredis.NewPool(p.client))
			var n atomic.Int64
			return run.Running{Verify: freed(key, &n), Op: func(ctx context.Context, i int) error {
				m := rs.NewMutex(key(i), redsync.WithExpiry(lease))
				if err := m.LockContext(ctx); err != nil {
					return err
				}
				if ok, err := m.UnlockContext(ctx); err != nil || !ok {
					return errors.Join(errNotUnlocked, err)
				}
				n.Add(1)
				return nil
			}}
		})},
		bare(LockByHand, hand), {Name: OursGoRedis, Start: p.ourLocks(p.ours.Locks())},
		bare(LockByHandRueidis, byRueidis(p.rueidis)), {Name: OursRueidis, Start: p.ourLocks(p.oursR.Locks())},
	}
}

// ourLocks acquires, with a look at the record, and frees.
func (p *redisParts) ourLocks(l idem.Locker) func(context.Context) (run.Running, error) {
	return func(context.Context) (run.Running, error) {
		engine, lock := idem.New(idem.GlobalScope), &idem.Op{Name: "lock" + strconv.FormatInt(p.numbers(), 36), Orphan: idem.OrphanRerun}
		var n atomic.Int64
		acquire := func(ctx context.Context, i int) (idem.Hold, error) {
			r := idem.LockRequest{Key: engine.Call(ctx, lock, idem.Int(int64(i))).Key(), Owner: idem.NewOwner(), TTL: lease, Check: true}
			found, err := l.Acquire(ctx, r)
			if err != nil || found.Status != idem.LockAcquired || !found.Checked {
				return idem.Hold{}, wrong(err, "the lock is %v, its record looked at: %t", found.Status, found.Checked)
			}
			return idem.Hold{Key: r.Key, Owner: r.Owner, Fence: found.Fence}, nil
		}
		release := func(ctx context.Context, hold idem.Hold) error {
			n.Add(1)
			return l.Release(ctx, hold)
		}
		op := func(ctx context.Context, i int) error {
			hold, err := acquire(ctx, i)
			if err != nil {
				return err
			}
			return release(ctx, hold)
		}
		var hold idem.Hold // between the steps when they are done one by one
		return run.Running{Op: op,
			Steps: []func(ctx context.Context, i int) error{
				func(ctx context.Context, i int) (err error) { hold, err = acquire(ctx, i); return err },
				func(ctx context.Context, _ int) error { return release(ctx, hold) },
			},
			Verify: func(ctx context.Context, ops int) error {
				// Each lock is free, so that it can be had again.
				return errors.Join(counted("locks freed", &n, ops), spread(ops, func(i int) error { return op(ctx, i) }))
			}}, nil
	}
}
