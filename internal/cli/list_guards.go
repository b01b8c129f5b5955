package cli

import (
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/templates/graph"
)

func listMachine(at place, m *model.Machine) listedMachine {
	l := listedMachine{place: at, Name: m.Name, Table: strings.Join(m.Table, "."), Key: m.Key, Column: m.Column, Final: []string{},
		Version: m.Version, Fence: m.Fence, History: strings.Join(m.History, ".")}
	for _, s := range m.States {
		l.States = append(l.States, s.Ident)
		if s.Final {
			l.Final = append(l.Final, s.Ident)
		}
	}
	if m.Initial != nil {
		l.Initial = m.Initial.Ident
	}
	return l
}

func listEvent(at place, m *model.Machine, e *model.Event) listedGuard {
	l := listedGuard{place: at, Name: m.Name + "Guard." + e.Ident, Table: strings.Join(m.Table, "."), Once: e.Once, Dynamic: e.Dynamic, Where: graph.SQL(e.Where)}
	for _, edge := range e.Edges {
		l.Edges = append(l.Edges, listedEdge{m.States[edge.From].Ident, m.States[edge.To].Ident})
	}
	l.Set = columns(e.Set)
	return l
}

func listVersion(at place, v *model.Version) listedVersion {
	l := listedVersion{place: at, Name: v.Name, Table: strings.Join(v.Table, "."), Column: v.Column.Name}
	for _, c := range v.Key {
		l.Key = append(l.Key, c.Name)
	}
	return l
}

func listUpdate(at place, v *model.Version, u *model.Update) listedGuard {
	l := listedGuard{place: at, Name: v.Name + "Guard." + u.Name, Table: strings.Join(v.Table, "."), Where: graph.SQL(u.Where), Set: columns(u.Set)}
	for _, c := range u.Columns {
		l.Set = append(l.Set, c.Name)
	}
	return l
}

func columns(set []model.Assign) []string {
	var out []string
	for _, s := range set {
		if !slices.Contains(out, s.Column) {
			out = append(out, s.Column)
		}
	}
	return out
}
