package machines

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

// breakage names a way in which TestBrokenMachine is broken.
const breakage = "IDEMGEN_BROKEN_MACHINE"

// broken are ways to break a machine, and what the kit says then.
var broken = []struct {
	name, want string
	of         func(g SwitchGuard, m *idemtest.Machine[Switch, string])
}{
	{"unguarded", "want it refused", func(g SwitchGuard, m *idemtest.Machine[Switch, string]) {
		m.Events[0].Fire = func(ctx context.Context, db idem.DB, id string, _ Switch) (idem.Change[Switch], error) {
			_, err := db.Exec(ctx, "UPDATE switches SET is_on = 1 WHERE id = ?", id)
			return idem.Change[Switch]{From: Off, To: On}, err
		}
	}},
	{"unguarded in a race", "applied 16 times by 16 callers, want once", func(g SwitchGuard, m *idemtest.Machine[Switch, string]) {
		m.Events[0].Fire = func(ctx context.Context, db idem.DB, id string, _ Switch) (idem.Change[Switch], error) {
			_, err := db.Exec(ctx, "UPDATE switches SET is_on = 1 WHERE id = ?", id)
			return idem.Change[Switch]{From: Off, To: On}, err
		}
	}},
	{"not moved", "in the row as well", func(g SwitchGuard, m *idemtest.Machine[Switch, string]) {
		m.Events[0].Fire = func(context.Context, idem.DB, string, Switch) (idem.Change[Switch], error) {
			return idem.Change[Switch]{From: Off, To: On}, nil
		}
	}},
	{"never applied", "want it applied", func(g SwitchGuard, m *idemtest.Machine[Switch, string]) {
		m.Events[0].Fire = func(context.Context, idem.DB, string, Switch) (idem.Change[Switch], error) {
			return idem.Change[Switch]{}, idem.ErrGuardFailed
		}
	}},
	{"the wrong kind", "want illegal", func(g SwitchGuard, m *idemtest.Machine[Switch, string]) {
		m.Events[0].Applied = nil
	}},
	{"moved and refused", "refused, but the row moved", func(g SwitchGuard, m *idemtest.Machine[Switch, string]) {
		fire := m.Events[0].Fire
		m.Events[0].Fire = func(ctx context.Context, db idem.DB, id string, to Switch) (idem.Change[Switch], error) {
			change, err := fire(ctx, db, id, to)
			if err != nil {
				db.Exec(ctx, "UPDATE switches SET is_on = 0 WHERE id = ?", id)
			}
			return change, err
		}
	}},
	{"created twice", "create again: <nil>", func(g SwitchGuard, m *idemtest.Machine[Switch, string]) {
		m.Create = func(ctx context.Context, db idem.DB, id string) error {
			_, err := db.Exec(ctx, "INSERT OR REPLACE INTO switches (id, is_on) VALUES (?, 0)", id)
			return err
		}
	}},
}

// A test that the generator makes fails when the guard is broken. The failing run
// is a process of its own.
func TestGeneratedTestsSeeBrokenGuards(t *testing.T) {
	for _, b := range broken {
		t.Run(b.name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestBrokenMachine$")
			cmd.Env = append(os.Environ(), breakage+"="+b.name)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), b.want) {
				t.Errorf("%v, want %q\n%s", err, b.want, out)
			}
		})
	}
}

// TestBrokenMachine is what the test above runs: without its variable it is a
// whole machine.
func TestBrokenMachine(t *testing.T) {
	db, dialect := openIdemTest(t)
	g := NewSwitchGuard(dialect)
	m := idemtest.Machine[Switch, string]{
		DB: db, Dialect: dialect,
		Schema:  idemtest.Statements{SQLite: []string{"CREATE TABLE switches (id TEXT PRIMARY KEY, is_on BOOLEAN NOT NULL)"}},
		Drop:    idemtest.Statements{SQLite: []string{"DROP TABLE switches"}},
		Insert:  idem.SQL{SQLite: "INSERT INTO switches (id, is_on) VALUES (?, ?)"},
		Select:  idem.SQL{SQLite: "SELECT is_on FROM switches WHERE id = ?"},
		Key:     func(n int) string { return strings.Repeat("k", n) },
		States:  []idemtest.State[Switch]{{State: Off, Column: false}, {State: On, Column: true}},
		Create:  func(ctx context.Context, db idem.DB, id string) error { return g.Create(ctx, db, id) },
		Initial: Off,
		Events: []idemtest.Event[Switch, string]{{
			Name: "TurnOn",
			Fire: func(ctx context.Context, db idem.DB, id string, _ Switch) (idem.Change[Switch], error) {
				return g.TurnOn(ctx, db, id)
			},
			Moves:   []idemtest.Move[Switch]{{From: Off, To: On}},
			Applied: []idemtest.Applied[Switch]{{State: On, Kind: idem.TransitionDuplicate}},
		}},
	}
	for _, b := range broken {
		if b.name == os.Getenv(breakage) {
			b.of(g, &m)
		}
	}
	idemtest.TestMachine(t, m)
}
