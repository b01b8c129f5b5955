package sqlcases

import "github.com/idemgen/idemgen/internal/model"

// nullTests is a machine whose SQL asks of parameters whether they are NULL: such
// a place gives a parameter no type.
func nullTests(states []model.SQLValue) Case {
	word := func(s string) model.FragToken { return model.FragToken{Kind: model.FragWord, Text: s} }
	space := model.FragToken{Kind: model.FragSpace, Text: " "}
	typed := func(name string, kind model.Kind, typ ...model.Tok) model.SQLParam {
		return model.SQLParam{Name: name, Type: typ, Kind: kind}
	}
	text := func(s string) model.Tok { return model.Tok{Kind: model.TokText, Text: s} }
	region := typed("region", model.KindOther, text("*string"))
	row := []model.SQLParam{region}
	event := []model.SQLParam{
		region, typed("amount", model.KindInt, text("int64")), typed("rush", model.KindBool, text("bool")), typed("weight", model.KindOther, text("*float64")),
		typed("at", model.KindOther, text("*"), model.Tok{Kind: model.TokQual, Text: "Time", Import: model.Import{Path: "time", Name: "time"}}),
	}
	m := Machine("orders", func(m *model.Machine) {
		m.Params, m.CreateParams = row, row
		m.Where = frag(row, "(", param("region"), space, word("IS"), " NULL OR region = ", param("region"), ")")
		m.Create = []model.Assign{{Column: "region", Expr: frag(row, "CASE WHEN ", param("region"), space, word("is"), " NULL THEN 'none' ELSE ", param("region"), " END")}}
		m.History = []string{"order_history"}
	}, states...)
	full := func(e *model.Event) {
		e.Params, e.Once = event, true
		e.Where = frag(event, param("amount"), space, word("IS"), " NOT NULL AND amount = ", param("amount"), " AND ", param("rush"), space, word("IS"), " NOT NULL AND ",
			param("weight"), space, word("IS"), " NULL")
		e.Set = []model.Assign{{Column: "paid_on", Expr: frag(event, "CASE WHEN ", param("at"), space, word("IS"), " NULL THEN 'never' ELSE 'once' END")}}
	}
	On(m, "Pay", full, [2]int{0, 1})
	On(m, "Cancel", full, [2]int{0, 2}, [2]int{1, 2})
	return Case{
		Name: "null_tests", Machine: m,
		Columns: []Column{{"region", "VARCHAR(64)", "eu"}, {"amount", "BIGINT", int64(5)}, {"paid_on", "VARCHAR(64)", ""}},
		Values:  map[string]any{"region": "eu", "amount": int64(5), "rush": true}, // weight and at are NULL
		Wrong:   map[string]any{"amount": int64(6)}, Foreign: map[string]any{"region": "us"},
	}
}
