package templates

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/templates/sqltext"
)

// columnKind is the runtime's constant for what a column holds.
func columnKind(v model.SQLValue) string {
	switch {
	case v.Bool:
		return "BoolColumn"
	case v.Number:
		return "IntColumn"
	}
	return "TextColumn"
}

// machineData declares the machine as the runtime reads it.
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
	texts := sqltext.OfMachine(m.Machine)
	fields := []jen.Code{
		field("Name", lit(m.Name)),
		field("Table", lit(strings.Join(m.Table, "."))),
	}
	set := func(ok bool, name string, value func() jen.Code) {
		if ok {
			fields = append(fields, field(name, value()))
		}
	}
	kind := columnKind(m.States[0].SQL)
	set(kind != "TextColumn", "Column", func() jen.Code { return b.idem(kind) })
	fields = append(fields, field("States", jen.Index().Add(b.idem("StateInfo")).Add(rows(states...))))
	set(m.Initial.Index != 0, "Initial", func() jen.Code { return jen.Lit(m.Initial.Index) })
	set(m.Version != "", "Version", func() jen.Code { return jen.True() })
	set(m.Fence != "", "Fence", func() jen.Code { return jen.True() })
	fields = append(fields, field("Select", b.form(texts.Select)))
	set(b.hasOnce(), "Lock", func() jen.Code { return b.form(texts.Lock) })
	fields = append(fields, field("Create", b.idem("CreateSQL").Add(rows(
		field("Insert", b.form(texts.CreateInsert)),
		field("Select", b.form(texts.CreateSelect)),
	))))
	set(m.History != nil, "History", func() jen.Code {
		return b.idem("HistorySQL").Add(rows(
			field("SQLite", b.insert(texts.HistorySQLite)),
			field("MySQL", b.insert(texts.HistoryMySQL)),
		))
	})
	return doc(m.data + " is the state machine " + m.Name + " on the column " + m.Column + " of " + strings.Join(m.Table, ".") + ".").Line().
		Var().Id(m.data).Op("=").Add(b.idem("Machine")).Add(rows(fields...))
}

// hasOnce tells whether an event has a key of its own.
func (b *machineBuilder) hasOnce() bool {
	return slices.ContainsFunc(b.m.Events, func(ev *model.Event) bool { return ev.Once })
}

// eventInfos declares the events as the runtime reads them.
func (b *machineBuilder) eventInfos() jen.Code {
	var list []jen.Code
	for i, ev := range b.m.Events {
		list = append(list, row(jen.Id(b.m.events[i]).Op(":").Add(b.eventInfo(ev))))
	}
	return doc(b.m.eventData + " are the events with their edges and guarded updates.").Line().
		Var().Id(b.m.eventData).Op("=").Index(jen.Op("...")).Add(b.idem("EventInfo")).Add(rows(list...))
}

func (b *machineBuilder) eventInfo(ev *model.Event) *jen.Statement {
	texts := sqltext.OfEvent(b.m.Machine, ev)
	var edges []jen.Code
	for _, e := range texts.Edges {
		edges = append(edges, jen.Values(jen.Id("From").Op(":").Lit(e.From), jen.Id("To").Op(":").Lit(e.To)))
	}
	fields := []jen.Code{
		field("Name", lit(ev.Name)),
		field("Edges", jen.Index().Add(b.idem("Edge")).Values(edges...)),
	}
	set := func(ok bool, name string, value func() jen.Code) {
		if ok {
			fields = append(fields, field(name, value()))
		}
	}
	proofs := b.proofs(ev)
	set(len(proofs) > 0, "Proofs", func() jen.Code {
		var list []jen.Code
		for _, s := range proofs {
			list = append(list, jen.Lit(s))
		}
		return jen.Index().Int().Values(list...)
	})
	set(ev.Dynamic, "Dynamic", func() jen.Code { return jen.True() })
	set(true, "Update", func() jen.Code { return b.form(texts.Update) })
	set(texts.Check.SQLite != "", "Check", func() jen.Code { return b.form(texts.Check) })
	set(b.hasBatch(ev), "Batch", func() jen.Code {
		return b.idem("BatchSQL").Add(rows(
			field("SQLite", b.listSQL("ListSQL", texts.BatchSQLite)),
			field("Postgres", b.listSQL("ListSQL", texts.BatchPostgres)),
			field("MySQLRead", b.listSQL("ListSQL", texts.BatchMySQLRead)),
			field("MySQL", b.listSQL("ListSQL", texts.BatchMySQL)),
		))
	})
	set(texts.Once.Parts != nil, "Once", func() jen.Code { return b.listSQL("OnceSQL", texts.Once) })
	return rows(fields...)
}

// form writes a statement in every dialect.
func (b *machineBuilder) form(f sqltext.Form) *jen.Statement {
	var fields []jen.Code
	for _, text := range []struct{ name, sql string }{{"SQLite", f.SQLite}, {"Postgres", f.Postgres}, {"MySQL", f.MySQL}} {
		if text.sql != "" {
			fields = append(fields, field(text.name, lit(text.sql)))
		}
	}
	for _, args := range []struct {
		name string
		list []int
	}{{"Args", f.Args}, {"SQLiteArgs", f.SQLiteArgs}, {"PostgresArgs", f.PostgresArgs}, {"MySQLArgs", f.MySQLArgs}} {
		if args.list != nil {
			fields = append(fields, field(args.name, b.argNumbers(args.list)))
		}
	}
	return b.idem("GuardSQL").Add(rows(fields...))
}

// list writes a statement that is put together at run time.
func (b *machineBuilder) listSQL(typ string, l sqltext.List) *jen.Statement {
	var parts []jen.Code
	for _, p := range l.Parts {
		parts = append(parts, lit(p))
	}
	fields := []jen.Code{jen.Id("Parts").Op(":").Index().String().Values(parts...)}
	if l.Args != nil {
		fields = append(fields, jen.Id("Args").Op(":").Add(b.argNumbers(l.Args)))
	}
	return b.idem(typ).Values(fields...)
}

func (b *machineBuilder) insert(i sqltext.Insert) *jen.Statement {
	return b.idem("InsertSQL").Values(jen.Id("Into").Op(":").Add(lit(i.Into)), jen.Id("Row").Op(":").Add(lit(i.Row)))
}

// argNames are the arguments that the runtime passes on its own account, by -number.
var argNames = [...]string{"ArgKey", "ArgActor", "ArgIdemKey", "ArgTarget", "ArgKeys", "ArgOrdinal", "ArgLive", "ArgRecord"}

// argNumbers writes which argument each placeholder stands for.
func (b *machineBuilder) argNumbers(list []int) *jen.Statement {
	var out []jen.Code
	for _, n := range list {
		if n > 0 {
			out = append(out, jen.Id(strconv.Itoa(n)))
		} else {
			out = append(out, b.idem(argNames[-n]))
		}
	}
	return jen.Index().Int().Values(out...)
}
