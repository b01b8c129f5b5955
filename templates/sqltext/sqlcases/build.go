package sqlcases

import (
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
)

// Text, Number and Bool are states' values.
func Text(s string) model.SQLValue   { return model.SQLValue{Text: s} }
func Number(s string) model.SQLValue { return model.SQLValue{Text: s, Number: true} }
func Bool(s string) model.SQLValue   { return model.SQLValue{Text: s, Bool: true} }

// param stands for a parameter in a fragment.
type param string

// frag is a fragment of words and parameters.
func frag(params []model.SQLParam, parts ...any) model.Frag {
	var f model.Frag
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			f = append(f, model.FragToken{Kind: model.FragWord, Text: p})
		case param:
			i := slices.IndexFunc(params, func(q model.SQLParam) bool { return q.Name == string(p) })
			f = append(f, model.FragToken{Kind: model.FragParam, Param: i})
		case model.FragToken:
			f = append(f, p)
		}
	}
	return f
}

// params are parameters by their names.
func params(names ...string) []model.SQLParam {
	var list []model.SQLParam
	for _, n := range names {
		list = append(list, model.SQLParam{Name: n})
	}
	return list
}

// Machine makes a machine: its first state is the initial one, and states are
// named by their values.
func Machine(table string, change func(m *model.Machine), states ...model.SQLValue) *model.Machine {
	m := &model.Machine{Name: "Status", Table: strings.Split(table, "."), Key: "id", Column: "status"}
	for i, v := range states {
		m.States = append(m.States, &model.State{Index: i, Ident: v.Text, SQL: v})
	}
	m.Initial = m.States[0]
	if change != nil {
		change(m)
	}
	return m
}

// On adds an event with its edges: pairs of state indices.
func On(m *model.Machine, name string, change func(e *model.Event), edges ...[2]int) {
	e := &model.Event{Index: len(m.Events), Name: name, Ident: name, Params: m.Params}
	for _, p := range edges {
		e.Edges = append(e.Edges, model.Edge{From: p[0], To: p[1]})
	}
	if change != nil {
		change(e)
	}
	m.Events = append(m.Events, e)
}
