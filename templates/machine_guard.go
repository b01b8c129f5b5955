package templates

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/templates/names"
	"github.com/idemgen/idemgen/templates/sqltext"
)

// guard declares the machine as data with its SQL, and the guard over it.
func (b *machineBuilder) guard() []jen.Code {
	decls := []jen.Code{b.machineData(), b.eventInfos(), b.guardType(), b.guardConstructor()}
	for i, ev := range b.m.Events {
		decls = append(decls, b.eventFunc(i, ev))
	}
	return append(decls, b.fireFunc())
}

// sqlGuard is the row that the machine guards.
func (b *machineBuilder) sqlGuard() sqltext.Guard {
	return sqltext.Guard{Table: b.m.Table, Key: b.m.Key, Column: b.m.Column}
}

// columnKinds are the runtime's constants for what a column holds.
func columnKind(v model.SQLValue) string {
	switch {
	case v.Bool:
		return "BoolColumn"
	case v.Number:
		return "IntColumn"
	}
	return "TextColumn"
}

func (b *machineBuilder) machineData() jen.Code {
	m := b.m
	var states []jen.Code
	for _, s := range m.States {
		fields := []jen.Code{
			jen.Id("Name").Op(":").Add(lit(s.Ident)),
			jen.Id("Value").Op(":").Add(lit(s.SQL.Text)),
		}
		if s.Final {
			fields = append(fields, jen.Id("Final").Op(":").True())
		}
		words := bitWords(s.DominatedBy, b.words())
		fields = append(fields, jen.Id("DominatedBy").Op(":").Index().Uint64().Values(ids(words...)...))
		states = append(states, row(jen.Values(fields...)))
	}
	read := b.sqlGuard().Select()
	fields := []jen.Code{
		field("Name", lit(m.Name)),
		field("Table", lit(strings.Join(m.Table, "."))),
	}
	if kind := columnKind(m.States[0].SQL); kind != "TextColumn" {
		fields = append(fields, field("Column", b.idem(kind)))
	}
	fields = append(fields,
		field("States", jen.Index().Add(b.idem("StateInfo")).Add(rows(states...))),
		field("Select", b.idem("SQL").Add(rows(
			field("SQLite", lit(read.SQLite)),
			field("Postgres", lit(read.Postgres)),
			field("MySQL", lit(read.MySQL)),
		))),
	)
	return doc(m.data + " is the state machine " + m.Name + " on the column " + m.Column + " of " + strings.Join(m.Table, ".") + ".").Line().
		Var().Id(m.data).Op("=").Add(b.idem("Machine")).Add(rows(fields...))
}

func (b *machineBuilder) eventInfos() jen.Code {
	var list []jen.Code
	for i, ev := range b.m.Events {
		list = append(list, row(jen.Id(b.m.events[i]).Op(":").Add(b.eventInfo(ev))))
	}
	return doc(b.m.eventData + " are the events with their edges and guarded updates.").Line().
		Var().Id(b.m.eventData).Op("=").Index(jen.Op("...")).Add(b.idem("EventInfo")).Add(rows(list...))
}

func (b *machineBuilder) eventInfo(ev *model.Event) *jen.Statement {
	var edges, once []jen.Code
	var sqlEdges []sqltext.Edge
	for _, e := range byFrom(ev.Edges) {
		edges = append(edges, jen.Values(jen.Id("From").Op(":").Lit(e.From), jen.Id("To").Op(":").Lit(e.To)))
		sqlEdges = append(sqlEdges, sqltext.Edge{From: b.m.States[e.From].SQL, To: b.m.States[e.To].SQL})
	}
	update := b.sqlGuard().Update(sqlEdges)
	for _, stmt := range update.SQLite {
		once = append(once, row(lit(stmt)))
	}
	fields := []jen.Code{
		field("Name", lit(ev.Name)),
		field("Edges", jen.Index().Add(b.idem("Edge")).Values(edges...)),
	}
	if proofs := b.proofs(ev); len(proofs) > 0 {
		var list []jen.Code
		for _, s := range proofs {
			list = append(list, jen.Lit(s))
		}
		fields = append(fields, field("Proofs", jen.Index().Int().Values(list...)))
	}
	fields = append(fields, field("Update", b.idem("EventSQL").Add(rows(
		field("SQLite", jen.Index().String().Add(rows(once...))),
		field("Postgres", lit(update.Postgres)),
		field("MySQL", lit(update.MySQL)),
	))))
	return rows(fields...)
}

// proofs are the targets of the event that prove it (S2). A row may be in the
// initial state without any event.
func (b *machineBuilder) proofs(ev *model.Event) []int {
	return slices.DeleteFunc(slices.Clone(ev.Proofs), func(s int) bool { return b.m.States[s] == b.m.Initial })
}

// byFrom orders edges by source; of two from one source an explicit one wins
// over a wildcard one (S4).
func byFrom(edges []model.Edge) []model.Edge {
	edges = slices.Clone(edges)
	slices.SortStableFunc(edges, func(a, b model.Edge) int {
		if a.From != b.From {
			return a.From - b.From
		}
		return boolInt(a.Wildcard) - boolInt(b.Wildcard)
	})
	return slices.CompactFunc(edges, func(a, b model.Edge) bool { return a.From == b.From })
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// keyType is the Go type of the row's key.
func (b *machineBuilder) keyType() *jen.Statement {
	if b.m.KeyType == nil {
		return jen.String()
	}
	return b.code(b.m.KeyType)
}

func (b *machineBuilder) guardType() jen.Code {
	return doc(b.m.guard+" is the one way the column "+b.m.Column+" of "+strings.Join(b.m.Table, ".")+" changes. Each event is one guarded UPDATE;",
		"of several callers at once exactly one applies it. An event that was not applied is a *idem.TransitionError:",
		"NotFound (no such row), Illegal (no edge from the row's state), Duplicate (this event was applied before),",
		"Superseded (so it was, and the row has moved on), Conflict (the row moved meanwhile); a value in the column that is",
		"no state is idem.ErrUnknownState. A crash before the transaction's commit leaves the row as it was.").Line().
		Type().Id(b.m.guard).Struct(jen.Id(b.m.dialect).Add(b.idem("Dialect")))
}

func (b *machineBuilder) guardConstructor() jen.Code {
	dialect := b.name("dialect")
	return doc(b.m.newGuard + " returns the guard that speaks a dialect of SQL.").Line().
		Func().Id(b.m.newGuard).Params(jen.Id(dialect).Add(b.idem("Dialect"))).Id(b.m.guard).
		Block(jen.Return(jen.Id(b.m.guard).Values(jen.Id(b.m.dialect).Op(":").Id(dialect))))
}

// change is idem.Change[Status].
func (b *machineBuilder) change() *jen.Statement { return b.idem("Change").Types(b.typ()) }

// guardParams are (ctx context.Context, db idem.DB, …, id string).
func (b *machineBuilder) guardParams(ctx, db, id string, between ...jen.Code) []jen.Code {
	params := []jen.Code{jen.Id(ctx).Add(b.ctxType()), jen.Id(db).Add(b.idem("DB"))}
	return append(append(params, between...), jen.Id(id).Add(b.keyType()))
}

func (b *machineBuilder) eventFunc(i int, ev *model.Event) jen.Code {
	g, ctx, db, id := b.name("g"), b.name("ctx"), b.name("db"), b.name("id")
	name := names.Upper(ev.Ident)
	return doc(name+" moves the row with the given "+b.m.Key+" "+moveText(b.m.Machine, ev)+"."+b.duplicateText(ev)).Line().
		Func().Params(jen.Id(g).Id(b.m.guard)).Id(name).Params(b.guardParams(ctx, db, id)...).
		Params(b.change(), jen.Error()).
		Block(jen.Return(jen.Id(g).Dot(b.m.fire).Call(jen.Id(ctx), jen.Id(db), jen.Id(b.m.events[i]), jen.Id(id))))
}

// duplicateText says what a second firing of the event meets.
func (b *machineBuilder) duplicateText(ev *model.Event) string {
	sources := make([]bool, len(b.m.States))
	edges := byFrom(ev.Edges)
	for _, e := range edges {
		sources[e.From] = true
	}
	for _, e := range edges {
		if sources[e.To] {
			return " It may be applied again from where it leads to."
		}
	}
	proofs := b.proofs(ev)
	if len(proofs) == 0 {
		return " Fired again it is Illegal: the state that it leads to does not prove that this event led there."
	}
	var unproven []string
	for _, s := range b.m.States {
		if !slices.Contains(proofs, s.Index) && slices.ContainsFunc(edges, func(e model.Edge) bool { return e.To == s.Index }) {
			unproven = append(unproven, s.Ident)
		}
	}
	if len(unproven) == 0 {
		return " Fired again it is Duplicate, or Superseded."
	}
	return " Fired again it is Duplicate, or Superseded; Illegal where it led to " + strings.Join(unproven, ", ") +
		", which does not prove that this event led there."
}

func (b *machineBuilder) fireFunc() jen.Code {
	g, ctx, db, e, id := b.name("g"), b.name("ctx"), b.name("db"), b.name("e"), b.name("id")
	from, to, err := b.name("from"), b.name("to"), b.name("err")
	return doc(b.m.fire+" runs the guarded update of an event and says what happened.").Line().
		Func().Params(jen.Id(g).Id(b.m.guard)).Id(b.m.fire).
		Params(b.guardParams(ctx, db, id, jen.Id(e).Id(b.m.event))...).Params(b.change(), jen.Error()).
		Block(
			jen.List(jen.Id(from), jen.Id(to), jen.Id(err)).Op(":=").Add(b.idem("FireEvent")).Call(
				jen.Id(ctx), jen.Id(db), jen.Id(g).Dot(b.m.dialect),
				jen.Op("&").Id(b.m.data), jen.Op("&").Id(b.m.eventData).Index(jen.Id(e)), jen.Id(id)),
			jen.If(jen.Id(err).Op("!=").Nil()).Block(jen.Return(b.change().Values(), jen.Id(err))),
			jen.Return(b.change().Values(
				jen.Id("From").Op(":").Id(b.m.values).Index(jen.Id(from)),
				jen.Id("To").Op(":").Id(b.m.values).Index(jen.Id(to)),
			), jen.Nil()),
		)
}
