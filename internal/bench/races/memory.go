// Package races has the races of the runtime: one file per group, one function per
// race. A contestant more is an entry more.
package races

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/message/router/middleware"
	"github.com/looplab/fsm"
	"github.com/qmuntal/stateless"
	"golang.org/x/sync/singleflight"

	"github.com/idemgen/idemgen/internal/bench/races/guarded"
	"github.com/idemgen/idemgen/internal/bench/run"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// Names that bars refer to.
const (
	Ours = "idemgen"
	// Transitions is how many checks are one operation of the race of transitions.
	Transitions = 1000
)

// Transition is the check whether an event is allowed, and where it leads.
func Transition() run.Race {
	// One check each way: an edge that there is, and one that there is not.
	type step struct {
		from  guarded.Status
		event guarded.StatusEvent
		to    guarded.Status
	}
	steps := [...]step{
		{guarded.Created, guarded.StatusPay, guarded.Paid}, {guarded.Paid, guarded.StatusShip, guarded.Shipped},
		{guarded.Shipped, guarded.StatusSign, guarded.Done}, {guarded.Paid, guarded.StatusCancel, guarded.Cancelled}, {guarded.Done, guarded.StatusPay, 0},
	}
	race := func(next func(s guarded.Status, e guarded.StatusEvent) guarded.Status) func(context.Context) (run.Running, error) {
		return func(context.Context) (run.Running, error) {
			return run.Running{Op: func(context.Context, int) error {
				for i := range Transitions / len(steps) {
					_ = i
					for _, s := range &steps {
						if next(s.from, s.event) != s.to {
							return fmt.Errorf("%v %v leads elsewhere", s.from, s.event)
						}
					}
				}
				return nil
			}}, nil
		}
	}
	var table [6][8]guarded.Status
	for _, s := range steps {
		table[s.from][s.event] = s.to
	}
	return run.Race{Group: "Runtime: transitions", Name: "is the event allowed, and where does it lead", Unit: fmt.Sprintf("%d checks", Transitions),
		Contestants: []run.Contestant{
			{Name: "hand-written table", Start: race(func(s guarded.Status, e guarded.StatusEvent) guarded.Status {
				if s < 0 || int(s) >= len(table) || int(e) >= len(table[0]) {
					return 0
				}
				return table[s][e]
			})},
			{Name: "hand-written switch", Start: race(func(s guarded.Status, e guarded.StatusEvent) guarded.Status {
				switch {
				case s == guarded.Created && e == guarded.StatusPay:
					return guarded.Paid
				case s == guarded.Paid && e == guarded.StatusShip:
					return guarded.Shipped
				case s == guarded.Shipped && e == guarded.StatusSign:
					return guarded.Done
				case (s == guarded.Created || s == guarded.Paid) && e == guarded.StatusCancel:
					return guarded.Cancelled
				}
				return 0
			})},
			{Name: Ours, Start: race(func(s guarded.Status, e guarded.StatusEvent) guarded.Status {
				to, ok := s.Next(e)
				if !ok {
					return 0
				}
				return to
			})},
			{Name: "looplab/fsm", Start: looplab},
			{Name: "qmuntal/stateless", Start: qmuntal},
		}}
}

func looplab(ctx context.Context) (run.Running, error) {
	m := fsm.NewFSM("created", fsm.Events{{Name: "pay", Src: []string{"created"}, Dst: "paid"}, {Name: "back", Src: []string{"paid"}, Dst: "created"}}, nil)
	return run.Running{Op: func(ctx context.Context, _ int) error {
		for range Transitions / 2 {
			if err := errors.Join(m.Event(ctx, "pay"), m.Event(ctx, "back")); err != nil {
				return err
			}
		}
		return nil
	}}, nil
}

func qmuntal(ctx context.Context) (run.Running, error) {
	m := stateless.NewStateMachine("created")
	m.Configure("created").Permit("pay", "paid")
	m.Configure("paid").Permit("back", "created")
	return run.Running{Op: func(ctx context.Context, _ int) error {
		for range Transitions / 2 {
			if err := errors.Join(m.FireCtx(ctx, "pay"), m.FireCtx(ctx, "back")); err != nil {
				return err
			}
		}
		return nil
	}}, nil
}

// receipt is what is replayed.
func receipt() *guarded.Receipt {
	return &guarded.Receipt{OrderID: "A-1", Amount: 4200, Payer: "ann", Lines: []string{"a book", "a pen"}}
}

// Replay is a duplicate's typed result from memory.
func Replay() run.Race {
	return run.Race{Group: "Runtime: in memory", Name: "a duplicate gets the stored result", Unit: "call", Contestants: []run.Contestant{
		{Name: "hand-written map, JSON result", Start: func(context.Context) (run.Running, error) {
			type entry struct {
				until time.Time
				data  []byte
			}
			var mu sync.Mutex
			kept := map[string]entry{}
			pay := func(_ context.Context, orderID string, amount int64) (*guarded.Receipt, error) {
				mu.Lock()
				e, ok := kept[orderID]
				mu.Unlock()
				if ok && time.Now().Before(e.until) {
					out := new(guarded.Receipt)
					return out, json.Unmarshal(e.data, out)
				}
				r := receipt()
				data, err := json.Marshal(r)
				mu.Lock()
				kept[orderID] = entry{time.Now().Add(24 * time.Hour), data}
				mu.Unlock()
				return r, err
			}
			return replayed(pay), nil
		}},
		{Name: Ours, Start: func(context.Context) (run.Running, error) {
			s := guarded.NewIdempotentService(&guarded.Service{Receipt: receipt()}, idem.New(idem.GlobalScope), memstore.New(), nilTx{})
			return replayed(s.Replayed), nil
		}},
		{Name: "singleflight (keeps nothing, runs each time)", Start: func(context.Context) (run.Running, error) {
			var g singleflight.Group
			return replayed(func(_ context.Context, orderID string, _ int64) (*guarded.Receipt, error) {
				v, err, _ := g.Do(orderID, func() (any, error) { return receipt(), nil })
				return v.(*guarded.Receipt), err
			}), nil
		}},
	}}
}

// replayed calls with one key again and again, and looks at each answer.
func replayed(pay func(ctx context.Context, orderID string, amount int64) (*guarded.Receipt, error)) run.Running {
	return run.Running{Op: func(ctx context.Context, _ int) error {
		r, err := pay(ctx, "A-1", 4200)
		if err == nil && (r.Amount != 4200 || len(r.Lines) != 2) {
			err = fmt.Errorf("%+v", r)
		}
		return err
	}}
}

// Message is a queue's message, a new one each time, and one that came before.
func Message() []run.Race {
	ours := func(key func(i int) string) func(context.Context) (run.Running, error) {
		return func(context.Context) (run.Running, error) {
			s := guarded.NewIdempotentService(&guarded.Service{}, idem.New(idem.GlobalScope), memstore.New(), nilTx{})
			return run.Running{Op: func(ctx context.Context, i int) error { return s.Consumed(ctx, key(i)) }}, nil
		}
	}
	theirs := func(key func(i int) string) func(context.Context) (run.Running, error) {
		return func(ctx context.Context) (run.Running, error) {
			repository, err := middleware.NewMapExpiringKeyRepository(time.Hour)
			if err != nil {
				return run.Running{}, err
			}
			d := &middleware.Deduplicator{KeyFactory: middleware.NewMessageHasherSHA256(1 << 16), Repository: repository, Timeout: time.Minute}
			h := d.Middleware(func(*message.Message) ([]*message.Message, error) { return nil, nil })
			return run.Running{Op: func(_ context.Context, i int) error {
				_, err := h(message.NewMessage("", message.Payload(key(i))))
				return err
			}}, nil
		}
	}
	fresh := func(i int) string { return fmt.Sprintf("message-%d", i) }
	same := func(int) string { return "message" }
	var races []run.Race
	for _, c := range []struct {
		name string
		key  func(int) string
	}{{"a message that is new", fresh}, {"a message that came before", same}} {
		races = append(races, run.Race{Group: "Runtime: in memory", Name: c.name, Unit: "message",
			Note: "watermill's deduplicator marks before its handler has run: what fails is lost. Ours claims first and completes afterwards.",
			Contestants: []run.Contestant{
				{Name: "watermill's deduplicator", Start: theirs(c.key)},
				{Name: Ours, Start: ours(c.key)},
			}})
	}
	return races
}
