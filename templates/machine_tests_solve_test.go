package templates

import (
	"fmt"
	"testing"

	"github.com/idemgen/idemgen/internal/model"
)

// A generated test finds a row for the predicates that it understands, and says so
// where it doesn't.
func TestRowsMeetPredicates(t *testing.T) {
	b := newBuilder(t, "solve", "package m\n\nimport \"time\"\n", nil)
	params := b.sqlParams(nil, "n:int64", "s", "b:bool", "at:time.Time")
	consts := map[string]string{"Seven": "7", "Word": `"w"`, "Yes": "true"}
	for where, want := range map[string]string{
		"a = :n":                  "a=2",
		"a >= :n AND x <= :s":     "a=2 x='x'",
		"a < :n AND y > :n":       "a=1 y=3",
		"a <> :n":                 "a=3",
		":n > a":                  "a=1",
		"a = :Seven AND w = 'q'":  "a=7 w='q'",
		"w = :Word AND f = :Yes":  "w='w' f=true",
		"w != 'it''s'":            "w='it'sz'",
		"z IS NULL":               "z=null",
		"z IS NOT NULL AND a = 1": "z=2 a=1",
		"w IN ('a', 'b')":         "w='a'",
		"d >= :at":                "d=time",
		"f = TRUE":                "f=true",
		"f <> :b":                 "f=false",
		"`odd name` = 3":          "odd name=3",
		"a + 1 = :n":              "?",
		"a = 1 OR a = 2":          "?",
		"a BETWEEN 1 AND 3":       "?",
		"NOT (a = 1)":             "?",
		"lower(w) = 'a'":          "?",
		"a = 1.5":                 "?",
		"w < ''":                  "?",
		"w IN (lower(v))":         "?",
	} {
		got := ""
		for _, c := range conjuncts(b.frag(where, params, consts)) {
			column, cell, ok := solve(c, params)
			if !ok {
				got = "?"
				break
			}
			if got != "" {
				got += " "
			}
			got += column + "=" + cellName(cell)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", where, got, want)
		}
	}
}

func cellName(c testCell) string {
	switch c.kind {
	case cellNull:
		return "null"
	case cellTime:
		return "time"
	case cellText, cellBytes:
		return "'" + c.text + "'"
	}
	return c.text
}

// The columns of the table come from all SQL of the machines on it, each once.
func TestTablesHaveEveryColumn(t *testing.T) {
	b := newBuilder(t, "columns", "package m\n\nimport \"time\"\n", nil)
	m := b.machine("S", "string", "string", []string{"A=a", "B=b"}, "Go A -> B")
	m.KeyKind, m.Version = model.KindString, "v"
	ev := m.Events[0]
	ev.Params = b.sqlParams(nil, "n:int64", "at:time.Time")
	ev.Set = b.set("seen = seen + 1; at = coalesce(at, :at); label = 'x'", ev.Params, nil)
	ev.Where = b.frag("(n = :n OR lower(word) = 'a') AND v > 0 AND id <> 'none' AND gone IS NOT TRUE", ev.Params, nil)
	var got string
	for _, c := range newTestTable(b.pkg, m).columns {
		got += fmt.Sprintf("%s %s, ", c.Name, c.Type)
	}
	if want := "at time, n int, word text, gone bool, seen int, label text, "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if row := newTestTable(b.pkg, m).values(ev); !row.unsure {
		t.Error("a predicate that is not understood is taken for one that holds")
	}
}

// Names that callers write clash where they are taken; others step aside.
func TestGuardNamesClash(t *testing.T) {
	const src = "package m\n\ntype S string\n\nconst (\n\tA S = \"a\"\n\tB S = \"b\"\n)\n\nvar SGoOnce, opSGo, sChange, TestIdemS int\n"
	b := newBuilder(t, "clash", src, nil)
	m := b.machine("S", "S", "string", []string{"A=a", "B=b"}, "Go A -> B", "Create B -> A")
	m.Events[0].Once = true
	clashes := Clashes(b.pkg)
	if len(clashes) != 1 || clashes[0].Name != "SGoOnce" {
		t.Errorf("%v", clashes)
	}
	p := newPlan(ordered(b.pkg)).machines[0]
	if p.ops[0] != "opSGo2" || p.changed != "sChange2" || p.create != "CreateRow" || p.batches[0] != "GoAll" {
		t.Errorf("%s, %s, %s, %s", p.ops[0], p.changed, p.create, p.batches[0])
	}
}
