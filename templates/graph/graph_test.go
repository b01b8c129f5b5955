package graph

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/internal/model"
)

var update = flag.Bool("update", false, "write the golden files")

// machine makes a machine of texts; the first state is the initial one.
func machine(values ...string) *model.Machine {
	m := &model.Machine{Name: "Status", Table: []string{"shop", "orders"}, Column: "status", Base: model.KindString}
	for i, v := range values {
		m.States = append(m.States, &model.State{Index: i, Ident: "State" + string(rune('A'+i)), SQL: model.SQLValue{Text: v}})
	}
	m.Initial = m.States[0]
	return m
}

// on adds an event with edges from, to, from, to …
func on(m *model.Machine, e model.Event, edges ...int) *model.Machine {
	e.Index = len(m.Events)
	for i := 0; i < len(edges); i += 2 {
		e.Edges = append(e.Edges, model.Edge{From: edges[i], To: edges[i+1]})
	}
	m.Events = append(m.Events, &e)
	return m
}

func final(m *model.Machine, states ...int) *model.Machine {
	for _, i := range states {
		m.States[i].Final = true
	}
	return m
}

func wild(m *model.Machine, name string, to int, from ...int) *model.Machine {
	e := &model.Event{Index: len(m.Events), Name: name}
	for _, f := range from {
		e.Edges = append(e.Edges, model.Edge{From: f, To: to, Wildcard: true})
	}
	m.Events = append(m.Events, e)
	return m
}

// hostile are states and events that some language of diagrams reads as signs.
var hostile = []string{
	"En cours", `a"b`, `a\`, "x:y", "end", "支付", "two\nlines", "", " blank ", "[*]", "s0", "#35;", "&lt;b>", "<b>x</b>",
	"%% comment", "-- note", "a;b", "{}", "\u202eevil", `\N\n`, "style x:#1;", "state", "note left", "@enduml", "<<fork>>", "//", "/* */", "a|b", "\xff", "'x", "`q`", "**bold**", "~~",
}

func nasty() *model.Machine {
	m := machine(hostile...)
	for i, name := range hostile {
		on(m, model.Event{Name: name}, i, (i+1)%len(hostile))
	}
	return final(m, len(hostile)-1)
}

// rich has all that an event may be.
func rich() *model.Machine {
	m := machine("NEW", "PAID", "SENT", "HELD", "DONE", "GONE")
	on(m, model.Event{Name: "Pay", Once: true, Where: model.Frag{
		{Kind: model.FragName, Text: "amount"}, {Kind: model.FragSpace, Text: " "}, {Kind: model.FragOp, Text: "<="}, {Kind: model.FragSpace, Text: " "},
		{Kind: model.FragParam, Text: "paid"}, {Kind: model.FragSpace, Text: " "}, {Kind: model.FragWord, Text: "AND"}, {Kind: model.FragSpace, Text: " "},
		{Kind: model.FragWord, Text: "note"}, {Kind: model.FragOp, Text: "<>"}, {Kind: model.FragText, Text: "it's"}}}, 0, 1)
	on(m, model.Event{Name: "Touch"}, 0, 1, 1, 1)
	on(m, model.Event{Name: "Send"}, 1, 2)
	on(m, model.Event{Name: "Move", Dynamic: true, Target: "to"}, 0, 1, 0, 3)
	on(m, model.Event{Name: "Arrive"}, 2, 4)
	wild(m, "Hold", 3, 0, 1, 2, 3)
	wild(m, "Drop", 5, 1, 2, 3)
	wild(m, "Lose", 5, 2, 3)
	return final(m, 4, 5)
}

func numbers() *model.Machine {
	m := machine("0", "-7")
	m.Base = model.KindInt
	m.States[0].SQL.Number, m.States[1].SQL.Number = true, true
	return final(on(m, model.Event{Name: "Go"}, 0, 1), 1)
}

var machines = map[string]func() *model.Machine{"nasty": nasty, "rich": rich, "numbers": numbers}

var languages = map[string]func(Diagram) string{"mmd": Mermaid, "dot": DOT, "puml": PlantUML}

// TestLaw_S10_Golden holds the diagrams of every kind of label and event.
func TestLaw_S10_Golden(t *testing.T) {
	for name, m := range machines {
		for ext, draw := range languages {
			t.Run(name+"."+ext, func(t *testing.T) {
				got := draw(Of(m()))
				if again := draw(Of(m())); again != got {
					t.Error("other bytes the second time")
				}
				file := filepath.Join("testdata", name+"."+ext)
				if *update {
					if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(string(want), got); d != "" {
					t.Error(d)
				}
			})
		}
	}
}

// TestVisible_KeepsTextsApart: no two states look the same.
func TestVisible_KeepsTextsApart(t *testing.T) {
	seen := map[string]string{}
	for _, s := range append(hostile, "two\r\nlines", "a\u00a0b", "a b", "evil") {
		v := Visible(s)
		if other, taken := seen[v]; taken {
			t.Errorf("%q and %q both look like %s", s, other, v)
		}
		seen[v] = s
		if strings.ContainsAny(v, "\n\r\x00") {
			t.Errorf("%q is shown as %q", s, v)
		}
	}
}
