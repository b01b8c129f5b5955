package templates

import (
	"go/parser"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
)

// machine makes a state machine: states are "Created=CREATED", events "Pay Created,Held -> Paid".
func (b *builder) machine(name, typ, base string, states []string, events ...string) *model.Machine {
	b.t.Helper()
	e, err := parser.ParseExpr(typ)
	if err != nil {
		b.t.Fatal(err)
	}
	m := &model.Machine{
		Name: name, Type: b.code(e, nil), BaseType: base, Methods: name == typ,
		Table: []string{"orders"}, Key: "id", Column: "status", Pos: model.Pos{File: "m", Line: len(b.pkg.Machines)},
	}
	switch {
	case base == "string":
		m.Base = model.KindString
	case base == "bool":
		m.Base = model.KindBool
	case base[0] == 'u' || base == "byte":
		m.Base = model.KindUint
	default:
		m.Base = model.KindInt
	}
	for i, s := range states {
		expr, value, _ := strings.Cut(s, "=")
		ce, err := parser.ParseExpr(expr)
		if err != nil {
			b.t.Fatal(err)
		}
		st := &model.State{Index: i, Const: b.code(ce, nil), Ident: expr[strings.LastIndexByte(expr, '.')+1:], Constant: true, DominatedBy: []int{0}}
		if i > 0 {
			st.DominatedBy = append(st.DominatedBy, i)
		}
		switch m.Base {
		case model.KindString:
			st.Value, st.SQL = strconv.Quote(value), model.SQLValue{Text: value}
		case model.KindBool:
			st.Value, st.SQL = value, model.SQLValue{Text: value, Bool: true}
		default:
			st.Value, st.SQL = value, model.SQLValue{Text: value, Number: true}
		}
		m.States = append(m.States, st)
	}
	m.Initial = m.States[0]
	find := func(name string) int {
		i := slices.IndexFunc(m.States, func(s *model.State) bool { return s.Ident == strings.TrimSpace(name) })
		if i < 0 {
			b.t.Fatalf("no state %s", name)
		}
		return i
	}
	leaves := map[int]bool{}
	for i, text := range events {
		event, rest, _ := strings.Cut(text, " ")
		from, to, _ := strings.Cut(rest, "->")
		ev := &model.Event{Index: i, Name: event, Ident: event}
		for _, f := range strings.Split(from, ",") {
			ev.Edges = append(ev.Edges, model.Edge{From: find(f), To: find(to)})
			leaves[find(f)] = true
		}
		m.Events = append(m.Events, ev)
	}
	for i, s := range m.States {
		s.Final = !leaves[i]
	}
	b.pkg.Machines = append(b.pkg.Machines, m)
	return m
}
