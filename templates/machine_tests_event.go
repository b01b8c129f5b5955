package templates

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/templates/sqltext"
)

// pairOf is a literal of two fields.
func pairOf(a string, x jen.Code, b string, y jen.Code) *jen.Statement {
	return jen.Values(jen.Id(a).Op(":").Add(x), jen.Id(b).Op(":").Add(y))
}

func (b *testBuilder) testStates() jen.Code {
	var list []jen.Code
	for _, s := range b.m.States {
		value := columnLiteral(s.SQL)
		if w := b.columnWire(); s.SQL.Number {
			value = jen.Id(w.wide).Call(value)
		}
		list = append(list, row(pairOf("State", b.code(s.Const), "Column", value)))
	}
	return jen.Index().Add(b.use(idemtestPath, "State").Types(b.typ())).Add(rows(list...))
}

func (b *testBuilder) testEvents(g string) jen.Code {
	var list []jen.Code
	for i, ev := range b.m.Events {
		list = append(list, row(b.testEvent(i, ev, g)))
	}
	return jen.Index().Add(b.use(idemtestPath, "Event").Types(b.typ(), b.keyType())).Add(rows(list...))
}

func (b *testBuilder) testEvent(i int, ev *model.Event, g string) *jen.Statement {
	values := b.rows.values(ev)
	fields := []jen.Code{field("Name", lit(ev.Name)), field("Fire", b.testFire(i, ev, g))}
	if ev.Dynamic {
		fields = append(fields, field("Dynamic", jen.True()))
	}
	var moves []jen.Code
	for _, e := range sqltext.OfEvent(b.m.Machine, ev).Edges {
		moves = append(moves, row(pairOf("From", b.code(b.m.States[e.From].Const), "To", b.code(b.m.States[e.To].Const))))
	}
	fields = append(fields, field("Moves", jen.Index().Add(b.use(idemtestPath, "Move").Types(b.typ())).Add(rows(moves...))))
	if applied := b.applied(ev); len(applied) > 0 {
		fields = append(fields, field("Applied", jen.Index().Add(b.use(idemtestPath, "Applied").Types(b.typ())).Add(rows(applied...))))
	}
	if len(b.rows.columns) > 0 {
		var cells []jen.Code
		for j := range b.rows.columns {
			cells = append(cells, b.cell(values.cells[j]))
		}
		fields = append(fields, field("Row", jen.Index().Id("any").Values(cells...)))
	}
	if values.unsure {
		fields = append(fields, field("Unsure", jen.True()))
	}
	return rows(fields...)
}

// applied are the states in which a row proves that the event was applied. A row
// of the test has no history: there nothing proves anything.
func (b *testBuilder) applied(ev *model.Event) []jen.Code {
	if b.m.History != nil || ev.Dynamic {
		return nil
	}
	edges, proofs := byFrom(ev.Edges), b.proofs(ev)
	var list []jen.Code
	for i, s := range b.m.States {
		kind := ""
		switch {
		case slices.ContainsFunc(edges, func(e model.Edge) bool { return e.From == i }):
		case slices.Contains(proofs, i):
			kind = "TransitionDuplicate"
		case slices.ContainsFunc(proofs, func(p int) bool { return slices.Contains(s.DominatedBy, p) }):
			kind = "TransitionSuperseded"
		}
		if kind != "" {
			list = append(list, row(pairOf("State", b.code(s.Const), "Kind", b.idem(kind))))
		}
	}
	return list
}

// testFire writes the function that fires an event with the test's arguments.
func (b *testBuilder) testFire(i int, ev *model.Event, g string) jen.Code {
	ctx, db, id, to := b.name("ctx"), b.name("db"), b.name("id"), b.name("to")
	args := []jen.Code{jen.Id(ctx), jen.Id(db), jen.Id(id)}
	target := "_"
	if ev.Dynamic {
		args, target = append(args, jen.Id(to)), to
	}
	if b.m.Version != "" {
		args = append(args, b.idem("AnyVersion"))
	}
	if b.m.Fence != "" {
		args = append(args, jen.Lit(1))
	}
	for _, p := range ev.Params {
		args = append(args, b.argument(p))
	}
	return jen.Func().Params(jen.Id(ctx).Add(b.ctxType()), jen.Id(db).Add(b.idem("DB")), jen.Id(id).Add(b.keyType()), jen.Id(target).Add(b.typ())).
		Params(b.change(), jen.Error()).Block(jen.Return(jen.Id(g).Dot(b.m.methods[i]).Call(args...)))
}

func (b *testBuilder) testCreate(g string) jen.Code {
	ctx, db, id := b.name("ctx"), b.name("db"), b.name("id")
	args := []jen.Code{jen.Id(ctx), jen.Id(db), jen.Id(id)}
	for _, p := range b.m.CreateParams {
		args = append(args, b.argument(p))
	}
	return jen.Func().Params(jen.Id(ctx).Add(b.ctxType()), jen.Id(db).Add(b.idem("DB")), jen.Id(id).Add(b.keyType())).
		Error().Block(jen.Return(jen.Id(g).Dot(b.m.create).Call(args...)))
}

// argument is what the test passes for a parameter of the SQL, which is what a row
// holds that is compared with it.
func (b *testBuilder) argument(p model.SQLParam) jen.Code {
	switch cell := paramCell(p); cell.kind {
	case cellText:
		return b.converted(p.Type, lit(cell.text))
	case cellBytes:
		return b.code(p.Type).Parens(lit(cell.text))
	case cellNumber, cellBool:
		return jen.Id(cell.text)
	case cellTime:
		return b.use("time", "Unix").Call(jen.Lit(0), jen.Lit(0)).Dot("UTC").Call()
	}
	return jen.Op("*").Id("new").Call(b.code(p.Type))
}

// cell is a value of a row of the test.
func (b *testBuilder) cell(c testCell) jen.Code {
	switch c.kind {
	case cellText:
		return lit(c.text)
	case cellBytes:
		return jen.Index().Byte().Call(lit(c.text))
	case cellNumber:
		return jen.Int64().Call(jen.Id(c.text))
	case cellBool:
		return jen.Id(c.text)
	case cellTime:
		return b.use("time", "Unix").Call(jen.Lit(0), jen.Lit(0)).Dot("UTC").Call()
	}
	return jen.Nil()
}
