// Package explain says of one guarded method, event or update what guards it, what the
// first call and a duplicate get, what it costs on which store, and what a crash
// between any two steps leaves.
//
// The flow: a layer of the method is a row of one table (layers.go), which knows its
// steps, its outcomes and its operations; Method stacks the rows of a method in the
// order in which the layers nest. What an outcome means comes from package idem's
// table, what an operation costs from package cost's, which the stores' own tests
// count by.
package explain

import (
	"github.com/idemgen/idemgen/internal/cost"
	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/runtime/idem"
)

// Explanation is everything that idemgen explain says of one thing. Its JSON form is
// stable: fields are added, not renamed.
type Explanation struct {
	Name        string    `json:"name"` // Service.Pay
	Kind        string    `json:"kind"` // operation, event or update
	Package     string    `json:"package"`
	Operation   string    `json:"operation,omitempty"` // its name in the records
	Mode        string    `json:"mode,omitempty"`      // transaction, lease, autocommit or http
	Consistency string    `json:"consistency"`
	Layers      []Layer   `json:"layers"` // outermost first
	Outcomes    []Outcome `json:"outcomes"`
	Costs       []Cost    `json:"costs"`
	Crashes     []Crash   `json:"crashes"`
}

// Layer is one layer, or the transaction that the inner ones stand in.
type Layer struct {
	Name   string `json:"name"`
	Says   string `json:"says"` // what its directive says
	Inside bool   `json:"inside_transaction"`
}

// Outcome is what a call may come to.
type Outcome struct {
	Code  string `json:"code"` // of the outcome table
	When  string `json:"when"`
	HTTP  int    `json:"http"`
	GRPC  uint32 `json:"grpc"`
	Queue string `json:"queue"`
}

// Cost is what a layer's operation costs, by store; a store that is not there has no
// such layer. On SQLite it is statements, elsewhere round trips.
type Cost struct {
	Layer     string         `json:"layer"`
	Operation string         `json:"operation"`
	On        map[string]int `json:"on"`
}

// Crash is a moment at which the process may die.
type Crash struct {
	When   string `json:"when"`
	Leaves string `json:"leaves"`
	Next   string `json:"next"` // what the next call meets
}

// Method explains a guarded method, function or handler. name is as the command lists
// it, pkg its import path, mode its mode, and says what each layer says of itself, by
// its name.
func Method(m *model.Method, name, pkg, mode string, says []Layer) Explanation {
	e := Explanation{Name: name, Kind: "operation", Package: pkg, Operation: m.OpName, Mode: mode, Layers: []Layer{}, Consistency: consistency(m)}
	begun := false
	for _, l := range says {
		l.Inside = m.Tx() && inTransaction(l.Name)
		if l.Inside && !begun {
			e.Layers = append(e.Layers, Layer{Name: "transaction", Says: "begins here, commits when all inside succeeded"})
			begun = true
		}
		e.Layers = append(e.Layers, l)
	}
	if m.Tx() && !begun {
		e.Layers = append(e.Layers, Layer{Name: "transaction", Says: "around the method"})
	}
	e.outcome("ok", "the first call; a duplicate where a layer below answers it")
	for _, row := range layers {
		if row.on(m) {
			row.outcomes(&e, m)
		}
	}
	e.outcome("store_unavailable", "a store can't be reached: "+name+" did not run"+openText(m))
	if m.Tx() {
		e.outcome("retry_transaction", "deadlocks and serialization failures went on after all retries: nothing happened")
		e.outcome("commit_unknown", "the reply of COMMIT was lost, and the look-up for it failed, too")
	}
	e.outcome("error", "any error of "+name+"'s own"+errorFate(m))
	e.costs(m)
	e.crashes(m)
	return e
}

// outcome adds a row of the outcome table, or another reason to one that is there.
func (e *Explanation) outcome(code, when string) {
	for i, have := range e.Outcomes {
		if have.Code != code {
			continue
		}
		if have.When != when {
			e.Outcomes[i].When += "; " + when
		}
		return
	}
	for _, s := range idem.Statuses() {
		if s.Code == code {
			e.Outcomes = append(e.Outcomes, Outcome{Code: code, When: when, HTTP: s.HTTP, GRPC: s.GRPC, Queue: s.Queue.String()})
			return
		}
	}
	panic("explain: no outcome " + code)
}

// cost adds what operations of package cost come to together, on every store that has
// all of them.
func (e *Explanation) cost(layer, operation string, of ...string) {
	c := Cost{Layer: layer, Operation: operation, On: map[string]int{}}
	for _, s := range cost.Stores() {
		sum, all := 0, len(of) > 0
		for _, name := range of {
			n, ok := cost.On(name, s)
			sum, all = sum+n, all && ok
		}
		if all {
			c.On[s.String()] = sum
		}
	}
	e.Costs = append(e.Costs, c)
}

// costs adds those of every layer, and of the transaction that no record stands in.
func (e *Explanation) costs(m *model.Method) {
	for _, row := range layers {
		if row.on(m) {
			row.costs(e, m)
		}
	}
	if m.Tx() && !recorded(m) {
		e.cost("transaction", "around the method, with one business statement", cost.BareTransaction)
	}
}

func (e *Explanation) crash(when, leaves, next string) {
	e.Crashes = append(e.Crashes, Crash{when, leaves, next})
}

// recorded tells whether a record of the call is kept.
func recorded(m *model.Method) bool { return m.Once != nil || m.Message != nil }

// inTransaction tells whether a layer stands inside the method's transaction.
func inTransaction(layer string) bool {
	return layer == "once" || layer == "message" || layer == "fire" || layer == "unique"
}
