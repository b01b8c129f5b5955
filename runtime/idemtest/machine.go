package idemtest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Machine is a generated state machine as TestMachine needs it: generated with
// tests=true. S is the type of a state, K that of a row's key.
type Machine[S comparable, K any] struct {
	// DB is an empty database that the test has to itself: sqlstore.DB(db) or the like.
	DB      idem.DB
	Dialect idem.Dialect
	// Schema makes the tables, and Drop removes them.
	Schema, Drop Statements
	// Insert makes a row: its arguments are the key, the state as the column holds it,
	// and a row of Event.Row. Select reads the state of the row with a key.
	Insert, Select idem.SQL
	// Key makes the nth key.
	Key    func(n int) K
	States []State[S]
	Events []Event[S, K]
	// Create is the guard's function that makes a new row, in the state Initial.
	Create  func(ctx context.Context, db idem.DB, id K) error
	Initial S
}

// Statements are the statements of one kind in every dialect.
type Statements struct{ SQLite, Postgres, MySQL []string }

// State is a state and what the column holds for it: a string, an int64, a uint64
// or a bool.
type State[S any] struct {
	State  S
	Column any
}

// Event is one event with all that the table allows.
type Event[S, K any] struct {
	Name string
	// Fire is the guard's function. to is what an event goes to whose target the
	// caller names; others leave it alone.
	Fire func(ctx context.Context, db idem.DB, id K, to S) (idem.Change[S], error)
	// Dynamic: the caller names the target.
	Dynamic bool
	// Moves are the legal pairs of states; every other one is refused.
	Moves []Move[S]
	// Applied are the states that prove that the event was applied before.
	Applied []Applied[S]
	// Row are further columns of a row that the event may be fired on.
	Row []any
	// Unsure: what the event requires of a row may not hold for Row.
	Unsure bool
}

// Move is a legal pair of states.
type Move[S any] struct{ From, To S }

// Applied is a state in which an event is refused as applied before.
type Applied[S any] struct {
	State S
	Kind  idem.TransitionKind
}

// TestMachine fires every event in every state on a database: what the table
// allows is applied and moves the row there, all else is refused with the right
// kind and leaves the row alone (S1, S2). Then it fires each event from many
// goroutines at once: one applies it (S3). At last it creates a row twice.
func TestMachine[S comparable, K any](t *testing.T, m Machine[S, K]) {
	t.Helper()
	f := &machineTest[S, K]{Machine: m, t: t}
	f.setUp()
	for _, e := range m.Events {
		t.Run(e.Name, func(t *testing.T) {
			f := f.in(t)
			for _, s := range m.States {
				if !e.Dynamic {
					f.pair(&e, s, s.State)
					continue
				}
				for _, to := range m.States {
					f.pair(&e, s, to.State)
				}
			}
			f.raceOn(&e)
		})
	}
	t.Run("new row", func(t *testing.T) { f.in(t).create() })
}

// machineTest is one run.
type machineTest[S comparable, K any] struct {
	Machine[S, K]
	t    *testing.T
	keys *int
}

// in is the run inside a subtest.
func (f *machineTest[S, K]) in(t *testing.T) *machineTest[S, K] {
	return &machineTest[S, K]{Machine: f.Machine, t: t, keys: f.keys}
}

func (f *machineTest[S, K]) setUp() {
	f.t.Helper()
	f.keys = new(int)
	made := 0
	drop := f.Drop.of(f.Dialect)
	f.t.Cleanup(func() {
		if made == 0 { // a table that was there is not ours to drop
			return
		}
		for _, stmt := range drop {
			if _, err := f.DB.Exec(context.WithoutCancel(f.t.Context()), stmt); err != nil {
				f.t.Errorf("%s: %v", stmt, err)
			}
		}
	})
	for _, stmt := range f.Schema.of(f.Dialect) {
		if _, err := f.DB.Exec(f.t.Context(), stmt); err != nil {
			f.t.Fatalf("%s: %v", stmt, err)
		}
		made++
	}
}

func (s *Statements) of(d idem.Dialect) []string {
	switch d {
	case idem.SQLite:
		return s.SQLite
	case idem.Postgres:
		return s.Postgres
	case idem.MySQL:
		return s.MySQL
	}
	return nil
}

// row inserts a row in a state.
func (f *machineTest[S, K]) row(e *Event[S, K], s State[S]) K {
	f.t.Helper()
	*f.keys++
	id := f.Key(*f.keys)
	args := append([]any{id, s.Column}, e.Row...)
	if _, err := f.DB.Exec(f.t.Context(), f.Insert.For(f.Dialect), args...); err != nil {
		f.t.Fatalf("row in %v: %v", s.State, err)
	}
	return id
}

// is tells whether the row is in a state.
func (f *machineTest[S, K]) is(id K, want S) bool {
	f.t.Helper()
	rows, err := f.DB.Query(f.t.Context(), f.Select.For(f.Dialect), id)
	if err != nil {
		f.t.Fatal(err)
	}
	defer rows.Close()
	var got any
	found := false
	for rows.Next() {
		if err := rows.Scan(&got); err != nil {
			f.t.Fatal(err)
		}
		found = true
	}
	if err := rows.Err(); err != nil {
		f.t.Fatal(err)
	}
	for _, s := range f.States {
		if s.State == want {
			return found && columnText(got) == columnText(s.Column)
		}
	}
	f.t.Fatalf("%v is no state", want)
	return false
}

// columnText makes values comparable that drivers hand over in different types.
func columnText(v any) string {
	switch v := v.(type) {
	case []byte:
		return string(v)
	case bool:
		if v {
			return "1"
		}
		return "0"
	}
	return fmt.Sprint(v)
}

// move finds the legal move of an event; of one with a target of its own to does
// not count.
func (e *Event[S, K]) move(from, to S, same func(a, b S) bool) (S, bool) {
	for _, m := range e.Moves {
		if same(m.From, from) && (!e.Dynamic || same(m.To, to)) {
			return m.To, true
		}
	}
	return from, false
}

// pair fires an event on a row in a state.
func (f *machineTest[S, K]) pair(e *Event[S, K], s State[S], to S) {
	f.t.Helper()
	what := fmt.Sprintf("%s in %v", e.Name, s.State)
	if e.Dynamic {
		what += fmt.Sprintf(" to %v", to)
	}
	id := f.row(e, s)
	change, err := e.Fire(f.t.Context(), f.DB, id, to)
	next, legal := e.move(s.State, to, func(a, b S) bool { return a == b })
	switch {
	case legal && err == nil:
		if change.From != s.State || change.To != next || !f.is(id, next) {
			f.t.Errorf("%s: told %v to %v, want %v to %v in the row as well", what, change.From, change.To, s.State, next)
		}
		return
	case legal && e.Unsure && errors.Is(err, idem.ErrGuardFailed):
	case legal:
		f.t.Errorf("%s: %v, want it applied", what, err)
	case err == nil:
		f.t.Errorf("%s: applied, %v to %v, want it refused", what, change.From, change.To)
		return
	default:
		kind := idem.TransitionIllegal
		for _, a := range e.Applied {
			if a.State == s.State {
				kind = a.Kind
			}
		}
		var refused *idem.TransitionError
		if !errors.As(err, &refused) || refused.Kind != kind {
			f.t.Errorf("%s: %v, want %v", what, err, kind)
		}
	}
	if !f.is(id, s.State) {
		f.t.Errorf("%s: refused, but the row moved", what)
	}
}
