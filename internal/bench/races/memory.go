// Package races has the races of the runtime: one file per group, one function per
// race or contestant. A contestant more is an entry more. Whatever is raced is proved
// afterwards by its Verify (proof.go).
package races

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/message/router/middleware"
	"golang.org/x/sync/singleflight"

	"github.com/idemgen/idemgen/internal/bench/races/guarded"
	"github.com/idemgen/idemgen/internal/bench/run"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// Names that bars refer to.
const (
	Ours         = "idemgen"
	MemoryGroup  = "Runtime: in memory"
	ReplayName   = "a duplicate gets the stored result"
	HTTPName     = "an HTTP retry gets the stored response"
	MapByHand    = "hand-written map, JSON result"
	Fiber        = "fiber's middleware"
	BareHandler  = "bare handler"
	messageFresh = "a message that is new"
	messageAgain = "a message that came before"
)

// receipt is what is replayed.
func receipt() *guarded.Receipt {
	return &guarded.Receipt{OrderID: "A-1", Amount: 4200, Payer: "ann", Lines: []string{"a book", "a pen"}}
}

// Replay is a duplicate's typed result from memory.
func Replay() run.Race {
	return run.Race{Group: MemoryGroup, Name: ReplayName, Unit: "call", Contestants: []run.Contestant{
		{Name: MapByHand, Start: func(context.Context) (run.Running, error) {
			type entry struct {
				until time.Time
				data  []byte
			}
			var mu sync.Mutex
			var runs atomic.Int64
			kept := map[string]entry{}
			pay := func(_ context.Context, orderID string, amount int64) (*guarded.Receipt, error) {
				mu.Lock()
				e, ok := kept[orderID]
				mu.Unlock()
				if ok && time.Now().Before(e.until) {
					out := new(guarded.Receipt)
					return out, json.Unmarshal(e.data, out)
				}
				runs.Add(1)
				r := receipt()
				data, err := json.Marshal(r)
				mu.Lock()
				kept[orderID] = entry{time.Now().Add(24 * time.Hour), data}
				mu.Unlock()
				return r, err
			}
			return replayed(pay, func(int) error { return counted("bodies ran", &runs, 1) }), nil
		}},
		{Name: Ours, Start: func(context.Context) (run.Running, error) {
			service := &guarded.Service{Receipt: receipt()}
			s := guarded.NewIdempotentService(service, idem.New(idem.GlobalScope), memstore.New(), nilTx{})
			return replayed(s.Replayed, func(int) error { return counted("bodies ran", &service.Runs, 1) }), nil
		}},
		{Name: "singleflight (keeps nothing, runs each time)", Start: func(context.Context) (run.Running, error) {
			var g singleflight.Group
			var runs atomic.Int64
			pay := func(_ context.Context, orderID string, _ int64) (*guarded.Receipt, error) {
				v, err, _ := g.Do(orderID, func() (any, error) { runs.Add(1); return receipt(), nil })
				return v.(*guarded.Receipt), err
			}
			return replayed(pay, func(ops int) error { return counted("bodies ran", &runs, ops) }), nil
		}},
	}}
}

// replayed calls with one key again and again, looks at each answer, and counts them;
// ran proves how often the body has run for so many operations.
func replayed(pay func(ctx context.Context, orderID string, amount int64) (*guarded.Receipt, error), ran func(ops int) error) run.Running {
	var answers int // one caller
	return run.Running{
		Op: func(ctx context.Context, _ int) error {
			r, err := pay(ctx, "A-1", 4200)
			if err != nil || r.Amount != 4200 || len(r.Lines) != 2 {
				return wrong(err, "the answer is %+v", r)
			}
			answers++
			return nil
		},
		Verify: func(ctx context.Context, ops int) error {
			if answers != ops {
				return fmt.Errorf("%d answers to %d calls", answers, ops)
			}
			if err := ran(ops); err != nil {
				return err
			}
			r, err := pay(ctx, "A-1", 4200)
			if err != nil || !reflect.DeepEqual(r, receipt()) {
				return wrong(err, "the answer is %+v", r)
			}
			return nil
		}}
}

// Message is a queue's message, a new one each time, and one that came before.
func Message() []run.Race {
	var races []run.Race
	for _, c := range []struct {
		name string
		key  func(i int) string
		want func(ops int) int // handled, of so many messages
	}{
		{messageFresh, func(i int) string { return fmt.Sprintf("message-%d", i) }, func(ops int) int { return ops }},
		{messageAgain, func(int) string { return "message" }, func(int) int { return 1 }},
	} {
		races = append(races, run.Race{Group: MemoryGroup, Name: c.name, Unit: "message",
			Note: "watermill's deduplicator marks before its handler has run: what fails is lost. Ours claims first and completes afterwards.",
			Contestants: []run.Contestant{
				{Name: "watermill's deduplicator", Start: func(context.Context) (run.Running, error) {
					repository, err := middleware.NewMapExpiringKeyRepository(time.Hour)
					if err != nil {
						return run.Running{}, err
					}
					var handled atomic.Int64
					d := &middleware.Deduplicator{KeyFactory: middleware.NewMessageHasherSHA256(1 << 16), Repository: repository, Timeout: time.Minute}
					h := d.Middleware(func(*message.Message) ([]*message.Message, error) { handled.Add(1); return nil, nil })
					return consumed(c.key, c.want, &handled, func(_ context.Context, key string) error {
						_, err := h(message.NewMessage("", message.Payload(key)))
						return err
					}), nil
				}},
				{Name: Ours, Start: func(context.Context) (run.Running, error) {
					service := &guarded.Service{}
					s := guarded.NewIdempotentService(service, idem.New(idem.GlobalScope), memstore.New(), nilTx{})
					return consumed(c.key, c.want, &service.Runs, s.Consumed), nil
				}},
			}})
	}
	return races
}

// consumed hands in messages, and proves how many of them were handled, and that those
// which come once more are not.
func consumed(key func(i int) string, want func(ops int) int, handled *atomic.Int64, consume func(ctx context.Context, key string) error) run.Running {
	taken := 0 // one caller
	return run.Running{
		Op: func(ctx context.Context, i int) error {
			taken++
			return consume(ctx, key(i))
		},
		Verify: func(ctx context.Context, ops int) error {
			if taken != ops {
				return fmt.Errorf("%d messages were handed in, not %d", taken, ops)
			}
			return errors.Join(counted("messages handled", handled, want(ops)),
				spread(ops, func(i int) error { return consume(ctx, key(i)) }),
				counted("messages handled", handled, want(ops)))
		}}
}
