package layers

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
)

// scheme is a defence in three layers, named by letters from the outside: R request,
// C message (of the consumer), T token, M state machine, O once, U unique index.
type scheme struct {
	name   string
	layers string
	client func(w *world, on string, intention int) client
}

var schemes = []scheme{
	{"token, state machine, unique index", "TMU", func(w *world, on string, i int) client {
		return newForm(w, on, i)
	}},
	{"request, token, once", "RTO", func(w *world, on string, i int) client {
		f := newForm(w, strings.TrimPrefix(on, "R"), i)
		next := &Gateway{pay: f.pay}
		serve := next.Serve
		if strings.Contains(on, "R") {
			serve = NewIdempotentGateway(next, w.engine, w.records).Serve
		}
		return &click{form: form{tokens: f.tokens, orderID: f.orderID, guarded: f.guarded}, serve: serve}
	}},
	{"message, once, unique index", "COU", func(w *world, on string, i int) client {
		next := &Consumer{pay: w.pay(strings.TrimPrefix(on, "C"))}
		take := next.Take
		if strings.Contains(on, "C") {
			take = NewIdempotentConsumer(next, w.engine, w.records).Take
		}
		return &delivery{take: take, msg: Message{ID: fmt.Sprint("message-", i), OrderID: order(i)}}
	}},
	{"lock with a check", "L", func(w *world, on string, i int) client { return newForm(w, on, i) }},
}

func newForm(w *world, on string, i int) *form {
	return &form{tokens: w.tokens, pay: w.pay(on), orderID: order(i), guarded: strings.Contains(on, "T")}
}

// trial is a storm with some layers on, one of which may lose its data meanwhile.
type trial struct{ on, lost string }

// trials are all subsets of the layers, all layers with the loss of each, and each layer
// alone with its own loss, which shows that the loss bites.
func (s scheme) trials() []trial {
	var list []trial
	for set := 1<<len(s.layers) - 1; set >= 0; set-- {
		on := ""
		for i := range s.layers {
			if set>>(len(s.layers)-1-i)&1 == 1 {
				on += s.layers[i : i+1]
			}
		}
		list = append(list, trial{on: on})
	}
	if len(s.layers) > 1 {
		for _, on := range []string{s.layers, ""} {
			for i := range s.layers {
				layer := s.layers[i : i+1]
				list = append(list, trial{on: cmp.Or(on, layer), lost: layer})
			}
		}
	}
	return list
}

// holds tells whether a layer is left that has its data.
func (t trial) holds() bool { return strings.Trim(t.on, t.lost) != "" }

// String is a line of the table.
func (t trial) String() string {
	text := cmp.Or(t.on, "none")
	if t.lost != "" {
		text += ", data of " + t.lost + " lost"
	}
	return text
}

// The layer law: while any layer is on, whichever, a storm of duplicates has exactly
// as many effects as there are intentions; also when one layer of the three loses
// all its data meanwhile. Without a layer, or when the only one loses its data, it has
// more.
func TestLaw_Layers(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		const intentions, duplicates = 3, 100
		db := d.connect(t, d.source(t))
		d.migrate(t, db)
		w := newWorld(t, d, db)
		var table strings.Builder
		for _, s := range schemes {
			fmt.Fprintf(&table, "\n%s\n", s.name)
			for _, trial := range s.trials() {
				w.prepare(intentions, trial.on)
				var after func()
				if trial.lost != "" {
					after = func() { w.lose(trial.lost) }
				}
				err := storm(intentions, duplicates, func(i int) client { return s.client(w, trial.on, i) }, after)
				if err != nil {
					t.Errorf("%s: %s: %v", s.name, trial, err)
				}
				sum := 0
				for i, n := range w.effects(intentions) {
					sum += n
					if trial.holds() && n != 1 {
						t.Errorf("%s: %s: %d effects of intention %d", s.name, trial, n, i)
					}
				}
				if !trial.holds() && sum <= intentions {
					t.Errorf("%s: %s: %d effects: the storm proves nothing", s.name, trial, sum)
				}
				fmt.Fprintf(&table, "  %-30s %d calls, %d intentions, %d effects\n", trial, intentions*duplicates, intentions, sum)
			}
		}
		t.Log(table.String())
	})
}
