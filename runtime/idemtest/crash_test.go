package idemtest_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// brief are operations whose leases end soon.
func brief(orphan idem.Orphan) *idem.Op {
	return &idem.Op{Name: "pay", Orphan: orphan, Lease: 60 * time.Millisecond}
}

// TestCrashes_ByLease: with rerun the next process runs the method, with hold it is
// told that nobody knows, and in either case a completed call is replayed.
func TestCrashes_ByLease(t *testing.T) {
	for name, orphan := range map[string]idem.Orphan{"rerun": idem.OrphanRerun, "hold": idem.OrphanHold} {
		t.Run(name, func(t *testing.T) {
			var seen []string
			idemtest.Crashes(t, func(t *testing.T, p *idemtest.Process) idemtest.Victim[int64] {
				var effects atomic.Int64
				records := idemtest.Records(p, memstore.New())
				engine, op := idem.New(idem.GlobalScope), brief(orphan)
				return idemtest.Victim[int64]{
					Call: func(ctx context.Context) (int64, error) {
						return idem.Once(ctx, records, engine.Call(ctx, op, idem.String("k")), func(context.Context) (int64, error) {
							return effects.Add(1), nil
						})
					},
					Check: func(t *testing.T, step string, got int64, err error) {
						seen = append(seen, step)
						want, wantErr := int64(1), error(nil)
						switch {
						case step == "after claim" && orphan == idem.OrphanHold:
							want, wantErr = 0, idem.ErrOutcomeUnknown
						case step == "before complete" && orphan == idem.OrphanHold:
							wantErr = idem.ErrOutcomeUnknown
						case step == "before complete":
							want = 2 // that is what rerun means
						}
						if effects.Load() != want || !errors.Is(err, wantErr) || err == nil && got != want {
							t.Errorf("%d effects, result %d, %v; want %d, %v", effects.Load(), got, err, want, wantErr)
						}
					},
				}
			})
			if want := []string{"", "before claim", "after claim", "before complete", "after complete"}; !slices.Equal(seen, want) {
				t.Errorf("steps %q, want %q", seen, want)
			}
		})
	}
}

// TestCrashes_TheDeadDoNothingMore: what a killed process would still have done (its
// heartbeat, its release) never reaches the store.
func TestCrashes_TheDeadDoNothingMore(t *testing.T) {
	idemtest.Crashes(t, func(t *testing.T, p *idemtest.Process) idemtest.Victim[string] {
		tokens, locks, records := memstore.NewTokens(), memstore.NewLocks(nil), memstore.New()
		token := idem.NewToken()
		if err := tokens.Issue(t.Context(), idem.TokenGrant{Tokens: []idem.TokenID{token.ID()}, TTL: time.Minute}); err != nil {
			t.Fatal(err)
		}
		dTokens, dLocks, dRecords := idemtest.Tokens(p, tokens), idemtest.Locks(p, locks), idemtest.Records(p, records)
		engine, op := idem.New(idem.GlobalScope), brief(idem.OrphanRerun)
		tokenOp := &idem.TokenOp{From: "test", Lease: 60 * time.Millisecond, Retake: true}
		lockOp := &idem.LockOp{TTL: 60 * time.Millisecond, Wait: 5 * time.Millisecond}
		var effects atomic.Int64
		return idemtest.Victim[string]{
			Call: func(ctx context.Context) (string, error) {
				call := engine.Call(ctx, op, idem.String("k"))
				return idem.Token(ctx, idem.Presented{Store: dTokens, Op: tokenOp, Token: token.Reveal(), Records: records}, call, func(ctx context.Context) (string, error) {
					return idem.Lock(ctx, idem.Locked{Store: dLocks, Op: lockOp, Call: call, Records: records}, call, nil, func(ctx context.Context) (string, error) {
						return idem.Once(ctx, dRecords, call, func(context.Context) (string, error) {
							effects.Add(1)
							return "paid", nil
						})
					})
				})
			},
			Check: func(t *testing.T, step string, got string, err error) {
				want := int64(1)
				if step == "before complete" {
					want = 2
				}
				if effects.Load() != want || err != nil || got != "paid" {
					t.Errorf("%d effects, %q, %v", effects.Load(), got, err)
				}
			},
		}
	})
}

// TestDuplicates: the kit counts nothing, but sees what is not the same.
func TestDuplicates(t *testing.T) {
	engine, op, records := idem.New(idem.GlobalScope), brief(idem.OrphanRerun), memstore.New()
	var effects atomic.Int64
	got := idemtest.Duplicates(t, 20, func(ctx context.Context) (int64, error) {
		return idem.Once(ctx, records, engine.Call(ctx, op, idem.String("k")), func(context.Context) (int64, error) {
			return effects.Add(1), nil
		})
	})
	if got != 1 || effects.Load() != 1 {
		t.Errorf("%d, %d effects", got, effects.Load())
	}
	idemtest.Duplicates(t, 3, func(ctx context.Context) (time.Time, error) { // its monotonic part is not stored
		return idem.Once(ctx, records, engine.Call(ctx, op, idem.String("at")), func(context.Context) (time.Time, error) { return time.Now(), nil })
	})
	caught := &recorder{TB: t}
	idemtest.Duplicates(caught, 3, func(context.Context) (int64, error) { return effects.Add(1), nil })
	if !caught.failed {
		t.Error("different results were not caught")
	}
	caught = &recorder{TB: t}
	idemtest.Duplicates(caught, 1, func(context.Context) (int64, error) { return 0, errors.New("declined") })
	if !caught.failed {
		t.Error("an error was not caught")
	}
}

// recorder is a test that fails without failing.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Errorf(string, ...any) { r.failed = true }
