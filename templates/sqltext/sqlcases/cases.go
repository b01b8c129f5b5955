// Package sqlcases are the state machines whose SQL the golden files of sqltext
// hold: one for each feature of guarded SQL. The tests of the stores run every
// statement of every one of them on the real databases.
package sqlcases

import "github.com/idemgen/idemgen/internal/model"

// Case is one machine and what is needed to run its statements.
type Case struct {
	Name    string
	Machine *model.Machine
	Columns []Column       // beside key, state, version and fence
	Values  map[string]any // arguments that all predicates accept, by parameter
	Wrong   map[string]any // arguments for which the where= of events fails
	Foreign map[string]any // arguments for which the where= of the machine fails
}

// Column is a column as every database has it.
type Column struct {
	Name, Type string
	Value      any // in a row that all predicates accept
}

// String is the name.
func (c Case) String() string { return c.Name }

// All are the cases, made anew.
func All() []Case {
	list := plain()
	list = append(list, predicates()...)
	return append(list, everything()...)
}

// plain are machines with nothing but states.
func plain() []Case {
	one := func(name, table string, change func(*model.Machine), states []model.SQLValue, edges ...[2]int) Case {
		m := Machine(table, change, states...)
		On(m, "Go", nil, edges...)
		return Case{Name: name, Machine: m}
	}
	texts := func(list ...string) []model.SQLValue {
		var v []model.SQLValue
		for _, s := range list {
			v = append(v, Text(s))
		}
		return v
	}
	odd := func(m *model.Machine) { m.Key, m.Column = "group", "a\"b`c" }
	list := []Case{
		one("one_source", "orders", nil, texts("CREATED", "PAID"), [2]int{0, 1}),
		one("several_sources", "orders", nil, texts("CREATED", "HELD", "CANCELLED"), [2]int{0, 2}, [2]int{1, 2}),
		one("several_targets", "orders", nil, texts("CREATED", "PAID", "REFUNDED", "CANCELLED"), [2]int{1, 2}, [2]int{0, 3}),
		one("self_edge", "orders", nil, texts("CREATED", "PAID"), [2]int{1, 1}, [2]int{0, 1}),
		one("numbers", "orders", nil, []model.SQLValue{Number("-1"), Number("0"), Number("3")}, [2]int{0, 2}, [2]int{1, 2}),
		one("number_targets", "orders", nil, []model.SQLValue{Number("-1"), Number("0"), Number("3"), Number("4")}, [2]int{0, 2}, [2]int{1, 3}),
		one("bools", "orders", nil, []model.SQLValue{Bool("false"), Bool("true")}, [2]int{0, 1}),
		one("bool_targets", "orders", nil, []model.SQLValue{Bool("false"), Bool("true")}, [2]int{0, 1}, [2]int{1, 0}),
		one("names", "shop.order", odd, texts("x", "y", "z"), [2]int{0, 1}, [2]int{2, 1}),
		one("literals", "orders", nil, texts("it's", `a\`, "line\nbreak", "支付", `\'; DROP TABLE orders --`, `a"b`), [2]int{0, 1}, [2]int{2, 3}, [2]int{4, 5}),
	}
	m := Machine("orders", nil, texts("CREATED", "PAID", "CLOSED")...)
	On(m, "Close", func(e *model.Event) {
		e.Edges = []model.Edge{{From: 0, To: 1, Wildcard: true}, {From: 0, To: 2}, {From: 1, To: 2, Wildcard: true}}
	})
	return append(list, Case{Name: "explicit_wins", Machine: m})
}

// predicates are machines with one thing more.
func predicates() []Case {
	states := []model.SQLValue{Text("CREATED"), Text("PAID"), Text("CANCELLED")}
	events := func(m *model.Machine, change func(e *model.Event)) *model.Machine {
		On(m, "Pay", change, [2]int{0, 1})
		On(m, "Cancel", change, [2]int{0, 2}, [2]int{1, 2})
		return m
	}
	tenant := params("tenant")
	return []Case{
		{
			Name: "tenant", Machine: events(Machine("orders", func(m *model.Machine) {
				m.Params, m.CreateParams = tenant, tenant
				m.Where = frag(tenant, "tenant_id = ", param("tenant"))
				m.Same = []model.Assign{{Column: "tenant_id", Expr: frag(tenant, param("tenant"))}}
			}, states...), nil),
			Columns: []Column{{"tenant_id", "BIGINT", int64(7)}},
			Values:  map[string]any{"tenant": int64(7)}, Foreign: map[string]any{"tenant": int64(8)},
		},
		{
			Name: "where", Machine: events(Machine("orders", nil, states...), func(e *model.Event) {
				e.Params = params("amount", "least")
				e.Where = frag(e.Params, "amount = ", param("amount"), " OR amount < ", param("least"))
			}),
			Columns: []Column{{"amount", "BIGINT", int64(5)}},
			Values:  map[string]any{"amount": int64(5), "least": int64(0)}, Wrong: map[string]any{"amount": int64(6)},
		},
		{
			Name: "constants", Machine: events(Machine("orders", nil, states...), func(e *model.Event) {
				e.Where = frag(nil,
					model.FragToken{Kind: model.FragName, Text: "order"}, " -", model.FragToken{Kind: model.FragValue, Value: Number("-3")}, " = 8 AND kind = ",
					model.FragToken{Kind: model.FragValue, Value: Text(`it's`)}, " AND note <> ", model.FragToken{Kind: model.FragText, Text: `a\'b`})
				e.Set = []model.Assign{{Column: "order", Expr: frag(nil, model.FragToken{Kind: model.FragName, Text: "order"}, " + 0")}}
			}),
			Columns: []Column{{"order", "BIGINT", int64(5)}, {"kind", "VARCHAR(64)", "it's"}, {"note", "VARCHAR(64)", ""}},
		},
		{
			Name: "set", Machine: events(Machine("orders", nil, states...), func(e *model.Event) {
				e.Params = params("by", "n")
				e.Set = []model.Assign{
					{Column: "changed_by", Expr: frag(e.Params, "COALESCE(", param("by"), ", changed_by)")},
					{Column: "times", Expr: frag(e.Params, "times + ", param("n"))},
					{Column: "was", Expr: frag(e.Params, "status")},
				}
			}),
			Columns: []Column{{"changed_by", "VARCHAR(64)", ""}, {"times", "BIGINT", int64(0)}, {"was", "VARCHAR(64)", ""}},
			Values:  map[string]any{"by": "me", "n": int64(2)},
		},
		{Name: "version", Machine: events(Machine("orders", func(m *model.Machine) { m.Version = "version" }, states...), nil)},
		{Name: "fence", Machine: events(Machine("orders", func(m *model.Machine) { m.Fence = "lock_fence" }, states...), nil)},
		{Name: "history", Machine: events(Machine("orders", func(m *model.Machine) { m.History = []string{"order_history"} }, states...), nil)},
		{Name: "once", Machine: events(Machine("orders", nil, states...), func(e *model.Event) { e.Once = true })},
		{
			Name: "create", Machine: events(Machine("orders", func(m *model.Machine) {
				m.CreateParams = params("amount")
				m.Create = []model.Assign{
					{Column: "amount", Expr: frag(m.CreateParams, param("amount"), " + 1")},
					{Column: "note", Expr: frag(nil, "'new'")},
				}
			}, states...), nil),
			Columns: []Column{{"amount", "BIGINT", int64(5)}, {"note", "VARCHAR(64)", ""}},
			Values:  map[string]any{"amount": int64(5)},
		},
		{Name: "dynamic", Machine: dynamic("orders", nil)},
		nullTests(states),
	}
}

// dynamic is a machine with an event whose target the caller names.
func dynamic(table string, change func(m *model.Machine)) *model.Machine {
	m := Machine(table, change, Text("DRAFT"), Text("REVIEW"), Text("DONE"), Text("DROPPED"))
	On(m, "Submit", nil, [2]int{0, 1})
	On(m, "Finish", nil, [2]int{1, 2})
	On(m, "Drop", nil, [2]int{0, 3}, [2]int{1, 3})
	On(m, "Move", func(e *model.Event) { e.Dynamic = true }, [2]int{0, 1}, [2]int{0, 3}, [2]int{1, 2}, [2]int{1, 3})
	return m
}

// everything are machines with all features at once.
func everything() []Case {
	change := func(m *model.Machine) {
		m.Key, m.Column, m.Version, m.Fence = "group", "order", "version", "lock_fence"
		m.Params = params("tenant")
		m.CreateParams = params("tenant", "amount")
		m.Where = frag(m.Params, "tenant_id = ", param("tenant"))
		m.Same = []model.Assign{{Column: "tenant_id", Expr: frag(m.Params, param("tenant"))}}
		m.Create = []model.Assign{{Column: "amount", Expr: frag(m.CreateParams, param("amount"))}}
		m.History = []string{"shop", "history"}
	}
	columns := []Column{{"tenant_id", "BIGINT", int64(7)}, {"amount", "BIGINT", int64(5)}, {"changed_by", "VARCHAR(64)", ""}}
	values := map[string]any{"tenant": int64(7), "amount": int64(5), "by": "me"}
	wrong, foreign := map[string]any{"amount": int64(6)}, map[string]any{"tenant": int64(8)}
	event := func(e *model.Event) {
		e.Params = params("tenant", "amount", "by")
		e.Where = frag(e.Params, "amount = ", param("amount"))
		e.Set = []model.Assign{{Column: "changed_by", Expr: frag(e.Params, param("by"))}}
		e.Once = !e.Dynamic
	}
	full := func(states ...model.SQLValue) *model.Machine {
		m := Machine("shop.order", change, states...)
		On(m, "Pay", event, [2]int{0, 1})
		On(m, "Touch", event, [2]int{1, 1})
		On(m, "Cancel", event, [2]int{0, 2}, [2]int{1, 2})
		return m
	}
	moves := dynamic("shop.order", change)
	for _, e := range moves.Events {
		event(e)
	}
	return []Case{
		{"full", full(Text("CREATED"), Text("PAID"), Text("CANCELLED")), columns, values, wrong, foreign},
		{"full_numbers", full(Number("-1"), Number("0"), Number("10")), columns, values, wrong, foreign},
		{"full_bools", full2(change, event), columns, values, wrong, foreign},
		{"full_dynamic", moves, columns, values, wrong, foreign},
	}
}

// full2 is one with two states alone.
func full2(change func(m *model.Machine), event func(e *model.Event)) *model.Machine {
	m := Machine("shop.order", change, Bool("false"), Bool("true"))
	On(m, "Switch", event, [2]int{0, 1}, [2]int{1, 0})
	On(m, "Touch", event, [2]int{1, 1})
	return m
}
