package check

import (
	"strings"

	"github.com/idemgen/idemgen/parser/diag"
)

// sharedTables refuses machines that get into each other's way: two on one column,
// and a history table with another use.
func (c *checker) sharedTables() {
	for i, m := range c.machines {
		for _, first := range c.machines[:i] {
			m.sharedColumn(first)
		}
		for j, other := range c.machines {
			if j != i && m.historyTable(other, j < i) {
				break
			}
		}
	}
}

func (m *machine) sharedColumn(first *machine) {
	a, b := m.g.machine, first.g.machine
	if strings.EqualFold(a.Table.V, b.Table.V) && strings.EqualFold(a.Column.V, b.Column.V) && a.Column.Set && b.Column.Set {
		m.fault(diag.New(diag.CodeSharedColumn, a.Column.Pos, "column %s of %s is guarded by two state machines, %s and %s", a.Column.V, a.Table.V, first.name, m.name).
			WithRelated(b.Column.Pos, "%s guards it here", first.name).
			WithHint("make one machine of the two, or give each a column of its own"))
	}
}

// historyTable compares the history of m with the tables of another machine, and
// tells whether it reported something. Two machines with one history are reported
// once, at the later.
func (m *machine) historyTable(other *machine, later bool) bool {
	a, b := m.g.machine, other.g.machine
	switch {
	case !a.History.Set:
		return false
	case strings.EqualFold(a.History.V, b.Table.V):
		m.fault(diag.New(diag.CodeHistoryTable, a.History.Pos, "%s is guarded by state machine %s, so it can't be the history of %s", a.History.V, other.name, m.name).
			WithRelated(b.Table.Pos, "table= of %s is here", other.name).
			WithHint("the history is a table of its own, with one row per event"))
	case later && b.History.Set && strings.EqualFold(a.History.V, b.History.V):
		m.fault(diag.New(diag.CodeHistoryTable, a.History.Pos, "%s is the history of state machine %s already", a.History.V, other.name).
			WithRelated(b.History.Pos, "history= of %s is here", other.name).
			WithHint("give each machine a history of its own: what happened last to a row decides what is a duplicate"))
	default:
		return false
	}
	return true
}
