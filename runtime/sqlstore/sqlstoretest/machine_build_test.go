package sqlstoretest

import (
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/templates/sqltext"
)

// guardOf is a machine as the generator writes it.
type guardOf struct {
	model   *model.Machine
	machine idem.Machine
	events  []idem.EventInfo
}

// guardOver makes the data of a machine with its SQL.
func guardOver(m *model.Machine) *guardOf {
	texts := sqltext.OfMachine(m)
	g := &guardOf{model: m, machine: idem.Machine{
		Name: m.Name, Table: strings.Join(m.Table, "."), Initial: m.Initial.Index,
		Version: m.Version != "", Fence: m.Fence != "",
		Select: idem.GuardSQL(texts.Select), Lock: idem.GuardSQL(texts.Lock),
		Create:  idem.CreateSQL{Insert: idem.GuardSQL(texts.CreateInsert), Select: idem.GuardSQL(texts.CreateSelect)},
		History: idem.HistorySQL{SQLite: idem.InsertSQL(texts.HistorySQLite), MySQL: idem.InsertSQL(texts.HistoryMySQL)},
	}}
	for _, s := range m.States {
		info := idem.StateInfo{Name: s.Ident, Value: s.SQL.Text, Final: s.Final}
		for _, by := range s.DominatedBy {
			for len(info.DominatedBy) <= by/64 {
				info.DominatedBy = append(info.DominatedBy, 0)
			}
			info.DominatedBy[by/64] |= 1 << (by % 64)
		}
		g.machine.States = append(g.machine.States, info)
		switch {
		case s.SQL.Bool:
			g.machine.Column = idem.BoolColumn
		case s.SQL.Number:
			g.machine.Column = idem.IntColumn
		}
	}
	for _, e := range m.Events {
		t := sqltext.OfEvent(m, e)
		info := idem.EventInfo{
			Name: e.Name, Dynamic: e.Dynamic, Proofs: e.Proofs,
			Update: idem.GuardSQL(t.Update), Check: idem.GuardSQL(t.Check), Once: idem.OnceSQL(t.Once),
			Batch: idem.BatchSQL{
				SQLite: idem.ListSQL(t.BatchSQLite), Postgres: idem.ListSQL(t.BatchPostgres),
				MySQLRead: idem.ListSQL(t.BatchMySQLRead), MySQL: idem.ListSQL(t.BatchMySQL),
			},
		}
		for _, edge := range t.Edges {
			info.Edges = append(info.Edges, idem.Edge{From: edge.From, To: edge.To})
		}
		g.events = append(g.events, info)
	}
	return g
}

// event finds one by its name.
func (g *guardOf) event(t testing.TB, name string) *idem.EventInfo {
	for i := range g.events {
		if g.events[i].Name == name {
			return &g.events[i]
		}
	}
	t.Fatalf("no event %s", name)
	return nil
}

// value is a state as a driver is given it.
func (g *guardOf) value(state int) any {
	switch v := g.model.States[state].SQL; {
	case v.Bool:
		return v.Text == "true"
	default:
		return v.Text
	}
}

// state finds a state by what a driver reads of its column as text; -1 for none.
func (g *guardOf) state(text string) int {
	for i, s := range g.model.States {
		if v := s.SQL; v.Text == text || v.Bool && (v.Text == "true") == (text == "1") && (text == "1" || text == "0") {
			return i
		}
	}
	return -1
}
